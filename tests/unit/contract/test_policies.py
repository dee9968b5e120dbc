"""Policies as an operator writes them: what is read, and what is refused in words that say what to do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from gateway.doctor import judge_policies
from gateway.reports import Health
from shared.accept.policies import policies
from shared.contract.errors import Misconfigured
from shared.contract.measures import GATES, Act, Gate
from shared.contract.policies import MISLED, Policies, PrunePolicy, PruneRule, RetainPolicy, RetainRule
from shared.contract.records import Kind
from shared.contract.sensitivity import Sensitive
from shared.settings import Settings

WHOLE = """
[prune]
pinned = 0.9
spare = ["instructions", "health"]

[[prune.rules]]
name = "doubtful"
action = "expire"
epistemic_types = ["inference"]
confidence_below = 0.4
older_than_days = 90

[[retain.rules]]
name = "lawsuit"
action = "keep"
users = ["mira"]

[[retain.rules]]
name = "health_a_year"
action = "forget"
sensitivity = ["health"]
after_days = 365

[[retain.rules]]
name = "talk_a_quarter"
action = "expire"
kinds = ["episodic"]
after_days = 90
"""


def read(text: str, tmp_path: Path) -> Policies:
    path = tmp_path / "policies.toml"
    path.write_text(text, encoding="utf-8")
    return policies(Settings(policies=path))


def test_a_file_is_read_as_it_is_written(tmp_path: Path) -> None:
    found = read(WHOLE, tmp_path)
    assert found.prune.pinned == 0.9
    assert found.prune.rules == (
        PruneRule(
            name="doubtful",
            action="expire",
            epistemic_types=("inference",),
            confidence_below=0.4,
            older_than_days=90,
        ),
    )
    assert [(rule.name, rule.action, rule.after_days) for rule in found.retain.rules] == [
        ("lawsuit", "keep", None),
        ("health_a_year", "forget", 365),
        ("talk_a_quarter", "expire", 90),
    ]


def test_without_a_file_what_misled_is_demoted_and_everything_is_kept() -> None:
    found = policies(Settings(policies=None))
    assert (found.prune.rules, found.retain.rules) == ((MISLED,), ())
    assert Policies.model_validate({"prune": {"rules": []}}).prune.rules == ()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "[[retain.rules]]\nname='a'\naction='expire'\nafter_days=1\nkinds=['episode']",
            "kinds.0: .*'episodic'.*not 'ep",
        ),
        ("[[retain.rules]]\nname='a'\naction='expire'\nafter_days=-1", "after_days: .*greater than 0, not -1"),
        ("[[retain.rules]]\nname='a'\naction='expire'", "rule 'a' does not say when: give after_days"),
        ("[[retain.rules]]\nname='a'\naction='keep'\nafter_days=3", "rule 'a' keeps, which has no end"),
        (
            "[[retain.rules]]\nname='a'\naction='burn'\nafter_days=3",
            "action: .*'keep', 'forget' or 'expire', not 'burn'",
        ),
        ("[[retain.rules]]\nname='A b'\naction='keep'", "name: .*pattern"),
        ("[[retain.rules]]\nname='a'\naction='keep'\nuser=['mira']", "user: there is no such key"),
        (
            "[[retain.rules]]\nname='a'\naction='forget'\nafter_days=3\nsensitivity=['helth']",
            "sensitivity.0: .*'health'",
        ),
        (
            "[[prune.rules]]\nname='a'\naction='expire'\nolder_than_days=3",
            "rule 'a' says of nothing that it is of little",
        ),
        ("[prune]\nspare=['everything']", "spare.0"),
        ("[prune]\npinned=2", "prune.pinned: .*less than or equal to 1, not 2"),
        ("[retain\n", "it is no TOML: .*line 1"),
        ("[gates]\nrule=[]", "gates.rule: there is no such key"),
        (
            "[[gates.rules]]\nmetric='write.precison'\nleast=1\nact='notify'\nsays='x'",
            ".*no such metric",
        ),
        ("[[gates.rules]]\nmetric='write.precision'\nleast=1\nact='shout'\nsays='x'", "gates.rules.0.act: .*'notify'"),
        ("[[gates.rules]]\nmetric='write.precision'\nact='notify'\nsays='x'", "needs one of most and least"),
    ],
)
def test_what_cannot_be_done_is_refused_with_its_place_and_what_to_write(text: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match=rf"DAYBOOK_POLICIES: .*policies\.toml: .*{told}"):
        read(text, tmp_path)


def test_gates_of_a_file_stand_in_the_place_of_the_built_in_ones(tmp_path: Path) -> None:
    one = "[[gates.rules]]\nmetric='write.precision'\nleast=0.5\nfewest=9\nact='notify'\nsays='poor'"
    gate = Gate(metric="write.precision", least=0.5, fewest=9, act=Act.NOTIFY, says="poor")
    assert read(one, tmp_path).gates.gates == (gate,)
    assert read("[gates]\nrules=[]", tmp_path).gates.gates == ()
    assert read("", tmp_path).gates.gates == GATES


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match=r"nowhere\.toml: it cannot be read: No such file"):
        policies(Settings(policies=tmp_path / "nowhere.toml"))


def test_the_doctor_says_what_holds_and_what_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "policies.toml"
    path.write_text(WHOLE, encoding="utf-8")
    assert "3 of how long what is kept" in judge_policies(Settings(policies=path)).found
    assert "everything is kept" in judge_policies(Settings(policies=None)).found
    path.write_text(WHOLE.replace("365", "-365"), encoding="utf-8")
    check = judge_policies(Settings(policies=path))
    assert (check.health, check.advice) == (Health.FAIL, "mend the file that DAYBOOK_POLICIES names")
    assert "after_days" in check.found


def rule(name: str, action: str, **given: Any) -> RetainRule:
    times = {} if action == "keep" else {"after_days": 30}
    return RetainRule.model_validate({"name": name, "action": action, **times, **given})


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        ([rule("all", "forget"), rule("health", "forget", sensitivity=["health"])], "'health' never counts: 'all'"),
        ([rule("all", "expire", users=["mira"]), rule("b", "expire", users=["mira"], kinds=["semantic"])], "'b' never"),
        ([rule("a", "forget", users=["mira"]), rule("hold", "keep")], "'a' never counts: 'hold' keeps all"),
        ([rule("a", "keep"), rule("a", "keep", users=["mira"])], "two rules are called 'a'"),
    ],
)
def test_a_rule_that_can_never_count_is_an_error(rules: list[RetainRule], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        RetainPolicy(rules=tuple(rules))


def test_where_rules_overlap_it_is_said_which_goes_before() -> None:
    health = rule("health", "forget", sensitivity=[Sensitive.HEALTH])
    talk = rule("talk", "forget", kinds=[Kind.EPISODIC])
    hold = rule("hold", "keep", users=["mira"])
    ids = rule("ids", "forget", sensitivity=[Sensitive.IDENTITY], kinds=[Kind.SEMANTIC])
    short = rule("short", "expire")
    assert RetainPolicy(rules=(health, talk, hold, ids, short)).overlaps == (
        "rule 'health' goes before 'talk' where both select the same",
        "rule 'hold' goes before 'health' where both select the same",
        "rule 'health' goes before 'ids' where both select the same",
        "rule 'hold' goes before 'talk' where both select the same",
        "rule 'hold' goes before 'ids' where both select the same",
        "rule 'hold' goes before 'short' where both select the same",
    )
    apart = (rule("a", "expire", users=["mira"]), rule("b", "expire", users=["oskar"]))
    assert RetainPolicy(rules=apart).overlaps == ()


def test_rules_of_pruning_have_names_of_their_own() -> None:
    with pytest.raises(ValidationError, match="two rules are called 'misled'"):
        PrunePolicy(rules=(MISLED, MISLED))
