"""Names that are spoken of together: grouped, followed as memories come and go, and found again by a replay."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from coldpath.erase import erase
from coldpath.forget import forget
from coldpath.graph import regroup, regroup_on
from coldpath.quarantine import Source, lift, quarantine
from coldpath.reindex import Pass, reindex
from coldpath.replay import replay
from gateway import graph as reading
from gateway.cli import OK, WRONG_INPUT, run
from shared.contract.errors import NotFound
from shared.contract.scope import Owner, Scope
from shared.settings import Settings
from shared.store import communities
from shared.store.db import Database, Role
from shared.work.passes import Outcome, carry_out
from warmpath._door import Door

MIRA = Scope(tenant_id="acme", user_id="mira")
MILL = (
    "Oskar Brandt and Ana Weiss met at Hallstein Mill.",
    "Ana Weiss showed Hallstein Mill to Oskar Brandt.",
    "Hallstein Mill, said Oskar Brandt, and Ana Weiss agreed.",
)
BOATS = (
    "Tove Lind and Ivo Dahl sail the Vega.",
    "Ivo Dahl gave the Vega to Tove Lind.",
    "Tove Lind paints the Vega, says Ivo Dahl.",
)
JOINT = "Ivo Dahl wrote to Ana Weiss about Zoltan Kert."

Say = Callable[..., None]
Texts = Callable[[str], Any]


@pytest.fixture
def say(door: Door, work_off: Callable[[], object]) -> Say:
    numbers = iter(range(1, 1_000))

    def do(*texts: str, scope: Scope = MIRA) -> None:
        for text in texts:
            door.observe(scope, [{"role": "user", "text": text}], run_id=f"run-{next(numbers)}")
        work_off()

    return do


def stored(opened: Database, owner: Owner = MIRA.owner) -> list[tuple[str, ...]]:
    with opened.transaction(Role.READER, "acme", [owner], read_only=True) as session:
        return communities.stored(replace(session, owners=(owner,)))


def memory_of(owner: psycopg.Connection, text: str) -> Any:
    owner.execute("select set_config('row_security', 'off', false)")
    [(memory,)] = owner.execute("select memory_id from memory where text = %s and closed_at is null", [text]).fetchall()
    return memory


def is_equal(opened: Database) -> bool:
    found = replay(opened, "acme", MIRA.owner, verify=True)
    assert found.differences == ()
    return found.is_equal


def regrouped(opened: Database) -> list[set[str]]:
    regroup(opened, "acme", MIRA.owner)
    return [set(members) for members in stored(opened)]


def test_names_are_grouped_by_who_is_spoken_of_together_and_only_where_something_has_happened(
    say: Say, opened: Database
) -> None:
    say(*MILL, *BOATS)
    assert regrouped(opened) == [{"oskar brandt", "ana weiss", "hallstein mill"}, {"tove lind", "ivo dahl", "vega"}]
    assert is_equal(opened)
    assert not regroup(opened, "acme", MIRA.owner), "nothing is new"
    say("Ana Weiss and Oskar Brandt bought Elm Court.", "Elm Court suits Ana Weiss and Oskar Brandt.")
    assert is_equal(opened), "what has come since is for the next pass"
    assert regrouped(opened)[0] == {"oskar brandt", "ana weiss", "hallstein mill", "elm court"}
    assert is_equal(opened)


def test_what_is_forgotten_takes_along_what_rests_on_it_alone_and_nothing_that_others_support(
    say: Say, opened: Database, owner: psycopg.Connection
) -> None:
    say(*MILL, *BOATS, JOINT, "Zoltan Kert met Ana Weiss, and Oskar Brandt.")
    assert any("zoltan kert" in members for members in regrouped(opened))
    for text in (JOINT, "Zoltan Kert met Ana Weiss, and Oskar Brandt."):
        forget(opened, MIRA, memory_of(owner, text), erase_content=True)
    assert all("zoltan kert" not in members for members in stored(opened)), "at once, before any pass"
    assert {"oskar brandt", "ana weiss", "hallstein mill"} <= {name for each in stored(opened) for name in each}
    assert is_equal(opened)
    assert regrouped(opened) == [{"oskar brandt", "ana weiss", "hallstein mill"}, {"tove lind", "ivo dahl", "vega"}]
    assert is_equal(opened)


def test_what_is_in_quarantine_ties_nothing_until_it_is_given_back(say: Say, opened: Database) -> None:
    say(*MILL, *BOATS)
    before = regrouped(opened)
    for number in (1, 2):
        quarantine(opened, MIRA, Source(run_id=f"run-{number}"))
    assert regrouped(opened) == [{"tove lind", "ivo dahl", "vega"}]
    assert is_equal(opened)
    for number in (1, 2):
        lift(opened, MIRA, Source(run_id=f"run-{number}"))
    assert regrouped(opened) == before


def test_a_replay_writes_the_groups_anew_where_they_are_wrong_and_says_so(
    say: Say, opened: Database, owner: psycopg.Connection
) -> None:
    say(*MILL, *BOATS)
    before = regrouped(opened)
    owner.execute("select set_config('row_security', 'off', false)")
    owner.execute("update community set number = 3 - number, place = place + 10 where number = 1")
    found = replay(opened, "acme", MIRA.owner, verify=True)
    assert [(each.table, each.column) for each in found.differences] == [("community", "rows")]
    assert replay(opened, "acme", MIRA.owner, verify=False).mended == 1
    assert [set(members) for members in stored(opened)] == before
    assert is_equal(opened)


def test_a_name_that_is_gone_and_left_in_a_group_is_found_however_old_the_groups_are(
    say: Say, opened: Database, owner: psycopg.Connection
) -> None:
    say(*MILL)
    regrouped(opened)
    owner.execute("select set_config('row_security', 'off', false)")
    owner.execute("insert into community values ('acme', 'mira', 1, 9, 'zoltan kert')")
    say(BOATS[0])
    found = replay(opened, "acme", MIRA.owner, verify=True)
    assert [(each.table, each.column) for each in found.differences] == [("community", "unknown")]
    assert "zoltan" not in found.differences[0].key


def test_another_generation_of_the_view_has_groups_of_its_own_and_an_erasure_leaves_none(
    say: Say, opened: Database, owner: psycopg.Connection
) -> None:
    say(*MILL, *BOATS)
    before = regrouped(opened)
    reindex(opened, "acme", Pass(), "graph")
    assert regroup(opened, "acme", MIRA.owner)
    assert regrouped(opened) == before
    erase(opened, MIRA)
    for table in ("community", "community_stream"):
        assert owner.execute(f"select count(*) from {table}".encode()).fetchone() == (0,)


def test_a_memory_that_is_forgotten_while_a_pass_thinks_is_in_nothing_that_it_writes(
    say: Say, opened: Database, owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(*MILL, "Zoltan Kert met Ana Weiss, and Oskar Brandt.", "Ana Weiss and Oskar Brandt knew Zoltan Kert.")
    from coldpath import graph as job

    think = job.communities

    def late(*given: Any) -> Any:
        found = think(*given)
        assert any("zoltan kert" in each.members for each in found)
        for text in ("Zoltan Kert met Ana Weiss, and Oskar Brandt.", "Ana Weiss and Oskar Brandt knew Zoltan Kert."):
            forget(opened, MIRA, memory_of(owner, text))
        return found

    monkeypatch.setattr(job, "communities", late)
    regroup(opened, "acme", MIRA.owner)
    assert [set(members) for members in stored(opened)] == [{"oskar brandt", "ana weiss", "hallstein mill"}]
    assert is_equal(opened)
    monkeypatch.undo()
    assert regroup(opened, "acme", MIRA.owner), "and the next pass looks again"


def test_a_pass_goes_over_every_stream_of_its_tenant(say: Say, opened: Database, environment: Settings) -> None:
    oskar = Scope(tenant_id="acme", user_id="oskar")
    say(*MILL)
    say(*BOATS, scope=oskar)
    report = carry_out(opened, environment, "graph", "acme", lambda job: regroup_on(opened, job))
    assert (report.outcome, report.counts) == (Outcome.DONE, {"regrouped": 2})
    assert [set(members) for members in stored(opened, oskar.owner)] == [{"tove lind", "ivo dahl", "vega"}]
    again = carry_out(opened, environment, "graph", "acme", lambda job: regroup_on(opened, job))
    assert again.counts == {"regrouped": 0}


def said(capsys: pytest.CaptureFixture[str], *words: str, code: int = OK) -> str:
    assert run([*words]) == code, capsys.readouterr().err
    return capsys.readouterr().out


def test_an_operator_sees_groups_and_who_is_around_whom_by_which_memories(
    say: Say, owner: psycopg.Connection, capsys: pytest.CaptureFixture[str]
) -> None:
    say(*MILL, *BOATS, JOINT, "We saw Halstein Mill again.", "Brandt too.")
    of = ["--tenant", "acme", "--user", "mira"]
    found = json.loads(said(capsys, "graph", *of, "--regroup", "--json"))
    assert set(found["communities"][0]["members"]) >= {"hallstein mill", "oskar brandt"}
    assert found["is_fresh"]
    shown = json.loads(said(capsys, "graph", *of, "Oskar Brandt", "--json"))
    assert (shown["name"], shown["memories"]) == ("oskar brandt", 3)
    beside = {each["name"]: each for each in shown["neighbours"]}
    assert beside["ana weiss"]["memories"] == 3
    assert str(memory_of(owner, MILL[0])) in beside["ana weiss"]["cited"]
    assert [(each["name"], each["how"]) for each in shown["may_be"]] == [("brandt", "part")]
    mill = json.loads(said(capsys, "graph", *of, "the Hallstein Mill", "--json"))
    assert [(each["name"], each["how"]) for each in mill["may_be"]] == [("halstein mill", "slip")]
    longer = json.loads(said(capsys, "graph", *of, "Brandt", "--json"))
    assert [(each["name"], each["how"]) for each in longer["may_be"]] == [("oskar brandt", "longer")]
    assert "brandt" in shown["aliases"]
    assert shown["community"].startswith("hallstein mill")
    assert "ana weiss" in said(capsys, "graph", *of, "Oskar Brandt")
    assert "hallstein mill" in said(capsys, "graph", *of)
    assert '"ana weiss" -- "oskar brandt"' in said(capsys, "graph", *of, "--dot")
    assert run(["graph", *of, "Nobody Atall"]) == WRONG_INPUT
    assert "no memory of 'mira' mentions 'Nobody Atall'" in capsys.readouterr().err
    assert run(["graph", "--tenant", "acme", "--user", "zzz"]) == WRONG_INPUT


def test_what_one_agent_alone_may_read_is_in_no_group_and_its_names_are_shown_to_no_other(
    say: Say, opened: Database
) -> None:
    say(*MILL)
    say("Zoltan Kert met Ana Weiss and Oskar Brandt.", "Ana Weiss wrote to Zoltan Kert and Oskar Brandt.",
        "We saw Zoltan and Ivo Dahl.", scope=replace(MIRA, agent_id="nurse"))  # fmt: skip
    assert regrouped(opened) == [{"oskar brandt", "ana weiss", "hallstein mill"}]
    assert is_equal(opened)
    other = reading.whole(opened, "acme", MIRA.owner, agent_id="clerk")
    assert other.names == 3
    assert reading.whole(opened, "acme", MIRA.owner, agent_id="nurse").names > other.names
    with pytest.raises(NotFound):
        reading.around(opened, "acme", MIRA.owner, "Zoltan Kert", agent_id="clerk")
    own = reading.around(opened, "acme", MIRA.owner, "Zoltan Kert", agent_id="nurse")
    assert [each.name for each in own.may_be] == ["zoltan"]
    say("Zoltan Kert met Tove Lind.")
    seen = reading.around(opened, "acme", MIRA.owner, "Zoltan Kert", agent_id="clerk")
    assert (seen.memories, seen.may_be) == (1, [])
    assert "zoltan" not in reading.drawn(opened, "acme", MIRA.owner, agent_id="clerk")


def test_in_a_room_what_agents_have_heard_is_everybodys(
    door: Door, work_off: Callable[[], object], opened: Database
) -> None:
    for number, text in enumerate(MILL):
        message = {"role": "user", "speaker": "mira", "text": text}
        door.observe(replace(MIRA, agent_id="nurse"), [message], run_id=f"in-{number}", room="mill")
    work_off()
    room = Owner("room:mill")
    regroup(opened, "acme", room)
    assert next(set(members) for members in stored(opened, room)) >= {"oskar brandt", "ana weiss", "hallstein mill"}
    assert replay(opened, "acme", room, verify=True).differences == ()
