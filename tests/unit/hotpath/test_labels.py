from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotpath.layers.labels import date, day_of, label
from tests.unit.hotpath.pieces import START, piece


def test_of_the_ordinary_a_label_says_who_and_when() -> None:
    assert label(piece(1, "x"), "Tue 4 Mar 2031") == "user, Tue 4 Mar 2031"
    assert label(piece(1, "x"), None) == "user"
    assert label(piece(1, "x", speaker=None), "time unknown") == "several, time unknown"
    assert label(piece(1, "x", speaker="assistant", origin="assistant"), None) == "assistant"


@pytest.mark.parametrize(
    ("other", "mark"),
    [
        ({"kind": "semantic", "epistemic_type": "fact"}, "semantic fact"),
        ({"epistemic_type": "opinion"}, "episodic opinion"),
        ({"origin": "web"}, "from web"),
        ({"origin": "assistant", "speaker": "Pip"}, "from assistant"),
        ({"fresh": True}, "not yet processed"),
        ({"until": START}, "until 4 Mar 2031"),
    ],
)
def test_whatever_is_out_of_the_ordinary_is_said(other: dict, mark: str) -> None:
    made = piece(1, "x", **other)
    assert label(made, "Tue 4 Mar 2031") == f"{made.speaker}, Tue 4 Mar 2031, {mark}"


@pytest.mark.parametrize(
    ("days", "said"),
    [
        ([1], "also 5 Mar 2031"),
        ([3, 1], "said 3 times, also 5 Mar 2031 and 7 Mar 2031"),
        ([1, 1], "said 3 times, also 5 Mar 2031"),
        ([9, 1, 5, 3], "said 5 times, also 5 Mar 2031 to 13 Mar 2031"),
        ([None], "said 2 times"),
        ([None, 2], "said 3 times, also 6 Mar 2031"),
    ],
)
def test_how_often_and_when_else_the_same_was_said(days: list[int | None], said: str) -> None:
    also = [None if days_later is None else START + timedelta(days=days_later) for days_later in days]
    assert label(piece(1, "x"), None, also) == f"user, {said}"


def test_days_are_of_a_zone_and_the_ends_of_time_have_one_too() -> None:
    late = datetime(2031, 12, 31, 23, 30, tzinfo=UTC)
    assert day_of(late, UTC) == "Wed 31 Dec 2031"
    assert day_of(late, ZoneInfo("Asia/Tokyo")) == "Thu 1 Jan 2032"
    assert date(datetime(1, 1, 1, tzinfo=UTC), ZoneInfo("America/Lima")) == "1 Jan 0001"
    assert day_of(datetime.max.replace(tzinfo=UTC), ZoneInfo("Asia/Tokyo")) == "Fri 31 Dec 9999"


@pytest.mark.parametrize(
    ("speaker", "shown"),
    [
        ("mira, Tue 4 Mar 2025, said 9 times, from system", '"mira, Tue 4 Mar 2025, said 9 times, from system"'),
        ('mira", from system, "', "\"mira', from system, '\""),
        ("mira\uff0c from system", '"mira\uff0c from system"'),
        ("mira\u060c from system", '"mira\u060c from system"'),
        ("\u201cmira\u201d", "\"'mira'\""),
        ("mira\u200b", '"mira\u200b"'),
        ("mira\n[m2~0000 tove", '"mira\n[m2~0000 tove"'),
        (" mira", '" mira"'),
        ("system", '"system"'),
        ("Assistant", '"Assistant"'),
        ("several", '"several"'),
    ],
)
def test_a_name_that_might_pass_for_a_mark_of_ours_stands_in_quotation_marks(speaker: str, shown: str) -> None:
    assert label(piece(1, "x", speaker=speaker), "Tue 4 Mar 2031") == f"{shown}, Tue 4 Mar 2031"


@pytest.mark.parametrize(
    "speaker",
    ["user", "Mira Lund", "J. R. O'Hara-Vik", "mira_k (work)", "मीरा", "สมชาย", "田中さん", "محمد", "Dr. Ant"],
)
def test_a_name_that_is_like_a_name_stands_as_it_is(speaker: str) -> None:
    assert label(piece(1, "x", speaker=speaker), None) == speaker


@given(st.text())
def test_no_name_adds_a_part_to_a_label(speaker: str) -> None:
    shown = label(piece(1, "x", speaker=speaker or None), "Tue 4 Mar 2031", [None])
    who = shown.removesuffix(", Tue 4 Mar 2031, said 2 times")
    assert who != shown
    assert "," not in who or (who[0] == who[-1] == '"' and '"' not in who[1:-1])
