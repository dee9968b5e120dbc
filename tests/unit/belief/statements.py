"""People saying things about a claim, for tests of resolution: a stream whose statements are resolved as they come."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from shared.belief.forgetting import erasure, without_payloads
from shared.belief.predicates import BUILT_IN, claim_of
from shared.belief.resolve import resolve
from shared.belief.segments import Stated
from shared.contract.candidates import Candidate, Change
from shared.contract.events import memory_id
from shared.contract.operations import Payload
from shared.contract.records import EpistemicType, EvidenceRef, Kind, MemoryVersion, Operation
from shared.contract.trust import TRUST, Origin
from tests.unit.belief.ledgers import Ledger, at


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """Something that somebody says; days are counted from the first, None where they are not known."""

    number: int
    object: str
    subject: str = "Mira"
    predicate: str = "lives_in"
    change: Change = Change.HOLDS
    day: int | None = 0
    since: int | None = None
    until: int | None = None
    earlier: bool = False
    origin: Origin = Origin.USER
    confidence: float = 0.7

    @property
    def text(self) -> str:
        return f"{self.subject} {self.predicate} {self.object}, as said in {self.number}"


@dataclass
class Stream:
    """A ledger, with what was said in it of claims."""

    ledger: Ledger = field(default_factory=Ledger)
    stated: dict[int, Stated] = field(default_factory=dict)
    """By the sequence of their evidence."""

    def hear(self, word: Word, *, sequence: int | None = None, **fields: Any) -> Stated:
        """Write the evidence, unless it is given, and take note of what it says."""
        sequence = sequence or self.ledger.hear(word.text, day=word.day, origin=word.origin)
        candidate = Candidate(
            **{
                "kind": Kind.SEMANTIC,
                "epistemic_type": EpistemicType.FACT,
                "text": word.text,
                "claim": claim_of(word.subject, word.predicate, word.object, BUILT_IN),
                "change": word.change,
                "since": day(word.since),
                "until": day(word.until),
                "began_earlier": word.earlier or None,
                "evidence": (EvidenceRef(sequence=sequence),),
                "confidence": word.confidence,
                **fields,
            }
        )
        stated = Stated(
            candidate=candidate,
            said_at=day(word.day),
            message_id=f"m{word.number}",
            digest=f"digest of {word.text}",
            trust=TRUST[word.origin],
        )
        self.stated[sequence] = stated
        return stated

    def say(self, *words: Word) -> list[Payload]:
        """Hear some words and resolve what they speak of, once for all of them."""
        return self.resolve({self.hear(word).claim.key for word in words})

    def resolve(self, keys: Iterable[str]) -> list[Payload]:
        """Resolve some claims and append what is to be done."""
        done: list[Payload] = []
        for key in sorted(keys):
            operations = resolve(
                [each for each in self.stated.values() if each.claim.key == key], self.held(key), id_at=self.next_id
            )
            for operation in operations:
                self.ledger.do(operation)
            done += operations
        return done

    def erase(self, sequences: Iterable[int]) -> None:
        """Erase evidence with what was said in it, and resolve what it spoke of from what survives."""
        gone = sorted(set(sequences))
        keys = {self.stated.pop(sequence).claim.key for sequence in gone}
        payload = erasure(self.ledger.state, self.ledger.events, gone, reason="user_request")
        self.ledger.do(payload)
        self.ledger.events = without_payloads(self.ledger.events, payload.erased)
        self.resolve(keys)

    def next_id(self, number: int) -> UUID:
        return memory_id(self.ledger.tenant_id, self.ledger.stream, len(self.ledger.events) + 1 + number, 0)

    def held(self, key: str) -> list[MemoryVersion]:
        return [version for version in self.versions() if version.claim and version.claim.key == key]

    def versions(self) -> list[MemoryVersion]:
        return [version for versions in self.ledger.state.memories.values() for version in versions]

    def latest(self) -> list[MemoryVersion]:
        return [versions[-1] for versions in self.ledger.state.memories.values()]

    def open(self) -> set[tuple[object, ...]]:
        """What is believed, and of when."""
        return {told(version) for version in self.latest() if version.is_open}

    def history(self) -> set[tuple[object, ...]]:
        """What is or was believed and is not another memory's."""
        kept = (version for version in self.latest() if version.closed_reason is not Operation.MERGE)
        return {(*told(version), version.closed_reason) for version in kept}

    def true_at(self, when: int) -> set[str]:
        """The objects of what was so on a day."""
        return {
            version.claim.object
            for version in self.latest()
            if version.claim
            and version.is_open
            and (version.valid_from is None or version.valid_from <= at(when))
            and (version.valid_to is None or at(when) < version.valid_to)
        }


def told(version: MemoryVersion) -> tuple[object, ...]:
    """A belief without its numbers."""
    return (version.claim, version.text, version.valid_from, version.valid_to)


def day(number: int | None) -> datetime | None:
    """A world time by its day."""
    return None if number is None else at(number)
