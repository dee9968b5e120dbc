"""The laws of the rendered text: never over the budget, read back exactly, in order, nothing lost uncounted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hotpath._assemble import (
    SHARES,
    SHORTEST_TOKENS,
    Assembled,
    Page,
    Section,
    Turns,
    assemble,
    profile_block,
    shares_of,
)
from hotpath._expand import Piece
from hotpath.layers.labels import label, speaker_of
from shared.contract import block
from shared.contract.scope import Owner
from shared.language.tokens import ConservativeCounter, TokenCounter
from tests.unit.hotpath.pieces import START, anything, piece

NONCE = "0123456789abcdef"
COUNTER = ConservativeCounter()
PLENTY = 1_000_000


@st.composite
def pieces(draw: st.DrawFn, *, first: int = 1, hits: bool = True) -> list[Piece]:
    return [
        piece(
            number,
            draw(anything),
            speaker=draw(st.one_of(st.none(), st.text(st.characters(), max_size=20))),
            owner=Owner(draw(st.sampled_from(["mira", "room:harbour"]))),
            kind=draw(st.sampled_from(["episodic", "semantic"])),
            session_id=draw(st.sampled_from(["s1", "s2", None])),
            at=draw(st.one_of(st.none(), st.datetimes(datetime(1, 1, 1), timezones=st.just(UTC)))),  # noqa: DTZ001
            rank=number if hits else None,
            fresh=draw(st.booleans()),
            group=draw(st.sampled_from([None, None, None, "g"])) if hits else None,
        )
        for number in range(first, first + draw(st.integers(0, 6)))
    ]


def nothing_around(_: Piece) -> Iterable[Piece]:
    return ()


def turns(around: Mapping[int, Sequence[Piece]]) -> Turns:
    """The turns around hits, by their number."""
    return lambda hit: around.get(hit.doc, ())


def assembled(
    hits: Sequence[Piece],
    around: Turns = nothing_around,
    *,
    budget: int = PLENTY,
    counter: TokenCounter = COUNTER,
    profile: Sequence[Piece] = (),
    session: str | None = "s1",
) -> Assembled:
    page = Page(budget_tokens=budget, counter=counter, nonce=NONCE, session_id=session)
    return assemble(hits, around, page, profile)


def cost(each: Piece, *, day: bool = True, ordinal: int = 99) -> int:
    """What a line adds to the text."""
    shown = label(each, "Tue 4 Mar 2031" if day else None)
    return COUNTER.count(f"\n{block.item_line(ordinal, each.memory_id, shown, each.text)}") - 1


FRAME = COUNTER.count(block.render(NONCE, (), guard=block.SHORT_GUARD))


def accounted(made: Assembled, hits: Sequence[Piece]) -> bool:
    shown = sum(each.rank is not None for each in made.pieces) + sum(map(len, made.twins))
    return made.omitted == len(hits) - shown


@settings(max_examples=200)
@given(pieces(), pieces(first=50, hits=False), st.integers(0, 900))
def test_the_text_never_exceeds_the_budget_and_is_read_back_exactly(
    hits: list[Piece], around: list[Piece], budget: int
) -> None:
    made = assembled(hits, turns({1: around}), budget=budget)
    assert COUNTER.count(made.text) == made.tokens <= budget
    assert accounted(made, hits)
    assert bool(made.text) == bool(made.pieces)
    if made.text:
        read = block.parse(made.text)
        assert [(item.ordinal, item.memory_id, item.text) for item in read] == [
            (ordinal, block.short_id(each.memory_id), each.text) for ordinal, each in enumerate(made.pieces, 1)
        ]
        assert all(item.label.startswith(speaker_of(each)) for item, each in zip(read, made.pieces, strict=True))


@given(pieces(), pieces(first=50, hits=False))
def test_with_room_for_all_nothing_is_left_out(hits: list[Piece], around: list[Piece]) -> None:
    made = assembled(hits, turns({1: around}))
    shown = {each.doc for each in made.pieces} | {twin.doc for twins in made.twins for twin in twins}
    assert made.omitted == 0
    assert shown >= {each.doc for each in hits}
    assert shown <= {each.doc for each in hits} | {each.doc for each in around}


@dataclass(frozen=True)
class Grudging:
    """A counter that finds a whole far longer than its parts."""

    name: str = "grudging"

    def count(self, text: str) -> int:
        return len(text) * len(text) // 200


@given(pieces(), pieces(first=80, hits=False), st.integers(0, 3_000))
def test_the_budget_holds_for_a_counter_that_does_not_add_up(
    hits: list[Piece], profile: list[Piece], budget: int
) -> None:
    made = assembled(hits, budget=budget, counter=Grudging(), profile=profile)
    assert Grudging().count(made.text) == made.tokens <= budget
    assert bool(made.text) == bool(made.pieces)


def test_hits_come_before_what_is_around_them() -> None:
    hits = [piece(1, "the first hit"), piece(9, "the second hit")]
    after = piece(2, "a turn after it", rank=None)
    exact = FRAME + cost(hits[0]) + cost(hits[1], day=False)
    made = assembled(hits, turns({1: [after]}), budget=exact)
    assert [each.doc for each in made.pieces] == [1, 9]
    made = assembled(hits, turns({1: [after]}), budget=exact + cost(after, day=False))
    assert [each.doc for each in made.pieces] == [1, 2, 9]
    assert made.omitted == 0


def test_the_best_hits_turns_come_first_whatever_its_time() -> None:
    hits = [piece(9, "the best"), piece(1, "the next")]
    around = {9: [piece(8, "beside the best", rank=None)], 1: [piece(2, "beside the next", rank=None)]}
    hits = [hits[0]._replace(rank=1), hits[1]._replace(rank=2)]
    exact = FRAME + cost(hits[0]) + sum(cost(each, day=False) for each in (hits[1], around[9][0]))
    made = assembled(hits, turns(around), budget=exact)
    assert [each.doc for each in made.pieces] == [1, 8, 9]


def test_what_does_not_fit_is_passed_over_and_the_next_tried() -> None:
    hits = [piece(1, "a hit"), piece(2, "so long " * 300), piece(3, "another hit"), piece(4, "long " * 300)]
    made = assembled(hits, budget=FRAME + cost(hits[0]) + cost(hits[2], day=False))
    assert [each.doc for each in made.pieces] == [1, 3]
    assert made.omitted == 2


def test_the_better_hit_wins_the_room_for_one() -> None:
    hits = [piece(5, "five words are in here"), piece(1, "four words are here")]
    made = assembled(hits, budget=FRAME + cost(hits[0]))
    assert [each.doc for each in made.pieces] == [5]


def test_the_turns_around_a_hit_that_did_not_fit_stay_out_with_it() -> None:
    hits = [piece(1, "a hit"), piece(2, "so long " * 300)]
    around = {2: [piece(3, "beside the long one", rank=None)]}
    made = assembled(hits, turns(around), budget=FRAME + cost(hits[0]) + 100)
    assert [each.doc for each in made.pieces] == [1]


def test_no_hit_is_shown_as_a_turn_around_another_whether_it_was_taken_or_not() -> None:
    hits = [piece(1, "a hit"), piece(2, "A hit."), piece(3, "so long " * 300), piece(4, "another hit")]
    beside = [each._replace(rank=None) for each in hits[1:]]
    made = assembled(hits, turns({1: [*beside, piece(5, "a turn", rank=None)]}), budget=FRAME + 200)
    assert [(each.doc, each.rank) for each in made.pieces] == [(1, 1), (4, 4), (5, None)]
    assert made.omitted == 1


def test_items_are_read_by_section_stream_and_time_whatever_their_rank() -> None:
    hits = [
        piece(1, "late", at=START + timedelta(days=2)),
        piece(2, "early", at=START),
        piece(3, "same time, later number", at=START),
        piece(4, "in the room", owner=Owner("room:harbour"), at=START - timedelta(days=1)),
        piece(5, "held to be so", kind="semantic", epistemic_type="fact"),
        piece(6, "now", session_id="asking", at=START + timedelta(days=9)),
    ]
    made = assembled(hits, session="asking")
    assert [each.text for each in made.pieces] == [
        "now",
        "held to be so",
        "early",
        "same time, later number",
        "late",
        "in the room",
    ]


@given(pieces())
def test_within_a_section_and_stream_time_never_runs_backwards(hits: list[Piece]) -> None:
    made = assembled(hits, session=None).pieces
    for owner in {each.owner for each in made}:
        for kind in ("semantic", "episodic"):
            times = [each.at for each in made if each.owner == owner and each.kind == kind and each.at]
            assert times == sorted(times)


@given(pieces())
def test_no_line_is_shorter_than_the_shortest(hits: list[Piece]) -> None:
    for each in hits:
        bare = each._replace(text="", speaker="a", memory_id=UUID(int=0))
        assert cost(each, day=False, ordinal=9) >= SHORTEST_TOKENS
        assert cost(bare, day=False, ordinal=9) >= SHORTEST_TOKENS


@pytest.mark.parametrize("budget", [0, 1, SHORTEST_TOKENS, 60])
def test_a_budget_below_the_frame_gives_an_empty_text_and_counts_every_hit(budget: int) -> None:
    made = assembled([piece(1, "a hit"), piece(2, "another")], budget=budget)
    assert (made.text, made.tokens, made.pieces, made.omitted) == ("", 0, (), 2)


def test_a_day_is_given_once_where_lines_of_it_stand_together() -> None:
    hits = [
        piece(1, "one"),
        piece(2, "two"),
        piece(3, "three", at=START + timedelta(days=1)),
        piece(4, "four", at=None),
        piece(5, "five", owner=Owner("room:harbour")),
    ]
    labels = [item.label for item in block.parse(assembled(hits).text)]
    assert labels == [
        "user, time unknown",
        "user, Tue 4 Mar 2031",
        "user",
        "user, Wed 5 Mar 2031",
        "user, Tue 4 Mar 2031",
    ]


def test_days_are_of_the_zone_that_is_asked_for() -> None:
    late = piece(1, "one", at=datetime(2031, 3, 4, 22, tzinfo=UTC))
    page = Page(budget_tokens=500, counter=COUNTER, nonce=NONCE, zone=ZoneInfo("Asia/Tokyo"))
    (item,) = block.parse(assemble([late], nothing_around, page).text)
    assert item.label == "user, Wed 5 Mar 2031"


def test_near_twins_cost_one_line_that_says_when_else_and_none_is_omitted() -> None:
    said = [piece(n, text, at=START + timedelta(days=n)) for n, text in enumerate(["I keep bees.", "i keep bees"], 1)]
    made = assembled([*said, piece(3, "I keep wasps.")])
    assert [each.doc for each in made.pieces] == [3, 1]
    assert made.twins == ((), (said[1],))
    assert made.omitted == 0
    assert block.parse(made.text)[1].label == "user, Wed 5 Mar 2031, also 6 Mar 2031"


def test_near_twins_of_what_does_not_fit_are_omitted_with_it() -> None:
    made = assembled([piece(1, "so long " * 300), piece(2, "so long " * 300), piece(3, "a hit")], budget=FRAME + 40)
    assert ([each.doc for each in made.pieces], made.omitted) == ([3], 2)


def test_what_contradicts_each_other_is_shown_whole_or_not_at_all() -> None:
    hits = [piece(1, "a hit"), piece(2, "he lives in Porto", group="g"), piece(3, "he lives in Faro " * 40, group="g")]
    made = assembled(hits, budget=FRAME + cost(hits[0]) + cost(hits[1]) + 50)
    assert ([each.doc for each in made.pieces], made.omitted) == ([1], 2)
    assert [each.doc for each in assembled(hits).pieces] == [1, 2, 3]


@given(pieces(), st.integers(0, 900))
def test_half_of_a_contradiction_is_never_shown(hits: list[Piece], budget: int) -> None:
    made = assembled(hits, budget=budget)
    shown = [each.group for each in made.pieces].count("g") + sum(t.group == "g" for twins in made.twins for t in twins)
    assert shown in (0, [each.group for each in hits].count("g"))


def crowded() -> list[Piece]:
    """Hits of all three sections, of which the episodes are the best and enough for everything."""
    episodes = [piece(n, f"episode number {n} of many, all of them alike") for n in range(1, 40)]
    beliefs = [piece(n, f"belief number {n} of many, all alike", kind="semantic") for n in range(40, 60)]
    working = [piece(n, f"lately said, number {n} of many alike", session_id="asking") for n in range(60, 80)]
    return [*episodes, *beliefs, *working]


def test_each_section_has_its_share_where_all_could_fill_it() -> None:
    made = assembled(crowded(), budget=1_500, session="asking")
    tokens = dict.fromkeys(Section, 0)
    for each in made.pieces:
        section = Section.WORKING if each.session_id == "asking" else Section.SEMANTIC if each.kind == "semantic" else 3
        tokens[Section(section)] += cost(each, day=False)
    for section, share in SHARES.items():
        assert abs(tokens[section] / sum(tokens.values()) - share) < 0.06, section


def test_what_a_section_leaves_flows_on_to_the_others() -> None:
    alone = assembled([each for each in crowded() if each.doc < 40], budget=900)
    few = assembled([each for each in crowded() if each.doc < 41], budget=900, session="asking")
    assert 870 < alone.tokens <= 900
    assert 870 < few.tokens <= 900
    assert 40 in {each.doc for each in few.pieces}


@given(st.dictionaries(st.sampled_from(Section), st.integers(0, 3_000)), st.integers(0, 3_000))
def test_shares_never_exceed_the_budget_nor_what_is_wanted_and_leave_nothing_that_is_wanted(
    wanted: dict[Section, int], budget: int
) -> None:
    given_to = shares_of(wanted, budget)
    assert set(given_to) == set(wanted)
    assert all(0 <= given_to[each] <= wanted[each] for each in wanted)
    assert sum(given_to.values()) <= budget
    assert sum(given_to.values()) >= min(budget, sum(wanted.values())) - len(Section)
    for each, asked in wanted.items():
        assert given_to[each] >= min(asked, int(budget * SHARES[each]) - 1)


FACTS = [
    piece(90, "is called Mira", kind="semantic", epistemic_type="fact", rank=None, score=0.0, at=None),
    piece(91, "lives in Porto", kind="semantic", epistemic_type="fact", rank=None, score=0.0, at=None),
    piece(92, "likes bees", kind="semantic", epistemic_type="preference", rank=None, score=0.0, at=None),
]


def test_the_profile_stands_first_and_its_bytes_depend_on_it_alone() -> None:
    one = assembled([piece(1, "a hit")], profile=FACTS, budget=1_000)
    other = assembled([piece(2, "another"), piece(3, "and one more")], profile=FACTS, budget=1_000)
    first, second = block.whole_blocks(one.text)
    assert one.text[slice(*first)] == other.text[slice(*next(block.whole_blocks(other.text)))]
    assert [item.text for item in block.parse(one.text)] == [fact.text for fact in FACTS]
    assert [item.ordinal for item in block.parse(one.text[slice(*second)])] == [4]
    assert [each.text for each in one.pieces] == [*(fact.text for fact in FACTS), "a hit"]
    changed = assembled([piece(1, "a hit")], profile=FACTS[:2], budget=1_000)
    assert not changed.text.startswith(one.text[slice(*first)][:60]), "its nonce is another"


def test_a_profile_alone_is_shown_and_an_empty_one_is_not() -> None:
    assert [each.text for each in assembled([], profile=FACTS).pieces] == [fact.text for fact in FACTS]
    assert assembled([]).text == ""


@given(pieces(first=80, hits=False), pieces(), st.integers(0, 900))
def test_the_budget_holds_with_a_profile_and_both_blocks_are_read_back(
    profile: list[Piece], hits: list[Piece], budget: int
) -> None:
    made = assembled(hits, budget=budget, profile=profile)
    assert COUNTER.count(made.text) == made.tokens <= budget
    read = [item for span in block.whole_blocks(made.text) for item in block.parse(made.text[slice(*span)])]
    assert [(item.ordinal, item.text) for item in read] == [(n, each.text) for n, each in enumerate(made.pieces, 1)]


def test_a_profile_takes_no_more_than_its_share() -> None:
    hits = [piece(number, f"hit {number}") for number in range(1, 5)]
    page = Page(budget_tokens=2_000, counter=COUNTER, nonce=NONCE, profile_tokens=300)
    made = assemble(hits, nothing_around, page, FACTS * 20)
    opening, _ = profile_block(FACTS * 20, page)
    assert opening
    assert COUNTER.count(opening) <= 300
    assert made.text.startswith(opening)
    assert {hit.memory_id for hit in hits} <= {each.memory_id for each in made.pieces}
    assert profile_block(FACTS, replace(page, profile_tokens=20)) == ("", ())


def test_a_fact_that_is_a_hit_is_shown_once_as_the_hit_that_it_is_and_keeps_its_place() -> None:
    hit = FACTS[0]._replace(rank=2, score=0.5)
    made = assembled([piece(9, "another")._replace(rank=1), hit], profile=FACTS, budget=1_000)
    alone = assembled([piece(9, "another")._replace(rank=1)], profile=FACTS, budget=1_000)
    assert [each.memory_id for each in made.pieces].count(hit.memory_id) == 1
    assert made.pieces[0] == hit
    assert made.text.split("\n")[:4] == alone.text.split("\n")[:4], "the profile's bytes are the same"
    assert made.omitted == 0


def test_a_fact_that_contradicts_another_hit_stands_with_it_too() -> None:
    pair = [
        FACTS[0]._replace(rank=1, group="Mira · name", side="a"),
        piece(9, "b")._replace(rank=2, group="Mira · name", side="b"),
    ]
    made = assembled(pair, profile=FACTS, budget=1_000)
    assert [each.memory_id for each in made.pieces].count(FACTS[0].memory_id) == 2
