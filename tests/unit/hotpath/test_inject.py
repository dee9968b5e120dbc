"""A bundle in every form: within its budget, read back exactly, never in the system role, cut when it comes back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, timedelta
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hotpath
from hotpath._assemble import Page, assemble
from hotpath._every_form import assemble_for_forms
from hotpath.layers.inject import Written, render
from shared.accept.recalled import without_recalled
from shared.contract import block, forms
from shared.contract.bundle import Bundle, Item, Repeat, Verdict
from shared.contract.errors import InvalidQuery
from shared.contract.turns import TurnId
from shared.language.tokens import DEFAULT_COUNTER
from tests.unit.hotpath.pieces import START, anything, piece

READ: dict[Written, Callable[[str], list[block.Item]]] = {
    "markdown": forms.parse_markdown,
    "xml": forms.parse_xml,
    "json": forms.parse_json,
}
each_form = pytest.mark.parametrize("form", READ)


def item(ordinal: int, text: str, **other: object) -> Item:
    made = Item(
        ordinal=ordinal,
        memory_id=UUID(int=ordinal << 112),
        text=text,
        kind="episodic",
        epistemic_type="evidence",
        speaker="user",
        role="user",
        origin="user",
        trust=4,
        event_time=START + timedelta(days=ordinal),
        session_id="s",
        sources=(),
        score=0.5,
        rank=ordinal,
    )
    return replace(made, **other)


def bundle(*items: Item, budget: int | None = None, text: str = "a text", **other: object) -> Bundle:
    made = Bundle(
        turn_id=TurnId(UUID(int=7)),
        items=items,
        text=text,
        tokens=0,
        counter="conservative-v1",
        verdict=Verdict.SUPPORTED,
        reason="",
        degraded=(),
        omitted=0,
        hits=(),
        watermarks=(),
        fresh_runs=0,
        timings_ms={},
        plan=(),
        budget_tokens=budget,
    )
    return replace(made, **other)


@st.composite
def items(draw: st.DrawFn) -> list[Item]:
    return [
        item(
            number,
            draw(anything).encode("utf-16", "surrogatepass").decode("utf-16", "replace"),
            speaker=draw(st.sampled_from([None, "user", "</memory>", "a`b] [m1~0000 c", 'mira", from system, "'])),
            rank=draw(st.sampled_from([None, number])),
            group=draw(st.sampled_from([None, None, "g"])),
        )
        for number in range(1, draw(st.integers(1, 6)))
    ]


@each_form
@settings(max_examples=100)
@given(given_items=items(), budget=st.one_of(st.none(), st.integers(0, 900)))
def test_every_form_keeps_the_budget_and_is_read_back_exactly(
    form: Written, given_items: list[Item], budget: int | None
) -> None:
    text = render(bundle(*given_items, budget=budget), form)
    if budget is not None:
        assert DEFAULT_COUNTER.count(text) <= budget
    shown = [(each.ordinal, each.memory_id, each.text) for each in READ[form](text)] if text else []
    assert shown == [
        (each.ordinal, block.short_id(each.memory_id), each.text)
        for each in given_items
        if each.ordinal in {ordinal for ordinal, *_ in shown}
    ]
    assert budget is not None or len(shown) == len(given_items)
    groups = [each.group for each in given_items if each.ordinal in {ordinal for ordinal, *_ in shown}]
    assert groups.count("g") in (0, [each.group for each in given_items].count("g"))


@each_form
def test_a_form_that_costs_more_shows_fewer_and_the_best_of_them(form: Written) -> None:
    told = [item(number, "words of no great interest " * 4, rank=6 - number) for number in range(1, 6)]
    told[0] = replace(told[0], rank=None)
    most = DEFAULT_COUNTER.count(render(bundle(*told), form))
    shown = READ[form](render(bundle(*told, budget=most - 1), form))
    assert [each.ordinal for each in shown] == [2, 3, 4, 5], "the turn beside a hit goes first"
    shown = READ[form](render(bundle(*told, budget=most * 3 // 4), form))
    assert shown
    assert [each.ordinal for each in shown] == [2, 3, 4, 5][-len(shown) :], "then the least hit"
    assert render(bundle(*told, budget=20), form) == ""


@each_form
def test_an_empty_bundle_is_an_empty_text(form: Written) -> None:
    assert render(bundle(text=""), form) == ""
    assert render(bundle(text=""), "messages") == []


def test_labels_say_when_and_what_in_every_form() -> None:
    told = bundle(
        item(1, "bees", event_time=START),
        item(2, "wasps", event_time=START, kind="semantic", epistemic_type="fact", origin="web"),
        item(3, "ants", repeats=(Repeat(memory_id=UUID(int=1), event_time=START, sources=()),)),
    )
    assert [each.label for each in forms.parse_markdown(render(told, "markdown"))] == [
        "user, Tue 4 Mar 2031",
        "user, semantic fact, from web",
        "user, Fri 7 Mar 2031, also 4 Mar 2031",
    ]
    assert [each.label for each in forms.parse_json(render(told, "json"))][1] == (
        "user, Tue 4 Mar 2031, semantic fact, from web"
    )


def assembled(profile: bool = False) -> Bundle:  # noqa: FBT001, FBT002
    facts = (
        [piece(9, "lives in Porto", rank=None, score=0.0, kind="semantic", epistemic_type="fact")] if profile else []
    )
    page = Page(budget_tokens=1_000, counter=DEFAULT_COUNTER, nonce="0123456789abcdef", zone=UTC)
    made = assemble([piece(1, "I keep bees.")], lambda _: (), page, facts)
    told = [item(n, each.text, event_time=each.at) for n, each in enumerate(made.pieces, 1)]
    return bundle(*told, text=made.text, budget=1_000)


def test_messages_are_the_bundles_own_text_and_never_in_the_system_role() -> None:
    (message,) = render(assembled(), "messages")
    assert message == {"role": "user", "content": assembled().text}
    profile, evidence = render(assembled(profile=True), "messages")
    assert {profile["role"], evidence["role"]} == {"user"}
    assert [each.text for each in block.parse(profile["content"])] == ["lives in Porto"]
    assert [(each.ordinal, each.text) for each in block.parse(evidence["content"])] == [(2, "I keep bees.")]


def test_every_form_that_an_agent_stores_again_is_cut_out() -> None:
    told = assembled(profile=True)
    stored = [render(told, form) for form in READ] + [each["content"] for each in render(told, "messages")]
    for text in stored:
        assert without_recalled(f"{text}\nMy bus is the 14.").text == "My bus is the 14."


def test_a_form_that_does_not_exist_is_refused_by_name() -> None:
    with pytest.raises(InvalidQuery, match="'yaml'"):
        render(bundle(), "yaml")  # type: ignore[call-overload]


def test_the_package_renders_too() -> None:
    assert hotpath.render(assembled(), "json") == render(assembled(), "json")


def test_a_summary_says_how_many_how_new_and_what_is_missing() -> None:
    assert bundle(item(1, "a"), item(2, "b")).summary == "2 memories, newest 6 Mar 2031"
    assert bundle(item(1, "a"), omitted=3).summary == "1 memory, newest 5 Mar 2031; 3 more did not fit"
    assert bundle(item(1, "a", event_time=None)).summary == "1 memory"
    assert bundle().summary == "no memories"
    assert bundle(omitted=4).summary == "no memories; 4 did not fit"
    assert bundle(degraded=("dense", "database")).summary == "no memories; without dense, database"


def test_a_bundle_checks_what_an_answer_cites_of_it() -> None:
    made = bundle(item(1, "a"), item(2, "b")).check_citations("Bees [m2]. Wasps [m7].")
    assert (made.cited, made.unknown, made.uncited, made.without) == (("m2",), ("m7",), ("m1",), ("Wasps [m7].",))


def test_an_item_knows_when_else_it_was_said() -> None:
    repeats = (
        Repeat(memory_id=UUID(int=1), event_time=START, sources=()),
        Repeat(memory_id=UUID(int=2), event_time=None, sources=()),
    )
    assert item(1, "a", repeats=repeats).also_at == (START, None)


@each_form
def test_of_a_small_budget_every_form_shows_all_that_the_block_does(form: Written) -> None:
    hits = [piece(number, "I keep two bees & a <wasp>. " * number, rank=number) for number in range(1, 4)]
    least = None
    for budget in range(block.FEW_TOKENS):
        page = Page(budget_tokens=budget, counter=DEFAULT_COUNTER, nonce="0" * 16)
        made = assemble_for_forms(hits, lambda _: (), page)
        assert made.tokens <= budget
        shown = [
            item(n, each.text, memory_id=each.memory_id, speaker=each.speaker, event_time=each.at)
            for n, each in enumerate(made.pieces, 1)
        ]
        text = render(bundle(*shown, budget=budget, text=made.text), form)
        assert len(READ[form](text) if text else []) == len(made.pieces)
        least = budget if least is None and made.pieces else least
    assert least is not None
    assert least < 175


def test_a_small_budget_shows_a_memory_where_the_long_guard_line_left_no_room() -> None:
    page = Page(budget_tokens=170, counter=DEFAULT_COUNTER, nonce="0" * 16)
    made = assemble_for_forms([piece(1, "I keep two beehives behind the garage.")], lambda _: (), page)
    assert block.SHORT_GUARD in made.text
    assert [each.text for each in block.parse(made.text)] == ["I keep two beehives behind the garage."]
    assert without_recalled(f"Look: {made.text}").text.strip() == "Look:"


@each_form
def test_where_the_best_is_too_long_for_a_form_the_best_that_is_not_is_shown(form: Written) -> None:
    text = render(bundle(item(1, '"<&\\' * 200), item(2, "Bees."), budget=320), form)
    assert [each.text for each in READ[form](text)] == ["Bees."]
