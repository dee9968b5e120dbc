"""S16: whatever stands where a message's time should be, the run is stored, and every stored time is an instant."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import psycopg
import pytest

from shared import clock
from shared.contract.events import Precision
from shared.settings import settings
from tests.cases.adapter import Words, said

pytestmark = pytest.mark.usefixtures("embedder")

NINE = datetime(2025, 3, 4, 9, 0, tzinfo=UTC)
BELIEVED = {
    "naive text": ("2025-03-04T09:00:00", NINE),
    "naive with a space": ("2025-03-04 09:00", NINE),
    "naive object": (datetime(2025, 3, 4, 9, 0), NINE),  # noqa: DTZ001 - that is what is tried
    "Z": ("2025-03-04T09:00:00Z", NINE),
    "half an hour": ("2025-03-04T14:30:00+05:30", NINE),
    "west": ("2025-03-04T00:00:00-09:00", NINE),
    "three quarters": (datetime(2025, 3, 4, 14, 45, tzinfo=timezone(timedelta(hours=5, minutes=45))), NINE),
    "epoch s": (1741078800, NINE),
    "epoch s as a text": ("1741078800", NINE),
    "epoch s with a fraction": (1741078800.5, NINE + timedelta(milliseconds=500)),
    "epoch ms": (1741078800000, NINE),
    "epoch ms as a text": ("1741078800000", NINE),
    "epoch us": (1741078800000000, NINE),
    "day alone": ("2025-03-04", datetime(2025, 3, 4, tzinfo=UTC)),
    "day object": (date(2025, 3, 4), datetime(2025, 3, 4, tzinfo=UTC)),
}
DOUBTED = {
    "year 1": "0001-01-01T00:00:00Z",
    "year 1 east": "0001-01-01T00:00:00+14:00",
    "year 9999": "9999-12-31T23:59:59Z",
    "year 9999 west": "9999-12-31T23:59:59-12:00",
    "no such day": "2025-02-30",
    "no such hour": "2025-03-04T25:00:00Z",
    "13th month": "2025-13-01T00:00:00Z",
    "no leap day": "2023-02-29T10:00:00Z",
    "words": "yesterday at noon",
    "NUL": "2025-\x0003-04T09:00",
    "surrogate": "2025-03-04\ud83d",
    "counter": 17,
    "negative": -5,
    "huge": 10**30,
    "not a number": float("nan"),
    "infinite": float("inf"),
    "true": True,
    "list": ["2025-03-04"],
    "object": {"$date": "2025-03-04"},
}
ZONES = {"UTC": 9, "Asia/Kolkata": 3.5, "America/New_York": 14, "Pacific/Auckland": -4}
"""In which hour of that day, by UTC, it is nine o'clock there."""
UNKNOWN = {"absent": ..., "None": None, "empty": "", "blank": "   "}


def at(name: str, value: object, text: str) -> dict:
    return said(text, f"m-{name.replace(' ', '-')}", **({} if value is ... else {"ts": value}))


def test_s16_a_run_of_every_kind_of_time_is_stored_whole_with_a_warning_for_each_that_was_doubted(words: Words) -> None:
    now = clock.now()
    doubted = {**DOUBTED, "three days ahead": now + timedelta(days=3), "next year": f"{now.year + 1}-12-31T00:00:00Z"}
    given = {**{name: value for name, (value, _) in BELIEVED.items()}, **doubted, **UNKNOWN}
    messages = [at(name, value, f"Entry about {name}, number {n}.") for n, (name, value) in enumerate(given.items())]
    receipt = words.ingest("acme", "mira", "run-1", messages)

    memories = {row["text"].split(",")[0].removeprefix("Entry about "): row for row in words.current("acme", "mira")}
    assert memories.keys() == given.keys(), "each message of the run is a memory, whatever its time"
    for name, (_, instant) in BELIEVED.items():
        assert memories[name]["valid_from"] == instant, name
    for name in [*doubted, *UNKNOWN]:
        assert memories[name]["valid_from"] is None, name
    for name in doubted:
        assert any(f"m-{name.replace(' ', '-')}: time" in warning for warning in receipt.warnings), name
    for name in UNKNOWN:
        assert not any(f"m-{name}:" in warning for warning in receipt.warnings), name


def test_s16_what_the_caller_wrote_is_kept_beside_the_instant(words: Words) -> None:
    words.ingest(
        "acme",
        "mira",
        "run-1",
        [said("Tea at nine.", "a", ts="2025-03-04T14:30:00+05:30"), said("Odd.", "b", ts="2025-02-30")],
    )
    first, second = words.evidence("acme", "mira")
    assert (first.occurred_at, first.precision) == (NINE, Precision.INSTANT)
    assert (first.payload or {})["original_at"] == "2025-03-04T14:30:00+05:30"
    assert (second.occurred_at, second.precision) == (None, Precision.UNKNOWN)
    assert (second.payload or {})["original_at"] == "2025-02-30"


def test_s16_all_stored_times_have_a_zone_and_can_be_sorted(words: Words) -> None:
    words.ingest(
        "acme", "mira", "run-1", [at(name, value, f"Entry about {name}.") for name, (value, _) in BELIEVED.items()]
    )
    with words.owner.cursor(row_factory=psycopg.rows.dict_row) as cursor:
        rows = [
            row
            for table in ("memory", "event", "receipt", "inbox", "decision", "stream", "generation")
            for row in cursor.execute(f"select * from {table}").fetchall()
        ]
    times = [value for row in rows for value in row.values() if isinstance(value, datetime)]
    times += [item.event_time for item in words.bundle("acme", "mira", "entry").items if item.event_time]
    times += [time for event in words.ledger("acme", "mira") for time in (event.occurred_at, event.recorded_at) if time]
    assert len(times) > 5 * len(BELIEVED)
    assert all(time.tzinfo is not None and time.utcoffset() is not None for time in times)
    assert max(sorted(times)) <= clock.now() + timedelta(minutes=1)


def test_s16_a_time_without_a_zone_follows_the_one_documented_rule(
    words: Words, monkeypatch: pytest.MonkeyPatch
) -> None:
    for user, (zone, hour) in enumerate(ZONES.items()):
        monkeypatch.setenv("DAYBOOK_NAIVE_TIMEZONE", zone)
        settings.cache_clear()
        receipt = words.ingest("acme", f"user-{user}", "run-1", [said("Tea at nine.", "a", ts="2025-03-04T09:00")])
        (row,) = words.current("acme", f"user-{user}")
        assert row["valid_from"] == datetime(2025, 3, 4, tzinfo=UTC) + timedelta(hours=hour)
        assert any(zone in warning for warning in receipt.warnings)


def test_s16_what_lies_a_little_ahead_of_the_clock_is_believed(words: Words) -> None:
    soon = clock.now() + timedelta(hours=20)
    words.ingest("acme", "mira", "run-1", [said("The clock of this phone is fast.", "a", ts=soon)])
    assert words.current("acme", "mira")[0]["valid_from"] == soon


def test_s16_memories_of_unknown_time_are_recalled_beside_dated_ones(words: Words) -> None:
    words.ingest(
        "acme",
        "mira",
        "run-1",
        [said("The greyhound is called Pim.", "a"), said("The greyhound eats at six.", "b", ts=NINE)],
    )
    bundle = words.bundle("acme", "mira", "greyhound")
    assert {item.event_time for item in bundle.items} == {None, NINE}
    assert "time unknown" in bundle.text


def test_s16_no_column_is_a_timestamp_without_a_zone(words: Words) -> None:
    kinds = words.owner.execute(
        "select distinct data_type from information_schema.columns "
        "where table_schema = 'public' and (data_type like 'time%' or data_type = 'date')"
    ).fetchall()
    assert kinds == [("timestamp with time zone",)]
