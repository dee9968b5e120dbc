"""Invariant 10: who was erased stays so, whatever the nights after do."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql

from coldpath import profile
from coldpath.erase import erase
from coldpath.graph import regroup
from coldpath.proposals import tidy
from coldpath.reembed import fill
from coldpath.reindex import Pass, reindex
from coldpath.tidying import TIDIERS, owners_of, tidying
from gateway import Daybook
from gateway.measuring import evaluate
from shared import clock
from shared.contract.scope import Owner, Scope
from shared.settings import Settings
from shared.store import measures
from shared.store.erasure import TABLES, Fate
from shared.testing import HashEmbedder

MIRA = Scope(tenant_id="acme", user_id="mira")
OSKAR = Scope(tenant_id="acme", user_id="oskar")
LIVED = ("I live in Oslo.", "I moved to Rome.", "I like jazz.", "I no longer like jazz.", "Ana Weiss met Ivo Dahl.")
CLEARED = [each.name for each in TABLES if each.fate is Fate.CLEARED]


@pytest.fixture
def daybook(reading: Settings, embedder: HashEmbedder) -> Iterator[Daybook]:
    del embedder
    with Daybook(reading) as opened:
        yield opened


def say(daybook: Daybook, scope: Scope, *texts: str) -> None:
    for number, text in enumerate(texts, 1):
        message = {"role": "user", "text": text, "ts": f"2026-03-{number:02}T12:00:00+00:00"}
        daybook.observe(scope, [message], run_id=f"{text} of {scope.user_id}", inline=True)


def night(daybook: Daybook, *, visiting: Owner | None = None) -> None:
    """Every job of a night, through the owners that each finds and, as one does that found them before, `visiting`."""
    database, settings = daybook.database(), daybook.settings
    beside = [visiting] if visiting else []
    for job in TIDIERS:
        for owner in {*owners_of(database, "acme", job=job), *beside}:
            tidy(database, "acme", owner, tidying(settings, job, uuid4()))
    for view in ("sparse", "graph"):
        reindex(database, "acme", Pass(), view=view)
    fill(database, HashEmbedder(), "acme", Pass())
    for build in (profile.refresh, profile.rebuild):
        build(database, "acme", Pass())
    for owner in {*owners_of(database, "acme"), *beside}:
        regroup(database, "acme", owner)
    evaluate(database, settings, "acme", lambda _done, _total: None, counts=True)


def left_of(owner: psycopg.Connection, user: str) -> dict[str, int]:
    owner.execute("select set_config('row_security', 'off', false)")
    counts = {}
    for table in CLEARED:
        query = sql.SQL("select count(*) from {} where tenant_id = 'acme' and user_id = %s").format(
            sql.Identifier(table)
        )
        (counts[table],) = owner.execute(query, [user]).fetchone() or (0,)
    return {table: number for table, number in counts.items() if number}


@pytest.mark.parametrize("visiting", [None, MIRA.owner], ids=["found by the jobs", "found before the erasure"])
def test_no_row_of_somebody_who_was_erased_comes_back_by_night(
    visiting: Owner | None, daybook: Daybook, owner: psycopg.Connection
) -> None:
    for scope in (MIRA, OSKAR):
        say(daybook, scope, *LIVED)
    night(daybook)
    assert {"measure", "profile_stream", "community_stream", "job_mark"} <= set(left_of(owner, "mira"))
    erase(daybook.database(), MIRA)
    assert left_of(owner, "mira") == {}
    night(daybook, visiting=visiting)
    assert left_of(owner, "mira") == {}
    assert {"measure", "profile_stream", "community_stream", "job_mark"} <= set(left_of(owner, "oskar"))


def test_what_was_done_before_an_erasure_is_not_counted_when_the_user_speaks_again(daybook: Daybook) -> None:
    say(daybook, MIRA, *LIVED)
    night(daybook)
    erase(daybook.database(), MIRA)
    say(daybook, MIRA, "I like boats.")
    night(daybook)
    today = clock.now().date()
    found = measures.totals(daybook.database(), "acme", today, today)
    counted = {name.value: number for name, number in found.items() if number}
    assert counted["stored"] >= 1
    assert not {"superseded", "ended", "retracted"} & set(counted)
