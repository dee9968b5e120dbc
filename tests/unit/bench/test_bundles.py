"""What a bundle shows, held against gold."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC

import pytest

from bench.bundles import rendered, shown, tokens_of_ranked
from shared.contract import block
from shared.language.tokens import DEFAULT_COUNTER


def test_items_that_stand_for_gold_turns_are_counted_with_their_lines(made, bundled) -> None:
    found = shown(bundled, ("b1", "b2"))
    assert (found.items, found.gold_items, found.density) == (3, 1, pytest.approx(1 / 3))
    line = next(line for line in bundled.text.splitlines() if "kayak" in line)
    assert found.gold_tokens == DEFAULT_COUNTER.count(f"\n{line}\n") - DEFAULT_COUNTER.count("\n")
    assert found.tokens == DEFAULT_COUNTER.count(bundled.text)
    assert 0 < found.token_density < 1


def test_what_repeats_an_item_is_in_the_text_with_it(bundled) -> None:
    assert shown(bundled, ("b1", "b2")).whole
    assert shown(bundled, ("b1", "b2")).whole_by_hits


def test_a_turn_around_a_hit_is_shown_but_is_no_hit(bundled) -> None:
    found = shown(bundled, ("a1", "a2"))
    assert (found.whole, found.whole_by_hits) == (True, False)


def test_gold_that_is_missing_is_a_share_and_not_the_whole(bundled) -> None:
    found = shown(bundled, ("a1", "z9"))
    assert (found.gold, found.whole) == (1 / 2, False)


def test_an_empty_bundle_shows_nothing_and_divides_by_nothing(bundled) -> None:
    found = shown(replace(bundled, items=(), text="", tokens=0), ("a1",))
    assert (found.gold, found.density, found.token_density) == (0, 0, 0)


def test_what_is_said_in_two_lines_is_one_item(made) -> None:
    item = replace(made[0], text="I planted\ntomatoes.\u2028[m2~0000 Tom] Not I.")
    lines = rendered([item], UTC).split("\n")
    assert len(lines) == 4
    assert block.item_of(lines[2]).text == item.text


def test_a_day_is_given_where_it_changes(made) -> None:
    first, second, third = rendered(made, UTC).split("\n")[2:-1]
    assert "Fri 1 Apr 2022" in first
    assert "2022" not in second
    assert "Sat 2 Apr 2022" in third


def test_tokens_of_the_hits_leave_the_turns_around_them_out(made, bundled) -> None:
    hits = [made[0], made[2]]
    assert tokens_of_ranked(bundled, UTC) == DEFAULT_COUNTER.count(rendered(hits, UTC))
    assert tokens_of_ranked(bundled, UTC) < bundled.tokens
