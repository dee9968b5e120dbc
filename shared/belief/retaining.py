"""How long what is kept, by policy: what is due to be held no longer, or to be forgotten. Pure.

A memory is of the age at which it was first held, by our clock. What rules that keep select is never due; how rules
go before each other is said at `shared.contract.policies.RetainPolicy`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from shared.belief.rules.sensitivity import classes_of
from shared.contract.operations import ClosePayload
from shared.contract.policies import RetainPolicy, RetainRule
from shared.contract.proposals import Proposal
from shared.contract.records import EpistemicType, Kind, MemoryVersion, Operation
from shared.contract.scope import Owner, room_id_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Whose:
    """The stream that something is kept in."""

    tenant_id: str
    owner: Owner


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """Something that is kept: a memory, open or not, or what was said and gave none."""

    text: str
    kind: Kind
    epistemic_type: EpistemicType
    agent_id: str | None
    since: datetime
    """When it was first held, by our clock."""

    @classmethod
    def of(cls, memory: MemoryVersion, since: datetime) -> Kept:
        """A memory, by its newest version."""
        return cls(
            text=memory.text,
            kind=memory.kind,
            epistemic_type=memory.epistemic_type,
            agent_id=memory.agent_id,
            since=since,
        )


def ruling(policy: RetainPolicy, whose: Whose, kept: Kept, *, at: datetime) -> RetainRule | None:
    """The rule by which something is kept whatever its age, or is due at a time of ours; None where there is none."""
    rules = [rule for rule in policy.rules if _is_of(rule, whose) and _selects(rule, kept)]
    for action in ("keep", "forget", "expire"):
        first = next((rule for rule in rules if rule.action == action), None)
        if first is not None and _is_due(first, kept, at):
            return first
    return None


def expiries(
    policy: RetainPolicy, whose: Whose, aged: Iterable[tuple[MemoryVersion, datetime]], *, at: datetime, limit: int
) -> Iterator[Proposal]:
    """Which open memories, each with when it was first held, are due to be held no longer; `limit` at most."""
    found = 0
    for memory, since in aged:
        rule = ruling(policy, whose, Kept.of(memory, since), at=at)
        if rule is None or rule.action != "expire" or not memory.is_open:
            continue
        yield Proposal(
            operation=ClosePayload(op=Operation.EXPIRE, reason=rule.name, memory=memory.memory_id),
            read={memory.memory_id: memory.version},
        )
        found += 1
        if found == limit:
            return


def soonest_days(policy: RetainPolicy, whose: Whose, action: Literal["forget", "expire"]) -> int | None:
    """From what age on anything of a stream may be due; None where nothing ever is."""
    return min(
        (rule.after_days for rule in policy.rules if rule.action == action and rule.after_days and _is_of(rule, whose)),
        default=None,
    )


def _is_of(rule: RetainRule, whose: Whose) -> bool:
    if rule.tenants and whose.tenant_id not in rule.tenants:
        return False
    room = room_id_of(whose.owner)
    if not rule.users and not rule.rooms:
        return True
    return whose.owner in rule.users if room is None else room in rule.rooms


def _selects(rule: RetainRule, kept: Kept) -> bool:
    return (
        (not rule.kinds or kept.kind in rule.kinds)
        and (not rule.epistemic_types or kept.epistemic_type in rule.epistemic_types)
        and (not rule.agents or kept.agent_id in rule.agents)
        and (not rule.sensitivity or not set(rule.sensitivity).isdisjoint(classes_of(kept.text, holds_secret=False)))
    )


def _is_due(rule: RetainRule, kept: Kept, at: datetime) -> bool:
    return rule.after_days is None or at - kept.since >= timedelta(days=rule.after_days)
