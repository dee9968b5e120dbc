"""The graph view, built anew beside the live one, with the words and alone."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from coldpath import reindex as reindexing
from coldpath.erase import erase
from coldpath.forget import forget
from coldpath.reindex import Pass, carry_on, go_back, name_on, reindex
from coldpath.replay import replay
from gateway.rebuilding import Rebuild, rebuild, request
from hotpath import recall
from shared.contract.scope import Owner, Scope
from shared.settings import Settings
from shared.store import generations, graph, jobs, ledger, postings, progress, streams
from shared.store.db import Database, Role
from shared.store.streams import Numbered
from shared.work.passes import Outcome, Report, carry_out
from warmpath._door import Door

MIRA = Scope(tenant_id="acme", user_id="mira")
TABLES = {
    "mention": "user_id, name, doc",
    "entity": "user_id, name, memories",
    "entity_alias": "user_id, alias, name",
    "graph_stream": "user_id, documents, doc",
}
WorkOff = Callable[[], object]


def say(door: Door, *texts: str, run: str, user: str = "mira") -> None:
    messages = [{"role": "user", "text": text} for text in texts]
    door.observe(Scope(tenant_id="acme", user_id=user), messages, run_id=run)


def view(owner: psycopg.Connection, generation: int) -> dict[str, list[tuple[Any, ...]]]:
    return {
        table: owner.execute(
            f"select {columns} from {table} where generation = %s order by 1, 2, 3".encode(), [generation]
        ).fetchall()
        for table, columns in TABLES.items()
    }


def kept(opened: Database) -> tuple[int, int | None, int | None]:
    with opened.transaction(Role.READER, "acme", [Owner("mira")]) as session:
        found = generations.of(session, "graph")
    assert found is not None
    building, previous = (each and each.generation for each in (found.building, found.previous))
    return found.live.generation, building, previous


@pytest.fixture
def told(door: Door, work_off: WorkOff, monkeypatch: pytest.MonkeyPatch) -> Door:
    """Two users with some memories each; a build takes in three at a time."""
    monkeypatch.setattr(reindexing, "PORTION", 3)
    for n in range(7):
        say(door, f"I met Tove Lind at Oak Hill {n}.", f"Then we saw Graz with Oskar Brandt{n}.", run=f"m{n}")
    say(door, "My boat is called Vega.", run="o0", user="oskar")
    work_off()
    return door


def at_portion(number: int, action: Callable[[], object]) -> Pass:
    """A pass that does something else after so many portions."""
    seen = iter(range(1, 1_000))
    return Pass(report=lambda _done, _total: action() if next(seen) == number else None)


def test_a_new_generation_equals_the_one_it_replaces(told: Door, opened: Database, owner: psycopg.Connection) -> None:
    rebuilt = reindex(opened, "acme", Pass(), "graph")
    assert (rebuilt.view, rebuilt.finished, rebuilt.worked) == ("graph", True, 15)
    assert kept(opened) == (2, None, 1)
    assert view(owner, 2) == view(owner, 1)
    assert len(view(owner, 2)["mention"]) > 20


def test_what_comes_in_and_what_is_forgotten_meanwhile_is_so_in_both(
    told: Door, opened: Database, owner: psycopg.Connection, work_off: WorkOff
) -> None:
    def more() -> None:
        say(told, "The new queen lives at Elm Court.", run="late")
        say(told, "I am Nadia Voss.", run="late", user="new")
        work_off()
        for text in ("I met Tove Lind at Oak Hill 0.", "I met Tove Lind at Oak Hill 6."):  # entered, and not yet
            (item,) = [item for item in recall(MIRA, text).items if item.text == text]
            forget(opened, MIRA, item.memory_id)

    assert reindex(opened, "acme", at_portion(2, more), "graph").finished
    assert view(owner, 2) == view(owner, 1)
    assert streams.behind(opened, "acme", 2, "graph") == []
    names = {name for _, name, _ in view(owner, 2)["mention"]}
    assert {"elm court", "nadia voss"} <= names
    assert "oak hill 6" not in names


def test_what_is_appended_and_not_indexed_yet_does_not_keep_a_build_from_becoming_live(
    told: Door, opened: Database, owner: psycopg.Connection
) -> None:
    owner.execute("update graph_stream set doc = doc - 1, documents = documents - 1 where user_id = 'mira'")
    owner.execute("update stream set last_doc = last_doc + 1 where user_id = 'mira'")  # as if one were on its way
    with_it = reindex(opened, "acme", Pass(), "graph")
    assert with_it.finished
    assert streams.trailing(opened, "acme", with_it.generation, "graph") == []


def test_a_pass_that_stops_or_dies_is_gone_on_with(told: Door, opened: Database, owner: psycopg.Connection) -> None:
    before = view(owner, 1)
    with pytest.raises(ZeroDivisionError):
        reindex(opened, "acme", at_portion(2, lambda: 1 / 0), "graph")
    assert (view(owner, 1), kept(opened)) == (before, (1, 2, None))
    rest = reindex(opened, "acme", Pass(), "graph")
    assert (rest.finished, rest.worked) == (True, 9)
    assert view(owner, 2) == before


def test_one_can_go_back_and_nothing_written_since_is_missing(
    told: Door, opened: Database, owner: psycopg.Connection, work_off: WorkOff
) -> None:
    reindex(opened, "acme", Pass(), "graph")
    say(told, "The new queen lives at Elm Court.", run="late")
    work_off()
    assert go_back(opened, "acme", "graph").live.generation == 1
    assert view(owner, 2) == view(owner, 1)


def test_the_third_build_takes_the_first_ones_rows_away(
    told: Door, opened: Database, owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reindexing, "_DROPPED_AT_A_TIME", 4)
    for _ in range(3):
        reindex(opened, "acme", Pass(), "graph")
    assert kept(opened) == (4, None, 3)
    for table in TABLES:
        left = owner.execute(f"select distinct generation from {table} order by 1".encode()).fetchall()
        assert left == [(3,), (4,)], table


def test_an_erased_user_stays_erased_and_a_replay_writes_every_generation(
    told: Door, opened: Database, owner: psycopg.Connection
) -> None:
    reindex(opened, "acme", Pass(), "graph")
    assert replay(opened, "acme", Owner("mira"), verify=False).mended == 0
    assert view(owner, 2) == view(owner, 1)
    erase(opened, MIRA)
    assert view(owner, 2) == view(owner, 1)
    assert [row for row in view(owner, 2)["mention"] if row[0] == "mira"] == []


def carried_out(opened: Database, environment: Settings, **more: Any) -> Report:
    return carry_out(opened, environment, "reindex", "acme", lambda job: carry_on(opened, job), **more)


def test_a_job_that_is_killed_after_the_words_goes_on_with_the_names_alone(
    told: Door, opened: Database, environment: Settings, owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(graph, "enter_next", killed)
    with pytest.raises(KeyboardInterrupt):
        carried_out(opened, environment)
    monkeypatch.undo()
    sparse = "select live, previous from generation where view = 'sparse'"
    assert owner.execute(sparse).fetchall() == [(2, 1)]
    owner.execute("update job set lease_until = now()")
    assert carried_out(opened, environment, resume=True).outcome is Outcome.DONE
    assert owner.execute(sparse).fetchall() == [(2, 1)]
    assert kept(opened) == (2, None, 1)
    (found,) = jobs.latest(opened, "acme")
    assert (found.state, found.counts) == ("done", {"memories": 15, "sparse_switched": 1, "graph": 15})


def lived(owner: psycopg.Connection) -> dict[str, tuple[int, int | None]]:
    """Of each view the live generation, and the one that is being built."""
    rows = owner.execute("select view, live, building from generation where view in ('sparse', 'graph')")
    return {name: (live, building) for name, live, building in rows.fetchall()}


def go_on(opened: Database, environment: Settings, view: Numbered | None = None) -> Rebuild:
    return rebuild(opened, environment, "reindex", "acme", lambda _done, _total: None, view)


def test_one_view_is_asked_for_while_a_pass_of_all_waits_and_all_are_built(
    told: Door, opened: Database, environment: Settings, owner: psycopg.Connection
) -> None:
    assert request(opened, environment, "reindex", "acme").outcome == "requested"
    found = go_on(opened, environment, "graph")
    assert (found.outcome, found.memories) == ("done", 15)
    assert lived(owner) == {"sparse": (2, None), "graph": (2, None)}


def test_a_pass_of_all_that_was_killed_in_the_middle_is_finished_by_whoever_asks_for_one_view(
    told: Door, opened: Database, environment: Settings, owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed_while("sparse", monkeypatch, lambda: go_on(opened, environment))
    assert lived(owner) == {"sparse": (1, 2), "graph": (1, None)}
    owner.execute("update job set lease_until = now()")
    assert go_on(opened, environment, "graph").outcome == "done"
    assert lived(owner) == {"sparse": (2, None), "graph": (2, None)}


def test_a_pass_of_one_view_that_was_killed_is_finished_as_such_and_the_one_asked_for_follows(
    told: Door, opened: Database, environment: Settings, owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed_while("graph", monkeypatch, lambda: go_on(opened, environment, "graph"))
    assert lived(owner) == {"sparse": (1, None), "graph": (1, 2)}
    owner.execute("update job set lease_until = now()")
    assert carried_out(opened, environment, resume=True).outcome is Outcome.DONE
    assert lived(owner) == {"sparse": (1, None), "graph": (2, None)}, "a worker goes on with what the pass is of"
    killed_while("graph", monkeypatch, lambda: go_on(opened, environment, "graph"))
    owner.execute("update job set lease_until = now()")
    assert go_on(opened, environment, "sparse").outcome == "done"
    assert lived(owner) == {"sparse": (2, None), "graph": (3, None)}
    assert [each.state for each in jobs.latest(opened, "acme")] == ["done"]


def killed_while(view: Numbered, monkeypatch: pytest.MonkeyPatch, call: Callable[[], object]) -> None:
    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr({"sparse": postings, "graph": graph}[view], "enter_next", killed)
        with pytest.raises(KeyboardInterrupt):
            call()


def test_streams_from_before_the_view_are_caught_up_with_by_a_job(
    told: Door, opened: Database, environment: Settings, owner: psycopg.Connection
) -> None:
    before = view(owner, 1)
    for table in TABLES:
        owner.execute(f"delete from {table}".encode())
    owner.execute("delete from generation where view = 'graph'")
    assert streams.behind_tenants(opened) == ["acme"]
    report = carry_out(opened, environment, "fill", "acme", lambda job: name_on(opened, job))
    assert (report.outcome, report.counts) == (Outcome.DONE, {"named": 15})
    assert view(owner, 1) == before
    assert streams.behind_tenants(opened) == []


def test_how_far_the_view_goes_is_counted(told: Door, opened: Database, owner: psycopg.Connection) -> None:
    owner.execute("update graph_stream set doc = doc - 4 where user_id = 'mira'")
    (found,) = [each for each in progress.look(opened, timedelta(minutes=5)).views if each.view == "graph"]
    assert (found.memories, found.behind, found.tenants_behind) == (15, 4, 1)


@pytest.mark.parametrize("rows", [10, 25, 30, 40])
def test_no_name_stays_of_what_is_forgotten_after_a_builder_was_killed_while_it_dropped_a_generation(
    told: Door, opened: Database, owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    reindex(opened, "acme", Pass(), "graph")
    monkeypatch.setattr(reindexing, "drop", lambda *_: 0)
    reindex(opened, "acme", Pass(), "graph")
    with opened.transaction(Role.ERASER, "acme", [Owner("mira")]) as session:
        generations.writing(session, "graph")
        ledger.lock(session, Owner("mira"))
        assert graph.drop(session, 1, limit=rows) == rows, "some are left"
    (found,) = [each for each in recall(MIRA, "Oskar Brandt4", deadline_ms=60_000).items if "Brandt4" in each.text]
    forget(opened, MIRA, found.memory_id, erase_content=True)
    for table in ("mention", "entity", "entity_alias"):
        left = owner.execute(f"select generation from {table} where name like '%brandt4%'".encode()).fetchall()
        assert left == [], table
