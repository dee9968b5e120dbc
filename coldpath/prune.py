"""prune: what is of little worth by policy is held as less, or no longer; nothing that was said is lost by it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from coldpath._undone import apart
from coldpath.proposals import Propose, Proposed
from shared import clock
from shared.accept.policies import policies
from shared.belief.worth import Aged, prunings
from shared.contract.policies import PrunePolicy
from shared.settings import Settings
from shared.store import memories, uses
from shared.store.db import Session
from shared.work.queues import PRUNE

MOST_AT_ONCE: Final = 5_000
"""Memories that one pass prunes in a stream, in one transaction of some seconds; the next pass does more."""


def by(settings: Settings) -> Propose:
    """The job, by the policy of an installation as it is written now."""
    return partial(propose, policies(settings).prune)


def is_wanted(settings: Settings) -> bool:
    """Whether the policy has a rule."""
    return bool(policies(settings).prune.rules)


def propose(policy: PrunePolicy, session: Session) -> Proposed:
    """What should be demoted or expired in the stream of the session's owner, the oldest first."""
    if not policy.rules:
        return Proposed()
    at, reports = clock.now(), uses.count(session)
    if not reports and all(_hangs_on_reports(policy)):
        return Proposed()
    undone = apart(session, session.owner, PRUNE)
    found = prunings(
        (each for each in _aged(session, policy, at) if each.memory not in undone),
        policy,
        partial(memories.hanging_on, session),
        at=at,
        reports=reports,
        limit=MOST_AT_ONCE,
    )
    return Proposed(proposals=list(found))


def _aged(session: Session, policy: PrunePolicy, at: datetime) -> Iterator[Aged]:
    youngest = timedelta(days=min(rule.older_than_days or 0 for rule in policy.rules))
    reported = all(rule.of_use_at_most is not None for rule in policy.rules)
    for row in memories.aged(session, until=at - youngest, reported=reported):
        yield Aged(memory=row.memory, held_since=row.held_since, used=row.used, misled=row.misled)


def _hangs_on_reports(policy: PrunePolicy) -> Iterator[bool]:
    return (rule.never_of_use or rule.of_use_at_most is not None for rule in policy.rules)
