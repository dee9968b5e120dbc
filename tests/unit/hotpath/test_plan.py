"""A query is planned by rules, and the plan says what they found."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotpath._plan import CANDIDATES, HITS, MAX_TERMS, plan
from shared.language.text import query_terms

NOW = datetime(2031, 3, 4, 12, 0, tzinfo=UTC)

SMALL_TALK = [
    "hi",
    "Hello!",
    "  hey there  ",
    "Good morning, everyone!",
    "thanks",
    "Thank you so much!!",
    "thx a lot",
    "OK.",
    "okay",
    "How are you doing today?",
    "what's up?",
    "(cool)",
    "Bye…",
    "see you again",
]
NOT_SMALL_TALK = [
    "hi, where did I put the smoker?",
    "thanks for the recipe: what was the flour?",
    "What did Tomas thank you for?",
    "okay, and the second hive?",
    "Nice in March?",
    "history",
    "Good morning is the name of which cafe?",
    "no sugar",
    "hello 你好",
    "bees?",
    "?",
]


def test_a_date_in_the_query_is_a_window() -> None:
    made = plan("What did I plant on 8 May 2030?", now=NOW)
    assert made.window is not None
    assert (made.window.start, made.window.end) == (
        datetime(2030, 5, 8, tzinfo=UTC),
        datetime(2030, 5, 9, tzinfo=UTC),
    )
    assert "when: 2030-05-08 until before 2030-05-09, from '8 May 2030'" in made.reasons


def test_a_day_begins_at_the_midnight_of_the_one_who_asks() -> None:
    east = NOW.astimezone(timezone(timedelta(hours=5)))
    window = plan("What happened on 2030-05-08?", now=east).window
    assert window is not None
    assert window.start == datetime(2030, 5, 7, 19, 0, tzinfo=UTC)


@pytest.mark.parametrize("query", ["What did I plant?", "What have I done since May 2030?", "Which is 5/8/2030?"])
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


@pytest.mark.parametrize("query", SMALL_TALK)
def test_small_talk_is_not_searched_for(query: str) -> None:
    made = plan(query, now=NOW)
    assert not made.search
    assert made.reasons == ("small talk: nothing is asked, so nothing is searched",)


@pytest.mark.parametrize("query", NOT_SMALL_TALK)
def test_a_question_that_only_begins_like_small_talk_is_searched_for(query: str) -> None:
    assert plan(query, now=NOW).search


@given(st.sampled_from(SMALL_TALK), st.sampled_from([str.upper, str.lower, str.title]), st.text(" .!?,~", max_size=5))
def test_small_talk_is_known_in_any_case_and_with_any_marks_around_it(query: str, case: object, marks: str) -> None:
    assert callable(case)
    assert not plan(f"{marks}{case(query)}{marks}", now=NOW).search


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


def test_k_is_how_many_hits_there_are_and_as_many_are_looked_at() -> None:
    assert (plan("bees", now=NOW).hits, plan("bees", now=NOW).candidates) == (HITS, CANDIDATES)
    assert (plan("bees", now=NOW, k=3).hits, plan("bees", now=NOW, k=3).candidates) == (3, CANDIDATES)
    assert (plan("bees", now=NOW, k=500).hits, plan("bees", now=NOW, k=500).candidates) == (500, 500)
