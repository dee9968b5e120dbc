"""The profile view on a real database: brought up to date, built anew, killed, forgotten in, and read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest

from coldpath import profile as profiling
from coldpath.erase import erase
from coldpath.forget import forget
from coldpath.profile import profile_on, rebuild, rebuild_on, refresh
from coldpath.quarantine import Source, lift, quarantine
from coldpath.reindex import Pass
from coldpath.replay import replay
from shared import clock
from shared.belief.blocks import Block, true_at
from shared.contract.candidates import Change
from shared.contract.scope import Owner, Scope, room_owner
from shared.settings import Settings
from shared.store import generations, profiles
from shared.store.db import Database, Role
from shared.testing import RecordingBell, ScriptedExtractor
from shared.work.passes import Job, Outcome, Report, carry_out
from warmpath._door import Door
from warmpath._stages import STAGES
from warmpath._work import Services, perform

MIRA = Scope(tenant_id="acme", user_id="mira")
OSKAR = Scope(tenant_id="acme", user_id="oskar")
CODER = Scope(tenant_id="acme", user_id="mira", agent_id="coder")
ROWS = """
    select user_id, block_id, agent_id, subject, subject_key, topic, instance, content, docs, held, version, opened_by,
        recorded_at
    from profile where generation = %s order by user_id, block_id
"""
CLAIMS: Mapping[str, tuple[str, str, str, Change]] = {
    "I live in Oslo": ("Mira", "lives_in", "Oslo", Change.HOLDS),
    "I moved to Porto": ("Mira", "lives_in", "Porto", Change.HOLDS),
    "I never lived in Porto": ("Mira", "lives_in", "Porto", Change.NEVER),
    "I work at Kestrel": ("Mira", "works_at", "Kestrel", Change.HOLDS),
    "I like opera": ("Mira", "likes", "opera", Change.HOLDS),
    "Tove lives in Graz": ("Tove", "lives_in", "Graz", Change.HOLDS),
    "I speak Polish": ("Mira", "speaks", "Polish", Change.HOLDS),
    "My home is Turku": ("Oskar", "lives_in", "Turku", Change.HOLDS),
}
FACTS = ("I live in Oslo.", "I work at Kestrel.", "I like opera.", "Tove lives in Graz.", "I speak Polish.")
Said = dict[tuple[str, str], dict[str, list[Any]]]


@dataclass(slots=True)
class World:
    """What is said, read by a script, and what a profile makes of it."""

    services: Services
    owner: psycopg.Connection
    days: int = 0

    @property
    def database(self) -> Database:
        return self.services.database

    def tell(self, *texts: str, scope: Scope = MIRA, **given: Any) -> None:
        """Observe texts, a run each, on days that follow one another, and work them off."""
        for text in texts:
            self.days += 1
            when = datetime(2026, 1, self.days, 12, tzinfo=UTC).isoformat()
            message = {"role": "user", "speaker": scope.user_id, "text": text, "ts": when}
            Door(self.services).observe(scope, [message], run_id=f"run-{self.days}", **given)
        bell = self.services.bell
        assert isinstance(bell, RecordingBell)
        while bell.rung:
            stage, work = bell.rung.pop(0)
            perform(self.services, stage, STAGES[stage], work)

    def refresh(self) -> int:
        """Bring the view up to date; how many memories that took in."""
        going = Pass()
        assert refresh(self.database, "acme", going)
        return going.worked

    def rows(self, generation: int = 1) -> list[tuple[Any, ...]]:
        return self.owner.execute(ROWS.encode(), [generation]).fetchall()

    def read(self, scope: Scope = MIRA, owner: Owner | None = None, known_at: datetime | None = None) -> list[Block]:
        with self.database.transaction(
            Role.READER, "acme", [scope.owner], read_only=True, agent_id=scope.agent_id
        ) as session:
            return list(profiles.read_blocks(replace(session, owners=(owner or scope.owner,)), known_at=known_at)[1])

    def said(self, scope: Scope = MIRA, known_at: datetime | None = None, owner: Owner | None = None) -> Said:
        """What a profile says by now of what is so on the last day of the month."""
        now = datetime(2026, 1, 31, tzinfo=UTC)
        return {
            (each.address.subject, each.address.topic): {
                field.name: [value.value for value in field.values] for field in true_at(each.fields, now)
            }
            for each in self.read(scope, owner, known_at)
            if each.held
        }

    def memory_of(self, words: str) -> UUID:
        query = "select memory_id from memory where text like %s and epistemic_type = 'evidence'"
        (found,) = self.owner.execute(query, [f"{words}%"]).fetchall()
        return UUID(str(found[0]))

    def is_equal(self, owner: Owner = MIRA.owner) -> bool:
        found = replay(self.database, "acme", owner, verify=True)
        assert found.differences == ()
        return found.is_equal

    def live(self) -> int:
        with self.database.transaction(Role.READER, "acme", [MIRA.owner]) as session:
            build = generations.live(session, "profile")
        return build.generation if build else 0


@pytest.fixture
def world(services: Services, reading: Settings, owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch) -> World:
    """A view that takes in two changes at a time."""
    monkeypatch.setattr(profiling, "PORTION", 2)
    owner.execute("select set_config('row_security', 'off', false)")
    script = {words: [{"text": f"{words}.", "claim": claim[:3], "change": claim[3]}] for words, claim in CLAIMS.items()}
    ready = replace(services, settings=reading, rules=lambda: ScriptedExtractor(script))
    return World(ready, owner)


WHOLE = {
    ("mira", "identity"): {"speaks": ["Polish"]},
    ("mira", "places"): {"lives_in": ["Oslo"]},
    ("mira", "work"): {"works_at": ["Kestrel"]},
    ("mira", "preferences"): {"likes": ["opera"]},
    ("tove", "places"): {"lives_in": ["Graz"]},
}


def test_a_profile_is_the_same_before_the_view_is_built_and_after(world: World) -> None:
    world.tell(*FACTS)
    assert world.said() == WHOLE
    before = world.read()
    assert world.refresh() == 5
    assert world.read() == before
    assert len(world.rows()) == 5
    assert world.is_equal()


def test_what_is_brought_up_to_date_bit_by_bit_is_what_is_built_anew(world: World) -> None:
    for text in (*FACTS, "I moved to Porto.", "I never lived in Porto.", "I moved to Porto."):
        world.tell(text)
        world.refresh()
    bit_by_bit = world.rows()
    rebuilt = rebuild(world.database, "acme", Pass())
    assert (rebuilt.finished, rebuilt.generation, world.live()) == (True, 2, 2)
    assert world.rows(2) == bit_by_bit
    replay(world.database, "acme", MIRA.owner, verify=False)
    assert world.rows(2) == bit_by_bit
    assert world.is_equal()


def test_a_block_that_nothing_touches_stays_the_same_row_to_the_byte(world: World) -> None:
    world.tell(*FACTS)
    world.refresh()
    place = "select xmin::text, content from profile where topic = 'places' and subject_key = 'mira'"
    before = world.owner.execute(place).fetchall()
    for text in ("I like opera.", "Tove lives in Graz.", "I work at Kestrel."):
        world.tell(text)
        world.refresh()
    assert world.owner.execute(place).fetchall() == before, "not even written again"
    world.tell("I moved to Porto.")
    world.refresh()
    assert world.owner.execute(place).fetchall() != before


def test_a_stale_row_never_shows_what_is_held_no_longer(world: World) -> None:
    world.tell("I moved to Porto.", *FACTS[1:])
    world.refresh()
    world.tell("I never lived in Porto.")
    assert ("mira", "places") not in world.said()
    world.tell("I live in Oslo.")
    assert world.said() == WHOLE
    assert "Porto" in str(world.rows()), "the view itself is behind"
    assert world.is_equal(), "and is what its stream came to as far as it goes"


def test_a_pass_that_is_killed_between_two_portions_is_gone_on_with(world: World) -> None:
    world.tell(*FACTS)

    def killed(_done: int, _total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        refresh(world.database, "acme", Pass(report=killed))
    assert 0 < len(world.rows()) < 5
    assert world.said() == WHOLE
    assert world.is_equal(), "half a view is what half a stream came to"
    assert world.refresh() < 5
    assert len(world.rows()) == 5
    assert world.is_equal()


def test_a_rebuilding_that_is_killed_serves_the_old_generation_until_it_is_whole(world: World) -> None:
    world.tell(*FACTS)
    world.refresh()
    before = world.rows()

    def killed(_done: int, _total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rebuild(world.database, "acme", Pass(report=killed))
    assert (world.live(), world.rows()) == (1, before)
    world.tell("I moved to Porto.")
    world.refresh()
    forget(world.database, MIRA, world.memory_of("Tove"))
    rebuild(world.database, "acme", Pass())
    assert world.live() == 2
    assert world.rows(2) == world.rows(1)
    assert "Graz" not in str(world.rows(2))
    assert world.is_equal()
    rebuild(world.database, "acme", Pass())
    assert world.rows(1) == [], "a generation that is kept no longer is dropped"


def test_two_workers_at_once_take_each_change_in_once(world: World) -> None:
    world.tell(*FACTS, "I moved to Porto.")
    with ThreadPoolExecutor(2) as pool:
        worked = list(pool.map(lambda _: world.refresh(), range(2)))
    assert sum(worked) >= 6
    assert world.is_equal()
    once = world.rows()
    rebuild(world.database, "acme", Pass())
    assert world.rows(2) == once


@pytest.mark.parametrize("erased", [False, True])
def test_what_is_forgotten_is_in_no_version_and_no_row_at_once(world: World, *, erased: bool) -> None:
    world.tell(*FACTS, "I moved to Porto.")
    world.refresh()
    before = clock.now()
    forget(world.database, MIRA, world.memory_of("I moved"), erase_content=erased)
    forget(world.database, MIRA, world.memory_of("Tove"), erase_content=erased)
    assert "Porto" not in str(world.rows())
    assert "ove" not in str(world.rows())
    assert ("tove", "places") not in world.said(known_at=before)
    places = next(each for each in world.read() if each.address.topic == "places")
    with world.database.transaction(Role.READER, "acme", [MIRA.owner], read_only=True) as session:
        then = profiles.history(replace(session, owners=(MIRA.owner,)), places, newest=99)
    assert then
    assert all("Porto" not in block.content for block in then)
    assert world.is_equal()
    world.refresh()
    assert world.said() == {key: said for key, said in WHOLE.items() if key[0] != "tove"}
    assert world.is_equal()


def test_an_erasure_leaves_no_row_of_a_user_and_all_of_others(world: World) -> None:
    world.tell(*FACTS)
    world.tell("My home is Turku.", scope=OSKAR)
    world.refresh()
    assert erase(world.database, MIRA).rows["profile"] == 5
    assert {row[0] for row in world.rows()} == {"oskar"}
    assert world.said() == {}
    assert world.said(OSKAR) == {("oskar", "places"): {"lives_in": ["Turku"]}}
    assert world.is_equal()
    world.refresh()
    assert world.is_equal()


def test_what_is_quarantined_is_in_no_version_until_that_is_lifted(world: World) -> None:
    world.tell(*FACTS)
    world.refresh()
    before, rows = clock.now(), world.rows()
    source = Source(run_id="run-4")
    quarantine(world.database, MIRA, source)
    assert world.said() == {key: said for key, said in WHOLE.items() if key[0] != "tove"}
    assert ("tove", "places") not in world.said(known_at=before)
    world.refresh()
    assert len(world.rows()) == 4
    assert world.is_equal()
    lift(world.database, MIRA, source)
    assert world.said() == WHOLE
    world.refresh()
    assert len(world.rows()) == len(rows)
    assert world.is_equal()


def test_what_was_known_then_is_asked_of_what_was_held_then(world: World) -> None:
    world.tell(*FACTS)
    then = clock.now()
    world.tell("I moved to Porto.")
    world.refresh()
    assert world.said()["mira", "places"] == {"lives_in": ["Porto"]}
    assert world.said(known_at=then) == WHOLE
    assert world.said(known_at=then - timedelta(days=1)) == {}


def test_an_agents_own_blocks_are_read_by_that_agent_and_by_whoever_names_none(world: World) -> None:
    world.tell("I live in Oslo.")
    world.tell("I work at Kestrel.", scope=CODER)
    for _ in range(2):
        assert {each.address.agent_id for each in world.read(CODER)} == {None, "coder"}
        assert {each.address.agent_id for each in world.read()} == {None, "coder"}
        other = replace(CODER, agent_id="cook")
        assert {each.address.agent_id for each in world.read(other)} == {None}
        assert world.said(other) == {("mira", "places"): {"lives_in": ["Oslo"]}}
        world.refresh()
    assert world.is_equal()


def test_people_of_a_room_have_blocks_of_their_own_which_go_with_what_they_said(world: World) -> None:
    room = {"room": "kitchen", "participants": ["mira", "oskar"]}
    world.tell("I live in Oslo.", "I like opera.", **room)
    world.tell("My home is Turku.", scope=OSKAR, **room)
    world.refresh()
    kitchen = room_owner("kitchen")
    assert {(row[0], row[4], row[5]) for row in world.rows()} == {
        (kitchen, "mira", "places"),
        (kitchen, "mira", "preferences"),
        (kitchen, "oskar", "places"),
    }
    erase(world.database, OSKAR)
    assert {row[4] for row in world.rows()} == {"mira"}
    assert world.is_equal(kitchen)


def test_a_pass_of_the_job_goes_over_every_stream_and_a_second_one_has_nothing_to_do(
    world: World, environment: Settings
) -> None:
    world.tell(*FACTS)
    world.tell("My home is Turku.", scope=OSKAR)

    def done(function: Callable[[Database, Job], bool]) -> Report:
        return carry_out(world.database, environment, "profile", "acme", lambda job: function(world.database, job))

    first, second = done(profile_on), done(profile_on)
    assert (first.outcome, dict(first.counts)) == (Outcome.DONE, {"memories": 6})
    assert dict(second.counts) == {"memories": 0}
    again = done(rebuild_on)
    assert (again.outcome, dict(again.counts), world.live()) == (Outcome.DONE, {"rebuilds": 1, "memories": 6}, 2)
    assert dict(done(profile_on).counts) == {"memories": 0}


def test_a_pass_that_rebuilds_and_was_left_is_gone_on_with_as_one_that_does(
    world: World, environment: Settings
) -> None:
    world.tell(*FACTS)
    call = {"database": world.database, "settings": environment, "name": "profile", "tenant_id": "acme"}
    left = carry_out(**call, function=lambda job: rebuild_on(world.database, job), until_s=0)
    assert left.outcome is Outcome.UNFINISHED
    on = carry_out(**call, function=lambda job: profile_on(world.database, job), resume=True)
    assert (on.outcome, dict(on.counts), world.live()) == (Outcome.DONE, {"rebuilds": 1, "memories": 5}, 2)


def test_a_row_that_is_not_what_the_ledger_says_is_found_and_mended(world: World) -> None:
    world.tell(*FACTS)
    world.refresh()
    before = world.rows()
    world.owner.execute("update profile set content = '[]' where topic = 'work'")
    world.owner.execute("delete from profile where topic = 'preferences'")
    found = replay(world.database, "acme", MIRA.owner, verify=True)
    assert {(each.table, each.column) for each in found.differences} == {("profile", "fields"), ("profile", "missing")}
    assert not found.is_equal
    mended = replay(world.database, "acme", MIRA.owner, verify=False)
    assert (mended.mended, mended.is_equal) == (2, True)
    assert world.rows() == before
