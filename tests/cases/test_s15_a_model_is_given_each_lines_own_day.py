"""S15, what a model is shown and what is taken of its answer: each line has its own day, and no answer a bare one."""

import re
from datetime import UTC, datetime, timedelta, timezone

import pytest

from shared.contract.candidates import ExtractionStatus, Reading
from tests.model_reading import asking, asking_a_real_model, entry, facts, line, lines_shown
from tests.scripted_llm import scripted

TOKYO = timezone(timedelta(hours=9))
SATURDAY = datetime(2031, 5, 24, 1, 30, tzinfo=TOKYO)
A_YEAR_LATER = datetime(2032, 2, 29, 8, 0, tzinfo=TOKYO)
SAID = [
    line("Yesterday I adopted a greyhound", 11, said_at=SATURDAY),
    line("the vet is next Tuesday", 12, said_at=SATURDAY),
    line("I've had the cough for three days", 13, said_at=SATURDAY),
    line("I moved to Porto today", 14, said_at=A_YEAR_LATER),
    line("I lost my keys yesterday", 15, said_at=None),
]
BARE = re.compile(r"\b(yesterday|today|tomorrow|last week|next \w+day)\b", re.IGNORECASE)


def test_the_prompt_holds_every_messages_own_day_and_no_other():
    with scripted(facts()) as server:
        asking(server).extract(Reading(lines=SAID), deadline_s=10.0)
    shown = lines_shown(server.requests[0].said[0])
    assert [each["when"] for each in shown] == [
        *["Saturday 2031-05-24 01:30+09:00"] * 3,
        "Sunday 2032-02-29 08:00+09:00",
        "unknown",
    ]
    this_year = str(datetime.now(UTC).year)
    assert this_year not in server.requests[0].said[0]


def test_a_bare_word_is_counted_from_its_own_line():
    answer = facts(
        entry("Mira adopted a greyhound yesterday.", lines=[1], since="2031-05-23"),
        entry("Mira's vet appointment is next Tuesday.", lines=[2], since="2031-05-27"),
        entry("Mira moved to Porto today.", lines=[4], since="2032-02-29"),
    )
    with scripted(answer) as server:
        found = asking(server).extract(Reading(lines=SAID), deadline_s=10.0)
    assert [each.text for each in found.candidates] == [
        "Mira adopted a greyhound on 2031-05-23.",
        "Mira's vet appointment is on 2031-05-27.",
        "Mira moved to Porto on 2032-02-29.",
    ]
    assert found.candidates[0].since == datetime(2031, 5, 23, tzinfo=TOKYO)
    assert [each.since.astimezone(TOKYO).date().isoformat() for each in found.candidates] == [
        "2031-05-23",
        "2031-05-27",
        "2032-02-29",
    ]


def test_a_bare_word_of_an_unknown_day_is_refused():
    with scripted(facts(entry("Mira lost her keys yesterday.", lines=[5])), facts()) as server:
        found = asking(server).extract(Reading(lines=SAID), deadline_s=10.0)
    assert (found.candidates, found.rejected) == ([], {"relative_time": 1})
    assert "write the date" in server.requests[1].said[-1]


@pytest.mark.parametrize("since", ["yesterday", "2031-02-30", "31/05/2031", "9999-01-01", "", "2031-05-23T25:00"])
def test_a_time_that_is_none_is_refused_or_left_out(since):
    with scripted(facts(entry("Mira adopted a greyhound.", since=since)), facts()) as server:
        found = asking(server).extract(Reading(lines=SAID), deadline_s=10.0)
    assert found.rejected == ({} if since == "" else {"bad_time": 1})
    assert all(each.since is None for each in found.candidates)


@pytest.mark.real_model
def test_a_real_model_counts_from_the_messages_own_day():
    right = 0
    extractor = asking_a_real_model()
    for _ in range(10):
        found = extractor.extract(Reading(lines=SAID[:2]), deadline_s=120.0)
        assert found.status is ExtractionStatus.STORED
        assert not any(BARE.search(each.text) for each in found.candidates)
        days = {each.since.astimezone(TOKYO).date().isoformat() for each in found.candidates if each.since}
        right += "2031-05-23" in days
    assert right >= 9
