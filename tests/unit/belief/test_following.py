"""What says only what its lines say, of whom they say it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.belief.following import exchanges, follows, own_words

FLIGHT, LEAVES = "Mira's flight to Lisbon is on 2031-05-03.", "Mira's flight to Lisbon leaves from Leeds."
ANA, BEN = "Ana pays 500.", "Ben pays 300."
LENT = "Mira lent the boat to Oskar."


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (LENT, [LENT]),
        ("Ana pays 500 and Ben pays 300.", [ANA, BEN]),
        ("Ben pays 300, while Ana pays 500.", [ANA, BEN]),
        ("Ana pays 500 and Ben pays 300.", ["Ana pays 500 and Ben pays 300."]),
        ("Mira's flight to Lisbon leaves from Leeds on 2031-05-03.", [FLIGHT, LEAVES]),
        ("Mira's flight to Lisbon is on 2031-05-03, and it leaves from Leeds.", [FLIGHT, LEAVES]),
        ("Tove lives in Oslo.", ["Tove lives in Oslo with her sister."]),
        ("Tove lives in Oslo and keeps bees.", ["Tove lives in Oslo with her sister.", "Tove keeps bees."]),
        ("The flight is not full.", ["The flight is not full."]),
    ],
)
def test_what_keeps_to_its_lines_follows(text: str, lines: list[str]) -> None:
    assert follows(text, lines)
    assert own_words(text, lines) == set()
    assert not exchanges(text, lines)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("Oskar lent the boat to Mira.", [LENT]),
        ("Ana pays 300 and Ben pays 500.", [ANA, BEN]),
        ("Ana pays 300 and Ben pays 500.", ["Ana pays 500 and Ben pays 300."]),
        ("Ana pays 300.", [ANA, BEN]),
    ],
)
def test_nothing_is_exchanged(text: str, lines: list[str]) -> None:
    assert not follows(text, lines)
    assert own_words(text, lines) == set()
    assert exchanges(text, lines)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("Ana and Ben pay 300 and 500.", ["Ana pays 500.", "Ben pays 300.", "They pay."]),
        ("Oskar works at Acme.", ["Mira lives in Oslo and works at Acme.", "Oskar sings."]),
        ("Mira loves Oskar.", ["Mira loves tea.", "Oskar hates fish."]),
        ("Mira loves Oskar.", ["Mira loves Oskar's dog."]),
        ("Mira sold the boat.", ["Mira heard that Oskar sold the boat."]),
        ("Mira lent the boat.", ["Mira's friend Tove lent the boat."]),
        ("Mira will come.", ["Mira will come if it rains."]),
        ("Mira will come.", ["Mira will come with Tove unless it rains."]),
        ("The hotel costs 300.", ["The flight costs 300.", "The hotel costs 500."]),
        ("", [LENT]),
    ],
)
def test_what_is_said_of_one_is_said_of_no_other_and_under_its_conditions(text: str, lines: list[str]) -> None:
    assert not follows(text, lines)


@pytest.mark.parametrize(
    ("text", "lines", "own"),
    [
        ("The flight is cancelled.", ["The flight is on Monday."], {"cancelled"}),
        ("Mira hates tea.", ["Mira loves tea."], {"hates"}),
        ("All guests eat meat.", ["Some guests eat meat."], {"all"}),
        ("Mira was in Oslo.", ["Mira is in Oslo."], {"was"}),
        ("The train is from Leeds.", ["The train is to Leeds."], {"from"}),
        ("The boat has a sail.", ["A sail of the boat is red."], set()),
    ],
)
def test_no_word_that_means_something_is_its_own(text: str, lines: list[str], own: set[str]) -> None:
    assert own_words(text, lines) == own


_SAID = "Ana Ben pays lent 500 300 boat to in Oslo"
_LINES = st.lists(
    st.lists(st.sampled_from(_SAID.split()), min_size=1, max_size=6).map(" ".join), min_size=1, max_size=4
)


@given(_LINES)
def test_the_lines_themselves_one_after_the_other_always_follow(lines: list[str]) -> None:
    text = ", and ".join(lines)
    assert follows(text, lines) or all(each == "in" for each in text.replace(", and", "").split())


@given(st.permutations(["Ana", "Ben", "Cleo"]))
def test_of_three_who_pay_each_pays_their_own(order: list[str]) -> None:
    lines = ["Ana pays 500.", "Ben pays 300.", "Cleo pays 100."]
    text = f"{order[0]} pays 500, {order[1]} pays 300 and {order[2]} pays 100."
    assert follows(text, lines) is (order == ["Ana", "Ben", "Cleo"])
