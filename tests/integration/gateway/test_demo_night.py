"""The night of the demonstration: jobs tidy up, a profile has versions, and a batch is taken back."""

from __future__ import annotations

from dataclasses import replace

from rich.console import Console

from gateway import Daybook
from gateway.demo import believing, night
from gateway.demo.show_night import show_night
from shared.settings import Settings
from shared.testing import HashEmbedder


def test_what_a_user_said_three_times_is_concluded_shown_and_taken_back(
    reading: Settings, embedder: HashEmbedder
) -> None:
    del embedder
    with Daybook(reading) as daybook:
        for run in night.shipped():
            believing.feed(daybook, "demo", run)
        slept = night.sleep(daybook, "demo")
    assert slept.faults == ()
    assert {each.job for each in slept.jobs if each.accepted} >= {"consolidate", "link"}
    assert slept.taken_back > 0
    console = Console(width=120, record=True)
    show_night(console, slept)
    shown = console.export_text()
    for text in ("said_often", "Bergen", "Oslo", "as it should be"):
        assert text in shown


def test_what_is_not_as_it_should_be_is_named(reading: Settings, embedder: HashEmbedder) -> None:
    del embedder
    with Daybook(reading) as daybook:
        believing.feed(daybook, "demo", night.shipped()[-1])
        slept = night.sleep(daybook, "demo")
    assert len(slept.faults) >= 2, slept.faults
    console = Console(width=120, record=True)
    show_night(console, replace(slept))
    assert "nothing was concluded" in console.export_text()
