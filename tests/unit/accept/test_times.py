"""One rule for the times on messages: what is read, what is not believed, and what is kept of it."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.accept.times import EARLIEST, Dated, TimeRule, dated
from shared.contract.events import Precision

NOW = datetime(2031, 6, 1, 12, tzinfo=UTC)
RULE = TimeRule(naive_zone=UTC, latest=NOW + timedelta(days=1))
LISBON = TimeRule(naive_zone=ZoneInfo("Europe/Lisbon"), latest=RULE.latest)
KOLKATA = timezone(timedelta(hours=5, minutes=30))
MARCH = datetime(2031, 3, 4, 9, tzinfo=UTC)
SECONDS = int(MARCH.timestamp())


@pytest.mark.parametrize(
    "value",
    [
        "2031-03-04T09:00Z",
        "2031-03-04T09:00:00.000z",
        "2031-03-04 09:00 UTC",
        "20310304T090000Z",
        " 2031-03-04T14:30+05:30 ",
        "2031-03-04 14:30:00 +0530",
        datetime(2031, 3, 4, 14, 30, tzinfo=KOLKATA),
        MARCH,
        SECONDS,
        float(SECONDS),
        SECONDS * 1_000,
        SECONDS * 1_000_000,
        SECONDS * 1_000_000_000,
        str(SECONDS),
        str(SECONDS * 1_000),
        f"{SECONDS}.0",
    ],
)
def test_every_way_of_writing_an_instant_gives_the_same_one_in_utc(value: object) -> None:
    read = dated(value, RULE)
    assert (read.at, read.precision, read.warning) == (MARCH, Precision.INSTANT, None)
    assert read.at is not None
    assert read.at.utcoffset() == timedelta(0)
    assert read.original


@pytest.mark.parametrize("value", ["2031-06-01T10:00", "2031-06-01 10:00:00", datetime(2031, 6, 1, 10)])  # noqa: DTZ001
def test_a_time_without_a_zone_is_read_in_the_zone_that_is_set_with_a_warning(value: object) -> None:
    read = dated(value, LISBON)
    assert read.at == datetime(2031, 6, 1, 9, tzinfo=UTC)
    assert read.warning is not None
    assert "Europe/Lisbon" in read.warning


@pytest.mark.parametrize("value", ["2031-06-01", "20310601", date(2031, 6, 1), "2031-W22-7"])
def test_a_date_alone_is_a_day_from_its_midnight(value: object) -> None:
    read = dated(value, LISBON)
    assert (read.at, read.precision) == (datetime(2031, 5, 31, 23, tzinfo=UTC), Precision.DAY)
    assert read.warning is None


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("2031-02-30", "exists"),
        ("2031-02-30T10:00Z", "exists"),
        ("2031-13-01", "exists"),
        ("soon", "exists"),
        ("2031", "exists"),
        ("2031-03", "exists"),
        ("2031-W10", "week"),
        ("0000-00-00", "exists"),
        ("12:30", "exists"),
        ("2031-03-04T09:00+99:00", "exists"),
        ("\x00\ud83d", "exists"),
        (datetime(1, 1, 1), "exists|before 1900"),  # noqa: DTZ001
        (datetime.max.replace(tzinfo=timezone(-timedelta(hours=5))), "exists"),
        ("0001-01-01T00:00:00Z", "before 1900"),
        ("0001-01-01", "before 1900"),
        (datetime(1, 1, 1, tzinfo=UTC), "before 1900"),
        ("1899-12-31T23:59:59Z", "before 1900"),
        ("9999-12-31T23:59:59Z", "future"),
        (datetime(9999, 12, 31, tzinfo=UTC), "future"),
        ("2031-06-03", "future"),
        (10**11 - 1, "future"),
        (NOW.timestamp() + 86_401, "future"),
        (0, "counter"),
        (7, "counter"),
        (-SECONDS, "counter"),
        (99_999_999, "counter"),
        (float("nan"), "counter"),
        (float("-inf"), "counter"),
        (float("inf"), "too large"),
        (10**20, "too large"),
        (10**400, "too large"),
        ("9" * 20, "future|too large"),
        ("9" * 21, "exists"),
        (True, "bool"),
        (False, "bool"),
        ([2031, 3, 4], "list"),
        ({"seconds": 1}, "dict"),
        (b"2031-03-04", "bytes"),
    ],
)
def test_what_cannot_be_believed_is_unknown_with_a_warning_and_the_original_kept(value: object, why: str) -> None:
    read = dated(value, RULE)
    assert (read.at, read.precision) == (None, Precision.UNKNOWN)
    assert read.warning is not None
    assert any(reason in read.warning for reason in why.split("|"))
    assert read.original is not None


@pytest.mark.parametrize("value", [None, "", "  \n"])
def test_no_time_is_unknown_without_a_warning_and_never_the_clock(value: object) -> None:
    assert dated(value, RULE) == Dated()


@pytest.mark.parametrize("value", [NOW + timedelta(days=1), "2031-06-02", "1900-01-01T00:00:00Z", "1969-07-20T20:17Z"])
def test_times_up_to_the_limits_are_believed(value: object) -> None:
    assert dated(value, RULE).at is not None


def test_the_original_is_cleaned_cut_and_scrubbed() -> None:
    read = dated("password: hunter2\x00 " + "x" * 10_000, RULE)
    assert read.original is not None
    assert read.warning is not None
    assert "hunter2" not in read.original + read.warning
    assert "\x00" not in read.original + read.warning
    assert len(read.original) < 100
    assert len(read.warning) < 250


def test_an_hour_that_occurs_twice_is_the_first() -> None:
    assert dated("2030-10-27T01:30", LISBON).at == datetime(2030, 10, 27, 0, 30, tzinfo=UTC)


@given(at=st.datetimes(datetime(1973, 3, 4), datetime(2031, 6, 1), timezones=st.timezones()))  # noqa: DTZ001
def test_seconds_milliseconds_and_text_of_one_instant_agree(at: datetime) -> None:
    at = at.replace(microsecond=at.microsecond // 1000 * 1000)
    whole = at.replace(microsecond=0)
    milliseconds = (at - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)
    assert dated(milliseconds, RULE).at == dated(at, RULE).at == dated(at.isoformat(), RULE).at
    assert dated(milliseconds // 1000, RULE).at == dated(whole, RULE).at


@given(
    values=st.lists(
        st.one_of(
            st.datetimes(), st.datetimes(timezones=st.timezones()), st.dates(), st.floats(), st.integers(), st.text()
        )
    )
)
def test_whatever_is_given_what_comes_out_is_aware_utc_and_sorts(values: list[object]) -> None:
    read = [dated(value, RULE) for value in values]
    instants = sorted(one.at for one in read if one.at is not None)
    assert all(EARLIEST <= at <= RULE.latest and at.tzinfo is UTC for at in instants)
    assert all(first <= second for first, second in pairwise(instants))
    assert all(one.warning for one, value in zip(read, values, strict=True) if one.at is None and str(value).strip())
