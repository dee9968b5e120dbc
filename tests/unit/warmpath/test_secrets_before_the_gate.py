"""What slips by the front door becomes no belief: the gate asks the door's own tables."""

from __future__ import annotations

import re

import pytest

from shared.belief.rules.gate import judge
from tests.unit.accept.said_secrets_table import HITS
from tests.unit.accept.spoken_secrets_table import HITS as SPOKEN
from tests.unit.belief.gates import candidate, claim, context, line
from warmpath._around import holds_secret

MARKS = re.compile("[⟦⟧]")


@pytest.mark.parametrize("marked", HITS + SPOKEN)
def test_a_sentence_with_a_secret_is_refused(marked: str) -> None:
    said = MARKS.sub("", marked)
    decision = judge(candidate(said), context(line(said), holds_secret=holds_secret)).decision
    assert decision.rule == "sensitive_refused"


@pytest.mark.parametrize(
    ("subject", "predicate", "object_"),
    [
        ("the studio", "door_code", "4822C"),
        ("the studio door", "code", "4822C"),
        ("Mira", "pin", "4711"),
        ("Mira's mail", "password", "kettle"),
        ("the cabin", "wifi password", "kettle"),
    ],
)
def test_a_claim_whose_object_is_a_secret_is_refused_whatever_its_sentence(
    subject: str, predicate: str, object_: str
) -> None:
    text = f"{subject.capitalize()} opens with {object_} these days."
    said = candidate(text, claim=claim(object_, predicate, subject))
    assert judge(said, context(line(text), holds_secret=holds_secret)).decision.rule == "sensitive_refused"


def test_a_field_whose_name_calls_it_a_secret_is_refused() -> None:
    text = "Mira moved into the studio in March."
    for name, value in {"door_code": "4822C", "pin": 4711}.items():
        said = candidate(text, data={"studio": {name: value}})
        assert judge(said, context(line(text), holds_secret=holds_secret)).decision.rule == "sensitive_refused"


@pytest.mark.parametrize("object_", ["oak", "4417", "green"])
def test_a_claim_of_something_else_is_not_refused_for_it(object_: str) -> None:
    text = f"The studio door has the number {object_}."
    said = candidate(text, claim=claim(object_, "number", "the studio door"))
    assert judge(said, context(line(text), holds_secret=holds_secret)).decision.rule != "sensitive_refused"
