from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

import pytest

from shared.belief.rules.context import Source, held_candidate
from shared.belief.rules.gate import judge
from shared.contract.candidates import Change
from shared.contract.records import Action, Claim, Kind
from tests.unit.belief.gates import SAID_AT, at, candidate, claim, context, held, line

MEMORY, OTHER = UUID(int=7), UUID(int=8)
BEES = "Mira keeps two beehives behind the garage."

Given = dict[str, Any]


def likes(thing: str, predicate: str = "likes") -> Claim:
    """A claim whose key names the thing, as that of an attitude does."""
    return Claim(subject="Mira", predicate=predicate, object=thing, key=f"mira|attitude_to|{thing}")


def test_the_same_sentence_again_is_one_more_piece_of_evidence() -> None:
    for text in (BEES, BEES.upper(), f"  {BEES[:-1]}  !"):
        judgement = judge(candidate(text), context(BEES, held=[held("Mira lives in Varna."), held(BEES, MEMORY)]))
        assert (judgement.decision.action, judgement.decision.rule) == (Action.CORROBORATE, "exact_duplicate")
        assert (judgement.subject, judgement.independent, judgement.dimensions.novelty) == (MEMORY, True, 0.0)
        assert judgement.fields["subject"] == str(MEMORY)


def test_the_same_person_in_the_same_run_on_the_same_day_is_an_echo() -> None:
    said = Source("Mira", "run-2", SAID_AT.date())
    for sources, independent in (
        ({said}, False),
        ({said, said._replace(run_id="run-1")}, False),
        ({said._replace(run_id="run-1")}, True),
        ({said._replace(speaker="Tove")}, True),
        ({said._replace(day=at(-1).date())}, True),
        (set(), True),
    ):
        known = held(BEES, MEMORY, sources=frozenset(sources))
        assert judge(candidate(BEES), context(BEES, held=[known])).independent is independent


def test_nearly_the_same_sentence_is_told_by_the_one_rule_that_is_given() -> None:
    told = candidate("Mira really keeps two beehives behind the garage.")
    judgement = judge(told, context(BEES, held=[held(BEES, MEMORY)]))
    assert (judgement.decision.rule, judgement.subject) == ("near_duplicate", MEMORY)
    never = context(BEES, held=[held(BEES, MEMORY)], near=lambda _first, _second: False)
    assert judge(told, never).decision.rule == "default"


@pytest.mark.parametrize(
    "other",
    [
        "Mira keeps three beehives behind the garage.",
        "Tove keeps two beehives behind the garage.",
        "Mira keeps no beehives behind the garage.",
        "Mira keeps two beehives behind the garage since May.",
        "Mira keeps two beehives behind the house.",
    ],
)
def test_another_number_name_date_thing_or_a_negation_is_never_a_duplicate(other: str) -> None:
    judgement = judge(candidate(BEES), context(BEES, held=[held(other, MEMORY)]))
    assert (judgement.decision.rule, judgement.subject) == ("default", None)


@pytest.mark.parametrize(
    ("fields", "other", "rule"),
    [
        ({}, {}, "exact_duplicate"),
        ({"since": at(-1)}, {}, "exact_duplicate"),
        ({"since": at(-9)}, {}, "default"),
        ({"since": at(1)}, {}, "default"),
        ({}, {"since": at(1)}, "default"),
        ({}, {"since": None}, "default"),
        ({}, {"until": at(0)}, "default"),
        ({}, {"until": at(1)}, "exact_duplicate"),
        ({"change": Change.ENDED}, {}, "default"),
        ({"change": Change.NEVER}, {}, "default"),
        ({}, {"claim": claim("Porto")}, "default"),
        ({}, {"claim": claim("Varna", "workplace")}, "default"),
        ({}, {"claim": None}, "default"),
    ],
)
def test_a_claim_is_the_same_by_key_object_change_and_time(fields: Given, other: Given, rule: str) -> None:
    known = held("Varna is where Mira lives.", MEMORY, **{"claim": claim("Varna"), **other})
    told = candidate("Mira lives in Varna.", claim=claim("Varna"), **fields)
    assert judge(told, context("I live in Varna. I never left it.", held=[known])).decision.rule == rule


def test_a_claim_of_the_other_side_has_the_same_key_and_is_no_duplicate() -> None:
    known = held("Mira likes opera.", MEMORY, claim=likes("opera"))
    around = context("I like opera. I hate opera.", held=[known])
    assert judge(candidate("Mira likes opera.", claim=likes("opera")), around).decision.rule == "exact_duplicate"
    assert judge(candidate("Mira hates opera.", claim=likes("opera", "dislikes")), around).decision.rule == "default"


def test_a_claim_is_never_judged_by_how_alike_the_sentences_are() -> None:
    known = held("Mira lives in Varna.", MEMORY, claim=claim("Varna"))
    told = candidate("Mira lives in Varna.", claim=claim("Porto"))

    def asked(_first: str, _second: str) -> bool:
        raise AssertionError

    judgement = judge(told, context("I live in Varna, or in Porto.", held=[known], near=asked))
    assert (judgement.decision.rule, judgement.dimensions.novelty) == ("default", 1.0)


def test_an_end_is_said_again_where_it_is_of_the_same_day() -> None:
    ended = candidate("Mira left Varna.", claim=claim("Varna"), change=Change.ENDED)
    earlier = held_candidate(41, ended, SAID_AT, [])
    around = context("I left Varna.", held=[earlier])
    assert judge(ended, around).subject == 41
    moved = ended.model_copy(update={"text": "Mira moved out of Varna."})
    assert judge(moved, around).subject == 41
    later = context(line("I left Varna.", said_at=at(2)), held=[earlier])
    assert judge(moved, later).subject is None


@pytest.mark.parametrize(
    ("kind", "said_at", "fields", "rule"),
    [
        (Kind.EPISODIC, at(0), {}, "default"),
        (Kind.EPISODIC, at(-1), {}, "exact_duplicate"),
        (Kind.EPISODIC, at(0), {"since": at(-1)}, "exact_duplicate"),
        (Kind.SEMANTIC, at(0), {}, "exact_duplicate"),
        (Kind.SEMANTIC, at(0), {"since": at(-9)}, "default"),
        (Kind.SEMANTIC, None, {}, "exact_duplicate"),
    ],
)
def test_what_happened_on_two_days_happened_twice(
    kind: Kind, said_at: datetime | None, fields: Given, rule: str
) -> None:
    went = "Mira swam across the lake."
    known = held(went, MEMORY, kind=kind)
    around = context(line("I swam across the lake.", said_at=said_at), held=[known])
    assert judge(candidate(went, kind=kind, **fields), around).decision.rule == rule


def test_what_is_remembered_is_found_before_what_waits() -> None:
    waiting, known = held(BEES, 41), held(BEES, MEMORY)
    for order in ([waiting, known], [known, waiting]):
        assert judge(candidate(BEES), context(BEES, held=order)).subject == MEMORY
    assert judge(candidate(BEES), context(BEES, held=[waiting, held(BEES, 42)])).subject == 41


def test_a_sentence_that_nearly_says_what_waits_confirms_it() -> None:
    told = candidate("Mira really keeps two beehives behind the garage.", confidence=0.2)
    judgement = judge(told, context(BEES, held=[held(BEES, 41)]))
    assert (judgement.decision.rule, judgement.decision.action) == ("nearly_confirmed", Action.CORROBORATE)
    assert judgement.subject == 41
    assert judge(told, context(BEES)).decision.rule == "unsure"


def test_how_new_it_is_goes_by_the_words_that_are_shared() -> None:
    around = context(BEES, held=[held("Mira keeps goats.", OTHER), held("Tove swims.")], near=lambda *_: False)
    some = judge(candidate(BEES), around).dimensions.novelty
    none = judge(candidate(BEES), replace(around, held=())).dimensions.novelty
    assert 0.0 < some < none == 1.0
