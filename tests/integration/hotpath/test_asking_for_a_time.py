"""What is asked for by its time alone, and what is on its way, take the places that are theirs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone

import pytest

from hotpath import recall
from shared import clock
from shared.contract.bundle import Bundle, Verdict
from shared.contract.scope import Scope

MIRA = Scope(tenant_id="acme", user_id="mira")
OTHER_DAYS = (
    "What I did yesterday, and what I do every day, is to walk the dog.",
    "I wonder what I did wrong.",
    "Yesterday is a fine song. What did you do?",
    "I do the dishes.",
)
HARBOUR = "Sailed to the island with Tove, it rained."

Tell = Callable[..., None]
Ask = Callable[..., Bundle]


def days_ago(days: int) -> str:
    return (clock.now() - timedelta(days=days)).replace(hour=12).isoformat()


def ranked(bundle: Bundle) -> list[str]:
    return [item.text for item in sorted(bundle.items, key=lambda item: item.rank or 99) if item.rank]


@pytest.mark.parametrize("work", [True, False])
@pytest.mark.parametrize("query", ["What did I do yesterday?", "昨日何をしましたか？", "Was habe ich gestern gemacht?"])
def test_what_lies_in_the_time_asked_about_comes_first_and_is_evidence(
    query: str, tell: Tell, ask: Ask, *, work: bool
) -> None:
    for number, text in enumerate(OTHER_DAYS):
        tell(MIRA, {"text": text, "ts": days_ago(20 + number)})
    tell(MIRA, {"text": HARBOUR, "ts": days_ago(1)}, work=work)
    bundle = ask(MIRA, query)
    assert ranked(bundle)[0] == HARBOUR
    assert bundle.verdict is Verdict.SUPPORTED


def test_where_nothing_lies_in_the_time_nothing_supports_it(tell: Tell, ask: Ask) -> None:
    tell(MIRA, {"text": HARBOUR, "ts": days_ago(20)})
    assert ask(MIRA, "What did I do yesterday?").verdict is Verdict.UNKNOWN


def test_what_was_just_accepted_ranks_about_where_it_does_once_it_is_indexed(
    tell: Tell, ask: Ask, work_off: Callable[[], object]
) -> None:
    for text in ("I feed the cat twice a day.", "My cat sleeps a lot.", "The garden is wet.", "I like the rain."):
        tell(MIRA, text)
    told = "The cat of mine is called Biscuit."
    tell(MIRA, told, work=False)
    query = "What is my cat called?"
    fresh = ask(MIRA, query)
    work_off()
    indexed = ask(MIRA, query)
    before, after = (next(item for item in bundle.items if item.text == told) for bundle in (fresh, indexed))
    assert (before.fresh, after.fresh) == (True, False)
    assert (before.rank, after.rank) == (1, 1)
    assert abs(before.score - after.score) < 0.25


@pytest.mark.parametrize("name", ["as_of", "known_at"])
@pytest.mark.parametrize("end", [datetime.min, datetime.max])  # noqa: DTZ901 - made aware below
def test_either_end_of_time_can_be_asked_for(name: str, end: datetime, tell: Tell, embedder: object) -> None:
    tell(MIRA, "I keep two beehives.")
    for hours in (-14, 0, 14):
        at = end.replace(tzinfo=timezone(timedelta(hours=hours)))
        bundle = recall(MIRA, "What about the beehives last year?", deadline_ms=30_000, **{name: at})  # type: ignore[arg-type]
        assert bundle.degraded == ()
        assert bool(bundle.items) == (end.year > datetime.now(UTC).year)
