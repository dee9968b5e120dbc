"""What has to do with what: which two memories are worth a link, by what rule, and how sure that is. Pure.

    causes      whoever said both said "because" between them
    elaborates  one says all that the other says, and more
    same_topic  both name something that few memories name, or one speaks of what the other is said of

Nearness of meaning alone links nothing: what is said in passing is near to all else that is. It orders what a rule has
found, and refuses what only shares a name. A newer memory looks back at older ones, so what is found is the same in
whatever portions a stream is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple
from uuid import UUID

from shared.belief.predicates import subject_key
from shared.belief.similarity import telling
from shared.belief.unkeyed import is_unkeyed
from shared.contract.operations import AbstractPayload, LinkPayload, WrittenEntry
from shared.contract.records import EpistemicType, EvidenceRef, Link, MemoryVersion, Span
from shared.contract.relations import MOST_LINKS, RELATIONS, Relation
from shared.language.text import terms

COMMONEST: Final = 30
"""Memories that may mention a name, or claim something of a subject, for it to say what another one is about."""
LEAST_COSINE: Final = 0.5
"""Of two memories that share such a name: below, they mention it in passing."""
OWN_LINKS: Final = 3
"""Links that a memory proposes itself, to older ones."""
FEWEST_TERMS: Final = 3
"""Terms of what is elaborated: of two words too much is an elaboration."""

_BECAUSE: Final = re.compile(
    r"\W*(?:(?:but|and|mainly|mostly|only|just|simply|partly)\s+)?"
    r"(?:because|weil|denn|parce\s+qu[e'\u2019]|porque|perch\u00e9|omdat)\b",
    re.IGNORECASE,
)
_HANDED_OVER: Final = "handed_over"
_SAID_BECAUSE: Final = "said_because"


class Pair(NamedTuple):
    """A memory and an older one, both open, and how near they are."""

    newer: MemoryVersion
    older: MemoryVersion
    cosine: float
    """Of their vectors."""


class Found(NamedTuple):
    """A link that is worth proposing."""

    source: MemoryVersion
    relation: Relation
    target: MemoryVersion
    reason: str
    score: float
    via: int | None = None

    @property
    def payload(self) -> LinkPayload:
        """The operation that makes it."""
        return LinkPayload(
            reason=self.reason,
            source=self.source.memory_id,
            relation=self.relation,
            target=self.target.memory_id,
            score=self.score,
            via=self.via,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What the rules look up."""

    mentions: Mapping[str, int] = field(default_factory=dict)
    """How many memories mention a name, by its key."""
    subjects: Mapping[str, int] = field(default_factory=dict)
    """How many beliefs claim something of a subject, by its key."""
    texts: Mapping[int, str] = field(default_factory=dict)
    """The texts of messages, by sequence."""


def may_be_linked(newer: MemoryVersion, older: MemoryVersion) -> bool:
    """Whether a link would say anything: what is reached without one needs none.

    Turns of one session stand around each other, and a belief shows the message that it rests on.
    """
    if older.doc >= newer.doc or newer.agent_id != older.agent_id or not (newer.is_open and older.is_open):
        return False
    if _is_belief(newer) and _is_belief(older):
        return True
    if newer.session_doc == older.session_doc:
        return False
    return {ref.sequence for ref in newer.evidence}.isdisjoint(ref.sequence for ref in older.evidence)


def found_in(pair: Pair, known: Known) -> Found | None:
    """The link that a pair is worth, by the first rule that applies; None where none does."""
    newer, older, cosine = pair
    if not may_be_linked(newer, older):
        return None
    score = round(min(max(cosine, 0.0), 1.0), 3)
    if _is_belief(newer) and _is_belief(older):
        for effect, cause in ((newer, older), (older, newer)):
            if _said_because(effect, cause, known.texts):
                return Found(cause, Relation.CAUSES, effect, _SAID_BECAUSE, 1.0)
        if cosine >= LEAST_COSINE and _elaborates(newer, older):
            return Found(newer, Relation.ELABORATES, older, "says_more", score)
    reason = _topic(newer, older, known) if cosine >= LEAST_COSINE else None
    return Found(newer, Relation.SAME_TOPIC, older, reason, score) if reason else None


def chosen(found: Iterable[Found], ties: Iterable[Link]) -> Iterator[Found]:
    """Those of some links that are to be proposed: of each memory the best, and no more at any than there may be.

    `ties` are those that there are at the memories, open or closed: what is tied already, or was and somebody took it
    back, is not proposed again, and counts for what a memory proposes itself.
    """
    known = list(ties)
    tied = {frozenset((tie.source, tie.target)) for tie in known}
    degree: dict[UUID, int] = {}
    for tie in known:
        if tie.closed_by is None and tie.relation in RELATIONS:
            _count(degree, tie.source, tie.target)
    own: dict[UUID, int] = {}
    for each in sorted(found, key=_best_first):
        ends = each.source.memory_id, each.target.memory_id
        newer = max(each.source, each.target, key=lambda end: end.doc).memory_id
        if own.get(newer, 0) >= OWN_LINKS:
            continue
        if frozenset(ends) in tied:
            own[newer] = own.get(newer, 0) + 1
        elif all(degree.get(end, 0) < MOST_LINKS for end in ends):
            own[newer] = own.get(newer, 0) + 1
            tied.add(frozenset(ends))
            _count(degree, *ends)
            yield each


def handed_over(
    absorbed: Mapping[UUID, MemoryVersion], ties: Iterable[Link], held: Mapping[UUID, MemoryVersion]
) -> Iterator[Found]:
    """The links that memories inherit from what they have absorbed: each is drawn from the one it was.

    `absorbed` says of memories that were merged away what stands for them, open; `held` are open memories by id.
    """
    for tie in ties:
        if tie.closed_by is not None or tie.relation not in RELATIONS or tie.score is None:
            continue
        source = absorbed.get(tie.source) or held.get(tie.source)
        target = absorbed.get(tie.target) or held.get(tie.target)
        is_moved = tie.source in absorbed or tie.target in absorbed
        if is_moved and source and target and source.memory_id != target.memory_id:
            yield Found(source, Relation(tie.relation), target, _HANDED_OVER, tie.score, tie.opened_by)


def context_of(link: Found) -> AbstractPayload | None:
    """What follows for a memory from a link to it: that it is so, and why, as a memory of its own which cites both.

    The texts of the two stay as they are. Of a link that only says what belongs together there is nothing to write:
    two texts side by side say no more than the link. None too where one of them holds no more.
    """
    cause, effect = link.source, link.target
    if link.relation is not Relation.CAUSES or cause.valid_to or effect.valid_to or not cause.evidence:
        return None
    text = f"{effect.text.rstrip().rstrip('.')} \u2014 because: {cause.text}"
    entry = WrittenEntry(
        kind=effect.kind,
        epistemic_type=EpistemicType.INFERENCE,
        text=text,
        valid_from=effect.valid_from,
        evidence=_both(effect.evidence, cause.evidence),
        confidence=min(effect.confidence, cause.confidence),
    )
    return AbstractPayload(reason=_SAID_BECAUSE, sources=(effect.memory_id, cause.memory_id), entry=entry)


def _topic(newer: MemoryVersion, older: MemoryVersion, known: Known) -> str | None:
    """By what two memories are about one thing; None where nothing says so."""
    if newer.claim and older.claim:
        subject, other = subject_key(newer.claim.subject), subject_key(older.claim.subject)
        if subject == other and known.subjects.get(subject, 0) <= COMMONEST:
            return "same_subject"
        if subject == subject_key(older.claim.object) and known.subjects.get(subject, 0) <= COMMONEST:
            return "said_of_the_other"
        if other == subject_key(newer.claim.object) and known.subjects.get(other, 0) <= COMMONEST:
            return "said_of_the_other"
    shared = set(telling(newer.text).names) & set(telling(older.text).names)
    rare = [name for name in shared if 1 < known.mentions.get(name, 0) <= COMMONEST]
    return "shared_name" if rare else None


def _elaborates(newer: MemoryVersion, older: MemoryVersion) -> bool:
    """Whether one says all that the other says, and more, and denies no more than it."""
    less, more = telling(older.text), telling(newer.text)
    if less.negations != more.negations or not set(less.numbers) <= set(more.numbers):
        return False
    few, many = set(terms(older.text)), set(terms(newer.text))
    return len(few) >= FEWEST_TERMS and few < many


def _said_because(effect: MemoryVersion, cause: MemoryVersion, texts: Mapping[int, str]) -> bool:
    """Whether both were read from one message, in which the words of the cause follow with a "because"."""
    for ref in effect.evidence:
        for other in cause.evidence:
            text = texts.get(ref.sequence)
            if text is None or ref.sequence != other.sequence or ref.end is None or other.start is None:
                continue
            if ref.end <= other.start and _BECAUSE.match(text[ref.end : other.end]):
                between = text[ref.end : other.start]
                return not between.strip() or bool(_BECAUSE.match(between))
    return False


def _both(first: Sequence[EvidenceRef], second: Sequence[EvidenceRef]) -> tuple[EvidenceRef, ...]:
    by_span: dict[Span, EvidenceRef] = {}
    for ref in (*first, *second):
        by_span.setdefault(ref.span, ref)
    return tuple(by_span.values())


def _is_belief(memory: MemoryVersion) -> bool:
    return memory.claim is not None or is_unkeyed(memory)


def _best_first(found: Found) -> tuple[int, float, int]:
    ends = sorted((found.source.doc, found.target.doc))
    return ends[1], -found.score, -ends[0]


def _count(degree: dict[UUID, int], *ends: UUID) -> None:
    for end in ends:
        degree[end] = degree.get(end, 0) + 1
