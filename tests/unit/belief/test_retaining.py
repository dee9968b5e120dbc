"""How long what is kept: which rule counts, and what is due by it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.belief.fold import open_memories
from shared.belief.retaining import Kept, Whose, expiries, ruling, soonest_days
from shared.belief.validating import refused
from shared.contract.operations import ClosePayload
from shared.contract.policies import RetainPolicy, RetainRule
from shared.contract.records import EpistemicType, Kind, Operation
from shared.contract.scope import Owner, room_owner
from tests.unit.belief.ledgers import START, Ledger, belief

MIRA = Whose(tenant_id="acme", owner=Owner("mira"))
KITCHEN = Whose(tenant_id="acme", owner=room_owner("kitchen"))
SICK, MAPS = "Mira has diabetes.", "Old maps are kept in the archive room."


def rule(name: str, action: str, after_days: int | None = None, **given: Any) -> RetainRule:
    return RetainRule.model_validate({"name": name, "action": action, "after_days": after_days, **given})


def kept(text: str = MAPS, **fields: Any) -> Kept:
    given: dict[str, Any] = {"kind": Kind.SEMANTIC, "epistemic_type": EpistemicType.FACT, "agent_id": None}
    return Kept(text=text, since=START, **{**given, **fields})


def on(day: float) -> datetime:
    return START + timedelta(days=day)


def ruled(rules: list[RetainRule], what: Kept, day: float, whose: Whose = MIRA) -> str | None:
    found = ruling(RetainPolicy(rules=tuple(rules)), whose, what, at=on(day))
    return found and found.name


def test_nothing_is_due_without_a_rule_or_before_its_day() -> None:
    assert ruled([], kept(), 9999) is None
    assert ruled([rule("old", "expire", 90)], kept(), 89.9) is None
    assert ruled([rule("old", "expire", 90)], kept(), 90) == "old"


@pytest.mark.parametrize(
    ("selecting", "what", "whose"),
    [
        ({"kinds": ["episodic"]}, kept(kind=Kind.EPISODIC), MIRA),
        ({"epistemic_types": ["inference"]}, kept(epistemic_type=EpistemicType.INFERENCE), MIRA),
        ({"sensitivity": ["health", "crime"]}, kept(SICK), MIRA),
        ({"agents": ["helper"]}, kept(agent_id="helper"), MIRA),
        ({"rooms": ["kitchen"]}, kept(), KITCHEN),
        ({"users": ["oskar"]}, kept(), Whose(tenant_id="acme", owner=Owner("oskar"))),
        ({"tenants": ["globex"]}, kept(), Whose(tenant_id="globex", owner=Owner("mira"))),
    ],
)
def test_a_rule_is_for_what_all_that_it_gives_selects(selecting: dict[str, Any], what: Kept, whose: Whose) -> None:
    some = rule("some", "expire", 1, **selecting)
    assert ruled([some], what, 2, whose) == "some"
    assert ruled([some], kept(), 2) is None


def test_a_rule_that_keeps_goes_before_all_others_wherever_it_stands() -> None:
    rules = [rule("all", "forget", 1), rule("lawsuit", "keep", sensitivity=["health"])]
    assert ruled(rules, kept(SICK), 9999) == "lawsuit"
    assert ruled(rules, kept(), 9999) == "all"


def test_the_first_that_selects_counts_and_forgetting_goes_before_expiring() -> None:
    rules = [
        rule("procedures", "forget", 3000, kinds=["procedural"]),
        rule("all", "forget", 300),
        rule("talk", "expire", 30),
    ]
    assert ruled(rules, kept(kind=Kind.PROCEDURAL), 400) == "talk", "the rule for all does not count for procedures"
    assert ruled(rules, kept(kind=Kind.PROCEDURAL), 3000) == "procedures"
    assert ruled(rules, kept(), 299) == "talk"
    assert ruled(rules, kept(), 300) == "all"


def test_what_is_due_is_proposed_with_the_rule_for_its_reason_and_what_is_closed_is_not() -> None:
    ledger = Ledger()
    memory = ledger.believe(belief(ledger.hear(MAPS), text=MAPS))
    policy = RetainPolicy(rules=(rule("old", "expire", 90),))
    (held,) = open_memories(ledger.state)
    (found,) = expiries(policy, MIRA, [(held, START)], at=on(90), limit=9)
    assert found.operation == ClosePayload(op=Operation.EXPIRE, reason="old", memory=memory)
    assert refused(found, {memory: held}) is None
    ledger.do(found.operation)
    closed = ledger.state.memories[memory][-1]
    assert list(expiries(policy, MIRA, [(closed, START)], at=on(99), limit=9)) == []
    assert list(expiries(policy, MIRA, [(held, START)] * 3, at=on(90), limit=2))[1:] == [found]


def test_where_no_rule_is_for_a_stream_nothing_is_looked_for() -> None:
    policy = RetainPolicy(
        rules=(rule("a", "expire", 9, users=["mira"]), rule("b", "expire", 30), rule("c", "forget", 50, rooms=["bar"]))
    )
    assert soonest_days(policy, MIRA, "expire") == 9
    assert soonest_days(policy, KITCHEN, "expire") == 30
    assert soonest_days(policy, MIRA, "forget") is None


_selectors = st.fixed_dictionaries(
    {},
    optional={
        "kinds": st.lists(st.sampled_from(Kind), unique=True, min_size=1),
        "sensitivity": st.lists(st.sampled_from(["health", "crime"]), unique=True, min_size=1),
        "users": st.lists(st.sampled_from(["mira", "oskar"]), unique=True, min_size=1),
        "rooms": st.just(["kitchen"]),
    },
)


@given(_selectors, _selectors, st.sampled_from(Kind), st.sampled_from([SICK, MAPS]), st.sampled_from([MIRA, KITCHEN]))
def test_what_one_rule_includes_or_cannot_meet_is_told_rightly_of_everything_that_may_be_kept(
    first: dict[str, Any], second: dict[str, Any], kind: Kind, text: str, whose: Whose
) -> None:
    one, other = rule("one", "expire", 1, **first), rule("other", "expire", 1, **second)
    what = kept(text, kind=kind)
    selects_one, selects_other = (ruled([each], what, 2, whose) is not None for each in (one, other))
    if one.includes(other):
        assert selects_one or not selects_other
    if not one.meets(other):
        assert not (selects_one and selects_other)
