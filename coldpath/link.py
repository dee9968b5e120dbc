"""link: memories that have to do with each other are tied, and what follows from a tie is written down beside them.

Looks at what is new in a stream, portion by portion, and from there back: through names that few memories mention, and
through what is claimed of one subject. What a memory was merged into inherits its links.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Self
from uuid import UUID

from coldpath._former import ties_at
from coldpath.proposals import Proposed
from shared.belief.linking import COMMONEST, Found, Known, Pair, chosen, context_of, found_in, handed_over
from shared.belief.predicates import subject_key
from shared.contract.operations import ClosePayload
from shared.contract.proposals import Proposable, Proposal
from shared.contract.records import Link, MemoryVersion, Operation
from shared.contract.relations import ABSTRACTS, RELATIONS, Relation
from shared.store import batches, generations, graph, ledger, links, memories, vectors
from shared.store.db import Session
from shared.work.queues import LINK

MOST_LOOKED_AT: Final = 20_000
"""New memories of a stream that one pass looks at, in the order they came; the next pass goes on behind them."""
PORTION: Final = 250
"""Of them at a time: their pairs, some 10,000, are held at once, and the texts of 3,000 older memories at most."""
PER_NAME: Final = 20
"""Older memories that are compared because of one name or subject, the newest."""
MOST_COMPARED: Final = 12
"""Older memories, the nearest, that a new one is held against word by word."""
MOST_BELIEFS: Final = 20_000
"""Beliefs, the newest, whose subjects are known."""

_Docs = tuple[int, int]
"""The numbers of a newer memory and an older one."""


def propose(session: Session) -> Proposed:
    """What should be tied in the stream of the session's owner, and what follows from that.

    Up to the first memory that lacks its vector, or its names: those are still being made. What is in the cold tier
    gets none, and is passed over until it comes back.
    """
    new, seen, waiting = _ready(session, *_new(session))
    claims = _Claims.of(memories.beliefs(session, keyed=True, limit=MOST_BELIEFS)) if new else _Claims()
    portions = (new[start : start + PORTION] for start in range(0, len(new), PORTION))
    found = [each for portion in portions for each in _found(session, portion, claims)]
    proposals = [*_linking(session, [*found, *_inherited(session)]), *_worn(session)]
    return Proposed(proposals=proposals, is_whole=seen is None, seen=seen, waiting=waiting)


def _new(session: Session) -> tuple[list[MemoryVersion], int | None]:
    """What is open and has changed since the job has seen all, and up to which event, if that is not the stream's end.

    What one event has opened is looked at together.
    """
    found = memories.opened_after(session, batches.marked(session, LINK), limit=MOST_LOOKED_AT)
    if len(found) < MOST_LOOKED_AT:
        return found, None
    last = found[-1].opened_by
    return [each for each in found if each.opened_by < last] or found, last - 1


def _ready(
    session: Session, new: Sequence[MemoryVersion], seen: int | None
) -> tuple[list[MemoryVersion], int | None, int]:
    """Those of them before the first that the other views have not taken in yet, and how many have no vector."""
    live = generations.live(session, "graph")
    named = graph.positions(session).get(live.generation, 0) if live else 0
    docs = vectors.having(session, [each.doc for each in new])
    lacking = [each.opened_by for each in new if each.doc not in docs or each.doc > named]
    if not lacking:
        return list(new), seen, 0
    waiting = sum(each.doc not in docs for each in new)
    return [each for each in new if each.opened_by < min(lacking)], min(lacking) - 1, waiting


@dataclass(frozen=True, slots=True, kw_only=True)
class _Claims:
    """Keyed beliefs by what they claim something of, the newest first."""

    about: Mapping[str, Sequence[MemoryVersion]] = field(default_factory=dict)
    naming: Mapping[str, Sequence[MemoryVersion]] = field(default_factory=dict)
    """The same by what they claim of it."""

    @classmethod
    def of(cls, beliefs: Iterable[MemoryVersion]) -> Self:
        about: dict[str, list[MemoryVersion]] = {}
        naming: dict[str, list[MemoryVersion]] = {}
        for each in beliefs:
            if each.claim:
                about.setdefault(subject_key(each.claim.subject), []).append(each)
                naming.setdefault(subject_key(each.claim.object), []).append(each)
        return cls(about=about, naming=naming)

    def beside(self, memory: MemoryVersion) -> Iterator[MemoryVersion]:
        """Older beliefs of the same subject, and those of which one speaks of what the other is said of."""
        if memory.claim is None:
            return
        subject, thing = subject_key(memory.claim.subject), subject_key(memory.claim.object)
        for group in (self.about.get(subject, ()), self.naming.get(subject, ()), self.about.get(thing, ())):
            if len(group) <= COMMONEST:
                older = [each for each in group if each.doc < memory.doc]
                yield from older[:PER_NAME]


def _found(session: Session, portion: Sequence[MemoryVersion], claims: _Claims) -> list[Found]:
    """The links that the memories of a portion are worth to older ones."""
    shared = graph.sharing(session, [each.doc for each in portion], commonest=COMMONEST, per_name=PER_NAME)
    wanted: set[_Docs] = {(doc, other) for doc, _, _, other in shared}
    wanted |= {(each.doc, other.doc) for each in portion for other in claims.beside(each)}
    together, texts = _together(session, portion)
    wanted |= together
    near = _nearest(vectors.between(session, sorted(wanted)), together)
    older = {each.doc: each for each in memories.numbered(session, {other for _, other in near})}
    newer = {each.doc: each for each in portion}
    known = Known(
        mentions={name: number for _, name, number, _ in shared},
        subjects={subject: len(group) for subject, group in claims.about.items()},
        texts=texts,
    )
    pairs = (Pair(newer[doc], older[other], near[doc, other]) for doc, other in near if other in older)
    return [link for pair in pairs if (link := found_in(pair, known))]


def _together(session: Session, portion: Sequence[MemoryVersion]) -> tuple[set[_Docs], dict[int, str]]:
    """Beliefs that were read from stretches of one message, and the messages' texts by sequence."""
    cited = {ref.sequence for each in portion for ref in each.evidence if ref.end is not None}
    beliefs = [each for each in memories.resting_on(session, cited) if each.is_open] if cited else []
    by_sequence: dict[int, set[int]] = {}
    for each in beliefs:
        for ref in each.evidence:
            if ref.sequence in cited and ref.end is not None:
                by_sequence.setdefault(ref.sequence, set()).add(each.doc)
    docs = {each.doc for each in portion}
    pairs = {(doc, other) for group in by_sequence.values() for doc in group & docs for other in group if other < doc}
    several = [sequence for sequence, group in by_sequence.items() if len(group) > 1]
    events = ledger.numbered(session, session.owner, several) if pairs else []
    return pairs, {event.sequence: (event.payload or {}).get("text", "") for event in events}


def _nearest(cosines: Mapping[_Docs, float], kept: Collection[_Docs]) -> dict[_Docs, float]:
    """Of each newer memory the nearest older ones, and those of `kept` in any case."""
    best: dict[int, list[tuple[float, int]]] = {}
    for (doc, other), cosine in cosines.items():
        best.setdefault(doc, []).append((-cosine, -other))
    near = {(doc, -other): -cosine for doc, each in best.items() for cosine, other in sorted(each)[:MOST_COMPARED]}
    return near | {pair: cosines[pair] for pair in kept if pair in cosines}


def _inherited(session: Session) -> list[Found]:
    """What memories inherit from what was merged into them since the job has seen all."""
    stand_in = {tie.target: tie.source for tie in links.absorbing(session)}
    since = batches.marked(session, LINK)
    lately = {tie.target for tie in links.absorbing(session) if tie.opened_by > since}
    if not lately:
        return []
    ties = links.of(session, lately)
    ends = {end for tie in ties if tie.relation in RELATIONS for end in (tie.source, tie.target)}
    standing = {end: _last(end, stand_in) for end in ends}
    held = {each.memory_id: each for each in memories.versions(session, {*ends, *standing.values()}) if each.is_open}
    absorbed = {end: held[to] for end, to in standing.items() if end not in held and to in held}
    return list(handed_over(absorbed, ties, held))


def _last(memory: UUID, stand_in: Mapping[UUID, UUID]) -> UUID:
    """What a memory was merged into, and that in turn."""
    seen = {memory}
    while memory in stand_in and stand_in[memory] not in seen:
        memory = stand_in[memory]
        seen.add(memory)
    return memory


def _linking(session: Session, found: Sequence[Found]) -> list[Proposal]:
    """The links that are to be proposed, and behind them what follows from those that say why something is so."""
    ties = ties_at(session, [end for each in found for end in (each.source, each.target)])
    new = list(chosen(found, ties))
    proposals = [_proposal(each.payload, (each.source, each.target)) for each in new]
    for each in _unwritten([*new, *_again(found, ties)], ties):
        context = context_of(each)
        if context:
            proposals.append(_proposal(context, (each.target, each.source)))
    return proposals


def _again(found: Iterable[Found], ties: Sequence[Link]) -> list[Found]:
    """Those of the links that there are already, and open."""
    there = {(tie.source, tie.relation, tie.target) for tie in ties if tie.closed_by is None}
    return [each for each in found if (each.source.memory_id, each.relation, each.target.memory_id) in there]


def _unwritten(found: Iterable[Found], ties: Sequence[Link]) -> Iterator[Found]:
    """Those that say why, of which nothing has been made yet."""
    made: dict[UUID, set[UUID]] = {}
    for tie in ties:
        if tie.relation == ABSTRACTS:
            made.setdefault(tie.source, set()).add(tie.target)
    for each in found:
        if each.relation is Relation.CAUSES and {each.source.memory_id, each.target.memory_id} not in made.values():
            yield each


def _worn(session: Session) -> Iterator[Proposal]:
    """What the job has written down and one of its sources no longer stands for."""
    contexts = memories.made_by(session, LINK)
    sources = links.made_from(session, {each.memory_id for each in contexts})
    named = {source for group in sources.values() for source in group}
    held = {each.memory_id for each in memories.versions(session, named) if each.is_open} if named else set()
    for each in contexts:
        if not sources.get(each.memory_id, set()) <= held:
            gone = ClosePayload(op=Operation.EXPIRE, reason="source_closed", memory=each.memory_id)
            yield _proposal(gone, (each,))


def _proposal(operation: Proposable, read: Iterable[MemoryVersion]) -> Proposal:
    return Proposal(operation=operation, read={each.memory_id: each.version for each in read})
