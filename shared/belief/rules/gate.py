"""Is a candidate worth remembering? Rules without a model, first match wins. Pure.

    judgement = judge(candidate, GateContext(lines=lines, run_id="run-7", holds_secret=holds_secret, held=held))
    judgement.decision.action, judgement.decision.rule, judgement.fields

The groups of rules stand in an order that matters: whether there is evidence, and how far it may be trusted, is asked
before anything that could have the candidate stored.

Thresholds, and where they come from: `context.Limits`, `context.OUR_WORDS`, `vague.ENOUGH_WORDS`,
`sensitivity.POLICIES`, `grounds.ALLOWED_ROLES`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Final

from shared.belief.rules import derivable, duplicates, grounds, lasting, unsaid, vague
from shared.belief.rules.case import Case
from shared.belief.rules.context import GateContext, Held
from shared.belief.rules.judging import Dimensions, Judgement
from shared.belief.rules.sensitivity import WEIGHTS, Policy, Sensitive, classes_of
from shared.contract.candidates import Candidate
from shared.contract.records import Action, Claim, Decision


class Group(IntEnum):
    """What a rule asks, in the order it is asked."""

    EVIDENCE = 1
    TRUST = 2
    SENSITIVITY = 3
    DERIVABLE = 4
    EXACT_DUPLICATE = 5
    NEAR_DUPLICATE = 6
    VAGUE = 7
    DURABILITY = 8
    DEFAULT = 9


class Gate(Case):
    """A case with what is held beside it, and what is delicate in it."""

    @cached_property
    def exact(self) -> Held | None:
        """What says the very same."""
        return duplicates.exact(self)

    @cached_property
    def near(self) -> Held | None:
        """What says the same in other words."""
        return duplicates.near(self)

    @cached_property
    def sensitive(self) -> tuple[Sensitive, ...]:
        """The classes of what it says, the most delicate first."""
        told = self.candidate
        claimed = _labelled(told.claim) if told.claim else []
        texts = [told.text, *claimed, *_strings(told.data)]
        return classes_of(told.text, holds_secret=any(map(self.context.holds_secret, texts)))

    @cached_property
    def policies(self) -> frozenset[Policy]:
        """What is to be done with something of these classes, said by whom it is said."""
        side = "own" if self.is_about_speaker else "others"
        return frozenset(getattr(self.context.policies[sensitive], side) for sensitive in self.sensitive)


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRule:
    """One rule of the gate: what it decides where it applies."""

    group: Group
    name: str
    applies: Callable[[Gate], bool]
    action: Action
    reason: str
    confidence: float

    @property
    def decision(self) -> Decision:
        """The verdict of this rule."""
        return Decision(action=self.action, rule=self.name, reason=self.reason, confidence=self.confidence)


def judge(candidate: Candidate, context: GateContext) -> Judgement:
    """Decide on one candidate. The same for the same input; never raises, and never quotes the candidate.

    A record that an application states, which its last line says, was not read out of words: rules that ask whether the
    words say so, or enough, are not asked of it (`OF_RECORDS`).
    """
    gate = Gate(candidate, context)
    rules = RULES_OF_RECORDS if gate.last is not None and gate.last.states_record else RULES
    rule = next(rule for rule in rules if rule.applies(gate))
    found = {Group.EXACT_DUPLICATE: gate.exact, Group.NEAR_DUPLICATE: gate.near}.get(rule.group)
    limits = context.limits
    return Judgement(
        decision=rule.decision,
        dimensions=_dimensions(gate),
        subject=found.subject if found else None,
        independent=found is None or duplicates.is_independent(gate, found),
        sensitive=gate.sensitive,
        wait_days={Action.DEFER: limits.defer_days, Action.REVIEW: limits.review_days}.get(rule.action),
    )


def _dimensions(gate: Gate) -> Dimensions:
    return Dimensions(
        novelty=duplicates.novelty(gate),
        specificity=vague.specificity(gate),
        derivability=derivable.derivability(gate),
        sensitivity=max((WEIGHTS[each] for each in gate.sensitive), default=0.0),
        durability=lasting.durability(gate),
        confidence=gate.candidate.confidence,
    )


def _labelled(claim: Claim) -> list[str]:
    """The parts of a claim, and its object as what its subject and predicate call it: "the studio door code: 4822C"."""
    name = f"{claim.subject} {claim.predicate}".replace("_", " ")
    return [claim.subject, claim.predicate, claim.object, f"{name}: {claim.object}"]


def _strings(value: object) -> list[str]:
    """The strings of a JSON value, however deep it is, and each string or number beside the name of its field."""
    found: list[str] = []
    left = [value]
    while left:
        each = left.pop()
        if isinstance(each, str):
            found.append(each)
        elif isinstance(each, dict):
            left += [*each, *each.values()]
            found += [f"{name}: {held}".replace("_", " ") for name, held in each.items() if isinstance(held, str | int)]
        elif isinstance(each, list):
            left += each
    return found


def _is_refused(gate: Gate) -> bool:
    return Policy.REFUSE in gate.policies


def _is_asked_about(gate: Gate) -> bool:
    """Whether a person is to be asked; not again about what is held already, nor about what a summary quotes of it."""
    return Policy.ASK in gate.policies and not gate.is_summary and not _is_held(gate.exact)


def _is_held(found: Held | None) -> bool:
    return found is not None and not found.waits


def _is_confirmed(found: Held | None) -> bool:
    return found is not None and found.waits


def _is_unsure(gate: Gate) -> bool:
    return gate.candidate.confidence < gate.context.limits.confidence_floor


def _is_for_all(gate: Gate) -> bool:
    return gate.context.tenant_wide


def _is_of_asked_kind(gate: Gate) -> bool:
    told = gate.candidate
    return not gate.context.asked_about.isdisjoint(
        {told.kind, told.epistemic_type, (told.schema_name or "").partition("@")[0]}
    )


_Row = tuple[str, Callable[[Gate], bool], Action, str, float]
_IGNORE, _DEFER, _REVIEW, _STORE, _MORE = Action.IGNORE, Action.DEFER, Action.REVIEW, Action.STORE, Action.CORROBORATE
_TABLE: Final[Mapping[Group, Sequence[_Row]]] = {
    Group.EVIDENCE: (
        ("unknown_evidence", grounds.cites_unknown, _IGNORE, "it cites what was not said", 1.0),
        ("wrong_role", grounds.is_by_wrong_role, _IGNORE, "who said it cannot say this of a user", 1.0),
        ("unknown_speaker", grounds.is_of_nobody, _IGNORE, "whose it is cannot be told", 0.9),
        ("wrong_subject", grounds.is_of_wrong_person, _IGNORE, "who it is of neither said it nor is named", 0.9),
        ("no_shared_word", grounds.shares_no_word, _IGNORE, "its evidence says none of it", 0.9),
        ("unsaid_object", unsaid.has_unsaid_object, _IGNORE, "its evidence says nothing of what it claims", 0.9),
        ("unsaid_number", unsaid.has_unsaid_number, _IGNORE, "it gives a number that nobody said", 0.9),
        ("unsaid_name", unsaid.has_unsaid_name, _IGNORE, "it gives a name that nobody said", 0.8),
        ("our_words", grounds.is_in_our_words, _IGNORE, "it is in words of our own", 1.0),
    ),
    Group.TRUST: (
        ("recalled", grounds.is_recalled, _IGNORE, "what was recalled is no evidence", 1.0),
        ("injection", grounds.is_planted, _IGNORE, "no user says it, and it gives orders to its reader", 0.9),
        ("low_trust_wish", grounds.is_wish_of_low_trust, _IGNORE, "what is wanted is for a person to say", 0.9),
        ("low_trust_person", grounds.is_person_of_low_trust, _REVIEW, "no person says it of this person", 0.8),
        ("low_trust_procedure", grounds.is_way_of_low_trust, _REVIEW, "no person says that it is done so", 0.8),
        ("unknown_origin", grounds.is_of_unknown_origin, _REVIEW, "where it comes from is not known", 0.8),
        ("assistant_alone", grounds.is_guess_of_assistant, _DEFER, "only an assistant says so by now", 0.7),
    ),
    Group.SENSITIVITY: (
        ("sensitive_refused", _is_refused, _IGNORE, "policy refuses what is as delicate", 1.0),
        ("sensitive_asked", _is_asked_about, _REVIEW, "policy has a person decide on what is as delicate", 0.9),
    ),
    Group.DERIVABLE: (
        ("talk", derivable.is_talk, _IGNORE, "it tells of the conversation, which is kept as it was", 0.8),
        ("computed", derivable.is_computed, _IGNORE, "a calendar, clock or calculator says it", 0.9),
        ("world", derivable.is_of_world, _IGNORE, "anybody can look it up", 0.8),
        ("code", derivable.is_of_code, _IGNORE, "the code says it", 0.8),
    ),
    Group.EXACT_DUPLICATE: (
        ("exact_duplicate", lambda gate: _is_held(gate.exact), _MORE, "the same is held", 1.0),
        ("confirmed", lambda gate: _is_confirmed(gate.exact), _MORE, "what waited is said again", 0.8),
    ),
    Group.NEAR_DUPLICATE: (
        ("near_duplicate", lambda gate: _is_held(gate.near), _MORE, "nearly the same is held", 0.8),
        ("nearly_confirmed", lambda gate: _is_confirmed(gate.near), _MORE, "what waited is nearly said again", 0.7),
    ),
    Group.VAGUE: (
        ("nothing_said", vague.says_nothing, _IGNORE, "it names, counts and describes nothing", 0.8),
        ("pronoun", vague.is_of_pronoun, _IGNORE, "who or what it is of stands nowhere in it", 0.8),
        ("bare_day", vague.is_of_bare_day, _IGNORE, "its day is told by the day of the message alone", 0.8),
    ),
    Group.DURABILITY: (
        ("this_task", lasting.is_for_task, _IGNORE, "it is wanted for this once", 0.8),
        ("moment", lasting.is_of_moment, _IGNORE, "it is over when the conversation is", 0.8),
        ("passing", lasting.is_passing, _DEFER, "it passes, unless it is said again", 0.6),
    ),
    Group.DEFAULT: (
        ("unsure", _is_unsure, _DEFER, "it is not sure enough to go by on this evidence alone", 0.6),
        ("tenant_wide", _is_for_all, _REVIEW, "it would be held for everybody of the tenant", 0.9),
        ("asked_kind", _is_of_asked_kind, _REVIEW, "the application has a person approve its kind", 1.0),
        ("default", lambda _: True, _STORE, "nothing speaks against it", 0.6),
    ),
}
RULES: Final = tuple(
    GateRule(group=group, name=name, applies=applies, action=action, reason=reason, confidence=confidence)
    for group, rows in _TABLE.items()
    for name, applies, action, reason, confidence in rows
)
"""In the order they are tried: by group. The last always applies."""

OF_RECORDS: Final = frozenset(
    (
        *("unknown_evidence", "our_words", "recalled", "injection", "low_trust_wish", "unknown_origin"),
        *("assistant_alone", "sensitive_refused", "sensitive_asked", "exact_duplicate", "confirmed"),
        *("unsure", "tenant_wide", "asked_kind", "default"),
    )
)
"""The rules that are asked of what an application states: who says it, how delicate it is, and whether it is held."""
RULES_OF_RECORDS: Final = tuple(rule for rule in RULES if rule.name in OF_RECORDS)
"""In the same order: nothing that can store stands before a rule of trust."""
