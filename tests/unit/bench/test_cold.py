"""From which day on a session is old, as of the day after a conversation's end."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from bench.cold import after_days

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
ENDS = st.datetimes(datetime(2015, 1, 1), datetime(2026, 4, 1), timezones=st.just(UTC))  # noqa: DTZ001, the zone is added


@given(ENDS, st.integers(1, 400))
def test_now_leaves_what_would_be_as_old_the_day_after_the_end(end: datetime, age_days: int) -> None:
    leaves_before = NOW - timedelta(days=after_days(end, age_days, NOW))
    would = end + timedelta(days=1) - timedelta(days=age_days)
    assert would <= leaves_before < would + timedelta(days=1)


def test_all_of_it_is_what_is_older_than_a_day() -> None:
    assert after_days(datetime(2020, 1, 1, tzinfo=UTC), None, NOW) == 1
