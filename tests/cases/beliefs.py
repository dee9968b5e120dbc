"""What the cases ask of beliefs: those that are open, their versions, and what the ledger says was done."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from gateway.versions import MemoryHistory, history_of
from shared.contract.events import Event, EventClass
from shared.embedded import open_database
from shared.settings import settings
from shared.store.db import Row
from shared.testing import ScriptedExtractor
from tests.cases.adapter import Words, scope
from tests.model_reading import entry, facts, lines_shown
from tests.scripted_llm import Entry, Reply, Request, ScriptedLlm
from warmpath._stages import STAGES
from warmpath._work import perform


def beliefs(words: Words, t: str, u: str, about: str = "") -> list[Row]:
    """Open memories that claim something, in order of their numbers; those that say `about` alone."""
    return [row for row in words.current(t, u) if row["kind"] != "episodic" and about in row["text"]]


def now_true(words: Words, t: str, u: str, about: str = "") -> list[str]:
    """The texts of the open beliefs that have not ended in the world."""
    rows = beliefs(words, t, u, about)
    return [row["text"] for row in rows if row["valid_to"] is None or row["valid_to"] > datetime.now(UTC)]


def history(t: str, u: str, memory: UUID) -> MemoryHistory:
    """The life of a memory."""
    return history_of(open_database(settings()), scope(t, u, {}), memory)


def operations(words: Words, t: str, u: str, kind: str = "") -> list[Event]:
    """What was decided about a user's memories, in order; of one kind alone where it is given."""
    found = [event for event in words.ledger(t, u) if event.event_class is EventClass.OPERATION]
    return [event for event in found if kind in ("", event.kind)]


def candidates(words: Words, t: str, u: str) -> list[tuple[str, str]]:
    """What was proposed and the rule that decided on it, in order."""
    query = """
        select event_payload.payload::json ->> 'text', decision.rule
        from candidate
        join event_payload using (tenant_id, user_id, stream, sequence)
        join decision using (tenant_id, user_id, stream, sequence)
        where candidate.tenant_id = %s and candidate.user_id = %s and decision.stage = 'gate'
        order by candidate.sequence
    """
    return words.owner.execute(query, [t, u]).fetchall()


def read_by(words: Words, extractor: ScriptedExtractor, t: str, u: str, run: str, msgs: Any, **more: Any) -> None:
    """Ingest a run that is read by an extractor in the rules' place."""
    words.accept(t, u, run, msgs, **more)
    services = replace(words._services(), rules=lambda: extractor)
    while words.bell.rung:
        stage, work = words.bell.rung.pop(0)
        perform(services, stage, STAGES[stage], work)


class Parrot(ScriptedLlm):
    """A model that takes every line it is shown for a fact about its speaker."""

    def __init__(self) -> None:
        super().__init__([Reply(text=facts())])

    def next(self, request: Request) -> Entry:
        super().next(request)
        shown = lines_shown(request.said[0])
        return Reply(
            text=facts(*(entry(_sentence(each), lines=[each["line"]], about=each["speaker"]) for each in shown))
        )


def _sentence(line: dict[str, Any]) -> str:
    return f"{line['speaker']}: {line['text'].splitlines()[0][:500]}"
