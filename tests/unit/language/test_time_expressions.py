from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.contract.errors import InvalidInput
from shared.language.time_expressions import window

NOW = datetime(2024, 1, 15, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("query", "start", "end", "matched"),
    [
        ("What broke on 2031-06-02?", "2031-06-02", "2031-06-03", "2031-06-02"),
        ("at 2031-06-02T10:30", "2031-06-02", "2031-06-03", "2031-06-02"),
        ("2031/6/2", "2031-06-02", "2031-06-03", "2031/6/2"),
        ("Where was Tove on 8 May 2023?", "2023-05-08", "2023-05-09", "8 May 2023"),
        ("the 8th of May, 2023", "2023-05-08", "2023-05-09", "8th of May, 2023"),
        ("May 8, 2023", "2023-05-08", "2023-05-09", "May 8, 2023"),
        ("sept. 3rd 2023", "2023-09-03", "2023-09-04", "sept. 3rd 2023"),
        ("29 February 2024", "2024-02-29", "2024-03-01", "29 February 2024"),
        ("May 8-10, 2023", "2023-05-08", "2023-05-11", "May 8-10, 2023"),
        ("8 to 10 May 2023", "2023-05-08", "2023-05-11", "8 to 10 May 2023"),
        ("Who visited in May 2023?", "2023-05-01", "2023-06-01", "May 2023"),
        ("Dec 2023", "2023-12-01", "2024-01-01", "Dec 2023"),
        ("2023-05", "2023-05-01", "2023-06-01", "2023-05"),
        ("between May and July 2023", "2023-05-01", "2023-08-01", "May and July 2023"),
        ("In 2023, who moved?", "2023-01-01", "2024-01-01", "In 2023"),
        ("from 2021 to 2023", "2021-01-01", "2024-01-01", "from 2021 to 2023"),
        ("between 8 May 2023 and 2 June 2023", "2023-05-08", "2023-06-03", "8 May 2023 and 2 June 2023"),
        ("2023年5月8日に何をした", "2023-05-08", "2023-05-09", "2023年5月8日"),
        ("2023年5月", "2023-05-01", "2023-06-01", "2023年5月"),
    ],
)
def test_a_date_that_is_named_outright_is_a_window(query: str, start: str, end: str, matched: str) -> None:
    found = window(query, NOW)
    assert found is not None
    assert (found.start.date().isoformat(), found.end.date().isoformat(), found.matched) == (start, end, matched)
    assert found.start.tzinfo is found.end.tzinfo is UTC


@pytest.mark.parametrize(
    "query",
    ["31 February 2023", "February 31, 2023", "2023-02-31", "29 February 2023", "2023-13", "32 May 2023", "2023年13月"],
)
def test_a_day_that_does_not_exist_is_no_window_not_even_its_month(query: str) -> None:
    assert window(query, NOW) is None


@pytest.mark.parametrize("query", ["8.5.2023", "05/08/2023", "8/5/23", "08-05-2023"])
def test_numbers_whose_order_depends_on_the_country_are_left_alone(query: str) -> None:
    assert window(query, NOW) is None


@pytest.mark.parametrize("query", ["since May 2023", "before 2022", "after 8 May 2023", "by the end of May 2023"])
def test_a_span_with_one_end_is_no_window(query: str) -> None:
    assert window(query, NOW) is None


@pytest.mark.parametrize(
    "query",
    [
        "", "last May", "May 8", "yesterday", "in 2000 words", "room 2023", "2023", "call 2023-4471", "KX-2031-06-02",
        "version 2023.10.1", "in 20235", "it may rain", "the 2023-24 season", "10-8 May 2023",
    ],
)  # fmt: skip
def test_what_is_no_date_outright_is_no_window(query: str) -> None:
    assert window(query, NOW) is None


def test_a_day_begins_at_midnight_where_the_asker_is() -> None:
    tokyo = ZoneInfo("Asia/Tokyo")
    expected = datetime(2023, 5, 7, 15, tzinfo=UTC)
    by_zone, by_now = window("8 May 2023", NOW, tokyo), window("8 May 2023", NOW.astimezone(tokyo))
    assert by_zone is not None
    assert by_now is not None
    assert by_zone.start == by_now.start == expected


def test_a_day_on_which_the_clocks_change_is_as_long_as_it_was() -> None:
    found = window("26 March 2023", NOW, ZoneInfo("Europe/Berlin"))
    assert found is not None
    assert found.end - found.start == timedelta(hours=23)


def test_a_naive_now_without_a_zone_is_refused() -> None:
    with pytest.raises(InvalidInput, match="time zone"):
        window("8 May 2023", datetime(2024, 1, 1))  # noqa: DTZ001


@settings(deadline=None)
@given(st.dates(date(1000, 1, 1), date(2999, 12, 31)), st.integers(-12, 14))
def test_every_day_can_be_named_in_every_form_and_zone(day: date, hours: int) -> None:
    zone = timezone(timedelta(hours=hours))
    for form in (f"{day:%Y-%m-%d}", f"{day:%d %B %Y}", f"{day:%b %d, %Y}", f"{day:%Y年%m月%d日}"):
        found = window(f"What about {form}?", NOW, zone)
        assert found is not None
        assert found.matched == form
        assert found.start.astimezone(zone).date() == day
        assert found.end - found.start == timedelta(days=1)


@settings(deadline=None)
@given(
    st.text(st.sampled_from("0123456789-/ ,年月日") | st.characters())
    | st.lists(st.sampled_from(["in", "May", "2023", "8", "-", "to", "since", "31"])).map(" ".join)
)
def test_any_query_gives_a_window_that_is_not_empty_or_none(query: str) -> None:
    found = window(query, NOW)
    assert found is None or (found.start < found.end and found.matched in query)
