from datetime import date

import pytest

from shared.language.tokens import ConservativeCounter
from tests.model_reading import entry, line
from warmpath._checking import checked
from warmpath._counting import miscounted
from warmpath._windows import windows


@pytest.mark.parametrize(
    ("said", "told", "since"),
    [
        ("I sold the boat yesterday", "Mira sold the boat on 2031-05-19.", None),
        ("I sold the boat yesterday", "Mira sold the boat.", "2031-05-22"),
        ("I sold it three days ago", "Mira sold it on 2031-05-20.", "2031-05-20"),
        ("Ich habe das Boot vorgestern verkauft", "Mira hat das Boot am 2031-05-21 verkauft.", None),
    ],
)
def test_a_day_that_the_lines_do_not_come_to_is_known(said, told, since):
    assert miscounted(told, (since, None), [line(said)]) is not None


@pytest.mark.parametrize(
    ("said", "told", "since"),
    [
        ("I sold the boat yesterday", "Mira sold the boat on 2031-05-21.", "2031-05-21"),
        ("I sold the boat yesterday", "Mira sold the boat.", None),
        ("I sold the boat yesterday", "Mira sold the boat in 2031-05.", "2031"),
        ("I sold the boat", "Mira sold the boat on 2031-05-22.", "2031-05-22"),
        ("Yesterday I heard that it is on 2031-06-01", "It is on 2031-06-01.", None),
        ("Yesterday I heard that we fly on Friday", "Mira flies on 2031-05-23.", None),
        ("I heard today that we fly after Easter", "Mira flies on 2031-06-02.", None),
        ("Gestern hieß es, dass wir am 3. fliegen", "Mira fliegt am 2031-06-03.", None),
    ],
)
def test_what_may_be_right_is_let_be(said, told, since):
    assert miscounted(told, (since, None), [line(said)]) is None


def test_a_line_without_a_day_comes_to_none():
    assert miscounted("Mira flew on 2031-05-19.", (), [line("I flew yesterday", said_at=None)]) is None


def test_an_entry_with_a_day_that_its_line_does_not_come_to_is_refused_and_the_day_is_told():
    [window] = windows([line("I sold the boat yesterday")], (), budget_tokens=6_000, counter=ConservativeCounter())
    found = checked([entry("Mira sold the boat on 2031-05-19.", since="2031-05-19")], window)
    [refused] = found.refused
    assert refused.reason == "wrong_date"
    assert date(2031, 5, 21).isoformat() in refused.told
