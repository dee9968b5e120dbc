"""Every wrong argument of recall is refused at the door, by name, with a typed error."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotpath import _recall, arecall, recall
from hotpath._ask import Progress
from hotpath._plan import plan
from shared.contract.errors import InvalidQuery, InvalidScope
from shared.contract.instants import FIRST_INSTANT, LAST_INSTANT
from shared.contract.scope import Scope

MIRA = Scope(tenant_id="acme", user_id="mira")
NAIVE = datetime(2031, 3, 4)  # noqa: DTZ001 - a wrong argument

WRONG: list[tuple[str, Any]] = [
    *[("budget_tokens", value) for value in (-1, 1.5, "1500", True)],
    *[("deadline_ms", value) for value in (0, -5, 1.5, "2000", True)],
    *[("as_of", value) for value in (NAIVE, "2031-03-04", 1, NAIVE.date())],
    *[("known_at", value) for value in (NAIVE, "2031-03-04", 1, NAIVE.date())],
    *[("k", value) for value in (0, -1, 2.0, "5", True)],
    *[("explain", value) for value in (1, "yes", None)],
    *[("recipe", value) for value in ("slow", "", None, 7, ["fast"])],
]


@pytest.fixture(autouse=True)
def _nothing_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the memory was asked although an argument does not fit")

    monkeypatch.setattr(_recall, "_gather", refuse)


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_a_wrong_argument_is_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(InvalidQuery, match=rf"^{name} must be "):
        recall(MIRA, "bees", **{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize(("name", "value"), [WRONG[0], WRONG[5]])
def test_the_asynchronous_form_refuses_the_same(name: str, value: object) -> None:
    with pytest.raises(InvalidQuery, match=name):
        asyncio.run(arecall(MIRA, "bees", **{name: value}))  # type: ignore[arg-type]


@pytest.mark.parametrize("query", [None, 7, b"bees", ["bees"]])
def test_a_query_that_is_no_string_is_refused(query: object) -> None:
    with pytest.raises(InvalidQuery, match=rf"query must be a string, not {type(query).__name__}"):
        recall(MIRA, query)  # type: ignore[arg-type]


@pytest.mark.parametrize("query", ["", "   ", "\n\t", "\x00", " \x00 "])
def test_a_blank_query_is_refused(query: str) -> None:
    with pytest.raises(InvalidQuery, match="query is blank"):
        recall(MIRA, query)


@pytest.mark.parametrize("scope", [None, "acme", ("acme", "mira"), {"tenant_id": "acme", "user_id": "mira"}])
def test_what_is_no_scope_is_refused(scope: object) -> None:
    with pytest.raises(InvalidScope, match="must be a Scope"):
        recall(scope, "bees")  # type: ignore[arg-type]


@given(st.sampled_from([None, "", " ", "*", "%", "all", 7, "a,b", "room:x", "audit:", "a\u200bb", "ｍira", "x" * 201]))
def test_no_scope_can_be_made_of_an_id_that_is_none(wrong: object) -> None:
    with pytest.raises(InvalidScope, match="user_id"):
        Scope(tenant_id="acme", user_id=wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidScope, match="tenant_id"):
        Scope(tenant_id=wrong, user_id="mira")  # type: ignore[arg-type]


def test_arguments_that_fit_are_let_through(monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = recall(
        MIRA,
        "hello",
        budget_tokens=0,
        deadline_ms=1,
        as_of=datetime(2031, 3, 4, tzinfo=UTC),
        known_at=datetime(2031, 3, 4, tzinfo=UTC),
        k=1,
        explain=True,
    )
    assert bundle.reason == "small talk: nothing was asked"


_ENDS = [datetime.min, datetime.max, datetime(1, 1, 2), datetime(9999, 12, 30)]  # noqa: DTZ001, DTZ901 - made aware below


@pytest.mark.parametrize("name", ["as_of", "known_at"])
@pytest.mark.parametrize("hours", [-23, -14, 0, 14, 23])
@pytest.mark.parametrize("end", _ENDS)
def test_an_instant_at_either_end_of_time_is_let_through(name: str, hours: int, end: datetime) -> None:
    at = end.replace(tzinfo=timezone(timedelta(hours=hours)))
    bundle = recall(MIRA, "hello", **{name: at})  # type: ignore[arg-type]
    assert bundle.reason == "small talk: nothing was asked"


@pytest.mark.parametrize("now", [FIRST_INSTANT, LAST_INSTANT])
@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago", "UTC"])
@pytest.mark.parametrize(
    "query",
    [
        "What did I do last year in May?", "yesterday", "since Monday", "two weeks after tomorrow and next week",
        "this weekend", "999 years ago", "in the last decade", "before 9999", "on 31 December 9999", "this winter",
        "the first week of January", "two Christmases ago", "after 31 December 9998", "3 days after 31 December",
    ],
)  # fmt: skip
def test_a_query_is_planned_at_either_end_of_time(query: str, zone: str, now: datetime) -> None:
    window = plan(query, now=now.astimezone(ZoneInfo(zone))).window
    assert window is None or window.start < window.end


def test_a_number_of_more_digits_than_can_be_written_is_refused_all_the_same() -> None:
    with pytest.raises(InvalidQuery, match="k must be a whole number"):
        recall(MIRA, "bees", k=10**5_000)


def test_the_time_left_is_never_zero_which_a_server_reads_as_no_limit() -> None:
    progress = Progress(deadline_ms=5, started_s=-1_000.0)
    assert progress.left_ms() == 1


def test_a_step_is_timed_also_when_it_fails() -> None:
    progress = Progress(deadline_ms=5)
    with pytest.raises(ZeroDivisionError), progress.step("search"):
        raise ZeroDivisionError
    assert progress.timings_ms["search"] >= 0
