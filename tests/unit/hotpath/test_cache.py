"""What the caches hold, for whom, and how much of it."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotpath import _cache
from hotpath._ask import Ask, checked
from hotpath._cache import LARGEST_CHARS, LONGEST_QUERY_CHARS, MOST_HITS, Bundles, Lru, QueryVectors, caches
from hotpath._plan import CHANNELS
from shared.contract.bundle import Bundle, Hit, Verdict
from shared.contract.scope import Scope
from shared.contract.turns import RANDOM_BYTES, turn_id
from shared.settings import Settings, load
from shared.store.standing import Standing

NOON = datetime(2026, 5, 3, 12, 0, 30, tzinfo=UTC)
STANDING = Standing(("mira,tenant:", "(mira,7)"))
HERE = load(data_dir=Path("/nowhere"))

BUNDLE = Bundle(
    turn_id=turn_id(NOON, bytes(RANDOM_BYTES)),
    items=(),
    text="",
    tokens=0,
    counter="",
    verdict=Verdict.UNKNOWN,
    reason="",
    degraded=(),
    omitted=0,
    hits=(),
    watermarks=(),
    fresh_runs=0,
    timings_ms={},
    plan=(),
)


@dataclass
class Waiting:
    """Of timers: what each was to do, and after how long; none runs by itself."""

    begun: list[tuple[float, Callable[[], None]]] = field(default_factory=list)
    cancelled: int = 0
    error: Exception | None = None

    def timer(self, after_s: float, over: Callable[[], None]) -> SimpleNamespace:
        def start() -> None:
            if self.error:
                raise self.error
            self.begun.append((after_s, over))

        def cancel() -> None:
            self.cancelled += 1

        return SimpleNamespace(start=start, cancel=cancel)


@pytest.fixture(autouse=True)
def timers(monkeypatch: pytest.MonkeyPatch) -> Waiting:
    made = Waiting()
    monkeypatch.setattr("threading.Timer", made.timer)
    return made


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    clock = SimpleNamespace(at=NOON)
    monkeypatch.setattr(_cache, "clock", SimpleNamespace(now=lambda: clock.at))
    return clock


MIRA = Scope(tenant_id="acme", user_id="mira")


def ask(scope: Scope = MIRA, query: str = "beehives", **more: Any) -> Ask:
    given = {"budget_tokens": 1500, "deadline_ms": None, "as_of": None, "known_at": None, "k": None, "explain": False}
    return checked(scope, query, **{**given, "recipe": "fast", **more})


def is_held(bundles: Bundles, asked: Ask, *, configured: Settings = HERE, standing: Standing | None = STANDING) -> bool:
    key = bundles.key(configured, asked, frozenset(CHANNELS), standing)
    return key is not None and bundles.get(key) is not None


def kept(asked: Ask, bundle: Bundle = BUNDLE, *, most: int = 8, standing: Standing | None = STANDING) -> Bundles:
    bundles = Bundles(most)
    key = bundles.key(HERE, asked, frozenset(CHANNELS), standing)
    if key is not None:
        bundles.put(key, bundle)
    return bundles


def test_the_same_question_is_held_however_long_one_would_wait(now: SimpleNamespace) -> None:
    bundles = kept(ask())
    assert is_held(bundles, ask())
    assert is_held(bundles, ask(deadline_ms=77))


OTHERS = {
    "tenant": {"scope": Scope(tenant_id="acme2", user_id="mira")},
    "user": {"scope": Scope(tenant_id="acme", user_id="tomas")},
    "agent": {"scope": Scope(tenant_id="acme", user_id="mira", agent_id="a")},
    "session": {"scope": Scope(tenant_id="acme", user_id="mira", session_id="a")},
    "tenant-wide": {"scope": Scope.tenant_wide("acme")},
    "query": {"query": "Beehives"},
    "budget": {"budget_tokens": 1499},
    "as_of": {"as_of": NOON},
    "known_at": {"known_at": NOON},
    "k": {"k": 20},
    "recipe": {"recipe": "thorough"},
    "explain": {"explain": True},
}


@pytest.mark.parametrize("what", OTHERS)
def test_a_question_that_differs_in_anything_is_another(what: str, now: SimpleNamespace) -> None:
    assert not is_held(kept(ask()), ask(**OTHERS[what]))


def test_every_argument_is_among_those_that_were_tried() -> None:
    assert {*Ask.__dataclass_fields__} - {"deadline_ms"} == {name for each in OTHERS.values() for name in each}


def test_other_settings_channels_or_another_standing_are_another_question(now: SimpleNamespace) -> None:
    bundles = kept(ask())
    assert not is_held(bundles, ask(), configured=load(data_dir=Path("/elsewhere")))
    assert not is_held(bundles, ask(), standing=Standing(("mira,tenant:", "(mira,8)")))
    key = bundles.key(HERE, ask(), frozenset(CHANNELS) - {"dense"}, STANDING)
    assert key is not None
    assert bundles.get(key) is None


ids = st.text("ab|:; \x1f\\\"'(){}", min_size=1, max_size=4).filter(lambda text: text == text.strip())


@given(one=st.tuples(ids, ids, ids, ids), other=st.tuples(ids, ids, ids, ids))
def test_two_scopes_share_a_bundle_only_if_they_are_the_same(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    names = ("tenant_id", "user_id", "agent_id", "session_id")
    try:
        scopes = [Scope(**dict(zip(names, each, strict=True))) for each in (one, other)]
    except ValueError:
        return
    assert is_held(kept(ask(scopes[0])), ask(scopes[1])) is (one == other)


def test_a_bundle_is_held_until_the_minute_is_over(now: SimpleNamespace) -> None:
    bundles = kept(ask())
    now.at += timedelta(seconds=29)
    assert is_held(bundles, ask())
    now.at += timedelta(seconds=1)
    assert not is_held(bundles, ask())
    now.at -= timedelta(seconds=1)
    assert not is_held(bundles, ask()), "and nothing of it is left"


def test_when_the_minute_is_over_all_are_let_go_though_nobody_asks_again(now: SimpleNamespace, timers: Waiting) -> None:
    bundles = kept(ask())
    ((after_s, over),) = timers.begun
    assert after_s == 30, "it is half past"
    over()
    assert not is_held(bundles, ask())
    now.at += timedelta(minutes=1)
    key = bundles.key(HERE, ask(), frozenset(CHANNELS), STANDING)
    assert key is not None
    bundles.put(key, BUNDLE)
    assert len(timers.begun) == 2, "and those of the next minute too"


LATER = Standing(("mira,tenant:", "(mira,8)"))


def held_texts(bundles: Bundles) -> list[str]:
    return [bundle.text for bundle in bundles._bundles._held.values()]


def test_what_was_held_of_a_user_goes_when_that_user_asks_and_all_stands_otherwise(now: SimpleNamespace) -> None:
    bundles = kept(ask(), replace(BUNDLE, text="of mira"))
    other = ask(Scope(tenant_id="acme", user_id="tomas"))
    key = bundles.key(HERE, other, frozenset(CHANNELS), STANDING)
    assert key is not None
    bundles.put(key, replace(BUNDLE, text="of tomas"))
    assert not is_held(bundles, ask(query="bees"), standing=LATER)
    assert held_texts(bundles) == ["of tomas"]


def test_a_bundle_made_before_something_was_forgotten_and_ready_after_it_is_not_held(now: SimpleNamespace) -> None:
    bundles = Bundles(8)
    before = bundles.key(HERE, ask(), frozenset(CHANNELS), STANDING)
    assert before is not None
    bundles.key(HERE, ask(query="bees"), frozenset(CHANNELS), LATER)
    bundles.put(before, BUNDLE)
    assert held_texts(bundles) == [], "another process forgot"
    before = bundles.key(HERE, ask(), frozenset(CHANNELS), LATER)
    assert before is not None
    bundles.let_go()
    bundles.put(before, BUNDLE)
    assert held_texts(bundles) == [], "this process forgot"


def test_who_forgets_holds_no_bundle_and_no_vector_afterwards(now: SimpleNamespace) -> None:
    here = load(query_cache=5, bundle_cache=5)
    held = caches(here)
    key = held.bundles.key(here, ask(), frozenset(CHANNELS), STANDING)
    assert key is not None
    held.bundles.put(key, BUNDLE)
    held.vectors.put("model", "query", np.zeros(3, np.float32))
    assert held.bundles.get(key) is not None
    _cache.let_go(here)
    assert (held.bundles.get(key), held.vectors.get("model", "query")) == (None, None)


def test_one_timer_is_enough_and_it_ends_with_what_it_is_for(now: SimpleNamespace, timers: Waiting) -> None:
    bundles = kept(ask())
    key = bundles.key(HERE, ask(query="bees"), frozenset(CHANNELS), STANDING)
    assert key is not None
    bundles.put(key, BUNDLE)
    assert (len(timers.begun), timers.cancelled) == (1, 0)
    del bundles
    gc.collect()
    assert timers.cancelled == 1
    timers.begun[0][1]()  # finds nothing any more


def test_a_bundle_that_came_after_its_minute_is_not_held(now: SimpleNamespace) -> None:
    bundles = Bundles(8)
    key = bundles.key(HERE, ask(), frozenset(CHANNELS), STANDING)
    assert key is not None
    now.at += timedelta(seconds=30)
    bundles.put(key, BUNDLE)
    assert bundles.get(key) is None


def test_where_no_thread_can_be_had_to_let_it_go_nothing_is_held(now: SimpleNamespace, timers: Waiting) -> None:
    timers.error = RuntimeError("can't start new thread")
    assert not is_held(kept(ask()), ask())


@pytest.mark.parametrize(
    "bundle",
    [
        replace(BUNDLE, degraded=("dense",)),
        replace(BUNDLE, text="x" * (LARGEST_CHARS + 1)),
        replace(BUNDLE, hits=(Hit(memory_id=None, score=0, sources=()),) * (MOST_HITS + 1)),  # type: ignore[arg-type]
    ],
    ids=["degraded", "long", "many hits"],
)
def test_what_lacks_something_or_is_large_is_not_held(bundle: Bundle, now: SimpleNamespace) -> None:
    assert not is_held(kept(ask(), bundle), ask())


def test_without_a_standing_without_room_and_for_a_document_nothing_is_held(now: SimpleNamespace) -> None:
    assert not is_held(kept(ask(), standing=None), ask(), standing=None)
    assert not is_held(kept(ask(), most=0), ask())
    document = ask(query="word " * LONGEST_QUERY_CHARS)
    assert not is_held(kept(document), document)


@given(most=st.integers(0, 5), keys=st.lists(st.integers(0, 8)))
def test_as_many_are_held_as_fit_and_those_asked_for_last(most: int, keys: list[int]) -> None:
    held: Lru[int, int] = Lru(most)
    for key in keys:
        held.put(key, -key)
    lasting = list(dict.fromkeys(reversed(keys)))[:most]
    assert {key for key in range(9) if held.get(key) is not None} == set(lasting)


def test_what_is_asked_for_is_not_the_first_to_go() -> None:
    held: Lru[str, int] = Lru(2)
    held.put("a", 1)
    held.put("b", 2)
    assert held.get("a") == 1
    held.put("c", 3)
    assert (held.get("a"), held.get("b"), held.get("c")) == (1, None, 3)


def test_a_vector_is_of_one_model_and_one_query_and_cannot_be_changed() -> None:
    vectors = QueryVectors(4)
    given = np.arange(3, dtype=np.float32)
    vectors.put("minilm@1/3", "beehives", given)
    given[0] = 9
    found = vectors.get("minilm@1/3", "beehives")
    assert found is not None
    assert found.tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="read-only"):
        found[0] = 1
    assert vectors.get("minilm@2/3", "beehives") is None
    assert vectors.get("minilm@1/3", "Beehives") is None
    vectors.put("minilm@1/3", "\ud800", given)
    assert vectors.get("minilm@1/3", "\ud800") is not None


def test_the_caches_are_the_processes_and_a_child_begins_with_empty_ones() -> None:
    caches(HERE).vectors.put("model", "query", np.zeros(3, np.float32))
    assert caches(load()).vectors.get("model", "query") is not None, "whatever the database"
    child = os.fork()
    if child == 0:
        os._exit(0 if caches(HERE).vectors.get("model", "query") is None else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert caches(load(query_cache=0)).vectors.get("model", "query") is None
