"""Which messages are due to be forgotten, by all that rests on them: judged on what is held, and changing nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice
from typing import Final, NamedTuple
from uuid import UUID

from shared.belief.effects import part_of
from shared.belief.retaining import Kept, Whose, ruling, soonest_days
from shared.belief.state import Versions, founding
from shared.contract.events import Event
from shared.contract.policies import RetainPolicy
from shared.contract.records import EpistemicType, Kind, MemoryVersion
from shared.store import ledger, memories
from shared.store.db import Session

PORTION: Final = 500
"""Messages that are judged at once, and that one transaction forgets."""


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


class Place(NamedTuple):
    """How far a look through a stream has come."""

    doc: int = 0
    """Up to which memory, by its number."""
    sequence: int = 0
    """Up to which message of those that gave no memory: they come after all memories."""


BEGIN: Final = Place()


def due_by(policy: RetainPolicy, session: Session, at: datetime) -> Iterator[Due]:
    """The messages of the stream of the session's owner that are due, with those that a rule keeps, in no order."""
    for _, found in due_behind(policy, session, at, BEGIN, set()):
        yield from found


def due_behind(
    policy: RetainPolicy, session: Session, at: datetime, behind: Place, seen: set[int]
) -> Iterator[tuple[Place, list[Due]]]:
    """The same behind a place, some messages at a time, with the place up to which that has come.

    `seen` are the messages that were judged before, by sequence; those that are judged here join them.
    """
    whose = whose_of(session)
    days = soonest_days(policy, whose, "forget")
    if days is None:
        return
    waiting: list[int] = []
    for place, sequences in _candidates(session, policy, whose, at, at - timedelta(days=days), behind):
        waiting += [each for each in dict.fromkeys(sequences) if each not in seen]
        seen.update(sequences)
        if len(waiting) >= PORTION:
            yield place, judged(session, policy, waiting, at)
            waiting = []
        behind = place
    if waiting:
        yield behind, judged(session, policy, waiting, at)


def all_due(policy: RetainPolicy, session: Session, at: datetime) -> Iterator[Due]:
    """The same, and what is due in turn once all of that is forgotten; of those that are kept, each once.

    Goes through a stream of any length and holds the numbers of messages and the ids of memories that would go.
    """
    gone: set[UUID] = set()
    told: set[int] = set()
    found = due_by(policy, session, at)
    while True:
        left: set[UUID] = set()
        for each in found:
            if each.sequence not in told:
                told.add(each.sequence)
                left |= {memory.memory_id for memory in each.goes if each.kept_by is None} - gone
                yield each
        if not left:
            return
        gone |= left
        found = judged_in_portions(session, policy, sorted(under(session, left) - told), at, gone)


def under(session: Session, gone: Collection[UUID]) -> set[int]:
    """The messages that some memories rest on, in any version: what is due in turn where those go."""
    return {ref.sequence for version in memories.versions(session, gone) for ref in version.evidence}


def judged_in_portions(
    session: Session, policy: RetainPolicy, sequences: Iterable[int], at: datetime, gone: Collection[UUID] = ()
) -> Iterator[Due]:
    """As `judged`, of any number of messages."""
    waiting = iter(sequences)
    while portion := list(islice(waiting, PORTION)):
        yield from judged(session, policy, portion, at, gone=gone)


def whose_of(session: Session) -> Whose:
    """Whose stream a policy is asked about."""
    return Whose(tenant_id=session.tenant_id, owner=session.owner)


def _candidates(
    session: Session, policy: RetainPolicy, whose: Whose, at: datetime, until: datetime, behind: Place
) -> Iterator[tuple[Place, list[int]]]:
    """Messages that may be due, place by place: what a memory that is rests on, and those that gave none."""
    place = behind
    for row in memories.aged(session, until=until, closed=True, after=behind.doc):
        place = place._replace(doc=row.memory.doc)
        rule = ruling(policy, whose, Kept.of(row.memory, row.held_since), at=at)
        if rule is not None and rule.action == "forget":
            yield place, [ref.sequence for ref in row.memory.evidence]
    for event in ledger.unremembered(session, until=until, after=behind.sequence):
        place = place._replace(sequence=event.sequence)
        rule = ruling(policy, whose, _as_said(event), at=at)
        if rule is not None and rule.action == "forget":
            yield place, [event.sequence]


@dataclass(slots=True)
class _Resting:
    """What rests on a message."""

    on_it: list[Versions] = field(default_factory=list)
    founded: list[Versions] = field(default_factory=list)


def judged(
    session: Session, policy: RetainPolicy, sequences: Sequence[int], at: datetime, *, gone: Collection[UUID] = ()
) -> list[Due]:
    """Which of some messages are due, by all that rests on them, as it is now, or would be without what is `gone`."""
    whose = whose_of(session)
    held = memories.resting_on(session, sequences)
    resting = _by_message(each for each in held if each.memory_id not in gone)
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
