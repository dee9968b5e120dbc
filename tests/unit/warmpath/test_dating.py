from datetime import UTC, datetime, timedelta, timezone

import pytest

from tests.model_reading import line
from warmpath._dating import Undated, dated, read_end, read_time

TOKYO = timezone(timedelta(hours=9))


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("Mira flew yesterday.", "Mira flew on 2031-05-21."),
        ("Tomorrow Mira flies.", "On 2031-05-23 Mira flies."),
        ("Mira flew three days ago.", "Mira flew on 2031-05-19."),
        ("Mira moved last month.", "Mira moved in 2031-04."),
        ("Mira paid 2000 zloty yesterday.", "Mira paid 2000 zloty on 2031-05-21."),
        ("Mira, born in 1990, flew yesterday.", "Mira, born in 1990, flew on 2031-05-21."),
        ("On 2031-01-03 Mira heard that she flies tomorrow.", "On 2031-01-03 Mira heard that she flies on 2031-05-23."),
        ("Mira flew yesterday and flies tomorrow.", "Mira flew on 2031-05-21 and flies on 2031-05-23."),
    ],
)
def test_words_that_count_from_the_day_become_the_day(written, kept):
    assert dated(written, [line(written)], "en") == kept


@pytest.mark.parametrize(
    "text",
    [
        "Mira flew on 2031-05-21, which was yesterday.",
        "Mira flew yesterday (2031-05-21).",
        "Mira flew yesterday, on May 21.",
        "Mira moved last month (2031-04).",
        "Mira reads USA Today.",
        "Mira likes the song Yesterday.",
        "Mira was born in 1990.",
        "Mira keeps two beehives.",
        "Mira wohnt in Morgenland.",
    ],
)
def test_a_text_with_a_date_or_with_a_name_stays_as_it_is(text):
    assert dated(text, [line(text)], "en") == text


def test_each_word_counts_from_the_line_that_says_it():
    lines = [
        line("I flew yesterday", 1, said_at=datetime(2031, 5, 1, tzinfo=UTC)),
        line("and I am tired", 2, said_at=datetime(2031, 6, 1, tzinfo=UTC)),
    ]
    assert dated("Mira flew yesterday.", lines, "en") == "Mira flew on 2031-04-30."


def test_a_line_without_a_day_gives_none():
    with pytest.raises(Undated, match="yesterday"):
        dated("Mira flew yesterday.", [line("I flew yesterday", said_at=None)], "en")


def test_the_day_is_the_speakers_and_not_greenwichs():
    said = line("I flew yesterday", said_at=datetime(2031, 5, 24, 1, 30, tzinfo=TOKYO))
    assert dated("Mira flew yesterday.", [said], "en") == "Mira flew on 2031-05-23."


@pytest.mark.parametrize(
    ("written", "at"),
    [
        ("2031-05-23", datetime(2031, 5, 22, 15, tzinfo=UTC)),
        ("2031-05", datetime(2031, 4, 30, 15, tzinfo=UTC)),
        ("2031", datetime(2030, 12, 31, 15, tzinfo=UTC)),
        ("2031-05-23T10:00Z", datetime(2031, 5, 23, 10, tzinfo=UTC)),
        ("2031-05-23 10:00:30+02:00", datetime(2031, 5, 23, 8, 0, 30, tzinfo=UTC)),
        ("2031-05-23T10:00", datetime(2031, 5, 23, 1, tzinfo=UTC)),
    ],
)
def test_a_time_is_read_in_the_speakers_zone_unless_it_has_its_own(written, at):
    assert read_time(written, TOKYO) == at


@pytest.mark.parametrize(
    "written", ["", "May", "2031-13", "2031-02-30", "0001-01-01", "9999-12-31", "2031-05-23T25:00", "1e9", "２０３１"]
)
def test_what_is_no_time_is_said_to_be_none(written):
    with pytest.raises(ValueError, match=r".+"):
        read_time(written, UTC)


def test_a_number_that_might_be_a_year_excuses_no_word_of_another_language():
    said = line("Ich habe gestern 2000 Euro bezahlt")
    assert dated("Mira hat gestern 2000 Euro bezahlt.", [said], "de") == (
        "Mira hat gestern (2031-05-21) 2000 Euro bezahlt."
    )


@pytest.mark.parametrize(
    ("since", "until", "ends"),
    [
        ("2019", "2019", datetime(2020, 1, 1, tzinfo=UTC)),
        ("2019-03", "2019", datetime(2020, 1, 1, tzinfo=UTC)),
        ("2019-12-05", "2019-12", datetime(2020, 1, 1, tzinfo=UTC)),
        ("2019-02-28", "2019-02-28", datetime(2019, 3, 1, tzinfo=UTC)),
        ("2019", "2021", datetime(2021, 1, 1, tzinfo=UTC)),
        ("2021", "2019", datetime(2019, 1, 1, tzinfo=UTC)),
        ("2019-03-05T10:00Z", "2019-03-05T10:00Z", datetime(2019, 3, 5, 10, tzinfo=UTC)),
    ],
)
def test_an_end_that_holds_the_beginning_is_the_end_of_its_day_month_or_year(since, until, ends):
    assert read_end(until, UTC, read_time(since, UTC)) == ends


def test_an_end_without_a_beginning_is_the_first_of_it():
    assert read_end("2019", UTC, None) == datetime(2019, 1, 1, tzinfo=UTC)
