from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from shared.language.summaries import MOST_CHARS, MOST_SENTENCES, summary_of

_BOAT = [
    "We bought the cutter Marigold for 1,400 pounds.",
    "lol",
    "The cutter needs new planks, and the mill at Dartmeadow sells larch.",
    "Who is hungry?",
    "I will order larch planks from the mill at Dartmeadow on Friday.",
    "ok",
    "The launch of Marigold is in April.",
]


def _words(lines: list[str]) -> list[str]:
    return [lines[each.line][each.start : each.end] for each in summary_of(lines)]


def test_what_is_said_again_and_names_things_stands_for_the_whole() -> None:
    found = _words(_BOAT)
    assert "The launch of Marigold is in April." in found
    assert not {"lol", "ok", "Who is hungry?"} & set(found[:3])


def test_it_keeps_the_order_of_the_conversation() -> None:
    found = summary_of(_BOAT)
    assert [each.line for each in found] == sorted(each.line for each in found)


def test_what_says_the_same_is_said_once() -> None:
    line = "The launch of Marigold is in April."
    assert _words([line, line, line, "The planks are of larch from Dartmeadow."]).count(line) == 1


def test_a_number_with_a_point_is_not_cut() -> None:
    (found,) = _words(["The bridge by the mill clears 4.10 metres"])
    assert found == "The bridge by the mill clears 4.10 metres"


def test_chinese_is_summarised_too() -> None:
    assert _words(["我们买了一条旧船，名字叫金盏花。", "好。", "旧船的名字叫金盏花，四月下水。"])


@settings(max_examples=100, deadline=None)
@given(lines=st.lists(st.text(max_size=300), max_size=12))
def test_it_is_short_and_points_into_the_lines(lines: list[str]) -> None:
    found = summary_of(lines)
    assert len(found) <= MOST_SENTENCES
    assert sum(each.end - each.start for each in found) <= MOST_CHARS
    assert all(lines[each.line][each.start : each.end].strip() for each in found)
