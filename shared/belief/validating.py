"""What a proposal must be for anybody to carry it out. Pure: the same proposal on the same memories, the same answer.

Whoever proposes may be a model, so nothing that it says of its own proposal counts. A rule looks at the operation and
at the memories as they are held in the very transaction that would commit it. The first rule that applies refuses.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple
from uuid import UUID

from shared.belief.confirming import together
from shared.belief.contradictions import alike
from shared.belief.grounding import adds
from shared.belief.outdated import outdates
from shared.belief.rules.sensitivity import classes_of
from shared.belief.similarity import says_the_same, telling
from shared.contract.operations import (
    AbstractPayload,
    LinkPayload,
    MergePayload,
    StandingPayload,
    SupersedePayload,
    WrittenEntry,
)
from shared.contract.proposals import Proposable, Proposal, Refusal, named, relied_on
from shared.contract.records import EpistemicType, EvidenceRef, Link, MemoryVersion, Operation, Span
from shared.contract.relations import MOST_LINKS, RELATIONS

_FEWEST: Final = 2
_SURE: Final = frozenset({EpistemicType.EVIDENCE, EpistemicType.FACT})
"""Footings from which a fact may follow."""


class _Group(NamedTuple):
    """A merge or an abstraction, with what it is made of."""

    operation: MergePayload | AbstractPayload
    sources: Sequence[MemoryVersion]
    """In the order that they are named: of a merge, what stays first."""

    @property
    def entry(self) -> WrittenEntry | None:
        """The text that is new; a merge has none."""
        return self.operation.entry if isinstance(self.operation, AbstractPayload) else None

    @property
    def cited(self) -> tuple[EvidenceRef, ...]:
        """What would rest on what."""
        return self.entry.evidence if self.entry else self.operation.evidence  # type: ignore[union-attr]


def refused(proposal: Proposal, held: Mapping[UUID, MemoryVersion], ties: Collection[Link] = ()) -> Refusal | None:
    """Why a proposal is not to be carried out; None where it may be.

    `held` is the newest version of each memory that it read, of the stream that it is about; `ties` are at least those
    that there are, open or closed, at the memories that a LINK names.
    """
    stale = _stale(proposal, held)
    if stale is None and isinstance(proposal.operation, StandingPayload):
        return _unstanding(proposal.operation, held)
    if stale is None and isinstance(proposal.operation, SupersedePayload):
        return _wrongly_superseded(proposal.operation, held)
    if not stale and isinstance(proposal.operation, LinkPayload):
        return _refused_link(proposal.operation, held, ties)
    if stale or not isinstance(proposal.operation, MergePayload | AbstractPayload):
        return stale
    group = _Group(proposal.operation, [held[memory] for memory in named(proposal.operation)])
    return next((refusal for refusal, applies in _RULES if applies(group)), None)


def _refused_link(link: LinkPayload, held: Mapping[UUID, MemoryVersion], ties: Collection[Link]) -> Refusal | None:
    """A link needs no evidence of its own: it holds while both memories do, and is as far to be trusted as either."""
    ends = {link.source, link.target}
    between = [tie for tie in ties if {tie.source, tie.target} == ends]
    at_ends = (sum(end in (tie.source, tie.target) for tie in ties if is_link(tie)) for end in ends)
    rules = (
        (Refusal.UNKNOWN_RELATION, link.relation not in RELATIONS),
        (Refusal.LINKED_ALREADY, len(ends) < _FEWEST or any(tie.closed_by is None for tie in between)),
        (Refusal.TAKEN_BACK, bool(between)),
        (Refusal.SCOPES_MIXED, _differ(held[end].agent_id for end in ends)),
        (Refusal.TOO_MANY_LINKS, any(number >= MOST_LINKS for number in at_ends)),
    )
    return next((refusal for refusal, applies in rules if applies), None)


def is_link(tie: Link) -> bool:
    """Whether a tie is one that a job proposed, and is open."""
    return tie.closed_by is None and tie.relation in RELATIONS


def _stale(proposal: Proposal, held: Mapping[UUID, MemoryVersion]) -> Refusal | None:
    """Whether the memories are no more what they were when the proposal was thought out."""
    operation: Proposable = proposal.operation
    if any(memory not in held for memory in proposal.read):
        return Refusal.SOURCE_MISSING
    if any(not held[memory].is_open for memory in (*named(operation), *relied_on(operation))):
        return Refusal.SOURCE_CLOSED
    if any(held[memory].version != version for memory, version in proposal.read.items()):
        return Refusal.CHANGED_SINCE
    return None


def _unstanding(operation: StandingPayload, held: Mapping[UUID, MemoryVersion]) -> Refusal | None:
    found = (_unfounded(operation, held[memory]) for memory in operation.memories)
    return next((each for each in found if each), None) or _uncovered(operation, held)


def _unfounded(operation: StandingPayload, memory: MemoryVersion) -> Refusal | None:
    """Whether a promotion makes a memory more certain, or a fact: neither follows from what a job can know of it.

    Nor is anything made evidence that is none, or evidence anything else; and what changes nothing is no operation.
    """
    confidence = memory.confidence if operation.confidence is None else operation.confidence
    footing = operation.epistemic_type or memory.epistemic_type
    if confidence > memory.confidence:
        return Refusal.MORE_CERTAIN
    if footing is not memory.epistemic_type and (
        operation.op is Operation.PROMOTE or EpistemicType.EVIDENCE in {footing, memory.epistemic_type}
    ):
        return Refusal.FIRMER
    now, then = (
        (memory.kind, memory.epistemic_type, memory.confidence, memory.tier),
        (operation.kind or memory.kind, footing, confidence, operation.tier or memory.tier),
    )
    return Refusal.NO_CHANGE if now == then else None


def _wrongly_superseded(operation: SupersedePayload, held: Mapping[UUID, MemoryVersion]) -> Refusal | None:
    """Why a memory is not to be superseded by another: it is nobody's to say but the world's times', and its trust."""
    old, new = held[operation.memory], held[operation.by]
    if old.agent_id != new.agent_id:
        return Refusal.SCOPES_MIXED
    if not (alike(old, new) or outdates(old, new)):
        return Refusal.NOT_OPPOSED
    if new.trust < old.trust:
        return Refusal.TRUST_MIXED
    begins = new.valid_from
    if begins is None or operation.valid_to != begins or (old.valid_from is not None and begins <= old.valid_from):
        return Refusal.NOT_LATER
    return None


def _uncovered(operation: StandingPayload, held: Mapping[UUID, MemoryVersion]) -> Refusal | None:
    """Whether what would leave the hot tier is no episode, or the summary does not stand for it."""
    if operation.behind is None:
        return None
    summary, leaving = held[operation.behind], [held[memory] for memory in operation.memories]
    if summary.epistemic_type is EpistemicType.EVIDENCE:
        return Refusal.EVIDENCE_LOST
    if any(each.epistemic_type is not EpistemicType.EVIDENCE for each in leaving):
        return Refusal.FOOTINGS_MIXED
    if not _spans(summary.evidence) >= {span for each in leaving for span in _spans(each.evidence)}:
        return Refusal.EVIDENCE_LOST
    return Refusal.TRUST_MIXED if _differ([summary.trust, *(each.trust for each in leaving)]) else None


def _too_few(group: _Group) -> bool:
    return len(group.sources) < _FEWEST


def _scopes_mixed(group: _Group) -> bool:
    return _differ(source.agent_id for source in group.sources)


def _claims_mixed(group: _Group) -> bool:
    """Whether a merge is of different claims. What is abstracted may be drawn from several."""
    return group.entry is None and _differ(source.claim and source.claim.key for source in group.sources)


def _footings_mixed(group: _Group) -> bool:
    footings = ((source.kind, source.epistemic_type, source.schema_name) for source in group.sources)
    return group.entry is None and _differ(footings)


def _trust_mixed(group: _Group) -> bool:
    return _differ(source.trust for source in group.sources)


def _sensitivity_mixed(group: _Group) -> bool:
    texts = [source.text for source in group.sources]
    classes = [classes_of(text, holds_secret=False) for text in texts]
    if group.entry is None:
        return _differ(classes)
    delicate = {each for found in classes for each in found}
    return not delicate.issuperset(classes_of(group.entry.text, holds_secret=False)) or _differ(classes)


def _contradicts(group: _Group) -> bool:
    """Whether a number, date, name, negation or any other word that tells differs between what is to be one."""
    first, *others = group.sources
    return group.entry is None and not all(says_the_same(first.text, other.text) for other in others)


def _evidence_lost(group: _Group) -> bool:
    return not _spans(group.cited) >= {span for source in group.sources for span in _spans(source.evidence)}


def _evidence_added(group: _Group) -> bool:
    return not _spans(group.cited) <= {span for source in group.sources for span in _spans(source.evidence)}


def _unsupported(group: _Group) -> bool:
    """Whether a new text names, counts, dates or denies what none of its sources does, or affirms what all deny."""
    if group.entry is None:
        return False
    if adds(group.entry.text, group.sources):
        return True
    told, said = telling(group.entry.text), [telling(source.text) for source in group.sources]
    denied = any(one.negations for one in said)
    return (told.negations > 0 and not denied) or (told.negations == 0 and all(one.negations for one in said))


def _more_certain(group: _Group) -> bool:
    """Whether it is more certain than what it is made of, beyond what independent evidence adds."""
    confidence = group.entry.confidence if group.entry else group.operation.confidence  # type: ignore[union-attr]
    if confidence is None:
        return False
    return confidence > _most_certain(group) + _ROUNDING


def _most_certain(group: _Group) -> float:
    """How certain it can be: of what says the same all together, of an abstraction as its least certain source."""
    if group.entry is not None:
        return min(source.confidence for source in group.sources)
    return together(group.sources).confidence


def _firmer(group: _Group) -> bool:
    """Whether something becomes a fact that was none: that is for who confirms it (`shared.belief.promotion`)."""
    is_fact = group.entry is not None and group.entry.epistemic_type is EpistemicType.FACT
    return is_fact and any(source.epistemic_type not in _SURE for source in group.sources)


def _of_its_own_kind(group: _Group) -> bool:
    """Whether an inference would be made of another one: pass by pass it would drift from what was said."""
    inferred = EpistemicType.INFERENCE
    own = group.entry is not None and group.entry.epistemic_type is inferred
    return own and any(each.epistemic_type is inferred and each.kind is group.entry.kind for each in group.sources)  # type: ignore[union-attr]


_ROUNDING: Final = 1e-9
_RULES: Final[tuple[tuple[Refusal, Callable[[_Group], bool]], ...]] = (
    (Refusal.TOO_FEW_SOURCES, _too_few),
    (Refusal.SCOPES_MIXED, _scopes_mixed),
    (Refusal.CLAIMS_MIXED, _claims_mixed),
    (Refusal.FOOTINGS_MIXED, _footings_mixed),
    (Refusal.TRUST_MIXED, _trust_mixed),
    (Refusal.SENSITIVITY_MIXED, _sensitivity_mixed),
    (Refusal.CONTRADICTION, _contradicts),
    (Refusal.EVIDENCE_LOST, _evidence_lost),
    (Refusal.EVIDENCE_ADDED, _evidence_added),
    (Refusal.UNSUPPORTED, _unsupported),
    (Refusal.MORE_CERTAIN, _more_certain),
    (Refusal.OF_ITS_OWN_KIND, _of_its_own_kind),
    (Refusal.FIRMER, _firmer),
)


def _differ(values: Iterable[object]) -> bool:
    return len(set(values)) > 1


def _spans(refs: Iterable[EvidenceRef]) -> set[Span]:
    return {ref.span for ref in refs}
