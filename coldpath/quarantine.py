"""quarantine: what came from a source that is not to be trusted any more is held no longer, and can be given back.

A page that gave orders, a tool that was broken for a day, an agent that somebody else had: what rests on its words is
closed, nothing is deleted, and beliefs that its words had ended are what they were before. What somebody else has said
too is held in their words. `blast_radius` says first what that would be.

What was proposed of its words and waits to be decided on, or for a second piece of evidence, is let go of; what waits
for a person is theirs to decide. Until the quarantine is lifted its words are not read again, by a new reading neither.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Final
from uuid import UUID

from coldpath._forgetting import write_down
from shared.belief.unkeyed import is_unkeyed
from shared.contract.errors import InvalidInput, NotFound
from shared.contract.events import Event, NewEvent
from shared.contract.instants import checked_instant
from shared.contract.operations import ClosePayload, MergePayload, Payload, ReopenPayload
from shared.contract.receipts import Stage
from shared.contract.records import Action, Decision, MemoryVersion, Operation
from shared.contract.scope import AUDIT_OWNER, Owner, Scope, checked_scope, room_owner
from shared.contract.trust import Origin
from shared.log import logger
from shared.store import candidates, decisions, generations, ledger, memories
from shared.store.beliefs import Draft
from shared.store.candidates import Proposed, Standing
from shared.store.db import Database, Role, Session, also
from shared.store.ledger import Head, Source
from shared.store.quarantines import CLOSE, LIFT, kept_back, marker
from shared.store.resolving import found_anew, resolve_claims

__all__ = ["Radius", "Source", "blast_radius", "lift", "quarantine"]

_LOG: Final = logger(__name__)
_UNDECIDED: Final = frozenset({Standing.WAITING, Standing.DEFERRED})
_MISTRUSTED: Final = Decision(
    action=Action.IGNORE, rule="quarantined", reason="where it comes from is not to be trusted", confidence=1.0
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Radius:
    """What a quarantine of a source reaches, or has reached."""

    messages: int
    """Pieces of evidence from it."""
    closed: tuple[UUID, ...]
    """Memories that were made from them: they would be held no longer."""
    kinds: Mapping[str, int]
    """How many of each kind those are."""
    confirmed: tuple[UUID, ...]
    """Memories that they only confirm: those stay, as certain as they were."""
    claims: int
    """Claims that would be resolved anew without them."""


def blast_radius(database: Database, scope: Scope, source: Source, *, room_id: str | None = None) -> Radius:
    """What a quarantine of the source would reach in the scope's stream, or in a room of its user. Changes nothing.

    Raises:
        InvalidInput: the source is everything (name an origin, a speaker, a run, an agent or a time), its origin is
            none, or its time has no zone.
        NotFound: the scope's user takes part in no such room, or the ledger has no such run.
    """
    owner = _checked(database, scope, source, room_id)
    with database.transaction(Role.READER, scope.tenant_id, [owner], read_only=True) as widened:
        return _reach(replace(widened, owners=(owner,)), source, quarantined=False).radius


def quarantine(
    database: Database,
    scope: Scope,
    source: Source,
    *,
    room_id: str | None = None,
    verified: AbstractSet[str] = frozenset(),
) -> Radius:
    """Hold nothing any more that was made from what the source has said in the scope's stream, or in a room.

    What it says from now on, and what of it is on its way, is judged as before: refuse it at its door.
    `verified` as for `forget`.

    Raises:
        InvalidInput, NotFound: as for `blast_radius`.
        DatabaseUnavailable: nothing has changed.
    """
    with _changing(database, scope, source, room_id) as (session, head):
        reach = _reach(session, source, quarantined=False)
        closing: list[Payload] = [
            ClosePayload(op=Operation.QUARANTINE, reason="source", memory=each.memory_id) for each in reach.memories
        ]
        undecided = [each.sequence for each in reach.proposed if each.standing in _UNDECIDED]
        candidates.settle(session, dict.fromkeys(undecided, (Standing.IGNORED, None)))
        decided = [(sequence, _MISTRUSTED) for sequence in undecided]
        decisions.write(session, Stage.GATE, decided, at=head.recorded_at)
        noted = _noted(session, head, marker(CLOSE, source, reach.messages))
        draft = _turned(session, noted, reach, Standing.QUARANTINED, closing, verified)
        found_anew(draft, reach.memories)
        _write(session, draft, reach, "quarantine")
    return reach.radius


def lift(
    database: Database,
    scope: Scope,
    source: Source,
    *,
    room_id: str | None = None,
    verified: AbstractSet[str] = frozenset(),
) -> Radius:
    """Undo a quarantine: what it closed is held again, unless it has been forgotten or said otherwise meanwhile.

    Whatever was quarantined of the source is given back, also where it had been named in another way; but what another
    quarantine reaches too stays until that is lifted as well.

    Raises:
        InvalidInput, NotFound: as for `blast_radius`.
        DatabaseUnavailable: nothing has changed.
    """
    with _changing(database, scope, source, room_id) as (session, head):
        messages = [event.sequence for event in _said(session, source)]
        reach = _reach(session, source, quarantined=True, kept_back=kept_back(session, source, messages))
        opening: list[Payload] = [
            ReopenPayload(reason="source", memory=each.memory_id, valid_to=each.valid_to) for each in reach.memories
        ]
        noted = _noted(session, head, marker(LIFT, source, messages))
        draft = _turned(session, noted, reach, Standing.STORED, opening, verified)
        _merge_stand_ins(draft, reach.memories)
        _write(session, draft, reach, "lift")
    return reach.radius


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reach:
    """The rows that a quarantine turns one way or the other."""

    radius: Radius
    memories: Sequence[MemoryVersion]
    """The newest version of each."""
    proposed: Sequence[Proposed]
    messages: Sequence[int]


def _said(session: Session, source: Source) -> list[Event]:
    """What a source has said in the stream."""
    events = ledger.from_source(session, source)
    if source.run_id and not events and not ledger.from_source(session, Source(run_id=source.run_id)):
        msg = f"the ledger has no run {source.run_id[:80]!r} in this stream; ids are compared exactly"
        raise NotFound(msg, run_id=source.run_id)
    return events


def _reach(session: Session, source: Source, *, quarantined: bool, kept_back: Collection[int] = frozenset()) -> _Reach:
    """`kept_back` are messages that another quarantine reaches: what rests on one of them is passed over."""
    events = _said(session, source)
    sequences = {event.sequence for event in events}
    founded, confirmed = _resting_on(session, sequences)
    held_back, _ = _resting_on(session, kept_back)
    out = {each.memory_id for each in held_back}
    turned = [each for each in founded if _is_turned(each, quarantined=quarantined) and each.memory_id not in out]
    standings = {Standing.QUARANTINED} if quarantined else {Standing.STORED, *_UNDECIDED}
    runs = {event.run_id for event in events if event.run_id}
    proposed = [
        each
        for each in candidates.of_runs(session, runs, standings)
        if any(ref.sequence in sequences for ref in each.candidate.evidence)
        and not any(ref.sequence in kept_back for ref in each.candidate.evidence)
    ]
    radius = Radius(
        messages=len(events),
        closed=tuple(each.memory_id for each in turned),
        kinds=dict(Counter(each.kind.value for each in turned)),
        confirmed=tuple(each.memory_id for each in confirmed if each.is_open),
        claims=len(_claims(proposed)),
    )
    return _Reach(radius=radius, memories=turned, proposed=proposed, messages=sorted(sequences))


def _is_turned(version: MemoryVersion, *, quarantined: bool) -> bool:
    return version.closed_reason is Operation.QUARANTINE if quarantined else version.is_open


def _resting_on(session: Session, sequences: Collection[int]) -> tuple[list[MemoryVersion], list[MemoryVersion]]:
    """The newest versions of the memories that were made from some evidence, and of those that it only confirms."""
    founded: dict[UUID, MemoryVersion] = {}
    confirmed: dict[UUID, MemoryVersion] = {}
    for version in memories.resting_on(session, sequences) if sequences else ():
        if version.version == 1 and any(ref.sequence in sequences for ref in version.evidence):
            founded[version.memory_id] = version
        into = founded if version.memory_id in founded else confirmed
        into[version.memory_id] = version
    return list(founded.values()), list(confirmed.values())


def _claims(proposed: Iterable[Proposed]) -> set[str]:
    """What the candidates spoke of that were decided on."""
    return {each.claim_key for each in proposed if each.claim_key and each.standing not in _UNDECIDED}


def _turned(
    session: Session,
    head: Head,
    reach: _Reach,
    standing: Standing,
    operations: Sequence[Payload],
    verified: AbstractSet[str],
) -> Draft:
    """Have what counts count no more, or again, and resolve what it spoke of."""
    turned = [each.sequence for each in reach.proposed if each.standing not in _UNDECIDED]
    candidates.settle(session, dict.fromkeys(turned, (standing, None)))
    draft = Draft(session, head)
    draft.do(reach.memories, operations)
    resolve_claims(draft, _claims(reach.proposed), verified=verified)
    return draft


def _merge_stand_ins(draft: Draft, lifted: Sequence[MemoryVersion]) -> None:
    """Merge what was held in others' words in the place of memories without a claim into those, now that they are held.

    Each rests on nothing that the memory did not rest on. What was given back too is no stand-in, and what was
    concluded from others does not stand for them.
    """
    given_back = {each.memory_id for each in lifted}
    for each in filter(is_unkeyed, lifted):
        spans = {ref.span for ref in each.evidence}
        held = memories.resting_on(draft.session, {span.sequence for span in spans})
        within = {
            version.memory_id
            for version in held
            if version.version == 1 and all(ref.span in spans for ref in version.evidence)
        }
        for version in draft.as_they_are(held):
            is_stand_in = version.memory_id in within - given_back and version.epistemic_type is each.epistemic_type
            if version.is_open and is_unkeyed(version) and is_stand_in:
                merge = MergePayload(
                    reason="source", memory=each.memory_id, absorbed=(version.memory_id,), evidence=version.evidence
                )
                draft.do(held, [merge])


def _noted(session: Session, head: Head, marker: NewEvent) -> Head:
    """Note a step before what it does, which goes by the quarantines that stand; returns the stream's end."""
    return ledger.append(session, head, [marker])[1]


def _write(session: Session, draft: Draft, reach: _Reach, kind: str) -> None:
    ledger.advance(session, draft.write()[1])
    counts = {"messages": reach.radius.messages, "memories": len(reach.radius.closed)}
    write_down(also(session, [AUDIT_OWNER]), kind, counts)
    _LOG.info("%s memories=%d", kind, len(reach.radius.closed))


@contextmanager
def _changing(database: Database, scope: Scope, source: Source, room_id: str | None) -> Iterator[tuple[Session, Head]]:
    owner = _checked(database, scope, source, room_id)
    with database.transaction(Role.WORKER, scope.tenant_id, [owner]) as session:
        generations.ensure(session, "memory")
        generations.writing(session, "sparse")
        yield session, ledger.lock(session, owner)


def _checked(database: Database, scope: Scope, source: Source, room_id: str | None) -> Owner:
    """Whose stream it is about."""
    checked_scope(scope)
    if not any(asdict(source).values()):
        raise InvalidInput("name a source: an origin, a speaker, a run, an agent, or since when")
    if source.origin is not None and source.origin not in set(Origin):
        raise InvalidInput(f"origin {source.origin!r} is none; name one of {', '.join(Origin)}", field="origin")
    checked_instant("since", source.since)
    if room_id is None:
        return scope.owner
    owner = room_owner(room_id)
    with database.transaction(Role.READER, scope.tenant_id, [scope.owner], read_only=True) as widened:
        if owner not in widened.owners:
            msg = f"user {scope.owner!r} takes part in no room {room_id!r}; ids are compared exactly"
            raise NotFound(msg, room=room_id, user=scope.owner)
    return owner
