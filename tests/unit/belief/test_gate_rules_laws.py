"""What holds of the gate whatever it is given."""

from __future__ import annotations

import time
from dataclasses import fields, replace
from datetime import datetime
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.belief.rules.context import GateContext, Held, Source
from shared.belief.rules.gate import RULES, Gate, Group, judge
from shared.belief.rules.judging import Dimensions
from shared.contract.candidates import Candidate, Change, Line
from shared.contract.events import Role
from shared.contract.invisible import shows
from shared.contract.records import Action, Claim, EpistemicType, EvidenceRef, Kind
from shared.contract.trust import TRUST, Origin
from shared.language.text import normalise
from tests.unit.belief.gates import BEES_SAID, at, candidate, claim, context, line

SAID = """
    Mira Oskar I user the my is was lives keeps likes has never not no two 14 beehives Varna Porto tea stuff tired now
    bus allergic Muslim swordfish always remember instructions ignore previous today 2031 ? . walnuts assistant
"""
WORDS = st.sampled_from(SAID.split())
SENTENCES = st.lists(WORDS, min_size=1, max_size=12).map(" ".join)


def _says_something(text: str) -> bool:
    return shows(text) and shows(normalise(text)[0])


ANYTHING = st.text(min_size=1, max_size=60).filter(_says_something)
TEXTS = st.one_of(SENTENCES, SENTENCES.map("Mira keeps beehives, {}".format), ANYTHING)
SPEAKERS = st.sampled_from(["Mira", "Mira", "Oskar", "user", "assistant", "", "🐝"])
SUBJECTS: st.SearchStrategy[UUID | int] = st.sampled_from([UUID(int=1), 1])
TIMES = st.none() | st.integers(-3, 3).map(at)
DAYS = st.none() | st.integers(-3, 3).map(lambda day: at(day).date())
SOURCES = st.builds(Source, SPEAKERS, st.sampled_from(["run-1", "run-2"]), DAYS)
TYPES = [each for each in EpistemicType if each is not EpistemicType.EVIDENCE]
RISING = sorted(set(Origin) - {Origin.RECALLED}, key=lambda origin: TRUST[origin])
KEPT = {Action.STORE, Action.CORROBORATE}


@st.composite
def claims(draw: st.DrawFn) -> Claim | None:
    subject, predicate = draw(SPEAKERS) or "user", draw(st.sampled_from(["location", "likes"]))
    found = Claim(subject=subject, predicate=predicate, object=draw(TEXTS), key=f"{subject}|{predicate}")
    return found if draw(st.booleans()) else None


@st.composite
def candidates(draw: st.DrawFn) -> Candidate:
    claimed = draw(claims())
    since, until = sorted([draw(TIMES), draw(TIMES)], key=lambda each: (each is None, each or at(0)))
    return Candidate(
        kind=draw(st.sampled_from([Kind.SEMANTIC, *Kind])),
        epistemic_type=draw(st.sampled_from(TYPES)),
        text=draw(TEXTS),
        claim=claimed,
        change=draw(st.sampled_from(Change)) if claimed else Change.HOLDS,
        since=since,
        until=until,
        evidence=tuple(
            EvidenceRef(sequence=sequence)
            for sequence in draw(
                st.lists(st.sampled_from([1, 1, 1, 1, 2, 2, 3, 3, 1, 2, 4]), min_size=1, max_size=2, unique=True)
            )
        ),
        confidence=draw(st.sampled_from([0.4, 0.5, 0.9])),
    )


@st.composite
def lines(draw: st.DrawFn, sequence: int, texts: st.SearchStrategy[str]) -> Line:
    return line(
        draw(texts),
        sequence,
        role=draw(st.sampled_from([*[Role.USER] * 9, *Role])),
        speaker=draw(SPEAKERS),
        origin=draw(st.sampled_from([*[Origin.USER] * 3, *Origin])),
        said_at=draw(TIMES),
    )


@st.composite
def helds(draw: st.DrawFn, told: Candidate) -> Held:
    return Held(
        subject=draw(SUBJECTS),
        kind=draw(st.sampled_from(Kind)),
        text=draw(st.just(told.text) | TEXTS),
        claim=draw(st.just(told.claim) | claims()),
        change=draw(st.sampled_from(Change)),
        since=draw(TIMES),
        until=draw(TIMES),
        sources=draw(st.frozensets(SOURCES, max_size=2)),
    )


@st.composite
def cases(draw: st.DrawFn) -> tuple[Candidate, GateContext]:
    """A candidate and what it is judged by: often what it cites says just what it says."""
    told = draw(candidates())
    texts = st.one_of(st.just(told.text), st.just(told.text), TEXTS)
    return told, context(
        *(draw(lines(sequence, texts)) for sequence in range(1, 4)),
        held=draw(st.lists(helds(told), max_size=3)),
        room=draw(st.sampled_from([False, False, True])),
        owner_speaker=draw(st.sampled_from([None, "Mira", "u-1729"])),
        tenant_wide=draw(st.sampled_from([False, False, True])),
    )


def dimensions(found: Dimensions) -> list[float]:
    return [getattr(found, each.name) for each in fields(Dimensions)]


@given(cases())
@settings(max_examples=200)
def test_it_never_raises_says_the_same_twice_and_keeps_each_dimension_between_0_and_1(
    case: tuple[Candidate, GateContext],
) -> None:
    judgement = judge(*case)
    assert judge(*case) == judgement
    assert judgement.decision == next(rule.decision for rule in RULES if rule.applies(Gate(*case)))
    assert all(0.0 <= value <= 1.0 for value in dimensions(judgement.dimensions))
    waits = judgement.decision.action in {Action.DEFER, Action.REVIEW}
    assert (judgement.wait_days is not None) is waits
    assert (judgement.subject is not None) is (judgement.decision.action is Action.CORROBORATE)


@given(cases(), st.data())
@settings(max_examples=200)
def test_more_trust_never_has_less_remembered(case: tuple[Candidate, GateContext], data: st.DataObject) -> None:
    told, around = case
    if judge(told, around).decision.action not in KEPT:
        return
    for sequence in {ref.sequence for ref in told.evidence}:
        each = around.lines[sequence]
        above = [origin for origin in RISING if TRUST[origin] >= TRUST[each.origin]]
        raised = replace(each, origin=data.draw(st.sampled_from(above)))
        around = replace(around, lines={**around.lines, sequence: raised})
    assert judge(told, around).decision.action in KEPT


@given(cases(), st.booleans())
def test_how_alike_sentences_are_decides_nothing_about_a_claim(
    case: tuple[Candidate, GateContext],
    alike: bool,  # noqa: FBT001 - drawn
) -> None:
    told, around = case
    claimed = told.model_copy(update={"claim": told.claim or claim("Varna")})
    assert judge(claimed, around) == judge(claimed, replace(around, near=lambda _first, _second: alike))


@given(cases())
def test_what_is_held_changes_nothing_of_what_is_refused_for_its_evidence(case: tuple[Candidate, GateContext]) -> None:
    told, around = case
    before, after = judge(told, replace(around, held=())), judge(told, around)
    group = {rule.name: rule.group for rule in RULES}
    # A name that the lines do not say may be known from what is held: "he" is somebody who was spoken of.
    named = before.decision.rule.startswith("unsaid_")
    if not named and group[before.decision.rule] in {Group.EVIDENCE, Group.TRUST, Group.DERIVABLE}:
        assert after.decision == before.decision


@given(cases(), st.floats(0, 1))
def test_being_surer_never_has_less_remembered(case: tuple[Candidate, GateContext], surer: float) -> None:
    told, around = case
    if judge(told, around).decision.action in KEPT:
        more = told.model_copy(update={"confidence": max(told.confidence, surer)})
        assert judge(more, around).decision.action in KEPT


@given(cases())
def test_nothing_that_a_decision_keeps_quotes_the_candidate(case: tuple[Candidate, GateContext]) -> None:
    told, around = case
    judgement = judge(told.model_copy(update={"text": f"{told.text[:900]} zxqv"}), around)
    assert "zxqv" not in f"{judgement.decision} {judgement.fields}"


@pytest.mark.parametrize("said_at", [None, at(0)])
def test_it_takes_no_longer_than_its_texts_are_long(said_at: datetime | None) -> None:
    hostile: list[Any] = [
        "is " * 333, "a " * 499, "is very " * 125, "(" * 1000, "class " * 166, "1 + " * 250, "owes " + "a " * 490,
        "daughter " * 111, "has just " * 111, "'" * 1000, "\u200b" * 999 + "x", "what is " * 125, "son 6 " * 166,
    ]  # fmt: skip
    around = [context(line(text * 20, said_at=said_at)) for text in hostile]
    started = time.process_time()
    for text, each in zip(hostile, around, strict=True):
        judge(candidate(text.strip() or "x"), each)
    assert time.process_time() - started < 2


def test_the_sentence_that_all_tests_begin_with_is_stored() -> None:
    assert judge(candidate(BEES_SAID), context(BEES_SAID)).decision.action is Action.STORE
