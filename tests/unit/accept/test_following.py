"""Which delivery an outcome is: the last one's again, or a new one, whatever was said before that."""

from __future__ import annotations

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from shared.accept.outcome import delivery_id, following
from shared.contract.events import Run, RunId
from shared.contract.scope import Scope
from shared.contract.turns import TurnOutcome

TURN = UUID(int=7)
BEES, BREAD = UUID(int=1), UUID(int=2)
SAID = [
    TurnOutcome(turn_id=TURN, used=(BEES, BREAD)),
    TurnOutcome(turn_id=TURN, misled=(BEES,)),
    TurnOutcome(turn_id=TURN, used=(BEES,), corrected=True),
    TurnOutcome(turn_id=TURN, abstained=True),
]


def run(said: TurnOutcome, user: str = "mira") -> Run:
    return Run(scope=Scope(tenant_id="acme", user_id=user), run_id=RunId(str(TURN)), messages=(), outcome=said)


@given(st.lists(st.sampled_from(SAID), min_size=1, max_size=12))
def test_only_what_was_said_last_is_a_repeat_and_each_other_has_an_id_of_its_own(said: list[TurnOutcome]) -> None:
    deliveries: list[UUID] = []
    for number, outcome in enumerate(said):
        found = following(run(outcome), outcome, deliveries)
        assert (found in deliveries) == (number > 0 and outcome == said[number - 1])
        if found not in deliveries:
            deliveries.append(found)
        assert found == deliveries[-1]


@given(st.lists(st.sampled_from(SAID), max_size=6), st.sampled_from(SAID))
def test_who_is_asked_twice_at_once_gives_the_same_id_twice(said: list[TurnOutcome], outcome: TurnOutcome) -> None:
    deliveries: list[UUID] = []
    for each in said:
        found = following(run(each), each, deliveries)
        deliveries += [found] if found not in deliveries else []
    assert following(run(outcome), outcome, deliveries) == following(run(outcome), outcome, list(deliveries))


def test_the_order_in_which_memories_are_named_says_nothing_and_who_names_them_does() -> None:
    one, other = TurnOutcome(turn_id=TURN, used=(BEES, BREAD)), TurnOutcome(turn_id=TURN, used=(BREAD, BEES))
    assert delivery_id(run(one), one) == delivery_id(run(other), other)
    assert delivery_id(run(one), one) != delivery_id(run(one, "oskar"), one)
