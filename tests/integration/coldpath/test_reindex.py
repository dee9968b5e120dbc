"""The sparse view, built anew beside the live one."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any

import psycopg
import pytest

from coldpath import reindex as reindexing
from coldpath.erase import erase
from coldpath.forget import forget
from coldpath.reembed import reembed
from coldpath.reindex import Pass, carry_on, go_back, reindex
from hotpath import recall
from shared.contract.errors import Misconfigured, NotFound
from shared.contract.scope import Owner, Scope
from shared.settings import Settings
from shared.store import generations, jobs, postings, streams
from shared.store.db import Database, Role
from shared.store.postings import BLOCK_ENTRIES
from shared.testing import HashEmbedder, Urls
from shared.work.passes import Outcome, Report, carry_out
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


def say(door: Door, scope: Scope, *texts: str, run: str, **more: Any) -> None:
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


def carried_out(opened: Database, environment: Settings, **more: Any) -> Report:
    function = partial(carry_on, opened, views=["sparse"])
    return carry_out(opened, environment, "reindex", "acme", function, **more)


def test_whoever_is_killed_right_after_the_switch_leaves_nothing_to_do_again(
    told: Door, opened: Database, environment: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object, **__: object) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr("shared.work.passes._settle", killed)  # all that comes after the function
    with pytest.raises(KeyboardInterrupt):
        carried_out(opened, environment)
    monkeypatch.undo()
    (found,) = jobs.latest(opened, "acme")
    assert (found.state, found.counts) == ("done", {"memories": 15, "only_sparse": 1})
    assert carried_out(opened, environment, resume=True).outcome is Outcome.SKIPPED
    assert kept(opened) == (2, None, 1)


def test_whoever_has_lost_the_job_does_not_switch(
    told: Door, opened: Database, environment: Settings, owner: psycopg.Connection
) -> None:
    def lose(_done: int, total: int) -> None:
        owner.execute("update job set attempts = attempts + 1")

    report = carry_out(opened, environment, "reindex", "acme", lambda job: carry_on(opened, job, lose, ["sparse"]))
    assert report.outcome is Outcome.SKIPPED
    assert kept(opened) == (1, 2, None)
    assert reindex(opened, "acme", Pass()).worked == 0
    assert view(owner, 2) == view(owner, 1)


def test_several_at_once_make_one_generation(told: Door, opened: Database, owner: psycopg.Connection) -> None:
    passes = [Pass() for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        rebuilt = list(pool.map(lambda going: reindex(opened, "acme", going), passes))
    assert all(each.finished for each in rebuilt)
    assert sum(each.worked for each in rebuilt) % 15 == 0  # one that began after the first had ended built another
    live, building, _ = kept(opened)
    assert building is None
    assert view(owner, live) == view(owner, live - 1)


def test_there_is_no_going_back_while_another_is_built(told: Door, opened: Database) -> None:
    reindex(opened, "acme", Pass())
    stops = iter([False, True])
    assert not reindex(opened, "acme", Pass(stop=lambda: next(stops))).finished
    with pytest.raises(NotFound, match="generation 3 is being built"):
        go_back(opened, "acme", "sparse")
    assert kept(opened) == (2, 3, None)


def test_what_is_forgotten_meanwhile_is_in_neither(told: Door, opened: Database, owner: psycopg.Connection) -> None:
    def take_away() -> None:
        for text in ("I keep beehive number 0.", "I keep beehive number 6."):  # entered already, and not yet
            (item,) = [item for item in recall(MIRA, text).items if item.text == text]
            forget(opened, MIRA, item.memory_id)

    with at_portion(2, take_away) as going:
        rebuilt = reindex(opened, "acme", going)
    assert (rebuilt.finished, rebuilt.worked) == (True, 14)
    assert view(owner, 2) == view(owner, 1)
    assert "I keep beehive number 0." not in found("beehive number 0")


def test_an_owner_of_whom_all_is_forgotten_is_gone_through_and_counted_as_nothing(
    told: Door, opened: Database, owner: psycopg.Connection
) -> None:
    (item,) = recall(OSKAR, "boat Vega").items
    forget(opened, OSKAR, item.memory_id)
    assert reindex(opened, "acme", Pass()).worked == 14
    assert view(owner, 2) == view(owner, 1)
    say(told, OSKAR, "My boat is called Deneb.", run="o1")


def test_an_erased_user_stays_erased(told: Door, opened: Database, owner: psycopg.Connection) -> None:
    stops = iter([False, True])
    reindex(opened, "acme", Pass(stop=lambda: next(stops)))
    erase(opened, MIRA)
    assert reindex(opened, "acme", Pass()).worked == 1
    assert view(owner, 2) == view(owner, 1)
    assert owner.execute("select count(*) from posting where user_id = 'mira'").fetchone() == (0,)


def test_a_room_is_built_anew_like_a_user(
    told: Door, opened: Database, owner: psycopg.Connection, work_off: Callable[[], object]
) -> None:
    say(told, MIRA, "The harbour fair is in June.", run="r", room="harbour", participants=["mira", "oskar"])
    work_off()
    assert reindex(opened, "acme", Pass()).worked == 16
    room = [owner.execute(BLOCKS, ("room:harbour", generation)).fetchall() for generation in (1, 2)]
    assert room[0] == room[1] != []
    assert "The harbour fair is in June." in found("harbour fair")


def test_more_than_a_block_holds_is_entered_in_order_whatever_has_gone_from_between(
    told: Door, opened: Database, owner: psycopg.Connection, work_off: Callable[[], object]
) -> None:
    many = BLOCK_ENTRIES * 2 + 5
    say(told, MIRA, *[f"cell {n} of the hive" for n in range(many)], run="many")
    work_off()
    (item,) = [item for item in recall(MIRA, "cell 7 of the hive").items if item.text == "cell 7 of the hive"]
    forget(opened, MIRA, item.memory_id)
    assert reindex(opened, "acme", Pass()).worked == 15 + many - 1
    entries = {}
    for generation in (1, 2):
        with opened.transaction(Role.WORKER, "acme", [Owner("mira")]) as session:
            parts: dict[str, bytes] = {}
            for _, term, _, part in postings.stored(session, generation):
                parts[term] = parts.get(term, b"") + part.tobytes()
        entries[generation] = parts
    assert entries[1] == entries[2]
    assert len(entries[2]["hive"]) == (many - 1) * postings.ENTRY.itemsize


def test_what_a_damaged_view_does_not_take_in_is_told_of_kept_and_entered_by_a_rebuilding(
    told: Door, opened: Database, owner: psycopg.Connection, work_off: Callable[[], object],
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    owner.execute("update sparse_stream set doc = doc - 1 where user_id = 'mira'")
    say(told, MIRA, "The zeppelin lands on Sunday.", run="later")
    work_off()
    assert "daybook reindex" in caplog.text
    assert "zeppelin" not in caplog.text
    postings = "select 1 from posting join generation on view = 'sparse' and live = generation where term = 'zeppelin'"
    assert owner.execute(postings).fetchall() == []
    reindex(opened, "acme", Pass())
    assert len(owner.execute(postings).fetchall()) == 1


def test_one_connection_is_enough(told: Door, urls: Urls, opened: Database, owner: psycopg.Connection) -> None:
    narrow = Database(urls.database_url, pool_size=1, connect_timeout_s=3)
    try:
        assert reindex(narrow, "acme", Pass()).finished
        assert reembed(narrow, HashEmbedder(name="other"), "acme", Pass()).finished
        assert go_back(narrow, "acme", "sparse").live.generation == 1
    finally:
        narrow.close()


def test_dropping_goes_in_portions_and_on_from_where_it_was_killed(
    told: Door, opened: Database, owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    reindex(opened, "acme", Pass())
    monkeypatch.setattr(reindexing, "_DROPPED_AT_A_TIME", 4)
    asked = iter(range(100))
    remove = postings.drop

    def killed(*arguments: Any, **more: Any) -> int:
        return remove(*arguments, **more) if next(asked) < 2 else 1 // 0

    monkeypatch.setattr(postings, "drop", killed)
    with pytest.raises(ZeroDivisionError):
        reindex(opened, "acme", Pass())
    monkeypatch.setattr(postings, "drop", remove)
    assert kept(opened) == (2, 3, None)
    assert reindex(opened, "acme", Pass()).finished
    assert kept(opened) == (3, None, 2)
    assert view(owner, 3) == view(owner, 2)
    assert owner.execute("select count(*) from posting where generation = 1").fetchone() == (0,)
    assert owner.execute("select count(*) from sparse_stream where generation = 1").fetchone() == (0,)


def test_writers_are_let_by_while_the_switch_waits_for_somebody_who_takes_long(
    told: Door, opened: Database, owner: psycopg.Connection, urls: Urls, work_off: Callable[[], object]
) -> None:
    with ThreadPoolExecutor(1) as pool, psycopg.connect(urls.migrate_url) as erasing:
        erasing.execute("select pg_advisory_xact_lock_shared(hashtextextended('acme' || chr(31) || 'sparse', 7))")
        rebuilding = pool.submit(reindex, opened, "acme", Pass())
        for n in range(5):
            say(told, MIRA, f"The new queen is green, and it is day {n}.", run=f"late-{n}")
            work_off()
        assert not rebuilding.done()
        assert kept(opened) == (1, None, None)
        erasing.rollback()
        assert rebuilding.result(timeout=60).finished
    assert view(owner, 2) == view(owner, 1)
    assert "The new queen is green, and it is day 4." in found("green queen day 4")
