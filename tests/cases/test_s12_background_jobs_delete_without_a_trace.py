"""S12: after every job that changes memories, each memory is held, or the ledger says which job closed it, and why."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from coldpath.proposals import tidy
from coldpath.replay import replay
from coldpath.tidying import TIDIERS, prepared, tidying
from shared.contract.scope import Owner
from shared.embedded import open_database
from shared.settings import settings
from shared.testing import HashEmbedder
from tests.cases.adapter import Words, said
from tests.cases.consolidating import asking

SEEDED = 200
MIRA = Owner("mira")


@pytest.mark.timeout(180)
def test_s12_each_is_held_or_an_event_explains_it_however_often_a_model_says_delete(
    words: Words, owner: psycopg.Connection, embedder: HashEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for run in range(20):
        day = f"2025-05-{run + 1:02}"
        texts = [f"I keep lamp number {run * 10 + n % 9} in crate {run % 7}." for n in range(10)]
        messages = [said(text, f"m{run}-{n}", ts=f"{day}T09:{n:02}Z") for n, text in enumerate(texts)]
        words.ingest("acme", "mira", f"run-{run}", messages)
    seeded = {row["memory_id"] for row in words.current("acme", "mira")}
    assert len(seeded) > 0.8 * SEEDED
    deletes = [f'{{"type": "delete", "text": "DELETE", "lines": [{n}]}}' for n in range(1, 11)]
    with asking(monkeypatch, f'{{"facts": [{", ".join(deletes)}]}}') as server:
        database = open_database(settings())
        for job in TIDIERS:
            doing = tidying(settings(), job, uuid4())
            prepared(database, settings(), "acme", MIRA, doing)
            tidy(database, "acme", MIRA, doing)
        assert len(server.requests) == 1
    explained = {
        memory
        for event in words.ledger("acme", "mira")
        if event.event_class == "operation" and event.kind not in {"add", "corroborate"}
        for memory in _named(event.payload or {})
    }
    held = {row["memory_id"] for row in words.current("acme", "mira")}
    assert seeded <= held | explained
    unexplained = owner.execute("select count(*) from memory where closed_at is not null and closed_by is null")
    assert unexplained.fetchone() == (0,)
    found = replay(database, "acme", MIRA, verify=True)
    assert found.differences == ()


def _named(payload: dict[str, Any]) -> list[UUID]:
    one = [payload[name] for name in ("memory", "by", "source", "target") if name in payload]
    several = [each for name in ("absorbed", "sources") for each in payload.get(name, ())]
    return [UUID(each) for each in (*one, *several)]
