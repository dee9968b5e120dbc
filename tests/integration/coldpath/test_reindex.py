"""The sparse view, built anew beside the live one."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
import pytest

from coldpath import reindex as reindexing
from coldpath.reindex import Pass, go_back, reindex
from hotpath import recall
from shared.contract.errors import Misconfigured, NotFound
from shared.contract.scope import Owner, Scope
from shared.store import generations, streams
from shared.store.db import Database, Role
from warmpath._door import Door

MIRA = Scope(tenant_id="acme", user_id="mira")
OSKAR = Scope(tenant_id="acme", user_id="oskar")
BLOCKS = (
    "select term, entries from posting where tenant_id = 'acme' and user_id = %s and generation = %s order by 1, block"
)
COUNTS = """
    select user_id, documents, length_sum, sessions, doc from sparse_stream
    where tenant_id = 'acme' and generation = %s order by 1
"""


def say(door: Door, scope: Scope, *texts: str, run: str, **more: str) -> None:
    door.observe(scope, [{"role": "user", "text": text} for text in texts], run_id=run, **more)


def found(query: str) -> list[str]:
    return [item.text for item in recall(MIRA, query).items]


def kept(opened: Database) -> tuple[int, int | None, int | None]:
    with opened.transaction(Role.READER, "acme", [Owner("mira")]) as session:
        found = generations.of(session, "sparse")
    assert found is not None
    building, previous = (each and each.generation for each in (found.building, found.previous))
    return found.live.generation, building, previous


def view(owner: psycopg.Connection, generation: int) -> object:
    blocks = {who: owner.execute(BLOCKS, (who, generation)).fetchall() for who in ("mira", "oskar")}
    return blocks, owner.execute(COUNTS, (generation,)).fetchall()


@pytest.fixture
def told(door: Door, work_off: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> Door:
    """Two users with some memories each; a build takes in three at a time."""
    monkeypatch.setattr(reindexing, "PORTION", 3)
    for n in range(7):
        say(door, MIRA, f"I keep beehive number {n}.", f"It stands by tree {n}.", run=f"m{n}")
    say(door, OSKAR, "My boat is called Vega.", run="o0")
    work_off()
    return door


@contextmanager
def at_portion(number: int, action: Callable[[], object]) -> Iterator[Pass]:
    """A pass that does something else after so many portions."""
    seen = iter(range(1, 1_000))
    yield Pass(report=lambda _done, _total: action() if next(seen) == number else None)


def test_a_new_generation_equals_the_one_it_replaces(told: Door, opened: Database, owner: psycopg.Connection) -> None:
    rebuilt = reindex(opened, "acme", Pass())
    assert (rebuilt.finished, rebuilt.worked) == (True, 15)
    assert kept(opened) == (2, None, 1)
    assert view(owner, 2) == view(owner, 1)
    assert "I keep beehive number 3." in found("beehive number 3")


def test_what_comes_in_meanwhile_is_in_both(
    told: Door, opened: Database, owner: psycopg.Connection, work_off: Callable[[], object]
) -> None:
    def more() -> None:
        say(told, MIRA, "The new queen is green.", run="late")
        say(told, Scope(tenant_id="acme", user_id="new"), "I am new here.", run="late")
        work_off()

    with at_portion(2, more) as going:
        assert reindex(opened, "acme", going).finished
    assert view(owner, 2) == view(owner, 1)
    assert streams.behind(opened, "acme", 2) == []
    assert "The new queen is green." in found("green queen")


def test_what_comes_in_after_the_build_has_caught_up_is_written_to_both_by_its_writer(
    told: Door, opened: Database, owner: psycopg.Connection, work_off: Callable[[], object]
) -> None:
    def more() -> None:
        say(told, MIRA, "The new queen is green.", run="late")
        work_off()

    with at_portion(6, more) as going:  # after oskar's portion, which comes last
        assert reindex(opened, "acme", going).finished
    assert going.worked == 15
    assert view(owner, 2) == view(owner, 1)


def test_a_pass_that_stops_early_is_gone_on_with(told: Door, opened: Database, owner: psycopg.Connection) -> None:
    stops = iter([False, False, True])
    first = reindex(opened, "acme", Pass(stop=lambda: next(stops)))
    assert (first.finished, first.worked) == (False, 6)
    assert kept(opened) == (1, 2, None)
    assert "I keep beehive number 6." in found("beehive number 6")
    reports: list[tuple[int, int]] = []
    second = reindex(opened, "acme", Pass(report=lambda done, total: reports.append((done, total))))
    assert (second.finished, second.worked, second.generation) == (True, 9, 2)
    assert reports[0] == (9, 15)
    assert reports[-1] == (15, 15)
    assert view(owner, 2) == view(owner, 1)


def test_a_pass_that_dies_anywhere_leaves_the_live_generation_and_is_gone_on_with(
    told: Door, opened: Database, owner: psycopg.Connection
) -> None:
    before = view(owner, 1)
    for _ in range(5):
        with at_portion(1, lambda: 1 / 0) as going, pytest.raises(ZeroDivisionError):
            reindex(opened, "acme", going)
        assert view(owner, 1) == before
        assert kept(opened) == (1, 2, None)
    assert reindex(opened, "acme", Pass()).worked == 1
    assert view(owner, 2) == before


def test_one_can_go_back_and_nothing_written_since_is_missing(
    told: Door, opened: Database, owner: psycopg.Connection, work_off: Callable[[], object]
) -> None:
    reindex(opened, "acme", Pass())
    say(told, MIRA, "The new queen is green.", run="late")
    work_off()
    assert go_back(opened, "acme", "sparse").live.generation == 1
    assert view(owner, 2) == view(owner, 1)
    assert "The new queen is green." in found("green queen")
    assert go_back(opened, "acme", "sparse").live.generation == 2


def test_there_is_no_going_back_to_what_never_was(told: Door, opened: Database) -> None:
    with pytest.raises(NotFound, match="no earlier generation"):
        go_back(opened, "acme", "sparse")


def test_a_generation_that_lacks_memories_does_not_become_live(
    told: Door, opened: Database, owner: psycopg.Connection
) -> None:
    reindex(opened, "acme", Pass())
    owner.execute("update sparse_stream set doc = doc - 1 where generation = 1")
    with pytest.raises(Misconfigured, match="lacks memories"):
        go_back(opened, "acme", "sparse")
    assert kept(opened) == (2, None, 1)


def test_the_third_build_takes_the_first_ones_rows_away(
    told: Door, opened: Database, owner: psycopg.Connection
) -> None:
    for _ in range(3):
        reindex(opened, "acme", Pass())
    assert kept(opened) == (4, None, 3)
    assert [row[0] for row in owner.execute("select distinct generation from posting order by 1")] == [3, 4]


def test_other_tenants_are_left_alone(told: Door, opened: Database, owner: psycopg.Connection) -> None:
    say(told, Scope(tenant_id="beta", user_id="mira"), "I have no bees.", run="b")
    reindex(opened, "acme", Pass())
    count = owner.execute("select count(*) from generation where tenant_id = 'beta' and live > 1").fetchone()
    assert count == (0,)


def test_a_tenant_without_memories_has_nothing_to_build(opened: Database) -> None:
    rebuilt = reindex(opened, "nobody", Pass())
    assert (rebuilt.finished, rebuilt.worked) == (True, 0)
