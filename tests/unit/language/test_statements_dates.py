from __future__ import annotations

from datetime import date

import pytest

from shared.language.statements.dates import Bound, dates_in

SATURDAY = date(2031, 5, 24)


@pytest.mark.parametrize(
    ("text", "ahead", "behind"),
    [
        ("yesterday", "on 2031-05-23", "on 2031-05-23"),
        ("tomorrow morning", "on 2031-05-25", "on 2031-05-25"),
        ("next Tuesday", "on 2031-05-27", "on 2031-05-27"),
        ("on Monday", "on 2031-05-26", "on 2031-05-19"),
        ("last week", "in the week of 2031-05-12", "in the week of 2031-05-12"),
        ("two weeks ago", "on 2031-05-10", "on 2031-05-10"),
        ("three years ago", "in 2028", "in 2028"),
        ("in two weeks", "on 2031-06-07", "on 2031-06-07"),
        ("last May", "in 2030-05", "in 2030-05"),
        ("in March", "in 2032-03", "in 2031-03"),
        ("on the 14th", "on 2031-06-14", "on 2031-05-14"),
        ("Saturday 14 July", "on 2031-07-14", "on 2030-07-14"),
        ("March 3rd, 1990", "on 1990-03-03", "on 1990-03-03"),
        ("this summer", "in the summer of 2031", "in the summer of 2030"),
        ("since 2019", "since 2019", "since 2019"),
        ("for the past 5 years", "since 2026", "since 2026"),
        ("until next Friday", "until 2031-05-30", "until 2031-05-30"),
        ("starting 8 October", "since 2031-10-08", "since 2030-10-08"),
    ],
)
def test_a_time_is_worked_out_from_the_day_and_the_tense(text: str, ahead: str, behind: str) -> None:
    assert [when.written for when in dates_in(text, SATURDAY)] == [ahead]
    assert [when.written for when in dates_in(text, SATURDAY, ahead=False)] == [behind]


@pytest.mark.parametrize(
    "text", ["i may go", "sat down in the sun", "on tuesdays i cook", "14 people", "30 February", "I second that"]
)
def test_what_names_no_day_is_none(text: str) -> None:
    assert dates_in(text, SATURDAY) == []


def test_how_long_it_has_lasted_says_since_when() -> None:
    (when,) = dates_in("I've had it for three days", SATURDAY)
    assert (when.bound, when.day) == (Bound.SINCE, date(2031, 5, 21))
