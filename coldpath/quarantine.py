"""quarantine: what came from a source that is not to be trusted any more is held no longer, and can be given back.

A page that gave orders, a tool that was broken for a day, an agent that somebody else had: what rests on its words is
closed, nothing is deleted, and beliefs that its words had ended are what they were before. `blast_radius` says first
what that would be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Final
from uuid import UUID

from coldpath._forgetting import write_down
from shared.contract.errors import InvalidInput
from shared.contract.operations import ClosePayload, Payload, ReopenPayload
from shared.contract.records import MemoryVersion, Operation
from shared.contract.scope import AUDIT_OWNER, Scope, checked_scope
from shared.log import logger
from shared.store import candidates, generations, ledger, memories
from shared.store.beliefs import Draft
from shared.store.candidates import Proposed, Standing
from shared.store.db import Database, Role, Session, also
from shared.store.ledger import Head, Source
from shared.store.resolving import resolve_claims

__all__ = ["Radius", "Source", "blast_radius", "lift", "quarantine"]

_LOG: Final = logger(__name__)


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
    """Memories that they only confirm: those stay."""
    claims: int
    """Claims that would be resolved anew without them."""


def blast_radius(database: Database, scope: Scope, source: Source) -> Radius:
    """What a quarantine of the source would reach in the scope's stream. Changes nothing.

    Raises:
        InvalidInput: the source is everything: name an origin, a speaker, a run, an agent or a time.
    """
    _check(scope, source)
    with database.transaction(Role.READER, scope.tenant_id, [scope.owner], read_only=True) as widened:
        return _reach(replace(widened, owners=(scope.owner,)), source, quarantined=False).radius


def quarantine(database: Database, scope: Scope, source: Source) -> Radius:
    """Hold nothing any more that was made from what the source said in the scope's stream.

    What it says from now on is judged as before: refuse it at its door.

    Raises:
        InvalidInput: as for `blast_radius`.
        DatabaseUnavailable: nothing has changed.
    """
    with _changing(database, scope, source) as (session, head):
        reach = _reach(session, source, quarantined=False)
        closing: list[Payload] = [
            ClosePayload(op=Operation.QUARANTINE, reason="source", memory=each.memory_id) for each in reach.memories
        ]
        _turn(session, head, reach, Standing.QUARANTINED, closing)
    return reach.radius


def lift(database: Database, scope: Scope, source: Source) -> Radius:
    """Undo a quarantine: what it closed is held again, unless it has been forgotten or said otherwise meanwhile.

    Raises:
        InvalidInput: as for `blast_radius`.
        DatabaseUnavailable: nothing has changed.
    """
    with _changing(database, scope, source) as (session, head):
        reach = _reach(session, source, quarantined=True)
        opening: list[Payload] = [
            ReopenPayload(reason="source", memory=each.memory_id, valid_to=each.valid_to) for each in reach.memories
        ]
        _turn(session, head, reach, Standing.STORED, opening)
    return reach.radius


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reach:
    """The rows that a quarantine turns one way or the other."""

    radius: Radius
    memories: Sequence[MemoryVersion]
    """The newest version of each."""
    proposed: Sequence[Proposed]


def _reach(session: Session, source: Source, *, quarantined: bool) -> _Reach:
    events = ledger.from_source(session, source)
    sequences = {event.sequence for event in events}
    founded, confirmed = _resting_on(session, sequences)
    turned = [each for each in founded if _is_turned(each, quarantined=quarantined)]
    standing = Standing.QUARANTINED if quarantined else Standing.STORED
    runs = {event.run_id for event in events if event.run_id}
    proposed = [
        each
        for each in candidates.of_runs(session, runs, {standing})
        if any(ref.sequence in sequences for ref in each.candidate.evidence)
    ]
    radius = Radius(
        messages=len(events),
        closed=tuple(each.memory_id for each in turned),
        kinds=dict(Counter(each.kind.value for each in turned)),
        confirmed=tuple(each.memory_id for each in confirmed if each.is_open),
        claims=len({each.claim_key for each in proposed if each.claim_key}),
    )
    return _Reach(radius=radius, memories=turned, proposed=proposed)


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


def _turn(session: Session, head: Head, reach: _Reach, standing: Standing, operations: Sequence[Payload]) -> None:
    candidates.settle(session, {each.sequence: (standing, None) for each in reach.proposed})
    draft = Draft(session, head)
    draft.do(reach.memories, operations)
    resolve_claims(draft, (each.claim_key for each in reach.proposed if each.claim_key is not None))
    ledger.advance(session, draft.write()[1])
    kind = "quarantine" if standing is Standing.QUARANTINED else "lift"
    counts = {"messages": reach.radius.messages, "memories": len(reach.radius.closed)}
    write_down(also(session, [AUDIT_OWNER]), kind, counts)
    _LOG.info("%s memories=%d", kind, len(reach.radius.closed))


@contextmanager
def _changing(database: Database, scope: Scope, source: Source) -> Iterator[tuple[Session, Head]]:
    _check(scope, source)
    with database.transaction(Role.WORKER, scope.tenant_id, [scope.owner]) as session:
        generations.ensure(session, "memory")
        generations.writing(session, "sparse")
        yield session, ledger.lock(session, scope.owner)


def _check(scope: Scope, source: Source) -> None:
    checked_scope(scope)
    if not any(asdict(source).values()):
        raise InvalidInput("name a source: an origin, a speaker, a run, an agent, or since when")
