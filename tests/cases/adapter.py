"""The words that cases from the field use, mapped to Daybook once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

import psycopg
from psycopg.rows import dict_row

import hotpath
import warmpath
from hotpath._recall import recall
from shared.contract.bundle import Bundle, Source
from shared.contract.events import Event, EventClass
from shared.contract.receipts import Receipt
from shared.contract.scope import Owner, Scope
from shared.embedded import open_database
from shared.settings import settings
from shared.store import decisions, inbox, ledger, receipts
from shared.store.db import Role, Row, Session, forget_pools
from shared.testing import RecordingBell
from warmpath._door import Door, services
from warmpath._stages import STAGES
from warmpath._work import Result, Services, perform

EVERYBODY = "tenant:"
"""As a user: what all users of the tenant share."""
DEADLINE_MS = 30_000
"""Of every recall here: these tests ask what is answered, on machines of any speed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """One memory that a recall shows."""

    id: UUID
    text: str
    score: float
    event_time: datetime | None
    speaker: str | None
    origin: str
    sources: tuple[Source, ...]


@dataclass(slots=True)
class Words:
    """What the cases call Daybook's doings, on the process's settings."""

    owner: psycopg.Connection
    """Sees the tables past every policy."""
    bell: RecordingBell = field(default_factory=RecordingBell)

    def ingest(self, t: str, u: str, run: str, msgs: Sequence[Mapping[str, Any]], **more: Any) -> Receipt:
        """A run has ended: accept it, and do all its work before this returns."""
        return warmpath.observe(scope(t, u, more), msgs, run_id=run, inline=True, **more)

    def accept(self, t: str, u: str, run: str, msgs: Sequence[Mapping[str, Any]], **more: Any) -> Receipt:
        """A run has ended: accept it, and leave its work to `drain`."""
        return Door(self._services()).observe(scope(t, u, more), msgs, run_id=run, **more)

    def drain(self) -> list[Result]:
        """Do all work that was rung for, as workers would, and that which it rings for."""
        done = []
        while self.bell.rung:
            stage, work = self.bell.rung.pop(0)
            result = perform(self._services(), stage, STAGES[stage], work)
            done += [result] if result else []
        return done

    def restart(self) -> None:
        """What a worker that is started anew has: no connections and no memory of what it did."""
        forget_pools()

    def recall(self, t: str, u: str, q: str, **more: Any) -> list[Recalled]:
        """The hits that are shown, best first; the turns shown around them are in the bundle."""
        bundle = self.bundle(t, u, q, **more)
        shown = {item.memory_id: item for item in bundle.items}
        return [
            Recalled(
                id=item.memory_id,
                text=item.text,
                score=item.score,
                event_time=item.event_time,
                speaker=item.speaker,
                origin=item.origin,
                sources=item.sources,
            )
            for item in (shown.get(hit.memory_id) for hit in bundle.hits)
            if item is not None
        ]

    def bundle(self, t: str, u: str, q: str, *, budget: int = 20_000, **more: Any) -> Bundle:
        """All that recall returns."""
        more = {"deadline_ms": DEADLINE_MS, **more}
        return hotpath.recall(scope(t, u, more), q, budget_tokens=budget, **more)

    def current(self, t: str, u: str) -> list[Row]:
        """Open memories of any kind, in order of their numbers."""
        with self.owner.cursor(row_factory=dict_row) as cursor:
            return cursor.execute(
                "select * from memory where tenant_id = %s and user_id = %s and closed_at is null order by doc", [t, u]
            ).fetchall()

    def ledger(self, t: str, u: str) -> list[Event]:
        """Every event of a user's stream, in append order."""
        with self.session(t, u) as session:
            return list(ledger.read(session, Owner(u)))

    def evidence(self, t: str, u: str) -> list[Event]:
        """The events of `ledger` that are messages."""
        return [event for event in self.ledger(t, u) if event.event_class is EventClass.EVIDENCE]

    def status(self, t: str, u: str, run: str) -> list[tuple[str, int]]:
        """State of each delivery of a run, and the attempts at its stage."""
        with self.session(t, u) as session:
            return [(row["state"], row["attempts"]) for row in inbox.of_run(session, run)]

    def receipts(self, t: str, u: str, run: str) -> list[Receipt]:
        """What became of each stage of a run."""
        with self.session(t, u) as session:
            return receipts.of_run(session, run)

    def rules(self, t: str, u: str, run: str) -> list[str]:
        """The rule that decided on each message of a run, in order."""
        with self.session(t, u) as session:
            return [row["rule"] for row in decisions.of_run(session, run)]

    def session(self, t: str, u: str) -> Any:
        """A reader's transaction, as a context manager."""
        return open_database(settings()).transaction(Role.READER, t, [Owner(u)], read_only=True)

    def count(self, table: str) -> int:
        """Rows of a table, of everybody."""
        row = self.owner.execute(f"select count(*) from {table}".encode()).fetchone()
        assert row is not None
        return int(row[0])

    def _services(self) -> Services:
        made = services(settings())
        return Services(database=made.database, settings=made.settings, bell=self.bell, embedder=made.embedder)


def scope(t: str, u: str, more: dict[str, Any]) -> Scope:
    """The scope of a tenant and a user, or of what all share; takes `agent` and `session` out of `more`."""
    agent, session = more.pop("agent", None), more.pop("session", None)
    if u == EVERYBODY:
        return Scope.tenant_wide(t, agent_id=agent)
    return Scope(tenant_id=t, user_id=u, agent_id=agent, session_id=session)


def bundle_by(channel: str, t: str, u: str, q: str, *, budget: int = 20_000, **more: Any) -> Bundle:
    """All that recall returns where one channel is asked alone, whatever the plan would ask beside it."""
    more = {"deadline_ms": DEADLINE_MS, "as_of": None, "known_at": None, "k": None, **more}
    bundle = recall(scope(t, u, more), q, budget_tokens=budget, explain=False, channels=frozenset({channel}), **more)
    assert bundle.degraded == (), bundle.degraded
    return bundle


def found_by(channel: str, t: str, u: str, q: str, **more: Any) -> set[str]:
    """The texts of the hits that one channel finds alone."""
    return {item.text for item in bundle_by(channel, t, u, q, **more).items if item.rank}


def said(text: object, message_id: str | None = None, /, **more: Any) -> dict[str, Any]:
    """A user's message."""
    return {"role": "user", "text": text, "id": message_id, **more}


__all__ = ["Recalled", "Session", "Words", "bundle_by", "found_by", "said", "scope"]
