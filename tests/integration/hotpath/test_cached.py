"""A bundle that is given again equals the one that would be made anew, whatever has happened since, to whomever."""

from __future__ import annotations

import itertools
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, Phase
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from coldpath.forget import erase, forget
from coldpath.reembed import fill, reembed
from coldpath.reindex import Pass, go_back, reindex
from coldpath.replay import replay
from gateway import Daybook
from hotpath import _cache, recall
from shared.contract.bundle import Bundle, Verdict
from shared.contract.errors import InvalidScope, NotFound
from shared.contract.scope import Owner, Scope
from shared.settings import Settings, settings, using
from shared.settings import environment as variables
from shared.store import standing
from shared.store.db import Database
from shared.testing import HashEmbedder, RecordingBell
from warmpath._door import Door
from warmpath._stages import STAGES
from warmpath._work import Services, perform

ROOT = Path(__file__).parents[3]
BEES = "I keep two beehives behind the garage."
_worlds = itertools.count(1)
MIRA = Scope(tenant_id="acme", user_id="mira")

Tell = Callable[..., None]
Ask = Callable[..., Bundle]


@pytest.fixture(autouse=True)
def _the_minute_does_not_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    noon = datetime(2026, 5, 3, 12, tzinfo=UTC)
    monkeypatch.setattr(_cache, "clock", SimpleNamespace(now=lambda: noon))


def seen(bundle: Bundle) -> object:
    """What a bundle says; scores fade with the seconds, so of them the order."""
    return (
        [(item.text, item.rank, item.fresh, item.speaker, item.sources) for item in bundle.items],
        [hit.memory_id for hit in bundle.hits],
        [(mark.owner, mark.last_sequence) for mark in bundle.watermarks],
        (bundle.verdict, bundle.omitted, bundle.fresh_runs, bundle.degraded, bundle.plan),
    )


def test_a_bundle_that_is_given_again_is_another_turn_and_says_so(tell: Tell, ask: Ask) -> None:
    tell(MIRA, BEES)
    first, again = ask(MIRA, "beehives"), ask(MIRA, "beehives")
    assert (first.cached, again.cached) == (False, True)
    assert again.turn_id > first.turn_id
    assert (seen(again), again.text, again.verdict) == (seen(first), first.text, Verdict.SUPPORTED)
    assert "search" not in again.timings_ms
    assert again.timings_ms["total"] < first.timings_ms["total"] + 1_000


def test_with_room_for_none_every_recall_is_made_anew(
    tell: Tell, environment: Settings, embedder: HashEmbedder
) -> None:
    tell(MIRA, BEES)
    with using(environment.model_copy(update={"bundle_cache": 0, "query_cache": 0})):
        assert [recall(MIRA, "beehives", deadline_ms=30_000).cached for _ in range(2)] == [False, False]


def test_what_lacked_something_is_made_anew(tell: Tell, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    tell(MIRA, BEES)
    with monkeypatch.context() as patch:
        patch.setattr("hotpath._embed.embedder", lambda _: SimpleNamespace(model=HashEmbedder().model))
        assert ask(MIRA, "beehives").degraded == ("dense",)
    bundle = ask(MIRA, "beehives")
    assert (bundle.degraded, bundle.cached) == ((), False)


def test_where_the_standing_cannot_be_read_nothing_is_held_and_the_answer_is_whole(
    tell: Tell, ask: Ask, owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(MIRA, BEES)
    monkeypatch.setattr(standing, "QUERY", "select 1 / 0")
    for _ in range(2):
        bundle = ask(MIRA, "beehives")
        assert (bundle.cached, bundle.degraded, len(bundle.items)) == (False, (), 1)


def test_a_query_is_embedded_once(tell: Tell, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    class Counting(HashEmbedder):
        def encode_query(self, text: str) -> Any:
            asked.append(text)
            return super().encode_query(text)

    monkeypatch.setattr("hotpath._embed.embedder", lambda _: Counting())
    tell(MIRA, BEES)
    bundles = [ask(MIRA, query, k=k) for query in ("beehives", "bees") for k in (1, 2)]
    assert asked == ["beehives", "bees"]
    assert not any(bundle.cached or bundle.degraded for bundle in bundles)


TOMAS = Scope(tenant_id="acme", user_id="tomas")
QUERY = "beehives of the garage"


@dataclass
class Acting:
    """What may happen while Mira asks; each is called after she has asked twice."""

    services: Services
    door: Door
    bell: RecordingBell
    ask: Ask
    owner: psycopg.Connection

    def told(self, scope: Scope = MIRA, **more: Any) -> None:
        text = f"The garage, {next(_worlds)}."
        self.door.observe(scope, [{"role": "user", "text": text}], run_id=f"run-{next(_worlds)}", **more)

    def told_in_the_room(self) -> None:
        self.told(TOMAS, room="kitchen", participants=["mira", "tomas"])

    def told_to_all(self) -> None:
        self.told(Scope.tenant_wide("acme"))

    def asked_to_the_room(self) -> None:
        self.told(TOMAS, room="attic", participants=["mira", "tomas"])

    def next_stage(self) -> None:
        stage, work = self.bell.rung.pop(0)
        perform(self.services, stage, STAGES[stage], work)

    def taken_in(self) -> None:
        self.told()
        assert not self.ask(MIRA, QUERY).cached
        while not any(stage == "index" for stage, _ in self.bell.rung):
            self.next_stage()

    def indexed(self) -> None:
        self.taken_in()
        assert not self.ask(MIRA, QUERY).cached
        self.next_stage()

    def forgotten(self) -> None:
        forget(self.services.database, MIRA, self.ask(MIRA, QUERY).hits[0].memory_id)

    def erased(self) -> None:
        erase(self.services.database, MIRA)

    def reindexed(self) -> None:
        reindex(self.services.database, "acme", Pass())

    def reembedded(self) -> None:
        reembed(self.services.database, self.services.embedder(), "acme", Pass())

    def filled(self) -> None:
        self.owner.execute("delete from memory_vector")
        self.owner.execute("update dense_stream set vectors = 0")
        assert [self.ask(MIRA, QUERY).cached for _ in range(2)] == [False, True]
        fill(self.services.database, self.services.embedder(), "acme", Pass())

    def repaired(self) -> None:
        replay(self.services.database, "acme", Owner("mira"), verify=False)

    def reported(self) -> None:
        bundle = self.ask(MIRA, QUERY)
        self.door.outcome(MIRA, bundle, used=[bundle.hits[0].memory_id])
        while self.bell.rung:
            self.next_stage()


EVENTS = [name for name in vars(Acting) if not name.startswith("_") and name != "next_stage"]


@pytest.fixture
def acting(
    services: Services, door: Door, bell: RecordingBell, ask: Ask, tell: Tell, owner: psycopg.Connection
) -> Acting:
    tell(MIRA, BEES)
    tell(TOMAS, "We paint the kitchen.", room="kitchen", participants=["mira", "tomas"])
    tell(TOMAS, "Nobody else reads of the garage.")
    made = Acting(services, door, bell, ask, owner)
    assert [ask(MIRA, QUERY).cached for _ in range(2)] == [False, True]
    return made


@pytest.mark.parametrize("event", EVENTS)
def test_whatever_bears_on_the_answer_has_it_made_anew(event: str, acting: Acting, ask: Ask) -> None:
    getattr(acting, event)()
    assert [ask(MIRA, QUERY).cached for _ in range(2)] == [False, True]


@pytest.mark.parametrize("whose", [TOMAS, Scope(tenant_id="globex", user_id="mira"), Scope.tenant_wide("globex")])
def test_what_others_say_to_themselves_does_not(whose: Scope, tell: Tell, acting: Acting, ask: Ask) -> None:
    tell(whose, BEES)
    tell(whose, BEES, work=False)
    assert ask(MIRA, QUERY).cached


FORGETTING = """
import sys
from gateway import Daybook
from shared.contract.scope import Scope

what, memory_id = sys.argv[1:]
mira = Scope(tenant_id="acme", user_id="mira")
with Daybook() as daybook:
    print(daybook.erase(mira) if what == "erase" else daybook.forget(mira, memory_id))
"""


@pytest.mark.parametrize("what", ["forget", "erase"])
def test_what_another_process_has_forgotten_is_not_given_again(what: str, tell: Tell, ask: Ask) -> None:
    tell(MIRA, BEES)
    (hit,) = ask(MIRA, "beehives").hits
    assert ask(MIRA, "beehives").cached
    done = subprocess.run(
        [sys.executable, "-c", FORGETTING, what, str(hit.memory_id)],
        cwd=ROOT,
        env=variables(settings()) | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert held_texts() != []
    again = ask(MIRA, "beehives")
    assert (again.cached, again.items, again.text) == (False, (), "")
    assert not any("beehives" in text for text in held_texts()), "nor is it held here any longer"


@pytest.mark.parametrize("what", ["forget", "erase"])
def test_who_forgets_through_the_door_holds_nothing_of_it_afterwards(what: str, tell: Tell, ask: Ask) -> None:
    tell(MIRA, BEES)
    (hit,) = ask(MIRA, "beehives").hits
    assert "beehives" in "".join(held_texts())
    with Daybook() as daybook:
        if what == "erase":
            daybook.erase(MIRA)
        else:
            daybook.forget(MIRA, hit.memory_id)
        assert held_texts() == []
    assert ask(MIRA, "beehives").items == ()


def held_texts() -> list[str]:
    """What this process has at hand to be given again."""
    return [bundle.text for bundle in _cache.caches(settings()).bundles._bundles._held.values()]


USERS = ("mira", "tomas")
WORDS = ("beehives", "garage", "bakery")
STEPS = 14


class Worlds(RuleBasedStateMachine):
    """Two tenants of two users and a room each, to which things happen while all of them ask."""

    def __init__(
        self, services: Services, door: Door, bell: RecordingBell, ask: Ask, database: Database, environment: Settings
    ) -> None:
        super().__init__()
        self.services, self.door, self.bell, self.ask = services, door, bell, ask
        self.database = database
        self.anew = environment.model_copy(update={"bundle_cache": 0, "query_cache": 0})
        self.tenants = [f"acme-{next(_worlds)}", f"acme-{next(_worlds)}"]
        self.numbers = itertools.count(1)
        self.hits = 0

    @rule(
        tenant=st.sampled_from([0, 1]),
        owner=st.sampled_from([*USERS, "room", "tenant"]),
        words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=3),
        participants=st.sampled_from([USERS, USERS[:1]]),
    )
    def observe(self, tenant: int, owner: str, words: list[str], participants: tuple[str, ...]) -> None:
        name, number = self.tenants[tenant], next(self.numbers)
        scope = Scope(tenant_id=name, user_id=owner if owner in USERS else "mira", session_id="monday")
        said = [
            {"role": "user", "text": f"{each} of {number}", "id": f"m{number}-{place}"}
            for place, each in enumerate(words)
        ]
        with suppress(InvalidScope):  # whoever was erased from a room is let in by those who are left alone
            self.door.observe(
                Scope.tenant_wide(name) if owner == "tenant" else scope,
                said,
                run_id=f"run-{number}",
                room="kitchen" if owner == "room" else None,
                participants=participants if owner == "room" else (),
            )

    @precondition(lambda self: self.bell.rung)
    @rule()
    def one_stage(self) -> None:
        stage, work = self.bell.rung.pop(0)
        perform(self.services, stage, STAGES[stage], work)

    @precondition(lambda self: self.bell.rung)
    @rule()
    def all_stages(self) -> None:
        while self.bell.rung:
            self.one_stage()

    @rule(tenant=st.sampled_from([0, 1]), user=st.sampled_from(USERS), erased=st.booleans())
    def forget(self, tenant: int, user: str, *, erased: bool) -> None:
        scope = Scope(tenant_id=self.tenants[tenant], user_id=user)
        held = [item for item in self.ask(scope, " ".join(WORDS)).items if not item.fresh]
        own = [item for item in held if item.sources[0].stream == f"user:{user}"]
        if own:
            forget(self.database, scope, own[0].memory_id, erase_content=erased)

    @rule(tenant=st.sampled_from([0, 1]), user=st.sampled_from(USERS))
    def erase(self, tenant: int, user: str) -> None:
        with suppress(NotFound):  # nothing was ever told to that user
            erase(self.database, Scope(tenant_id=self.tenants[tenant], user_id=user))

    @rule(tenant=st.sampled_from([0, 1]), view=st.sampled_from(["sparse", "dense", "missing", "back", "replay"]))
    def rebuild(self, tenant: int, view: str) -> None:
        name, embedder = self.tenants[tenant], self.services.embedder()
        match view:
            case "sparse":
                reindex(self.database, name, Pass())
            case "dense":
                reembed(self.database, embedder, name, Pass())
            case "missing":
                fill(self.database, embedder, name, Pass())
            case "replay":
                replay(self.database, name, Owner("mira"), verify=False)
            case _:
                with suppress(NotFound):
                    go_back(self.database, name, "sparse")

    @rule(tenant=st.sampled_from([0, 1]), user=st.sampled_from(USERS))
    def report(self, tenant: int, user: str) -> None:
        scope = Scope(tenant_id=self.tenants[tenant], user_id=user)
        bundle = self.ask(scope, "beehives")
        held = [item.memory_id for item in bundle.items if not item.fresh]
        if held:
            self.door.outcome(scope, bundle, used=held[:1])

    @invariant()
    def what_is_given_again_is_what_would_be_made_anew(self) -> None:
        for tenant, user in itertools.product(self.tenants, (*USERS, None)):
            scope = Scope(tenant_id=tenant, user_id=user) if user else Scope.tenant_wide(tenant)
            held = [self.ask(scope, "beehives of the garage") for _ in range(2)]
            assert held[1].cached, "nobody did anything in between"
            with using(self.anew):
                anew = self.ask(scope, "beehives of the garage")
            assert not anew.cached
            assert [seen(each) for each in held] == [seen(anew)] * 2
            self.hits += held[0].cached


def test_in_any_world_what_is_given_again_is_what_would_be_made_anew(
    services: Services, door: Door, bell: RecordingBell, ask: Ask, opened: Database, environment: Settings
) -> None:
    worlds: list[Worlds] = []

    def world() -> Worlds:
        bell.rung.clear()
        worlds.append(Worlds(services, door, bell, ask, opened, environment))
        return worlds[-1]

    run_state_machine_as_test(
        world,
        settings=hypothesis_settings(
            max_examples=4,
            stateful_step_count=STEPS,
            deadline=None,
            database=None,
            phases=[Phase.generate],  # a step takes half a second: a failure is shown as it was found
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
        ),
    )
    assert sum(each.hits for each in worlds) > 0, "what was done to one did not empty what is held of the others"
