"""What a candidate is judged beside: the lines of its run, and what is held that says the like."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

from shared.accept.scrub import scrub
from shared.belief.rules.context import GateContext, Held, held_belief, held_candidate
from shared.belief.segments import MOST_CERTAIN
from shared.belief.similarity import says_the_same
from shared.contract.askable import ASKABLE
from shared.contract.candidates import Line
from shared.contract.events import Event
from shared.contract.measures import Act
from shared.contract.records import EpistemicType, EvidenceRef, Kind, MemoryVersion
from shared.contract.scope import TENANT_OWNER, room_id_of
from shared.settings import Settings
from shared.store import candidates, holds, ledger, memories
from shared.store.beliefs import Draft
from shared.store.candidates import Proposed
from shared.store.db import Session
from warmpath._policies import care
from warmpath.extract import line_of

_COMPARED: Final = 300
"""Newest beliefs without a claim that a candidate without one is compared with."""


@dataclass(slots=True, kw_only=True)
class Basis:
    """What a memory without a claim rests on by now, and how certain it is."""

    evidence: tuple[EvidenceRef, ...]
    confidence: float

    def lacking(self, evidence: Iterable[EvidenceRef], *, independent: bool) -> tuple[EvidenceRef, ...]:
        """Of some evidence what it does not rest on yet, noted as an echo where it is one."""
        known = {ref.span for ref in self.evidence}
        return tuple(replace(ref, independent=independent) for ref in evidence if ref.span not in known)

    def confirmed_by(self, confidence: float, *, independent: bool) -> float:
        """How certain it is with one more source; the noisy-or, as `Segment.confidence` explains."""
        if not independent:
            return self.confidence
        return max(self.confidence, min(MOST_CERTAIN, 1 - (1 - self.confidence) * (1 - confidence)))

    def add(self, evidence: tuple[EvidenceRef, ...], confidence: float) -> None:
        """Rest on this too."""
        self.evidence, self.confidence = (*self.evidence, *evidence), confidence


class Around:
    """Read once for some candidates of one stream, and added to by what each of them comes to."""

    def __init__(self, draft: Draft, waiting: Sequence[Proposed], settings: Settings) -> None:
        session = self._session = draft.session
        self._head = draft.head
        self._zone = ZoneInfo(settings.naive_timezone)
        self._care = care(settings)
        self._asked_about = self._care.asked_about | _asked_by_gates(session)
        self._lines = self._read_lines(waiting)
        unkeyed = any(each.claim_key is None for each in waiting)
        held = memories.beliefs(session, keyed=False, limit=_COMPARED) if unkeyed else []
        self._versions = [each for each in draft.as_they_are(held) if each.is_open and each.claim is None]
        self._basis = {
            each.memory_id: Basis(evidence=each.evidence, confidence=each.confidence) for each in self._versions
        }
        keys = {each.claim_key for each in waiting if each.claim_key is not None}
        self._keyed = draft.as_they_are(memories.of_claims(session, keys)) if keys else []
        self._waiting = {each.sequence: each for each in candidates.deferred(session, keys)}
        self._events: dict[int, Event] = {}
        self._new: list[Held] = []

    def context(self, proposed: Proposed) -> GateContext:
        """What a candidate is judged by."""
        room = room_id_of(self._head.owner) is not None
        tenant_wide = self._head.owner == TENANT_OWNER
        return GateContext(
            lines=self._lines.get(proposed.run_id, {}),
            run_id=proposed.run_id,
            holds_secret=holds_secret,
            owner_speaker=None if room or tenant_wide else self._head.owner,
            room=room,
            held=self._held(proposed),
            policies=self._care.policies,
            asked_about=self._asked_about,
            tenant_wide=tenant_wide,
            ours=self._care.ours,
            limits=self._care.limits,
        )

    def deferred(self, subject: UUID | int | None) -> Proposed | None:
        """The candidate that waited for evidence, where that is what another says again."""
        return self._waiting.pop(subject, None) if isinstance(subject, int) else None

    def defer(self, proposed: Proposed) -> None:
        """Have those that follow know that this one waits."""
        self._waiting[proposed.sequence] = proposed

    def open(self, memory: UUID, proposed: Proposed) -> None:
        """Have those that follow know that this one will be a memory."""
        said = proposed.candidate
        self._basis[memory] = Basis(evidence=said.evidence, confidence=said.confidence)
        held = held_candidate(proposed.sequence, said, proposed.said_at, self._evidence(said.evidence))
        self._new.append(replace(held, subject=memory))

    def basis(self, subject: UUID | int | None) -> Basis | None:
        """What a memory without a claim rests on; None for anything else."""
        return self._basis.get(subject) if isinstance(subject, UUID) else None

    def versions(self, memory: UUID) -> list[MemoryVersion]:
        """The open version of a stored memory without a claim, as `Draft.do` takes it."""
        return [each for each in self._versions if each.memory_id == memory]

    def _held(self, proposed: Proposed) -> list[Held]:
        """What the candidate may say again: of the same claim, or, where it has none, what says nearly the same."""
        said = proposed.candidate
        waiting = [each for each in self._waiting.values() if each.claim_key == proposed.claim_key]
        if proposed.claim_key is not None:
            versions = [each for each in self._keyed if _is_open(each) and _key(each) == proposed.claim_key]
            new: list[Held] = []
        else:
            versions = [each for each in self._versions if says_the_same(each.text, said.text)]
            waiting = [each for each in waiting if says_the_same(each.candidate.text, said.text)]
            new = [each for each in self._new if says_the_same(each.text, said.text)]
        return [
            *(held_belief(each, self._evidence(each.evidence)) for each in versions),
            *new,
            *(
                held_candidate(each.sequence, each.candidate, each.said_at, self._evidence(each.candidate.evidence))
                for each in waiting
            ),
        ]

    def _evidence(self, refs: Iterable[EvidenceRef]) -> list[Event]:
        """The events of some evidence; each is read once."""
        sequences = {ref.sequence for ref in refs}
        lacking = sequences - self._events.keys()
        if lacking:
            self._events |= {
                event.sequence: event for event in ledger.numbered(self._session, self._head.owner, lacking)
            }
        return [self._events[each] for each in sorted(sequences) if each in self._events]

    def _read_lines(self, waiting: Sequence[Proposed]) -> Mapping[str, Mapping[int, Line]]:
        lines: dict[str, dict[int, Line]] = {}
        for event in ledger.admitted(self._session, {each.run_id for each in waiting}):
            lines.setdefault(event.run_id or "", {})[event.sequence] = line_of(event, self._zone)
        return lines


def _asked_by_gates(session: Session) -> frozenset[str]:
    """Of which kinds each write waits for a person, since a gate on a metric asks for it: of all, or of none."""
    is_asked = any(each.act is Act.REVIEW for each in holds.of(session))
    return frozenset(ASKABLE) if is_asked else frozenset()


def holds_secret(text: str) -> bool:
    """Whether the front door would take something out of a text."""
    return scrub(text).text != text


def _is_open(version: MemoryVersion) -> bool:
    is_said = version.epistemic_type is EpistemicType.EVIDENCE  # of lasting use or not
    return version.is_open and version.kind is not Kind.EPISODIC and not is_said


def _key(version: MemoryVersion) -> str | None:
    return version.claim.key if version.claim else None
