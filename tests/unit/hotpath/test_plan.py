"""A query is planned by rules, and the plan says what they found."""

from __future__ import annotations

import dataclasses
import time
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotpath._plan import MAX_TERMS, plan
from hotpath._shape import Shape
from hotpath.recipes import BALANCED, FAST, THOROUGH, ChannelPlan, Recipe
from shared.language.text import query_terms
from shared.language.time_expressions import Order

NOW = datetime(2031, 3, 4, 12, 0, tzinfo=UTC)


def test_a_date_in_the_query_is_a_window() -> None:
    made = plan("What did I plant on 8 May 2030?", now=NOW)
    assert made.window is not None
    assert (made.window.start, made.window.end) == (
        datetime(2030, 5, 8, tzinfo=UTC),
        datetime(2030, 5, 9, tzinfo=UTC),
    )
    assert "when: 2030-05-08 until before 2030-05-09, from 'on 8 May 2030'" in made.reasons


def test_a_day_begins_at_the_midnight_of_the_one_who_asks() -> None:
    east = NOW.astimezone(timezone(timedelta(hours=5)))
    window = plan("What happened on 2030-05-08?", now=east).window
    assert window is not None
    assert window.start == datetime(2030, 5, 7, 19, 0, tzinfo=UTC)


@pytest.mark.parametrize("query", ["What did I plant?", "What will I do in May 2032?", "Which is 5/8/2030?"])
def test_without_a_date_that_is_sure_there_is_no_window(query: str) -> None:
    made = plan(query, now=NOW)
    assert made.window is None
    assert not any(reason.startswith("when") for reason in made.reasons)


@pytest.mark.parametrize("query", ["Where did I put my keys?", "I'm late, why?", "What is our hive called?", "Ask me"])
def test_the_first_person_is_the_asker(query: str) -> None:
    made = plan(query, now=NOW)
    assert (made.about_user, made.about_assistant) == (True, False)
    assert any(reason.startswith("who: the asker") for reason in made.reasons)


@pytest.mark.parametrize(
    "query",
    [
        "What was the restaurant you recommended?",
        "Did you give me a list of seeds?",
        "Remind me what we settled on",
        "In our last conversation, what came up about bees?",
    ],
)
def test_what_the_assistant_said_is_asked_of_the_assistant_also_in_the_first_person(query: str) -> None:
    made = plan(query, now=NOW)
    assert (made.about_user, made.about_assistant) == (False, True)
    assert [reason for reason in made.reasons if reason.startswith("who")] == [
        "who: the assistant, since the query asks what it said"
    ]


@pytest.mark.parametrize(
    "query", ["Where does Tomas live?", "Who wrote Immune?", "Are yours in Mesa, MY or in the USA?"]
)
def test_a_question_about_somebody_else_is_about_neither(query: str) -> None:
    made = plan(query, now=NOW)
    assert (made.about_user, made.about_assistant) == (False, False)
    assert not any(reason.startswith("who") for reason in made.reasons)


def test_a_name_is_among_the_words_that_are_looked_up() -> None:
    made = plan("Where does Tomas keep the smoker?", now=NOW)
    assert set(query_terms("Tomas smoker")) <= set(made.terms)
    assert made.reasons[0] == "words: " + " ".join(made.terms)


def test_small_talk_is_not_searched_for() -> None:
    made = plan("Good morning, everyone!", now=NOW)
    assert not made.search
    assert made.reasons == ("small talk: nothing is asked, so nothing is searched",)
    assert plan("Good morning, where is the smoker?", now=NOW).search


def test_a_long_query_looks_up_its_first_terms_alone() -> None:
    made = plan(" ".join(f"word{number}x" for number in range(10_000)), now=NOW)
    assert len(made.terms) == MAX_TERMS
    assert made.terms == tuple(query_terms(made.query))[:MAX_TERMS]


@given(st.text(max_size=300))
def test_any_text_has_a_plan_with_distinct_terms_and_a_reason(query: str) -> None:
    made = plan(query, now=NOW)
    assert len(set(made.terms)) == len(made.terms) <= MAX_TERMS
    assert made.reasons
    assert all(made.reasons)


def test_a_query_of_stop_words_says_that_it_goes_by_meaning() -> None:
    assert plan("what is it that you are", now=NOW).reasons[0] == "words: none but stop words, so by meaning alone"


def test_k_is_how_many_hits_there_are_and_each_channel_gives_as_many() -> None:
    few = plan("bees", now=NOW, k=3)
    assert (plan("bees", now=NOW).hits, few.hits) == (BALANCED.hits, 3)
    assert few.channels["sparse"] == BALANCED.channels["sparse"], "all features are looked at, however few are shown"
    many = plan("bees", now=NOW, k=500)
    assert (many.hits, many.channels["sparse"].limit, many.channels["dense"].limit) == (500, 500, 500)
    assert many.channels["fresh"] == BALANCED.channels["fresh"], "runs are no hits"


def test_a_list_gets_more_hits_unless_k_says_how_many() -> None:
    assert plan("How many beehives do I have?", now=NOW).hits == BALANCED.hits_of_list > BALANCED.hits
    assert plan("How many beehives do I have?", now=NOW, k=2).hits == 2


def test_the_temporal_channel_is_asked_where_a_time_is() -> None:
    assert "temporal" in plan("What did I do last week?", now=NOW).channels
    assert "temporal" not in plan("What did I do?", now=NOW).channels
    assert "temporal" not in plan("What did I do next week?", now=NOW).channels


def test_a_plan_asks_of_its_recipes_channels_those_that_it_may() -> None:
    made = plan("What did I do last week?", now=NOW, channels=frozenset({"sparse", "temporal"}))
    assert set(made.channels) == {"sparse", "temporal"}
    alone = dataclasses.replace(BALANCED, name="words", channels={"sparse": ChannelPlan(limit=7)})
    made = plan("What did I do last week?", now=NOW, recipe=alone, k=5)
    assert dict(made.channels) == {"sparse": ChannelPlan(limit=7)}
    assert made.recipe == "words"


@pytest.mark.parametrize("recipe", [FAST, BALANCED, THOROUGH])
def test_a_plan_says_what_its_recipe_says(recipe: Recipe) -> None:
    made = plan("Where is the smoker?", now=NOW, recipe=recipe)
    assert (made.recipe, made.rerank, made.rerank_share) == (recipe.name, recipe.rerank, recipe.rerank_share)
    assert (made.fusion, made.weights, made.hits) == (recipe.fusion, recipe.weights, recipe.hits)
    assert f"recipe: {recipe.name}, {recipe.why}" in made.reasons


@pytest.mark.parametrize(
    "query",
    ["Which pub did I go to with Tove?", "What did you tell me about Kiel?", "Who built the boat for my aunt Ada?"],
)
def test_what_one_asks_of_oneself_or_the_assistant_goes_along_no_graph_and_is_not_read_again(query: str) -> None:
    made = plan(query, now=NOW)
    assert made.names or made.about_assistant
    assert (made.graph, made.rerank) == (False, 0)


def test_what_one_asks_of_others_by_name_goes_along_the_graph_and_is_read_again() -> None:
    made = plan("Which pub did Oskar go to with Tove?", now=NOW)
    assert (made.graph, made.rerank) == (True, BALANCED.rerank)


def test_a_question_over_several_hops_goes_along_the_graph_and_is_not_read_again() -> None:
    made = plan("Who is the mother of the man who built the boat of Tove?", now=NOW)
    assert made.shape is Shape.MULTI_HOP
    assert (made.graph, made.rerank) == (True, 0)


def test_the_graph_is_for_questions_over_several_hops_and_only_where_the_recipe_has_it() -> None:
    over_hops = "Who is the mother of the man who built the boat?"
    assert plan(over_hops, now=NOW).graph
    assert "graph: on, since the question goes over several hops" in plan(over_hops, now=NOW).reasons
    assert not plan(over_hops, now=NOW, recipe=FAST).graph
    assert not plan("Who built the boat?", now=NOW).graph


def test_names_are_found() -> None:
    made = plan("What did Tomas say of 'the loud one' and \"Salt Roads\"?", now=NOW)
    assert {name.key for name in made.names} == {"tomas", "salt roads"}
    assert any(reason.startswith("names: ") and "Tomas" in reason for reason in made.reasons)


def test_order_and_event_are_findings() -> None:
    made = plan("What was the first thing we bought two weeks before the wedding?", now=NOW)
    assert (made.order, made.window) == (Order.EARLIEST, None)
    assert "order: the earliest of several" in made.reasons
    assert "event: before 'the wedding', of which the query gives no date" in made.reasons


@given(st.text(max_size=300), st.sampled_from([FAST, BALANCED, THOROUGH]), st.none() | st.integers(1, 1_000))
def test_whatever_is_asked_a_plan_is_within_the_bounds_of_its_recipe(query: str, recipe: Recipe, k: int | None) -> None:
    made = plan(query, now=NOW, recipe=recipe, k=k)
    assert set(made.channels) <= set(recipe.channels)
    assert made.hits == (k or (recipe.hits_of_list if made.shape is Shape.LIST else recipe.hits))
    assert all(each.limit >= min(made.hits, 1) for each in made.channels.values())
    assert made.search == (made.shape is not Shape.SMALL_TALK)


def test_a_query_without_a_time_is_planned_in_well_under_a_millisecond() -> None:
    queries = [f"What did Tomas say about hive number{letter} of my sister?" for letter in "abcdefgh"]
    for query in queries:
        plan(query, now=NOW)
    started = time.process_time()
    for query in queries * 25:
        plan(query, now=NOW)
    assert (time.process_time() - started) / (25 * len(queries)) < 0.001


@pytest.mark.parametrize("piece", ["a ", "who of the ", "'", "what, ", "A", "Who's ", "the x of ", "in which "])
def test_a_long_query_is_planned_in_time_whatever_it_is_made_of(piece: str) -> None:
    started = time.process_time()
    plan(piece * 20_000, now=NOW)
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("Which fair did I visit a month ago?", ("fair", "visit")),
        ("What did Mira paint two weeks ago at the harbour?", ("mira", "paint", "harbour")),
        ("What did I do 3 days ago?", ("3", "day", "ago")),
        ("How many weeks ago did the hens arrive?", ("mani", "week", "ago", "hen", "arriv")),
        ("What did I buy last month?", ("buy", "last", "month")),
    ],
)
def test_a_time_counted_back_is_a_window_and_not_looked_up_by_its_words(query: str, terms: tuple[str, ...]) -> None:
    assert plan(query, now=NOW).terms == terms
