"""Whether what a query says of somebody was said by somebody else."""

from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotpath._plan import Plan, plan
from hotpath._premise import compared, premise
from hotpath._search import Candidates
from shared.contract.scope import Owner
from shared.store.memories import Shown

NOW = datetime(2031, 5, 1, tzinfo=UTC)
ASKED = "What did Ana see on the trip to the canyon?"
Turn = tuple[str, float, bool]
"""Who says it, how much of the query it holds, whether it asks."""


def made(query: str = ASKED) -> Plan:
    return plan(query, now=NOW)


def found(turns: Sequence[Turn], role: str = "user", around: Sequence[float] = ()) -> Candidates:
    """`around` is how much of the query each holds together with what is said beside it; without, what it holds."""
    shown = Shown(
        keys=np.arange(1, len(turns) + 1),
        sessions=np.ones(len(turns), np.int64),
        speakers=[speaker for speaker, _, _ in turns],
        roles=[role] * len(turns),
        times=[None] * len(turns),
        asks=[asks for _, _, asks in turns],
    )
    said = np.array([share for _, share, _ in turns])
    return Candidates(
        shown=shown, owners=(Owner("a"),), features={"said": said, "said_around": np.array(around) if around else said}
    )


def test_what_others_said_more_of_is_not_supported_of_who_is_asked_about() -> None:
    turns = [("Rui", 0.9, False), ("Rui", 0.6, False), ("Ana", 0.2, False), ("Ana", 0.1, False)]
    assert premise(made(), found(turns), asker="mira") == "what it says of Ana was said by Rui"


def test_what_they_said_themselves_is_supported() -> None:
    turns = [("Ana", 0.9, False), ("Ana", 0.6, False), ("Rui", 0.2, False)]
    assert premise(made(), found(turns), asker="mira") == ""


def test_one_memory_by_chance_does_not_decide() -> None:
    turns = [("Rui", 0.7, False), *[("Ana", 0.6, False)] * 3]
    assert premise(made(), found(turns), asker="mira") == ""


def test_who_asks_about_it_claims_half_of_it() -> None:
    told = [("Rui", 0.8, False), ("Rui", 0.8, False), ("Rui", 0.8, False), ("Ana", 0.5, False), ("Ana", 0.5, False)]
    asks = [("Rui", 0.8, True), ("Rui", 0.8, True), ("Rui", 0.8, True), ("Ana", 0.7, False), ("Ana", 0.7, False)]
    assert premise(made(), found(told), asker="mira") != ""
    assert premise(made(), found(asks), asker="mira") == ""


def test_what_is_said_around_who_is_asked_about_counts_for_them_in_part() -> None:
    turns = [("Rui", 0.8, False), ("Mira", 0.8, False), ("Rui", 0.8, False), *[("Ana", 0.3, False)] * 3]
    assert premise(made(), found(turns), asker="mira") != ""
    assert premise(made(), found(turns, around=[0.8, 0.8, 0.8, 1.0, 1.0, 1.0]), asker="mira") != ""
    turns[3:] = [("Ana", 0.5, False)] * 3
    assert premise(made(), found(turns), asker="mira") != ""
    assert premise(made(), found(turns, around=[0.8, 0.8, 0.8, 1.0, 1.0, 1.0]), asker="mira") == ""


def test_what_is_said_around_others_counts_nothing_for_them() -> None:
    turns = [*[("Rui", 0.5, False)] * 3, *[("Ana", 0.5, False)] * 3]
    assert premise(made(), found(turns, around=[1.0, 1.0, 1.0, 0.5, 0.5, 0.5]), asker="mira") == ""


def test_a_query_that_names_nobody_who_speaks_says_nothing_of_anybody() -> None:
    turns = [("Rui", 0.9, False), ("Ana", 0.1, False)]
    assert compared(made("What was on the trip to the canyon?"), found(turns), asker="mira") is None


def test_a_query_about_everybody_who_speaks_cannot_be_somebody_elses() -> None:
    turns = [("Rui", 0.9, False), ("Ana", 0.1, False)]
    assert compared(made("What did Ana and Rui see?"), found(turns), asker="mira") is None


def test_the_first_person_is_the_asker_where_people_have_names() -> None:
    turns = [("Rui", 0.9, False), ("Rui", 0.8, False), ("mira", 0.1, False)]
    assert premise(made("What did I see in the canyon?"), found(turns), asker="mira").endswith("mira was said by Rui")


@pytest.mark.parametrize("speaker", ["user", "assistant"])
def test_in_a_chat_with_an_assistant_nobody_has_a_name(speaker: str) -> None:
    turns = [("assistant", 0.9, False), (speaker, 0.1, False)]
    assert compared(made("What did I see in the canyon?"), found(turns, role="user"), asker="mira") is None


turns_of = st.lists(st.tuples(st.sampled_from(["Ana", "Rui", "Mira"]), st.floats(0, 1), st.booleans()), max_size=12)


@given(turns_of)
def test_the_margin_lies_between_both_ends(turns: list[Turn]) -> None:
    both = compared(made(), found(turns), asker="mira")
    assert both is None or -1 <= both.margin <= 1


@given(turns_of, st.floats(0, 1))
def test_what_the_one_asked_about_says_besides_never_takes_the_premise_away(turns: list[Turn], share: float) -> None:
    before = compared(made(), found(turns), asker="mira")
    after = compared(made(), found([*turns, ("Ana", share, False)]), asker="mira")
    assert before is None or after is None or after.margin >= before.margin
