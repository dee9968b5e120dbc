"""The verdicts on messages, with rule, reason and confidence. The one writer of `decision`."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from shared.contract.receipts import Stage
from shared.contract.records import Decision
from shared.contract.scope import stream_of
from shared.store.columns import portions
from shared.store.db import Row, Session
from shared.store.queries import queries

_SQL: Final = queries("decisions")


def write(session: Session, stage: Stage, decided: Iterable[tuple[int, Decision]], *, at: datetime) -> None:
    """Write the stage's decision on each event, given by its sequence in the session's stream."""
    rows = (
        {
            "sequence": sequence,
            "action": decision.action,
            "rule": decision.rule,
            "reason": decision.reason,
            "confidence": decision.confidence,
        }
        for sequence, decision in decided
    )
    for columns in portions(rows):
        session.execute(_SQL["insert"], **columns, stream=stream_of(session.owner), stage=stage, decided_at=at)


def of_run(session: Session, run_id: str) -> list[Row]:
    """What was decided on each message of a run, in order: `message_id`, `stage`, `action`, `rule`, `reason`."""
    return session.rows(_SQL["of_run"], run_id=run_id)


def clear(session: Session) -> int:
    """Take every decision on the session's owner's events away; for the eraser. Returns how many went."""
    return session.execute(_SQL["clear"]).rowcount
