"""A stream's memories at one point of its ledger."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Protocol
from uuid import UUID

from shared.belief.opening import damaged
from shared.belief.usefulness import usefulness
from shared.contract.events import Event
from shared.contract.records import EpistemicType, EvidenceRef, Forgotten, Link, MemoryVersion, Operation, Span
from shared.contract.turns import TurnOutcome, Use

Versions = tuple[MemoryVersion, ...]
Place = tuple[int, UUID, str, UUID]
"""What a tie is known by: the event that made it, and what it ties how to what."""


def place_of(link: Link) -> Place:
    """What a tie is known by; the same when it is closed."""
    return link.opened_by, link.source, link.relation, link.target


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbered:
    """What a memory counts for in the numbering, which outlives its text."""

    doc: int
    session_id: str | None
    """The session that it is numbered with; None if it is no episode or of no session."""

    @classmethod
    def of(cls, first: MemoryVersion) -> Numbered:
        """That of a memory, by its first version: what is promoted stays the episode that it began as."""
        episode = first.epistemic_type is EpistemicType.EVIDENCE
        return cls(doc=first.doc, session_id=first.session_id if episode else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """A stream's memories after some prefix of its events. A value: `fold.apply` gives another one."""

    memories: Mapping[UUID, Versions] = field(default_factory=lambda: MappingProxyType({}))
    """All versions, oldest first, of each memory that is not forgotten."""
    forgotten: Mapping[UUID, Forgotten] = field(default_factory=lambda: MappingProxyType({}))
    suppressed: Mapping[int, Mapping[Span, int]] = field(default_factory=lambda: MappingProxyType({}))
    """Stretches that nothing may rest on, by sequence of the evidence, each with the sequence of the first FORGET."""
    links: frozenset[Link] = frozenset()
    evidence: Mapping[int, Event] = field(default_factory=lambda: MappingProxyType({}))
    """The evidence events so far, by sequence."""
    missing: Mapping[UUID, Numbered] = field(default_factory=lambda: MappingProxyType({}))
    """Memories whose text is gone from the ledger and that no FORGET has named yet."""
    unexplained: frozenset[int] = frozenset()
    """Events whose payload is gone and that no FORGET has named yet, nor, of a question that stood or an answer to it,
    its end."""
    questions: frozenset[int] = frozenset()
    """Questions that were asked to stand, and what a model answered to them, by sequence."""
    docs: int = 0
    """The last document number given."""
    sessions: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    """The number (`MemoryVersion.session_doc`) of each session of which an episode is held or missing, by its id."""
    held: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    """How many episodes of each of those sessions are held or missing."""
    outcomes: Mapping[int, TurnOutcome] = field(default_factory=lambda: MappingProxyType({}))
    """What was reported of recalls and is not forgotten, by sequence."""
    uses: Mapping[UUID, Use] = field(default_factory=lambda: MappingProxyType({}))
    """What the outcomes come to, for each memory held of which any says something."""
    head: Event | None = None
    """The last event seen."""

    def suppresses(self, ref: EvidenceRef) -> bool:
        """Whether a part of what `ref` points to has been forgotten."""
        return _hits(self.suppressed, ref)


def events_of(versions: Versions) -> set[int]:
    """The event that opened a memory, and those that any version rests on."""
    return {versions[0].opened_by, *(ref.sequence for version in versions for ref in version.evidence)}


def founding(versions: Versions) -> tuple[EvidenceRef, ...]:
    """What a memory's text was made from. Evidence that came later confirms the text and did not shape it."""
    return versions[0].evidence


class Kept(Protocol):
    """Where what a stream comes to is kept while it is folded, if that is not the process's memory."""

    @property
    def memories(self) -> MutableMapping[UUID, Versions]:
        """In the order they are first put in; nothing at first."""

    @property
    def evidence(self) -> MutableMapping[int, Event]:
        """As `memories`, by sequence."""

    def touching(self, sequences: AbstractSet[int]) -> Iterable[UUID]:
        """The memories that any of some events opened, or that any version rests on one of."""


class Draft:
    """A state while it is being changed; `state()` gives the result. Not kept and not shared."""

    def __init__(self, state: State, kept: Kept | None = None) -> None:
        """Begin from `state`, which stays as it is; with `kept`, from one without memories and evidence."""
        self._kept = kept
        self.memories: MutableMapping[UUID, Versions] = kept.memories if kept else dict(state.memories)
        self.forgotten = dict(state.forgotten)
        self.suppressed = dict(state.suppressed)
        self.links = {place_of(link): link for link in state.links}
        self.evidence: MutableMapping[int, Event] = kept.evidence if kept else dict(state.evidence)
        self.missing = dict(state.missing)
        self.unexplained = set(state.unexplained)
        self.questions = set(state.questions)
        self.docs = state.docs
        self.sessions = dict(state.sessions)
        self.held = dict(state.held)
        self.outcomes = dict(state.outcomes)
        self.head = state.head

    def state(self) -> State:
        """The state as it stands. The draft must not be changed afterwards."""
        return State(
            memories=MappingProxyType(self.memories),
            forgotten=MappingProxyType(self.forgotten),
            suppressed=MappingProxyType(self.suppressed),
            links=frozenset(self.links.values()),
            evidence=MappingProxyType(self.evidence),
            missing=MappingProxyType(self.missing),
            unexplained=frozenset(self.unexplained),
            questions=frozenset(self.questions),
            docs=self.docs,
            sessions=MappingProxyType(self.sessions),
            held=MappingProxyType(self.held),
            outcomes=MappingProxyType(self.outcomes),
            uses=MappingProxyType(self._uses()),
            head=self.head,
        )

    def _uses(self) -> dict[UUID, Use]:
        if not self.outcomes:
            return {}
        named = {memory for each in self.outcomes.values() for memory in each.memories}
        docs = {memory: self.memories[memory][0].doc for memory in named if memory in self.memories}
        return usefulness((self.outcomes[sequence] for sequence in sorted(self.outcomes)), docs)

    def touching(self, sequences: AbstractSet[int]) -> list[UUID]:
        """The memories that any of some events opened, or that any version rests on one of."""
        if self._kept:
            return list(self._kept.touching(sequences))
        return [memory for memory, versions in self.memories.items() if not sequences.isdisjoint(events_of(versions))]

    def versions(self, event: Event, memory: UUID) -> Versions | None:
        """A memory's versions; None where its text is gone from the ledger and the operation passes it over.

        Raises:
            LedgerDamaged: no operation opened it, or it is forgotten.
        """
        if memory in self.missing:
            return None
        if memory in self.forgotten:
            raise damaged(event, f"memory {memory} was forgotten at {self.forgotten[memory].closed_by}")
        if memory not in self.memories:
            raise damaged(event, f"no operation opened memory {memory}")
        return self.memories[memory]

    def current(self, event: Event, memory: UUID) -> MemoryVersion | None:
        """A memory's open version; None as for `versions`.

        Raises:
            LedgerDamaged: as for `versions`, or it has no open version.
        """
        versions = self.versions(event, memory)
        if versions and not versions[-1].is_open:
            raise damaged(event, f"memory {memory} was closed at {versions[-1].closed_by}")
        return versions[-1] if versions else None

    def close(self, event: Event, memory: UUID) -> MemoryVersion | None:
        """Close a memory's open version; gives it back as it was."""
        version = self.current(event, memory)
        if version:
            closed = replace(
                version, closed_at=event.recorded_at, closed_reason=Operation(event.kind), closed_by=event.sequence
            )
            self.memories[memory] = (*self.memories[memory][:-1], closed)
        return version

    def follow(self, event: Event, version: MemoryVersion, **changes: Any) -> None:
        """Open the version after `version`, which is the memory's last and closed."""
        opened = replace(
            version,
            version=version.version + 1,
            recorded_at=event.recorded_at,
            opened_by=event.sequence,
            closed_at=None,
            closed_reason=None,
            closed_by=None,
            **changes,
        )
        self.memories[version.memory_id] = (*self.memories[version.memory_id], opened)

    def revise(self, event: Event, memory: UUID, **changes: Any) -> None:
        """Close a memory's open version and open the next, which differs by `changes`."""
        version = self.close(event, memory)
        if version:
            self.follow(event, version, **changes)

    def tie(
        self,
        event: Event,
        source: UUID,
        relation: str,
        target: UUID,
        *,
        score: float | None = None,
        via: int | None = None,
    ) -> None:
        """Link two memories, unless one of them is missing."""
        if self.versions(event, source) and self.versions(event, target):
            link = Link(source=source, relation=relation, target=target, opened_by=event.sequence, score=score, via=via)
            self.links[place_of(link)] = link

    def untie(self, event: Event, place: Place) -> None:
        """Close a tie, unless one of its memories is missing.

        Raises:
            LedgerDamaged: there is no such tie, or it is closed.
        """
        opened_by, source, _, target = place
        if not (self.versions(event, source) and self.versions(event, target)):
            return
        link = self.links.get(place)
        if link is None or link.closed_by:
            raise damaged(event, f"no link of event {opened_by} is open between memories {source} and {target}")
        self.links[place] = replace(link, closed_by=event.sequence)

    def join(self, session_id: str) -> None:
        """Count the last document for its session; where no other is held, it begins it and gives it its number."""
        self.sessions.setdefault(session_id, self.docs)
        self.held[session_id] = self.held.get(session_id, 0) + 1

    def leave(self, session_id: str) -> None:
        """Count an episode of a session no longer; with the last of them its number goes."""
        left = self.held.pop(session_id, 0) - 1
        if left > 0:
            self.held[session_id] = left
        else:
            self.sessions.pop(session_id, None)

    def standing(self, refs: Iterable[EvidenceRef]) -> tuple[EvidenceRef, ...]:
        """Those of `refs` that are not suppressed, each once."""
        return tuple(dict.fromkeys(ref for ref in refs if not _hits(self.suppressed, ref)))


def _hits(suppressed: Mapping[int, Mapping[Span, int]], ref: EvidenceRef) -> bool:
    return any(span.overlaps(ref.span) for span in suppressed.get(ref.sequence, ()))
