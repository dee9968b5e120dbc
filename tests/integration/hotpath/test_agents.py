"""What an agent may see is found behind another agent's many, exactly, and within the time there is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import psycopg
import pytest

from hotpath import _breaker, _search
from hotpath._breaker import DATABASE, breakers
from shared.contract.bundle import Bundle
from shared.contract.scope import Scope
from shared.settings import settings
from shared.store import memories
from shared.store.db import Session
from shared.store.vectors import NOTHING_NEAR

MANY = 300
QUERY = "What of the lighthouse?"
OWN = "On Sunday we climb the lighthouse, if it is dry."
CODER, PLANNER, NEWCOMER = (
    Scope(tenant_id="acme", user_id="mira", agent_id=agent) for agent in ("coder", "planner", "newcomer")
)
MIRA = Scope(tenant_id="acme", user_id="mira")

Tell = Callable[..., None]
Ask = Callable[..., Bundle]


@pytest.fixture(autouse=True)
def _asked_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYBOOK_BUNDLE_CACHE", "0")


@pytest.fixture
def many(tell: Tell) -> None:
    tell(CODER, *[f"The lighthouse lighthouse test number {number} is green." for number in range(MANY)])


@pytest.fixture
def looked_up(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many memories were looked up, each time."""
    seen: list[int] = []
    visible = memories.visible

    def counting(session: Session, keys: Sequence[int], **more: Any) -> Any:
        seen.append(len(keys))
        return visible(session, keys, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(memories, "visible", counting)
    return seen


def texts(bundle: Bundle) -> set[str]:
    assert bundle.degraded == ()
    return {item.text for item in bundle.items}


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize("channel", ["sparse", "dense"])
@pytest.mark.parametrize("scope", [PLANNER, MIRA], ids=["its own", "nobody's"])
def test_either_channel_finds_what_an_agent_may_see_behind_anothers_many(
    scope: Scope, channel: str, tell: Tell, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(scope, OWN)
    other = {"sparse": "_near", "dense": "_words"}[channel]
    nothing = {"sparse": NOTHING_NEAR, "dense": _search._Words(in_scope=MANY + 1)}[channel]
    monkeypatch.setattr(_search, other, lambda *_: nothing)
    if channel == "sparse":
        monkeypatch.setattr(_search, "_near_among", lambda *_: nothing)
    assert texts(ask(PLANNER, QUERY, recipe="fast")) == {OWN}


@pytest.mark.usefixtures("many")
def test_what_a_room_holds_is_found_behind_an_agents_many(tell: Tell, ask: Ask) -> None:
    told = {"text": OWN, "speaker": "oskar"}
    tell(Scope(tenant_id="acme", user_id="oskar"), told, room="trip", participants=["mira", "oskar"])
    assert texts(ask(NEWCOMER, QUERY)) == {OWN}


@pytest.mark.usefixtures("many")
def test_an_agent_that_may_see_nothing_costs_no_second_look_up(tell: Tell, ask: Ask, looked_up: list[int]) -> None:
    assert texts(ask(NEWCOMER, QUERY)) == set()
    assert len(looked_up) == 1
    tell(PLANNER, OWN)
    assert texts(ask(PLANNER, QUERY)) == {OWN}
    assert len(looked_up) == 3
    assert looked_up[-1] == 1


def test_a_scope_that_the_first_look_covers_is_not_looked_at_again(
    tell: Tell, ask: Ask, looked_up: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memories, "of_agent", None)
    tell(CODER, *[f"The lighthouse test number {number} is green." for number in range(80)])
    assert texts(ask(PLANNER, f"{QUERY} And what of 3 May 2026?")) == set()
    assert len(looked_up) == 1


def too_slow(*_: object, **__: object) -> None:
    raise psycopg.errors.QueryCanceled("canceling statement due to statement timeout")


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize("fails", ["of_agent", "visible"])
def test_what_was_found_first_is_kept_where_the_second_look_takes_too_long(
    fails: str, tell: Tell, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    near = "The lighthouse lighthouse lighthouse is near."
    tell(PLANNER, near)
    tell(PLANNER, OWN)
    monkeypatch.setattr(_breaker, "PATIENCE_S", 0.0)
    visible, calls = memories.visible, iter(range(100))
    with monkeypatch.context() as patch:
        if fails == "of_agent":
            patch.setattr(memories, fails, too_slow)
        else:
            patch.setattr(memories, fails, lambda *a, **k: too_slow() if next(calls) % 2 else visible(*a, **k))
        for _ in range(_breaker.FAILURES):
            bundle = ask(PLANNER, QUERY)
            assert bundle.degraded == ("search",)
            assert near in {item.text for item in bundle.items}
    assert breakers(settings()).refused([DATABASE]) == ()
    assert texts(ask(PLANNER, QUERY)) == {near, OWN}


def test_where_not_even_the_first_look_ends_in_time_what_is_on_its_way_is_kept(
    tell: Tell, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(MIRA, "The lighthouse is in Kiel.")
    monkeypatch.setattr(memories, "visible", too_slow)
    bundle = ask(MIRA, QUERY)
    assert (bundle.degraded, bundle.items, bundle.reason) == (("search",), (), "the deadline passed")
    tell(MIRA, OWN, work=False)
    assert [item.text for item in ask(MIRA, QUERY).items] == [OWN]
