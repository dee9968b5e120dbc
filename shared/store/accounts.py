"""What became of what was said, gathered for a person from ledger, candidates, decisions, reviews and memories.

Reads only. What is forgotten is not read, though its words may still be in the ledger.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from shared.contract.candidates import CANDIDATE, Candidate
from shared.contract.events import MESSAGE, EventClass
from shared.contract.scope import Owner, stream_of
from shared.store.candidates import Standing
from shared.store.db import Row, Session
from shared.store.queries import queries

_SQL: Final = queries("accounts")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A message, or a candidate by the number of its event, that says some of the words that were looked for."""

    owner: Owner
    sequence: int
    is_candidate: bool
    text: str
    speaker: str | None
    role: str | None
    origin: str
    said_at: datetime | None
    run_id: str | None
    message_id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What was decided, by which rule, and what that went by."""

    action: str
    rule: str
    reason: str
    confidence: float
    decided_at: datetime
    fields: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """That a person was asked, and what came of it."""

    review_id: UUID
    state: str
    due_at: datetime
    decided_by: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A candidate, where it stands, what the gate decided on it, and whether a person was asked."""

    owner: Owner
    sequence: int
    run_id: str
    candidate: Candidate
    standing: Standing
    due_at: datetime | None
    verdict: Verdict | None
    """None where nothing was decided yet."""
    asked: Asked | None


def saying(session: Session, beginnings: Sequence[str], *, limit: int) -> list[Said]:
    """Messages and candidates of all the session's owners with a word that begins so, the newest first.

    `beginnings` are in small letters. Reads every text that is not erased: for a person who waits a second, not for
    an agent.
    """
    rows = session.rows(
        _SQL["saying"],
        beginnings=list(beginnings),
        classes=[EventClass.EVIDENCE, EventClass.DERIVATION],
        kinds=[MESSAGE, CANDIDATE],
        limit=limit,
    )
    return [_said(row) for row in rows]


def admitted(session: Session, sequences: Collection[int]) -> dict[int, Verdict]:
    """What was decided on some messages of the session's owner as they came in, by their sequences."""
    return {
        row["sequence"]: _verdict(row)
        for row in session.rows(_SQL["admitted"], stream=stream_of(session.owner), sequences=list(sequences))
    }


def proposed(session: Session, run_ids: Iterable[str], sequences: Collection[int]) -> list[Proposal]:
    """The candidates of the session's owner from some runs, and those with some sequences, in order."""
    whose = {"stream": stream_of(session.owner), "run_ids": sorted(set(run_ids)), "sequences": list(sequences)}
    rows = session.rows(_SQL["proposed"], **whose)
    return [_proposal(row) for row in rows]


def resting(session: Session, sequences: Collection[int]) -> list[UUID]:
    """The memories of the session's owner that rest, in any version, on some messages."""
    return [
        row["memory_id"]
        for row in session.rows(_SQL["resting"], stream=stream_of(session.owner), sequences=list(sequences))
    ]


def _said(row: Row) -> Said:
    return Said(
        owner=Owner(row["user_id"]),
        sequence=row["sequence"],
        is_candidate=row["event_class"] == EventClass.DERIVATION,
        text=json.loads(row["payload"])["text"],
        speaker=row["speaker"],
        role=row["actor_role"],
        origin=row["origin"],
        said_at=row["occurred_at"],
        run_id=row["run_id"],
        message_id=row["message_id"],
    )


def _verdict(row: Row) -> Verdict:
    return Verdict(
        action=row["action"],
        rule=row["rule"],
        reason=row["reason"],
        confidence=row["decided_with"],
        decided_at=row["decided_at"],
        fields=row["fields"],
    )


def _proposal(row: Row) -> Proposal:
    asked = None
    if row["review_id"] is not None:
        state, by = row["review_state"], row["decided_by"]
        asked = Asked(review_id=row["review_id"], state=state, due_at=row["review_due_at"], decided_by=by)
    return Proposal(
        owner=Owner(row["user_id"]),
        sequence=row["sequence"],
        run_id=row["run_id"],
        candidate=Candidate.model_validate(json.loads(row["payload"])),
        standing=Standing(row["state"]),
        due_at=row["due_at"],
        verdict=_verdict(row) if row["action"] is not None else None,
        asked=asked,
    )
