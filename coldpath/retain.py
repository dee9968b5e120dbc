"""retain: what has been kept for as long as a policy says is held no longer, or forgotten with its content.

What is to be held no longer is proposed like all that jobs change, and can be taken back. What is to be forgotten is
gone: it is looked for without a lock, judged once more under the stream's, and goes in portions, each a transaction of
its own. Whoever is killed loses one portion's work, and the next pass finds the rest. Messages go as a whole, with all
that was made from them; one that anything rests on which a rule keeps stays, whatever else of it is due.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import Final

from coldpath import _forgetting as forgetting
from coldpath._due import BEGIN, PORTION, Due, all_due, due_behind, judged, judged_in_portions, under, whose_of
from coldpath._fencing import Fence, unfenced
from coldpath._forgetting import Gone
from coldpath._undone import apart
from coldpath.proposals import Propose, Proposed
from shared import clock, metrics
from shared.accept.policies import policies
from shared.belief.retaining import expiries, soonest_days
from shared.contract.policies import RetainPolicy
from shared.contract.scope import AUDIT_OWNER, Owner
from shared.settings import Settings, names_of
from shared.store import ledger, memories
from shared.store.db import Database, Role, Session, also
from shared.work.queues import RETAIN

MOST_AT_ONCE: Final = 5_000
"""Memories that one pass expires in a stream, and messages that are looked for at once."""


def by(settings: Settings) -> Propose:
    """What is to be held no longer, by the policy of an installation as it is written now."""
    return partial(propose, policies(settings).retain)


def is_wanted(settings: Settings) -> bool:
    """Whether the policy has a rule."""
    return bool(policies(settings).retain.rules)


def propose(policy: RetainPolicy, session: Session) -> Proposed:
    """What should be held no longer in the stream of the session's owner, the oldest first."""
    whose, at = whose_of(session), clock.now()
    days = soonest_days(policy, whose, "expire")
    if days is None:
        return Proposed()
    undone = apart(session, session.owner, RETAIN)
    aged = (
        (row.memory, row.held_since)
        for row in memories.aged(session, until=at - timedelta(days=days))
        if row.memory not in undone
    )
    return Proposed(proposals=list(expiries(policy, whose, aged, at=at, limit=MOST_AT_ONCE)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgot:
    """What was forgotten of a stream."""

    messages: int = 0
    memories: int = 0
    kept: int = 0
    """Messages that were due and that a rule keeps."""
    is_whole: bool = True
    """Whether all that was due has had its turn."""


def _never() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Forgetting:
    """What a policy says is to be forgotten."""

    policy: RetainPolicy
    verified: frozenset[str] = frozenset()
    """Sources whose word makes a fact of what was concluded."""

    def all_due(self, session: Session) -> Iterator[Due]:
        """All that `carry_out` would come to in the stream of the session's owner, message by message; see `all_due`.

        Nothing is written, and no lock is taken.
        """
        return all_due(self.policy, session, clock.now())

    def carry_out(
        self,
        database: Database,
        tenant_id: str,
        owner: Owner,
        *,
        fence: Fence = unfenced,
        time_is_up: Callable[[], bool] = _never,
    ) -> Forgot:
        """Forget what is due in a stream, portion by portion, until none is or the time is up.

        Raises:
            LeaseLost: the job is somebody else's by now; what was committed before stands.
            DatabaseUnavailable: the same; a later pass finds the rest.
        """
        look = _Look(self.policy, database, tenant_id, owner)
        done = Gone()
        messages = kept = 0
        while found := look.next():
            going = sorted(each.sequence for each in found if each.kept_by is None)
            kept += len(found) - len(going)
            for start in range(0, len(going), PORTION):
                if time_is_up():
                    return Forgot(messages=messages, memories=done.memories, kept=kept, is_whole=False)
                messages += self._forget(database, tenant_id, owner, going[start : start + PORTION], fence, done)
        metrics.PROPOSALS.labels(job=RETAIN, outcome="forgotten").inc(messages)
        metrics.PROPOSALS.labels(job=RETAIN, outcome="kept").inc(kept)
        return Forgot(messages=messages, memories=done.memories, kept=kept)

    def _forget(
        self,
        database: Database,
        tenant_id: str,
        owner: Owner,
        sequences: Sequence[int],
        fence: Fence,
        done: Gone,
    ) -> int:
        """Forget those of some messages that are due under the stream's lock; returns how many."""
        gone = Gone()
        with database.transaction(Role.ERASER, tenant_id, [owner]) as widened:
            everything = also(widened, [AUDIT_OWNER])
            session = replace(everything, owners=(owner,))
            fence(session)
            forgetting.hold_views(session)
            head = ledger.lock(session, owner)
            due = [each for each in judged(session, self.policy, sequences, clock.now()) if each.kept_by is None]
            for rule in sorted({each.rule for each in due}):
                named = sorted(each.sequence for each in due if each.rule == rule)
                _, head = forgetting.erase_portion(session, head, named, gone, verified=self.verified, reason=rule)
            if due:
                ledger.advance(session, head)
                counts = {"messages": len(due), "memories": gone.memories}
                forgetting.write_down(everything, RETAIN, counts)
        done.memories += gone.memories
        return len(due)


class _Look:
    """What is due in a stream, looked for once from its begin to its end, and then what is due in turn.

    While what was found is being forgotten no transaction is open, so each round begins behind the last.
    """

    def __init__(self, policy: RetainPolicy, database: Database, tenant_id: str, owner: Owner) -> None:
        self._policy, self._database, self._tenant_id, self._owner = policy, database, tenant_id, owner
        self._behind, self._is_through = BEGIN, False
        self._seen: set[int] = set()
        self._told: set[int] = set()
        self._in_turn: set[int] = set()

    def next(self) -> list[Due]:
        """Some that are due, of which `MOST_AT_ONCE` or so go, with those that a rule keeps; nothing at the end."""
        with self._database.transaction(Role.READER, self._tenant_id, [self._owner], read_only=True) as widened:
            session = replace(widened, owners=(self._owner,))
            found = [] if self._is_through else self._onwards(session)
            while not found and self._in_turn:
                found = self._turned(session)
            going = {memory.memory_id for each in found if each.kept_by is None for memory in each.goes}
            self._told.update(each.sequence for each in found)
            self._in_turn = (self._in_turn | under(session, going)) - self._told
        return found

    def _onwards(self, session: Session) -> list[Due]:
        found: list[Due] = []
        going = 0
        for place, some in due_behind(self._policy, session, clock.now(), self._behind, self._seen):
            found += some
            self._behind = place
            going += sum(each.kept_by is None for each in some)
            if going >= MOST_AT_ONCE:
                return found
        self._is_through = True
        return found

    def _turned(self, session: Session) -> list[Due]:
        now = sorted(self._in_turn)[:MOST_AT_ONCE]
        self._in_turn.difference_update(now)
        return list(judged_in_portions(session, self._policy, now, clock.now()))


def forgetting_by(settings: Settings) -> Forgetting:
    """What is to be forgotten, by the policy of an installation as it is written now."""
    return Forgetting(policies(settings).retain, frozenset(names_of(settings.verified_sources)))
