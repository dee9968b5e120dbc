"""The graph view is what the memories that are held come to, however they came and went."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import psycopg
import pytest

from coldpath.erase import erase
from coldpath.forget import forget
from coldpath.replay import replay
from hotpath import recall
from shared.contract.scope import Owner, Scope
from shared.store import generations, graph, ledger
from shared.store.db import Database, Role
from warmpath._door import Door

MIRA = Scope(tenant_id="acme", user_id="mira")
TABLES = ("mention", "entity", "entity_alias", "graph_stream")
WorkOff = Callable[[], object]


def say(door: Door, *texts: str, run: str, scope: Scope = MIRA) -> None:
    door.observe(scope, [{"role": "user", "text": text} for text in texts], run_id=run)


def mentions(owner: psycopg.Connection, user: str = "mira") -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    query = "select name, doc from mention where user_id = %s order by name, doc"
    for name, doc in owner.execute(query, [user]):
        found.setdefault(name, []).append(doc)
    return found


def entities(owner: psycopg.Connection) -> dict[str, int]:
    return dict(owner.execute("select name, memories from entity where user_id = 'mira'").fetchall())


def reached(owner: psycopg.Connection) -> list[tuple[int, int]]:
    return owner.execute("select documents, doc from graph_stream where user_id = 'mira'").fetchall()


@pytest.fixture
def told(door: Door, work_off: WorkOff) -> Door:
    say(door, "Yesterday I met Tove Lind in Graz.", "Then we saw Tove again.", run="r1")
    say(door, "Nothing of note.", "We left Graz with Oskar Brandt.", run="r2")
    work_off()
    return door


def test_indexing_enters_names_and_how_many_memories_mention_them(told: Door, owner: psycopg.Connection) -> None:
    assert mentions(owner) == {"graz": [1, 4], "oskar brandt": [4], "tove": [2], "tove lind": [1]}
    assert entities(owner) == {"graz": 2, "oskar brandt": 1, "tove": 1, "tove lind": 1}
    assert reached(owner) == [(4, 4)]
    aliases = owner.execute("select alias from entity_alias where name = 'tove lind' order by 1").fetchall()
    assert aliases == [("lind",), ("tove",)]


def test_whatever_order_runs_are_indexed_in_the_view_follows_the_end_of_the_stream(
    told: Door, opened: Database, owner: psycopg.Connection
) -> None:
    before = mentions(owner)
    owner.execute("delete from mention")
    owner.execute("delete from entity")
    owner.execute("delete from entity_alias")
    owner.execute("update graph_stream set doc = 0, documents = 0")
    for _ in range(2):
        with opened.transaction(Role.WORKER, "acme", [Owner("mira")]) as session:
            found = generations.writing(session, "graph")
            graph.catch_up(session, found, until=ledger.lock(session, Owner("mira")).doc)
    assert mentions(owner) == before
    assert reached(owner) == [(4, 4)]


def test_a_stream_that_is_far_behind_is_caught_up_with_portion_by_portion(
    told: Door, opened: Database, owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph, "CAUGHT_UP_AT_A_TIME", 3)
    for table in TABLES:
        owner.execute(f"delete from {table}".encode())
    for portion in (3, 4, 4):
        with opened.transaction(Role.WORKER, "acme", [Owner("mira")]) as session:
            found = generations.writing(session, "graph")
            graph.catch_up(session, found, until=ledger.lock(session, Owner("mira")).doc)
        assert reached(owner) == [(portion, portion)]


def test_forgetting_takes_mentions_away_and_names_that_nobody_mentions_any_more(
    told: Door, opened: Database, owner: psycopg.Connection
) -> None:
    (item,) = [each for each in recall(MIRA, "Oskar Brandt").items if "Oskar Brandt" in each.text]
    forget(opened, MIRA, item.memory_id)
    assert entities(owner) == {"graz": 1, "tove": 1, "tove lind": 1}
    assert owner.execute("select 1 from entity_alias where name = 'oskar brandt'").fetchall() == []
    assert reached(owner) == [(3, 4)]
    assert replay(opened, "acme", Owner("mira"), verify=True).is_equal


def test_erasing_leaves_no_name_and_keeps_the_number_so_that_none_is_given_twice(
    told: Door, opened: Database, owner: psycopg.Connection, work_off: WorkOff
) -> None:
    erase(opened, MIRA)
    assert mentions(owner) == entities(owner) == {}
    assert owner.execute("select 1 from entity_alias").fetchall() == []
    assert reached(owner) == [(0, 4)]
    say(told, "I am back in Graz.", run="r9")
    work_off()
    assert mentions(owner) == {"graz": [5]}


DAMAGE = (
    "delete from mention where name = 'graz' and doc = 4",
    "insert into mention (tenant_id, generation, user_id, name, doc) values ('acme', 1, 'mira', 'elm', 1)",
    "update entity set memories = 7 where name = 'graz'",
    "delete from entity where name = 'tove'",
    "delete from entity_alias where alias = 'lind'",
    "update graph_stream set documents = 9",
    "update graph_stream set doc = 99",
)


@pytest.mark.parametrize("statement", DAMAGE)
def test_damage_is_told_of_without_saying_the_name_and_mended_by_a_replay(
    told: Door, opened: Database, owner: psycopg.Connection, statement: str
) -> None:
    before = {table: sorted(owner.execute(f"select * from {table}".encode()).fetchall()) for table in TABLES}
    owner.execute(statement.encode())
    found = replay(opened, "acme", Owner("mira"), verify=True)
    assert found.count > 0
    assert not [name for name in ("graz", "elm", "tove", "lind") if name in repr(found.differences)]
    assert replay(opened, "acme", Owner("mira"), verify=False).mended > 0
    assert replay(opened, "acme", Owner("mira"), verify=True).is_equal
    after = {table: sorted(owner.execute(f"select * from {table}".encode()).fetchall()) for table in TABLES}
    assert after == before


def test_names_are_looked_up_as_they_stand_and_as_parts_of_longer_ones(told: Door, opened: Database) -> None:
    with opened.transaction(Role.APP, "acme", [Owner("mira")], read_only=True) as session:
        found = {(each.asked, each.name): each.memories for each in graph.called(session, ["tove", "elm"], limit=5)}
    assert found == {("tove", "tove"): 1, ("tove", "tove lind"): 1}


def test_a_neighbourhood_is_of_the_seeds_their_memories_and_what_those_mention(told: Door, opened: Database) -> None:
    limits = {"per_seed": 10, "commonest": 10, "most_names": 10, "per_name": 10}
    with opened.transaction(Role.APP, "acme", [Owner("mira")], read_only=True) as session:
        assert session.owners[0] == "mira"
        near = np.array([2], np.int64)
        found = dict(graph.around(session, ["tove lind"], near, **limits))
        assert {name: sorted(keys) for name, keys in found.items()} == {"graz": [1, 4], "tove": [2], "tove lind": [1]}
        assert set(dict(graph.around(session, ["tove lind"], near, **{**limits, "commonest": 1}))) == {
            "tove", "tove lind",
        }  # fmt: skip
        assert set(dict(graph.around(session, ["tove lind"], near, **{**limits, "most_names": 1}))) == {"tove lind"}


def test_another_users_names_are_not_in_it(told: Door, opened: Database, work_off: WorkOff) -> None:
    oskar = Scope(tenant_id="acme", user_id="oskar")
    say(told, "Tove Lind lives in Linz.", run="o1", scope=oskar)
    work_off()
    limits = {"per_seed": 10, "commonest": 10, "most_names": 10, "per_name": 10}
    with opened.transaction(Role.APP, "acme", [Owner("mira")], read_only=True) as session:
        assert "linz" not in dict(graph.around(session, ["tove lind"], np.empty(0, np.int64), **limits))
        assert graph.called(session, ["linz"], limit=5) == []


def test_a_question_over_two_hops_finds_what_no_word_of_it_leads_to(told: Door, work_off: WorkOff) -> None:
    say(told, "Zelda Quint keeps the lighthouse of Vardo.", run="h1")
    say(told, "It rains all year where the cormorants nest, on Vardo.", run="h2")
    work_off()
    query = "What is the weather in the town where the lighthouse stands that is kept by Zelda Quint?"
    found = recall(MIRA, query, explain=True)
    graph_of = {item.text: item.scores.get("graph", 0.0) for item in found.items}
    assert graph_of["It rains all year where the cormorants nest, on Vardo."] > 0
    assert graph_of.get("Nothing of note.", 0.0) == 0.0


@pytest.fixture
def many(told: Door, owner: psycopg.Connection) -> None:
    """Names of thousands of memories of hundreds of users beside, as the planner sees them."""
    row = "'acme', 1, 'user-' || n % 3 * (n % 300), 'name ' || n"
    owner.execute(f"insert into entity select {row}, 1 from generate_series(1, 30000) as n".encode())
    owner.execute(
        b"insert into entity_alias select 'acme', 1, 'user-' || n % 3 * (n % 300), 'alias ' || n, 'name ' || n "
        b"from generate_series(1, 30000) as n"
    )
    owner.execute(f"insert into mention select {row}, n / 300 from generate_series(1, 30000) as n".encode())
    owner.execute("analyze")


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for each in plan.get("Plans", []):
        yield from nodes(each)


@pytest.mark.parametrize("query", ["called", "known", "around"])
def test_what_recall_asks_of_the_view_goes_by_indexes_to_names_or_memories(
    many: None, opened: Database, query: str
) -> None:
    parameters: dict[str, object] = {
        "names": [f"name {n}" for n in range(300, 20_000, 300)],
        "near": list(range(1, 11)),
        "limit": 10,
        "per_seed": 50,
        "commonest": 100,
        "most_names": 400,
        "per_name": 20,
    }
    with opened.transaction(Role.APP, "acme", [Owner("user-0")], read_only=True) as session:
        (row,) = session.rows(f"explain (format json) {graph._SQL[query]}", **parameters)
    reads = [each for each in nodes(row["QUERY PLAN"][0]["Plan"]) if each.get("Relation Name", "")[-1:].isdigit()]
    assert reads
    for each in reads:
        assert each["Node Type"] in {"Index Scan", "Index Only Scan"}, each
        assert any(f"{column} = " in each["Index Cond"] for column in ("name", "alias", "doc")), str(each)


def test_where_the_view_cannot_be_read_the_other_channels_answer_and_the_bundle_says_so(
    told: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("no graph")

    monkeypatch.setattr(graph, "called", broken)
    found = recall(MIRA, "Who met Tove Lind in Graz?")
    assert found.degraded == ("graph",)
    assert "Yesterday I met Tove Lind in Graz." in [item.text for item in found.items]


def test_a_name_that_is_not_known_leaves_the_answer_to_the_other_channels(told: Door) -> None:
    found = recall(MIRA, "Did I ever meet Zebedee Quark in Graz or elsewhere, like Oskar Brandt?", explain=True)
    assert not found.degraded
    alone = recall(MIRA, "Did I ever meet Zebedee Quark?", explain=True)
    assert {item.scores.get("graph", 0.0) for item in alone.items} <= {0.0}


def joined(query: str, scope: Scope = MIRA) -> set[str]:
    """What the graph alone brings for a query."""
    return {item.text for item in recall(scope, query, explain=True).items if item.scores.get("graph", 0.0) > 0}


GRAZ = "We left Graz with Oskar Brandt."


@pytest.mark.parametrize("name", ["Brandt", "Brant", "Brnadt", "Brandit", "Brendt", "Oskar Brandl", "Oskr Brandt"])
def test_a_name_that_nobody_has_stands_for_the_one_a_slip_away(told: Door, name: str) -> None:
    assert GRAZ in joined(f"When was the journey with {name}?")


@pytest.mark.parametrize("name", ["Brnat", "Graaz", "Torve", "Brandenburg"])
def test_two_slips_and_what_is_short_are_another_name(told: Door, name: str) -> None:
    assert joined(f"When was the journey with {name}?") == set()


def test_where_two_names_are_a_slip_away_neither_is_meant_and_a_known_name_means_itself(
    told: Door, door: Door, work_off: WorkOff
) -> None:
    say(door, "Ivo Brandl paints.", "Ana Brandy bakes.", run="r3")
    work_off()
    assert joined("When was the journey with Brand?") == set(), "Brandt, Brandl or Brandy"
    found = joined("When was the journey with Brandl?")
    assert "Ivo Brandl paints." in found
    assert GRAZ not in found


def test_the_names_of_others_are_nobodys_spelling(told: Door, door: Door, work_off: WorkOff) -> None:
    say(door, "Oskar Brandl paints.", run="r3", scope=Scope(tenant_id="acme", user_id="tomas"))
    work_off()
    assert GRAZ in joined("When was the journey with Brand?"), "that of Tomas makes it no less certain"
    assert joined("When was the journey with Brandtt?", Scope(tenant_id="acme", user_id="tomas")) == set()


def test_where_every_name_is_known_no_other_spelling_is_looked_up(told: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    def looked_up(*_: object) -> set[str]:
        raise AssertionError("no name is misspelled")

    monkeypatch.setattr(graph, "known", looked_up)
    assert GRAZ in joined("Where did Oskar Brandt go from Graz?")
    assert recall(MIRA, "Where did Brandt go from Graz?").degraded == ()
    assert recall(MIRA, "Where did Brandtt go from Graz?").degraded == ("graph",), "and here one is"
