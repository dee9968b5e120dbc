"""The verdicts on messages, with rule, reason and confidence. The one writer of `decision`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Final

from shared.contract.receipts import Stage
from shared.contract.records import Decision
from shared.contract.scope import stream_of
from shared.store.columns import portions
from shared.store.db import Row, Session
from shared.store.queries import queries

_SQL: Final = queries("decisions")


def write(
    session: Session,
    stage: Stage,
    decided: Iterable[tuple[int, Decision]],
    *,
    at: datetime,
    fields: Mapping[int, Mapping[str, object]] = MappingProxyType({}),
) -> None:
    """Write the stage's decision on each event, given by its sequence in the session's stream.

    `fields` is what it was decided by, of those that it is known of. A candidate that is decided on again has its last
    decision alone.
    """
    rows = (
        {
            "fields": json.dumps(fields.get(sequence, {})),
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
    """What was decided on each message of a run, in order: `message_id`, `stage`, `action`, `rule`, `reason`.

    And on each candidate, which has no `message_id`.
    """
    return session.rows(_SQL["of_run"], run_id=run_id)


def deferred(session: Session, sequences: Iterable[int]) -> set[int]:
    """Those of some candidates of the session's owner that were not enough to go by when they were decided on."""
    rows = session.rows(_SQL["deferred"], stream=stream_of(session.owner), sequences=list(sequences))
    return {row["sequence"] for row in rows}


def remove(session: Session, sequences: Sequence[int]) -> int:
    """Take the decisions on some of the owner's events away; for the eraser. Returns how many went."""
    return session.execute(_SQL["remove"], stream=stream_of(session.owner), sequences=list(sequences)).rowcount


def remove_said(session: Session, speakers: Iterable[str]) -> int:
    """Take the decisions on all that some speakers said in the owner's stream away; as `remove`."""
    whose = {"stream": stream_of(session.owner), "speakers": list(speakers)}
    return session.execute(_SQL["remove_said"], **whose).rowcount


def clear(session: Session) -> int:
    """Take every decision on the session's owner's events away; for the eraser. Returns how many went."""
    return session.execute(_SQL["clear"]).rowcount
