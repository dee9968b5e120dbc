"""retain: what has been kept for as long as a policy says is held no longer, or forgotten with its content.

What is to be held no longer is proposed like all that jobs change, and can be taken back. What is to be forgotten is
gone: it is looked for without a lock, judged once more under the stream's, and goes in portions, each a transaction of
its own. Whoever is killed loses one portion's work, and the next pass finds the rest. Messages go as a whole, with all
that was made from them; one that anything rests on which a rule keeps stays, whatever else of it is due.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from typing import Final
from uuid import UUID

from coldpath import _forgetting as forgetting
from coldpath._forgetting import Gone
from coldpath._policies import policies
from coldpath._undone import apart
from coldpath.proposals import Propose, Proposed
from shared import clock, metrics
from shared.belief.effects import part_of
from shared.belief.retaining import Kept, Whose, expiries, ruling, soonest_days
from shared.belief.state import Versions, founding
from shared.contract.events import Event
from shared.contract.policies import RetainPolicy
from shared.contract.records import EpistemicType, Kind, MemoryVersion
from shared.contract.scope import AUDIT_OWNER, Owner
from shared.settings import Settings, names_of
from shared.store import ledger, memories
from shared.store.db import Database, Role, Session, also
from shared.work.queues import RETAIN

MOST_AT_ONCE: Final = 5_000
"""Memories that one pass expires in a stream, and messages that are looked for at once."""
PORTION: Final = 500
"""Messages that one transaction forgets."""


def by(settings: Settings) -> Propose:
    """What is to be held no longer, by the policy of an installation as it is written now."""
    return partial(propose, policies(settings).retain)


def is_wanted(settings: Settings) -> bool:
    """Whether the policy has a rule."""
    return bool(policies(settings).retain.rules)


def propose(policy: RetainPolicy, session: Session) -> Proposed:
    """What should be held no longer in the stream of the session's owner, the oldest first."""
    whose, at = _whose(session), clock.now()
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
class Due:
    """A message that is due to be forgotten."""

    sequence: int
    text: str
    rule: str
    goes: tuple[MemoryVersion, ...]
    """The newest versions of what was made from it."""
    kept_by: str | None = None
    """The rule by which it stays all the same."""


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


def _unfenced(_session: Session) -> None:
    """Where nobody can take the job over."""


@dataclass(frozen=True, slots=True)
class Forgetting:
    """What a policy says is to be forgotten."""

    policy: RetainPolicy
    verified: frozenset[str] = frozenset()
    """Sources whose word makes a fact of what was concluded."""

    def due(self, session: Session, *, limit: int = MOST_AT_ONCE) -> list[Due]:
        """The messages of the stream of the session's owner that are due, with those that a rule keeps all the same.

        In no order; those that go are `limit` at most.
        """
        whose, at = _whose(session), clock.now()
        days = soonest_days(self.policy, whose, "forget")
        if days is None:
            return []
        found: list[Due] = []
        waiting = _distinct(_candidates(session, self.policy, whose, at, at - timedelta(days=days)))
        while portion := list(islice(waiting, PORTION)):
            found += _judged(session, self.policy, portion, at)
            if sum(each.kept_by is None for each in found) >= limit:
                break
        return found

    def carry_out(
        self,
        database: Database,
        tenant_id: str,
        owner: Owner,
        *,
        fence: Callable[[Session], None] = _unfenced,
        time_is_up: Callable[[], bool] = _never,
    ) -> Forgot:
        """Forget what is due in a stream, portion by portion, until none is or the time is up.

        Raises:
            LeaseLost: the job is somebody else's by now; what was committed before stands.
            DatabaseUnavailable: the same; a later pass finds the rest.
        """
        done, kept = Gone(), 0
        messages = 0
        while True:
            with database.transaction(Role.READER, tenant_id, [owner], read_only=True) as session:
                found = self.due(replace(session, owners=(owner,)))
            going = sorted(each.sequence for each in found if each.kept_by is None)
            kept, before = len(found) - len(going), messages
            for start in range(0, len(going), PORTION):
                if time_is_up():
                    return Forgot(messages=messages, memories=done.memories, kept=kept, is_whole=False)
                messages += self._forget(database, tenant_id, owner, going[start : start + PORTION], fence, done)
            if messages == before:
                break
        metrics.PROPOSALS.labels(job=RETAIN, outcome="forgotten").inc(messages)
        metrics.PROPOSALS.labels(job=RETAIN, outcome="kept").inc(kept)
        return Forgot(messages=messages, memories=done.memories, kept=kept)

    def _forget(
        self,
        database: Database,
        tenant_id: str,
        owner: Owner,
        sequences: Sequence[int],
        fence: Callable[[Session], None],
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
            due = [each for each in _judged(session, self.policy, sequences, clock.now()) if each.kept_by is None]
            for rule in sorted({each.rule for each in due}):
                named = sorted(each.sequence for each in due if each.rule == rule)
                _, head = forgetting.erase_portion(session, head, named, gone, verified=self.verified, reason=rule)
            if due:
                ledger.advance(session, head)
                counts = {"messages": len(due), "memories": gone.memories}
                forgetting.write_down(everything, RETAIN, counts)
        done.memories += gone.memories
        return len(due)


def forgetting_by(settings: Settings) -> Forgetting:
    """What is to be forgotten, by the policy of an installation as it is written now."""
    return Forgetting(policies(settings).retain, frozenset(names_of(settings.verified_sources)))


def _whose(session: Session) -> Whose:
    return Whose(tenant_id=session.tenant_id, owner=session.owner)


def _candidates(session: Session, policy: RetainPolicy, whose: Whose, at: datetime, until: datetime) -> Iterator[int]:
    """Messages that may be due: what a memory that is rests on, and those that gave none."""
    for row in memories.aged(session, until=until, closed=True):
        rule = ruling(policy, whose, Kept.of(row.memory, row.held_since), at=at)
        if rule is not None and rule.action == "forget":
            yield from (ref.sequence for ref in row.memory.evidence)
    for event in ledger.unremembered(session, until=until):
        rule = ruling(policy, whose, _as_said(event), at=at)
        if rule is not None and rule.action == "forget":
            yield event.sequence


def _distinct(sequences: Iterable[int]) -> Iterator[int]:
    seen: set[int] = set()
    for sequence in sequences:
        if sequence not in seen:
            seen.add(sequence)
            yield sequence


@dataclass(slots=True)
class _Resting:
    """What rests on a message."""

    on_it: list[Versions] = field(default_factory=list)
    founded: list[Versions] = field(default_factory=list)


def _judged(session: Session, policy: RetainPolicy, sequences: Sequence[int], at: datetime) -> list[Due]:
    """Which of some messages are due, by all that rests on them, as it is now."""
    whose = _whose(session)
    resting = _by_message(memories.resting_on(session, sequences))
    found: list[Due] = []
    for event in ledger.numbered(session, session.owner, sequences):
        due = None if event.payload is None else _due(event, resting.get(event.sequence, _Resting()), policy, whose, at)
        found += [due] if due else []
    return found


def _due(event: Event, resting: _Resting, policy: RetainPolicy, whose: Whose, at: datetime) -> Due | None:
    rules: dict[UUID | None, tuple[str, str]] = {}
    for versions in resting.on_it:
        kept = Kept.of(versions[-1], versions[0].recorded_at)
        rule = ruling(policy, whose, kept, at=at)
        if rule is not None:
            rules[versions[0].memory_id] = (rule.action, rule.name)
    own = ruling(policy, whose, _as_said(event), at=at)
    if own is not None and (own.action == "keep" or not resting.on_it):
        rules[None] = (own.action, own.name)
    founded = {None, *(versions[0].memory_id for versions in resting.founded)}
    forgetting_it = [name for memory, (action, name) in rules.items() if action == "forget" and memory in founded]
    keeping_it = [name for action, name in rules.values() if action == "keep"]
    if not forgetting_it:
        return None
    return Due(
        sequence=event.sequence,
        text=str((event.payload or {}).get("text", "")),
        rule=forgetting_it[0],
        goes=tuple(versions[-1] for versions in resting.founded),
        kept_by=keeping_it[0] if keeping_it else None,
    )


def _by_message(versions: Iterable[MemoryVersion]) -> Mapping[int, _Resting]:
    found: dict[int, _Resting] = {}
    for each in part_of(versions, (), docs=0).memories.values():
        for sequence in {ref.sequence for version in each for ref in version.evidence}:
            found.setdefault(sequence, _Resting()).on_it.append(each)
        for sequence in {ref.sequence for ref in founding(each)}:
            found.setdefault(sequence, _Resting()).founded.append(each)
    return found


def _as_said(event: Event) -> Kept:
    return Kept(
        text=str((event.payload or {}).get("text", "")),
        kind=Kind.EPISODIC,
        epistemic_type=EpistemicType.EVIDENCE,
        agent_id=event.agent_id,
        since=event.recorded_at,
    )
