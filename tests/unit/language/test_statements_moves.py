"""Several moves of one sentence: only where the last of them led somebody lives now."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest

from shared.language.statements import Statement

Told = Callable[[str], set[str]]
Read = Callable[..., list[Statement]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I moved to Lyon but came back to Ghent after a month.", {"ended Mira lives_in Lyon", "Mira lives_in Ghent"}),
        (
            "We relocated to Porto, but a year later we went back to Leeds.",
            {"ended Mira lives_in Porto", "Mira lives_in Leeds"},
        ),
        ("I moved to Kiel and then back to Bonn.", {"ended Mira lives_in Kiel", "Mira lives_in Bonn"}),
        ("I moved to Turin for work but I'm back in Graz now.", {"ended Mira lives_in Turin", "Mira lives_in Graz"}),
        ("We moved to Lyon and returned to Ghent.", {"ended Mira lives_in Lyon", "Mira lives_in Ghent"}),
        ("I lived in Lyon for a year but came back to Ghent.", {"ended Mira lives_in Lyon", "Mira lives_in Ghent"}),
        ("I moved to Riga but came back after two months.", {"ended Mira lives_in Riga"}),
        ("I moved to Riga and back again.", {"ended Mira lives_in Riga"}),
        ("I moved to Riga. Then I moved back.", {"ended Mira lives_in Riga"}),
        ("I moved to Lyon. Later I moved back to Ghent.", {"ended Mira lives_in Lyon", "Mira lives_in Ghent"}),
        ("I moved from Bonn to Kiel and then on to Turin.", {"Mira lives_in Turin"}),
        (
            "I left Kiel for Turin and went back to Kiel after a year.",
            {"ended Mira works_at Turin", "ended Mira lives_in Turin"},
        ),
        (
            "I left Elkem for Hydro but returned to Elkem.",
            {"ended Mira works_at Hydro", "ended Mira lives_in Hydro"},
        ),
    ],
)
def test_whoever_came_back_lives_there_no_longer(told: Told, text: str, expected: set[str]) -> None:
    assert told(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I moved to Kiel but I go back to Bonn every month.", "Kiel"),
        ("I moved to Kiel and went back to Bonn for Christmas.", "Kiel"),
        ("I moved to Kiel but my parents moved back to Bonn.", "Kiel"),
        ("I moved to Kiel in 2019 and never came back.", "Kiel"),
        ("I moved to Bonn after living in Kiel.", "Bonn"),
        ("I lived in Kiel before moving to Bonn, and now I live in Graz.", "Graz"),
        ("I have lived in Kiel for ten years before moving to Bonn.", "Bonn"),
        ("I moved back to Oslo.", "Oslo"),
        ("I live in Oslo. I went back to Bergen last weekend.", "Oslo"),
        ("I moved to Leeds, and back then I worked at Acme.", "Leeds"),
        ("I moved to Rome to work with Otto.", "Rome"),
    ],
)
def test_a_visit_and_another_s_return_leave_somebody_where_they_live(told: Told, text: str, expected: str) -> None:
    assert {each for each in told(text) if "Mira lives_in" in each} == {f"Mira lives_in {expected}"}


def test_each_stop_has_its_time_and_the_last_one_lasts(read: Read) -> None:
    found = read("I moved to Turin in 2020, then to Genoa in 2021, and back to Turin in 2023.")
    assert {(each.object, each.since, each.until) for each in found} == {
        ("Genoa", date(2021, 1, 1), date(2023, 1, 1)),
        ("Turin", date(2023, 1, 1), None),
    }
