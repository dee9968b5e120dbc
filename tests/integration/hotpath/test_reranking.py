"""Hits read again, and premises held against who said what, on a real database."""

from collections.abc import Callable

import pytest

from hotpath import _rerank
from hotpath._rerank import EXPLAINED
from shared.contract.bundle import Bundle, Verdict
from shared.contract.scope import Scope
from shared.settings import settings

MIRA = Scope(tenant_id="acme", user_id="mira")
ASKS = "Are the beehives behind the chapel?"
TELLS = "The beehives are behind the chapel."
QUERY = "Which chapel are the beehives behind?"

Tell = Callable[..., None]
Ask = Callable[..., Bundle]


@pytest.fixture(autouse=True)
def _asked_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYBOOK_QUERY_CACHE", "0")
    monkeypatch.setenv("DAYBOOK_BUNDLE_CACHE", "0")


@pytest.fixture
def told(tell: Tell) -> None:
    tell(MIRA, ASKS)
    tell(MIRA, TELLS)
    tell(MIRA, "The bakery opens at seven.")


def ranked(bundle: Bundle) -> list[str]:
    items = sorted((item for item in bundle.items if item.rank is not None), key=lambda item: item.rank or 0)
    return [item.text for item in items]


@pytest.mark.usefixtures("told")
def test_what_tells_is_put_before_what_asks_by_the_recipe_that_reads_again(ask: Ask) -> None:
    fast, balanced = (ask(MIRA, QUERY, recipe=name, explain=True) for name in ("fast", "balanced"))
    assert ranked(fast)[:2] == [ASKS, TELLS]
    assert ranked(balanced)[:2] == [TELLS, ASKS]
    assert next(item.scores[EXPLAINED] for item in balanced.items if item.text == TELLS) == 1
    assert (balanced.degraded, "rerank" in balanced.timings_ms, "rerank" in fast.timings_ms) == ((), True, False)


@pytest.mark.usefixtures("told")
def test_switched_off_every_recipe_has_the_fused_order(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYBOOK_RERANKER", "off")
    settings.cache_clear()
    assert ranked(ask(MIRA, QUERY, recipe="balanced")) == ranked(ask(MIRA, QUERY, recipe="fast"))


@pytest.mark.usefixtures("told")
def test_out_of_time_the_fused_order_stands_and_the_answer_is_degraded(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    fused = ranked(ask(MIRA, QUERY, recipe="fast"))

    def late(*_: object, **__: object) -> object:
        raise TimeoutError

    monkeypatch.setattr(_rerank, "features", late)
    bundle = ask(MIRA, QUERY, recipe="balanced")
    assert (ranked(bundle), bundle.degraded) == (fused, ("rerank",))


def test_no_more_hits_come_back_than_were_asked_for(tell: Tell, ask: Ask) -> None:
    for number in range(8):
        tell(MIRA, f"Beehive number {number} is behind the chapel.")
    assert len(ask(MIRA, "beehive", k=3, recipe="balanced").hits) == 3


def test_what_was_said_by_another_is_no_premise_for_who_is_asked_about(tell: Tell, ask: Ask) -> None:
    room = {"room": "walks", "participants": ("mira", "rui")}
    said = [
        {"speaker": "rui", "text": "On my trip to the canyon I saw three eagles above the river."},
        {"speaker": "mira", "text": "Lovely. I stayed at home and baked bread."},
        {"speaker": "rui", "text": "The canyon was deep, and my trip took four days."},
        {"speaker": "mira", "text": "My sourdough finally rose."},
    ]
    tell(MIRA, *said, **room)
    swapped = ask(MIRA, "What did Mira see on the trip to the canyon?")
    assert (swapped.verdict, swapped.reason) == (
        Verdict.PREMISE_UNSUPPORTED,
        "what it says of mira was said by rui",
    )
    assert ask(MIRA, "What did Rui see on the trip to the canyon?").verdict is Verdict.SUPPORTED
