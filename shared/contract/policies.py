"""Policies that an operator writes down: what is of little worth, how long what is kept, and which gates there are.

They are data, read from one file of TOML and validated here; what they say is done by `shared.belief.worth` and
`shared.belief.retaining`, which ask nobody else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Annotated, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, PositiveInt, StringConstraints, model_validator

from shared.contract.measures import GATES, Act, Gate
from shared.contract.operations import Code
from shared.contract.records import EpistemicType, Kind
from shared.contract.sensitivity import Sensitive

Share = Annotated[float, Field(ge=0.0, le=1.0)]
Name = Annotated[str, StringConstraints(pattern=r"\S")]
INSTRUCTIONS: Final = "instructions"
"""Procedures, and texts that tell an agent what to do."""
Spared = Sensitive | Literal["instructions"]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Rule(_Model):
    name: Code
    """The reason that its operations bear."""
    kinds: tuple[Kind, ...] = ()
    """Empty: of any kind."""
    epistemic_types: tuple[EpistemicType, ...] = ()
    """Empty: on any footing."""


class PruneRule(_Rule):
    """What is of little worth: all that a rule says must be so of a memory.

    Age alone is no want of worth; how long something may be kept is for `RetainRule`.
    """

    action: Literal["demote", "expire"]
    schemas: tuple[Name, ...] = ()
    """The rule is for records of these alone. Empty: for none, since a profile may rest on a record alone."""
    older_than_days: PositiveInt | None = None
    """By our clock, from when it was first held."""
    confidence_below: Share | None = None
    importance_below: Share | None = None
    """By an app's word; what no app said anything of is not unimportant."""
    never_of_use: bool = False
    """No recall was reported to rest on it, in a stream of which `PrunePolicy.least_reports` memories were reported."""
    of_use_at_most: Share | None = None
    """Of the recalls that were reported, the share on which it was of use, as far as they tell at most."""
    confidence: Share = 0.5
    """What a memory that is demoted is at most as certain as."""

    @model_validator(mode="after")
    def _says_what_little_worth_is(self) -> Self:
        worth = (self.confidence_below, self.importance_below, self.of_use_at_most)
        if not self.never_of_use and all(each is None for each in worth):
            msg = (
                "says of nothing that it is of little worth: give confidence_below, importance_below, never_of_use or "
            )
            raise ValueError(f"rule {self.name!r} {msg}of_use_at_most; what goes by age alone is for [[retain.rules]]")
        return self


MISLED: Final = PruneRule(name="misled", action="demote", of_use_at_most=0.5)
"""What is of use in at most half of what is reported of it, with 95 % certainty: none of 4, or 2 of 14."""


class PrunePolicy(_Model):
    """What is of little worth, and what is never pruned for it."""

    rules: tuple[PruneRule, ...] = (MISLED,)
    """Of those that are met the first is done."""
    pinned: Share = 0.8
    """What an app called as important as this is not touched."""
    spare: tuple[Spared, ...] = (INSTRUCTIONS, Sensitive.IDENTITY, Sensitive.HEALTH)
    """What is not touched whatever a rule says."""
    least_reports: PositiveInt = 20
    """Memories of a stream of which something must have been reported for silence of the others to mean anything."""

    @model_validator(mode="after")
    def _has_names_of_its_own(self) -> Self:
        _names_differ(self.rules)
        return self


class RetainRule(_Rule):
    """How long is kept what all that is given here selects."""

    action: Literal["keep", "forget", "expire"]
    after_days: PositiveInt | None = None
    """By our clock, from when it was first held."""
    sensitivity: tuple[Sensitive, ...] = ()
    """What says anything of one of these classes. Empty: whatever it says."""
    tenants: tuple[Name, ...] = ()
    users: tuple[Name, ...] = ()
    rooms: tuple[Name, ...] = ()
    agents: tuple[Name, ...] = ()

    @model_validator(mode="after")
    def _has_a_time_or_needs_none(self) -> Self:
        if self.action == "keep" and self.after_days is not None:
            raise ValueError(f"rule {self.name!r} keeps, which has no end: leave after_days out")
        if self.action != "keep" and self.after_days is None:
            raise ValueError(f"rule {self.name!r} does not say when: give after_days")
        return self

    def includes(self, other: RetainRule) -> bool:
        """Whether it selects all that another one does."""
        return all(not mine or (theirs and mine >= theirs) for mine, theirs in self._beside(other))

    def meets(self, other: RetainRule) -> bool:
        """Whether there may be something that both select."""
        apart = [not mine & theirs for mine, theirs in self._beside(other, without="sensitivity") if mine and theirs]
        return not any(apart)

    def _beside(self, other: RetainRule, *, without: str = "") -> Iterable[tuple[set[object], set[object]]]:
        names = [name for name in _SELECTING if name != without]
        yield from ((set(getattr(self, name)), set(getattr(other, name))) for name in names)
        yield self._streams(), other._streams()

    def _streams(self) -> set[object]:
        return {*(("user", each) for each in self.users), *(("room", each) for each in self.rooms)}


_SELECTING: Final = ("kinds", "epistemic_types", "sensitivity", "tenants", "agents")


class RetainPolicy(_Model):
    """How long memories are kept; without a rule, for ever.

    A rule that keeps goes before all others. Of those that forget the first in the file that selects a memory is the
    one that counts for it, and so of those that expire; where both are due it is forgotten.
    """

    rules: tuple[RetainRule, ...] = ()

    @model_validator(mode="after")
    def _has_no_rule_that_never_counts(self) -> Self:
        _names_differ(self.rules)
        for first, second in combinations(self.rules, 2):
            for winner, loser in _order(first, second):
                if winner.includes(loser):
                    raise ValueError(f"rule {loser.name!r} never counts: {_why(winner)} all that it selects")
        return self

    @property
    def overlaps(self) -> tuple[str, ...]:
        """Which rule goes before which where both select the same, a sentence each."""
        pairs = [pair for each in combinations(self.rules, 2) for pair in _order(*each)]
        return tuple(
            f"rule {winner.name!r} goes before {loser.name!r} where both select the same"
            for winner, loser in pairs
            if winner.meets(loser)
        )


class GateRule(_Model):
    """A bound on a metric, as it is written down: see `shared.contract.measures.Gate`."""

    metric: Name
    most: float | None = None
    least: float | None = None
    fewest: int = 1
    act: Act
    says: Name

    @model_validator(mode="after")
    def _is_a_gate(self) -> Self:
        _ = self.gate
        return self

    @property
    def gate(self) -> Gate:
        """The gate that it is.

        Raises:
            InvalidInput: it names no metric, or not one bound.
        """
        return Gate(**self.model_dump())


class GatePolicy(_Model):
    """What happens where a metric is beyond its bound."""

    rules: tuple[GateRule, ...] | None = None
    """In the place of the built-in ones. None: those."""

    @property
    def gates(self) -> tuple[Gate, ...]:
        """The gates that hold."""
        return GATES if self.rules is None else tuple(rule.gate for rule in self.rules)


class Policies(_Model):
    """All of a file."""

    prune: PrunePolicy = Field(default_factory=PrunePolicy)
    retain: RetainPolicy = Field(default_factory=RetainPolicy)
    gates: GatePolicy = Field(default_factory=GatePolicy)


def _order(first: RetainRule, second: RetainRule) -> Iterable[tuple[RetainRule, RetainRule]]:
    """Which of two rules, in order of the file, goes before the other, if either does."""
    if second.action == "keep" and first.action != "keep":
        yield second, first
    elif first.action in {"keep", second.action} and second.action != "keep":
        yield first, second


def _why(winner: RetainRule) -> str:
    if winner.action == "keep":
        return f"{winner.name!r} keeps"
    return f"{winner.name!r}, which stands before it, is for"


def _names_differ(rules: Sequence[_Rule]) -> None:
    names = [rule.name for rule in rules]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"two rules are called {twice[0]!r}: the name is the reason that is written down")
