"""Numbers, times and words that are none are refused by a typed error, wherever they are passed on to the database."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from coldpath.quarantine import Source, blast_radius
from coldpath.unlink import unlink
from gateway import Daybook
from gateway.cli import WRONG_INPUT, run
from gateway.reflecting import remove
from shared.contract.errors import InvalidInput, InvalidQuery, Permanent
from shared.contract.scope import Scope
from shared.settings import Settings
from shared.store.db import Role
from shared.store.reviews import ReviewState

MIRA = Scope(tenant_id="acme", user_id="mira")
SCOPE = ("--tenant", "acme", "--user", "mira")
HUGE = 99_999_999_999_999_999_999_999
NAIVE = datetime(2031, 3, 4)  # noqa: DTZ001 - a wrong argument


@pytest.fixture
def daybook(environment: Settings, embedder: Any) -> Any:
    del environment, embedder
    with Daybook() as opened:
        opened.observe(MIRA, [{"role": "user", "text": "The ferry leaves at nine."}], run_id="run-1", inline=True)
        yield opened


@pytest.mark.parametrize("number", [2**63, HUGE, int("9" * 400)], ids=["one_too_many", "huge", "endless"])
@pytest.mark.parametrize("words", [("unlink",), ("reflect", "--remove")], ids=["unlink", "reflect"])
def test_a_number_that_nothing_can_have_is_wrong_input(
    daybook: Daybook, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], number: int
) -> None:
    del daybook
    assert run([words[0], *SCOPE, *words[1:], str(number)]) == WRONG_INPUT
    told = capsys.readouterr().err
    assert "Traceback" not in told
    assert told.strip()


@pytest.mark.parametrize(
    "ask",
    [
        lambda daybook: unlink(daybook.database(), "acme", MIRA.owner, HUGE),
        lambda daybook: remove(daybook.database(), MIRA, HUGE),
    ],
    ids=["unlink", "remove"],
)
def test_a_number_that_nothing_can_have_is_a_typed_error(daybook: Daybook, ask: Callable[[Daybook], Any]) -> None:
    with pytest.raises(Permanent, match=r"`daybook reflect --list` shows|pass one that was shown"):
        ask(daybook)


@pytest.mark.parametrize(
    ("query", "number"),
    [
        ("select %(number)s::bigint", HUGE),
        ("select 1 limit %(number)s", HUGE),
        ("select 1 limit %(number)s", -1),
        ("select 1 offset %(number)s", -1),
    ],
)
def test_no_number_that_is_passed_on_to_a_query_is_a_bare_error(daybook: Daybook, query: Any, number: int) -> None:
    with (
        pytest.raises(InvalidInput, match="pass one that was shown"),
        daybook.database().transaction(Role.READER, "acme", [MIRA.owner], read_only=True) as session,
    ):
        session.rows(query, number=number)


@pytest.mark.parametrize("name", ["as_of", "known_at"])
@pytest.mark.parametrize("value", [NAIVE, "2031-03-04", 1, 0, ""])
def test_a_time_of_a_profile_that_is_none_is_refused_as_recall_refuses_it(
    daybook: Daybook, name: str, value: Any
) -> None:
    for ask in (lambda: daybook.recall(MIRA, "ferry", **{name: value}), lambda: daybook.profile(MIRA, **{name: value})):
        with pytest.raises(InvalidQuery, match=f"{name} must be a datetime with a time zone, not"):
            ask()


def test_a_source_is_of_no_time_without_a_zone(daybook: Daybook) -> None:
    with pytest.raises(InvalidInput, match="since must be a datetime with a time zone"):
        blast_radius(daybook.database(), MIRA, Source(since=NAIVE))


@pytest.mark.parametrize("state", ["weird", "", "OPEN", 0, ["open"]])
def test_a_state_that_no_review_is_in_is_refused(daybook: Daybook, state: Any) -> None:
    with pytest.raises(InvalidInput, match="is none; name one of open, approved, rejected, expired, settled"):
        daybook.reviews(MIRA, state)


@pytest.mark.parametrize("state", [None, "open", ReviewState.APPROVED])
def test_a_state_that_there_is_is_none_too_many(daybook: Daybook, state: Any) -> None:
    assert daybook.reviews(MIRA, state) == []
