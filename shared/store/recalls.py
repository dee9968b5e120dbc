"""What recalls put before models: a log that goes by age. The one writer of `recall_log` and `recall_item`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final
from uuid import UUID

from shared.contract.scope import Owner, stream_of
from shared.contract.turns import Injected, Turn, TurnId
from shared.store.columns import portions
from shared.store.db import Database, Row, Session
from shared.store.queries import queries

_SQL: Final = queries("recalls")


def write(session: Session, turns: Sequence[Turn]) -> None:
    """Log recalls of one tenant. The session must be of who asked and of the owners of what was recalled.

    A memory that is forgotten by now is left out, and so is the whole recall where anything of who asked was forgotten
    since: whoever erases at this very moment may miss a row of ids, which goes by age.
    """
    asked: dict[Owner, list[Row]] = {}
    items: dict[Owner, list[Row]] = {}
    for turn in turns:
        asked.setdefault(turn.owner, []).append(_turn_row(turn))
        for each in turn.injected:
            items.setdefault(each.owner, []).append(_item_row(turn.turn_id, each))
    for query, rows_by_owner in ((_SQL["insert"], asked), (_SQL["insert_items"], items)):
        for owner, rows in sorted(rows_by_owner.items()):
            of = replace(session, owners=(owner, *session.owners))
            for columns in portions(rows):
                of.execute(query, **columns, stream=stream_of(owner))


def _turn_row(turn: Turn) -> Row:
    return {
        "turn_id": turn.turn_id,
        "recalled_at": turn.recalled_at,
        "agent_id": turn.agent_id,
        "session_id": turn.session_id,
        "verdict": turn.verdict,
        "recipe": turn.recipe,
        "tokens": turn.tokens,
        "watermark": turn.watermark,
        "conflicts": turn.conflicts,
        "conflicts_shown": turn.conflicts_shown,
        "about_now": turn.about_now,
    }


def _item_row(turn_id: TurnId, item: Injected) -> Row:
    return {
        "turn_id": turn_id,
        "memory_id": item.memory_id,
        "rank": item.rank,
        "score": item.score,
        "ordinal": item.ordinal,
    }


def sessions(session: Session, turn_ids: Collection[UUID]) -> dict[UUID, str]:
    """In which sessions some recalls of the session's owner were asked, of those that are logged and were in one."""
    rows = session.rows(_SQL["sessions"], turn_ids=list(turn_ids)) if turn_ids else []
    return {row["turn_id"]: row["session_id"] for row in rows}


def turn(session: Session, turn_id: UUID) -> Turn | None:
    """A recall of the session's owner as it was logged; None where it was not, or is gone by age.

    Of what was recalled that is left out which was forgotten since.
    """
    row = session.row(_SQL["turn"], turn_id=turn_id)
    if row is None:
        return None
    items = session.rows(_SQL["items"], turn_id=turn_id)
    return Turn(
        turn_id=TurnId(row["turn_id"]),
        tenant_id=session.tenant_id,
        owner=Owner(row["user_id"]),
        recalled_at=row["recalled_at"],
        agent_id=row["agent_id"],
        session_id=row["session_id"],
        verdict=row["verdict"],
        recipe=row["recipe"],
        tokens=row["tokens"],
        watermark=row["watermark"],
        conflicts=row["conflicts"],
        conflicts_shown=row["conflicts_shown"],
        about_now=row["about_now"],
        injected=tuple(map(_injected, items)),
    )


def called(session: Session, first: UUID, last: UUID) -> list[UUID]:
    """The owner's logged recalls whose id lies between two; two at most."""
    return [row["turn_id"] for row in session.rows(_SQL["called"], first=first, last=last)]


def _injected(row: Row) -> Injected:
    return Injected(
        owner=Owner(row["user_id"]),
        memory_id=row["memory_id"],
        rank=row["rank"],
        score=row["score"],
        ordinal=row["ordinal"],
    )


def showing(session: Session, memory_ids: Collection[UUID]) -> dict[UUID, int]:
    """How many logged recalls, whoever's, showed each of some memories of the owner; of those that any showed."""
    rows = session.rows(_SQL["showing"], memory_ids=list(memory_ids))
    return {row["memory_id"]: row["recalls"] for row in rows}


def showing_any(session: Session, memory_ids: Collection[UUID]) -> tuple[int, list[UUID]]:
    """How many logged recalls, whoever's, showed any of some memories of the owner, and the ids of the newest few."""
    row = session.row(_SQL["showing_any"], memory_ids=list(memory_ids))
    return (row["recalls"], row["newest"]) if row else (0, [])


def remove(session: Session, memory_ids: Collection[UUID]) -> int:
    """Take memories of the session's owner out of every recall, whoever's; for the eraser. Returns of how many rows."""
    return session.execute(_SQL["remove"], memory_ids=list(memory_ids)).rowcount


def clear(session: Session) -> tuple[int, int]:
    """Take away all recalls by the session's owner, and their memories out of those of others; for the eraser.

    Returns how many rows of `recall_log` went, and how many of `recall_item` that were the owner's own memories.
    """
    items = session.execute(_SQL["clear_items"]).rowcount
    return session.execute(_SQL["clear"]).rowcount, items


def prune(database: Database, keep: timedelta, *, limit: int) -> int:
    """Let recalls go that are older than `keep`, of every tenant, the oldest `limit` of them; returns how many."""
    with database.claiming() as connection:
        gone = connection.execute(_SQL["prune"], {"keep": keep, "limit": limit})
    return gone.rowcount  # not known before the end: statements are sent together
