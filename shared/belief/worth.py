"""What is of little worth, by policy: which memories are to be demoted, and which held no longer. Pure.

Nothing that anybody said is lost by it: what is expired is closed and not forgotten, its evidence stays, and it can be
opened again. Not touched is what an app called important, what the policy spares, a record that no rule names, what
something else that is held hangs on, and an episode that was promoted, but for rules on its use.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Final
from uuid import UUID

from shared.belief.rules.instructions import gives_orders
from shared.belief.rules.sensitivity import Sensitive, classes_of
from shared.belief.usefulness import most_share
from shared.contract.operations import ClosePayload, StandingPayload
from shared.contract.policies import INSTRUCTIONS, PrunePolicy, PruneRule
from shared.contract.proposals import Proposable, Proposal
from shared.contract.records import EpistemicType, Kind, MemoryVersion, Operation

_WHO_SOMEBODY_IS: Final = frozenset(
    {"name", "gender", "pronouns", "birthday", "birthplace", "age", "also_known_as", "different_from"}
)
_PORTION: Final = 500
"""Proposals that are looked up at once for what hangs on them."""
_FIRM: Final = frozenset({EpistemicType.FACT, EpistemicType.PREFERENCE, EpistemicType.OPINION})


@dataclass(frozen=True, slots=True, kw_only=True)
class Aged:
    """A memory as it is held, with what its age and its use are."""

    memory: MemoryVersion
    held_since: datetime
    """When it was first held, by our clock."""
    used: int = 0
    misled: int = 0


Hanging = Callable[[Collection[UUID]], AbstractSet[UUID]]
"""Gives those of some memories that something which is held hangs on."""


def prunings(
    aged: Iterable[Aged], policy: PrunePolicy, hanging: Hanging, *, at: datetime, reports: int, limit: int
) -> Iterator[Proposal]:
    """What is to be done by a policy at a time of our clock, of open memories, in their order; `limit` at most.

    `reports` is of how many memories of the stream anything was reported.
    """
    proposed = filter(None, (_proposed(each, policy, at=at, reports=reports) for each in aged))
    free = (each for portion in _portions(proposed) for each in _free(portion, hanging))
    return islice(free, limit)


def _proposed(aged: Aged, policy: PrunePolicy, *, at: datetime, reports: int) -> Proposal | None:
    operation = _done_with(aged, policy, at=at, reports=reports)
    read = {aged.memory.memory_id: aged.memory.version}
    return None if operation is None else Proposal(operation=operation, read=read)


def _portions(proposed: Iterable[Proposal]) -> Iterator[list[Proposal]]:
    waiting = iter(proposed)
    while portion := list(islice(waiting, _PORTION)):
        yield portion


def _free(proposed: Sequence[Proposal], hanging: Hanging) -> Iterator[Proposal]:
    """Without those that would close what something hangs on."""
    kept = hanging([memory for each in proposed for memory in each.read])
    return (each for each in proposed if each.operation.op is Operation.DEMOTE or kept.isdisjoint(each.read))


def _done_with(aged: Aged, policy: PrunePolicy, *, at: datetime, reports: int) -> Proposable | None:
    memory = aged.memory
    if memory.importance is not None and memory.importance >= policy.pinned:
        return None
    for rule in policy.rules:
        if _is_met(rule, aged, at=at, counts_silence=reports >= policy.least_reports):
            operation = _operation(rule, memory)
            if operation is not None:
                return None if _is_spared(memory, policy) else operation
    return None


def _is_met(rule: PruneRule, aged: Aged, *, at: datetime, counts_silence: bool) -> bool:
    memory = aged.memory
    named = (
        (rule.of_use_at_most is not None or not _is_promoted(memory))
        and (not rule.kinds or memory.kind in rule.kinds)
        and (not rule.epistemic_types or memory.epistemic_type in rule.epistemic_types)
        and _schema_of(memory) in (rule.schemas or {None})
    )
    return named and all(
        (
            rule.older_than_days is None or at - aged.held_since >= timedelta(days=rule.older_than_days),
            rule.confidence_below is None or memory.confidence < rule.confidence_below,
            rule.importance_below is None or _is_below(memory.importance, rule.importance_below),
            not rule.never_of_use or (counts_silence and not aged.used),
            rule.of_use_at_most is None or most_share(aged.used, aged.misled) <= rule.of_use_at_most,
        )
    )


def _is_promoted(memory: MemoryVersion) -> bool:
    """Whether it is an episode that recalls often rest on: then by its use alone it is of little worth."""
    return memory.epistemic_type is EpistemicType.EVIDENCE and memory.kind is Kind.SEMANTIC


def _schema_of(memory: MemoryVersion) -> str | None:
    return memory.schema_name and memory.schema_name.partition("@")[0]


def _is_below(importance: float | None, bound: float) -> bool:
    return importance is not None and importance < bound


def _operation(rule: PruneRule, memory: MemoryVersion) -> Proposable | None:
    """What a rule does to a memory that meets it; None where that has been done."""
    if rule.action == "expire":
        return ClosePayload(op=Operation.EXPIRE, reason=rule.name, memory=memory.memory_id)
    is_said = memory.epistemic_type is EpistemicType.EVIDENCE
    changes: dict[str, object] = {}
    if is_said and memory.kind is not Kind.EPISODIC:
        changes["kind"] = Kind.EPISODIC
    if memory.epistemic_type in _FIRM:
        changes["epistemic_type"] = EpistemicType.INFERENCE
    if not is_said and memory.confidence > rule.confidence:
        changes["confidence"] = rule.confidence
    given = {"op": Operation.DEMOTE, "reason": rule.name, "memory": memory.memory_id, **changes}
    return StandingPayload.model_validate(given) if changes else None


def _is_spared(memory: MemoryVersion, policy: PrunePolicy) -> bool:
    if INSTRUCTIONS in policy.spare and (memory.kind is Kind.PROCEDURAL or gives_orders(memory.text)):
        return True
    says_who = memory.claim is not None and memory.claim.predicate in _WHO_SOMEBODY_IS
    if says_who and Sensitive.IDENTITY in policy.spare:
        return True
    return not set(policy.spare).isdisjoint(classes_of(memory.text, holds_secret=False))
