"""Candidates and what became of them. The one writer of `candidate`; their words are in their events."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from shared.contract.candidates import Candidate
from shared.contract.scope import Owner, stream_of
from shared.store.columns import portions
from shared.store.db import Database, Row, Session
from shared.store.queries import queries

_SQL: Final = queries("candidates")
_COLUMNS: Final = ("sequence", "run_id", "reading", "said_at", "message_id", "message_digest", "trust")


class Standing(StrEnum):
    """What has become of a candidate."""

    WAITING = "waiting"
    """Nothing was decided yet."""
    STORED = "stored"
    """It counts for what is believed: beliefs are worked out from these."""
    DEFERRED = "deferred"
    """Not enough to go by yet; until `due_at` another piece of evidence may decide it."""
    REVIEW = "review"
    """A person decides, or nobody until `due_at`."""
    IGNORED = "ignored"
    PREPARED = "prepared"
    """A new reading of what was read before; it counts for nothing until that takes the older one's place."""
    REPLACED = "replaced"
    """It counted until a new reading took the place of its own."""
    QUARANTINED = "quarantined"
    """It counted until where it came from was not to be trusted any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """A candidate with where it stands."""

    sequence: int
    """Of its event."""
    run_id: str
    reading: int
    """Sequence of the event that says who read its run, and what that cost."""
    candidate: Candidate
    said_at: datetime | None
    """World time of the message that it was read from."""
    message_id: str
    message_digest: str
    trust: int
    """0..4, the lowest of its evidence."""
    standing: Standing = Standing.WAITING
    due_at: datetime | None = None

    @property
    def claim_key(self) -> str | None:
        """The key of what it claims."""
        return self.candidate.claim.key if self.candidate.claim else None


def insert(session: Session, proposed: Iterable[Proposed]) -> None:
    """Write down new candidates of the session's owner as they stand. The caller holds the stream's lock."""
    names = (*_COLUMNS, "claim_key", "standing")
    for columns in portions({name: getattr(each, name) for name in names} for each in proposed):
        session.execute(_SQL["insert"], **columns, stream=stream_of(session.owner))


def of_runs(
    session: Session, run_ids: Collection[str], standings: Collection[Standing] = tuple(Standing)
) -> list[Proposed]:
    """The owner's candidates from some runs that stand so, in order of their events."""
    return _read(session.rows(_SQL["of_runs"], run_ids=list(run_ids), states=list(standings)))


def of_claims(session: Session, claim_keys: Collection[str]) -> list[Proposed]:
    """All candidates that count for some claims of the owner, in order of their events."""
    return _read(session.rows(_SQL["of_claims"], claim_keys=list(claim_keys)))


def subjects(session: Session) -> dict[str, int]:
    """By the keys of the owner's subjects, how many candidates count of each."""
    return {row["subject"]: row["statements"] for row in session.rows(_SQL["subjects"])}


def keys_of(session: Session, names: Collection[str]) -> dict[str, int]:
    """The keys of what counts of some of the owner's subjects, which are given by their own keys, and how much of each.

    Looks at the keys of all that counts.
    """
    return {row["claim_key"]: row["statements"] for row in session.rows(_SQL["keys_of"], subjects=list(names))}


def standing(session: Session, standings: Collection[Standing]) -> list[Proposed]:
    """All of the owner's candidates that stand so, in order of their events."""
    return _read(session.rows(_SQL["standing"], states=list(standings)))


def deferred(session: Session, claim_keys: Collection[str], *, limit: int = 300) -> list[Proposed]:
    """The owner's newest deferred candidates of some claims and of none, in order of their events."""
    return _read(session.rows(_SQL["deferred"], claim_keys=list(claim_keys), limit=limit))


def numbered(session: Session, sequences: Collection[int]) -> list[Proposed]:
    """Some of the owner's candidates, by the sequences of their events, in order."""
    return _read(session.rows(_SQL["numbered"], stream=stream_of(session.owner), sequences=list(sequences)))


def rows(session: Session, sequences: Collection[int]) -> dict[int, Row]:
    """What is kept of some of the owner's candidates beside their events, by sequence: run, reading and claim key."""
    found = session.rows(_SQL["rows"], stream=stream_of(session.owner), sequences=list(sequences))
    return {row["sequence"]: row for row in found}


def overdue(session: Session, at: datetime) -> list[Proposed]:
    """The owner's deferred candidates that have waited until `at` or longer."""
    return _read(session.rows(_SQL["overdue"], at=at))


def due(database: Database, at: datetime, limit: int) -> list[tuple[str, Owner]]:
    """Tenants and owners with deferred candidates that were due at `at` or before, oldest first; as the claimer."""
    with database.claiming() as connection:
        rows = connection.execute(_SQL["due"], {"at": at, "limit": limit}).fetchall()
    return [(row["tenant_id"], Owner(row["user_id"])) for row in rows]


def counted(database: Database, tenant_id: str | None = None) -> dict[Standing, int]:
    """How many candidates wait, deferred or in review, of one tenant or of all; as the claimer."""
    with database.claiming() as connection:
        rows = connection.execute(_SQL["counted"], {"tenant_id": tenant_id}).fetchall()
    return {Standing(row["state"]): row["candidates"] for row in rows}


def settle(session: Session, settled: Mapping[int, tuple[Standing, datetime | None]]) -> None:
    """Say what became of some candidates, by sequence, and when the deferred are due. The caller holds the lock."""
    rows = ({"sequence": sequence, "state": state, "due_at": due} for sequence, (state, due) in settled.items())
    for columns in portions(rows):
        session.execute(_SQL["settle"], **columns, stream=stream_of(session.owner))


def remove(session: Session, sequences: Sequence[int]) -> int:
    """Take some of the owner's candidates away; for the eraser. Returns how many went."""
    return session.execute(_SQL["remove"], stream=stream_of(session.owner), sequences=list(sequences)).rowcount


def clear(session: Session) -> int:
    """Take all of the owner's candidates away; for the eraser. Returns how many went."""
    return session.execute(_SQL["clear"]).rowcount


def _read(rows: Iterable[Row]) -> list[Proposed]:
    return [
        Proposed(
            **{name: row[name] for name in _COLUMNS},
            candidate=Candidate.model_validate(json.loads(row["payload"])),
            standing=Standing(row["state"]),
            due_at=row["due_at"],
        )
        for row in rows
    ]
