"""refit: the records of a stream against the schemas that are registered now, and what a change of those makes of them.

`check` says which records fit, which the schema's `upgrade` makes fit, and which do not; it changes nothing. `apply`
does what that comes to, in one transaction: what is upgraded gets a successor and is merged into it, by candidates that
take the place of the old ones, so that a later word of the same claim is resolved with the data of now; what does not
fit is held no longer and waits for a person. A second pass finds nothing to do, and a replay folds the operations.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from shared.accept.registered import schemas as registered
from shared.belief.profiles import is_record
from shared.belief.recording import checked_candidate, founds, retold
from shared.belief.schemas import Fitted, Schemas
from shared.contract.candidates import Candidate, Extraction, ExtractionStatus
from shared.contract.errors import InvalidRecord
from shared.contract.events import event_id, memory_id
from shared.contract.operations import AddPayload, ClosePayload, MergePayload, Payload, WrittenEntry
from shared.contract.records import MemoryVersion, Operation
from shared.contract.scope import Owner
from shared.settings import Settings
from shared.store import candidates, generations, ledger, memories, reviews
from shared.store.beliefs import Draft
from shared.store.candidates import Proposed, Standing
from shared.store.db import Role, Session
from shared.store.ledger import Head
from shared.store.resolving import resolve_claims
from shared.store.reviews import Review
from warmpath._policies import verified_sources
from warmpath._work import Services
from warmpath.extract import Read, append_reading

READER: Final = "schemas"
"""Who is said to have read what an upgrade proposes."""
INVALID: Final = "schema_invalid"
"""Why a record is held no longer, and what its review is called."""
_CHANGED: Final = "schema_changed"

Changes = Sequence[tuple[Proposed, Candidate]]
"""What is to be replaced, each with what has its place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Misfit:
    """A record that does not fit; nothing of what it says."""

    memory_id: UUID
    schema_name: str
    field: str
    """Empty where it is the record as a whole, or its schema is not registered."""
    fault: str = ""
    """What is wrong where it is no value of the record: an upgrade that raises, a schema that is not there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """How the open records of a stream stand to the registered schemas."""

    owner: Owner
    fit: int
    upgraded: int
    """How many fit once they are upgraded."""
    invalid: tuple[Misfit, ...]


def check(services: Services, tenant_id: str, owner: Owner) -> Checked:
    """How a stream's records stand; changes nothing.

    Raises:
        Misconfigured: the schemas cannot be had.
    """
    known = registered(services.settings)
    with services.database.transaction(Role.READER, tenant_id, [owner], read_only=True) as widened:
        return _checked(replace(widened, owners=(owner,)), known)


def apply(services: Services, tenant_id: str, owner: Owner) -> Checked:
    """Bring a stream's records to the registered schemas; returns how they stood before.

    Raises:
        Misconfigured: the schemas cannot be had.
        DatabaseUnavailable: nothing has changed.
    """
    known = registered(services.settings)
    with _writing(services, tenant_id, owner) as session:
        head = ledger.lock(session, owner)
        found = _checked(session, known)
        ledger.advance(session, _refit(session, head, known, services.settings))
        return found


def _checked(session: Session, known: Schemas) -> Checked:
    fit = upgraded = 0
    invalid: list[Misfit] = []
    for version in _records(session).values():
        last = version[-1]
        if not last.is_open:
            continue
        try:
            changes = _fitted(last, known).is_upgraded
        except InvalidRecord as error:
            field, fault = (str(error.details.get(name) or "") for name in ("field", "fault"))
            invalid.append(
                Misfit(memory_id=last.memory_id, schema_name=last.schema_name or "", field=field, fault=fault)
            )
        else:
            fit, upgraded = fit + (not changes), upgraded + changes
    return Checked(owner=session.owner, fit=fit, upgraded=upgraded, invalid=tuple(invalid))


def _records(session: Session) -> Mapping[UUID, list[MemoryVersion]]:
    """The versions of each of the owner's records, oldest first."""
    found: dict[UUID, list[MemoryVersion]] = defaultdict(list)
    for version in filter(is_record, memories.records(session)):
        found[version.memory_id].append(version)
    return found


def _fitted(record: Candidate | MemoryVersion, known: Schemas) -> Fitted:
    return known.fitted(record.schema_name or "", record.data or {})


def _refit(session: Session, head: Head, known: Schemas, settings: Settings) -> Head:
    """Do all of it; returns the stream's new end."""
    counting = [each for each in candidates.standing(session, {Standing.STORED}) if each.candidate.schema_name]
    changes, misfits = _changes(counting, known)
    head = _propose(session, head, changes)
    due_at = head.recorded_at + timedelta(days=settings.review_days)
    replaced: dict[int, tuple[Standing, datetime | None]] = {
        old.sequence: (Standing.REPLACED, None) for old, _ in changes
    }
    candidates.settle(session, replaced | {each.sequence: (Standing.REVIEW, due_at) for each in misfits})
    reviews.insert(session, [_review(session, head, each, due_at) for each in misfits])
    draft, before = Draft(session, head), _records(session)
    _set_aside(draft, before, misfits)
    keys = {each.claim_key for each in misfits}
    keys |= {old.claim_key for old, _ in changes} | {new.claim.key for _, new in changes if new.claim}
    resolve_claims(draft, filter(None, keys), verified=verified_sources(settings))
    for old, new in changes:
        _merge(draft, before, old.candidate, new)
    for versions in before.values():
        if not any(founds(each.candidate, versions[0]) for each in counting):
            _succeed(draft, versions, known)
    return draft.write()[1]


def _changes(counting: Iterable[Proposed], known: Schemas) -> tuple[Changes, list[Proposed]]:
    """What takes the place of which candidates, and those that do not fit."""
    changes: list[tuple[Proposed, Candidate]] = []
    misfits: list[Proposed] = []
    for each in counting:
        try:
            if _fitted(each.candidate, known).is_upgraded:
                changes.append((each, retold(checked_candidate(each.candidate, known), known)))
        except InvalidRecord:
            misfits.append(each)
    return changes, misfits


def _propose(session: Session, head: Head, changes: Changes) -> Head:
    """Write down what is upgraded, as a reading of each run; it counts at once, having been judged before."""
    runs: dict[str, list[Candidate]] = defaultdict(list)
    for old, new in changes:
        runs[old.run_id].append(new)
    if not runs:
        return head
    kept = {event.sequence: event for event in ledger.admitted(session, runs)}
    batch = ledger.Batch(session.tenant_id, head)
    proposed: list[Proposed] = []
    for run_id, upgraded in runs.items():
        found = Extraction(extractor=READER, status=ExtractionStatus.STORED, candidates=upgraded)
        proposed += append_reading(batch, run_id, Read(events=(), extraction=found), kept, Standing.STORED)
    batch.write(session)
    candidates.insert(session, proposed)
    return batch.head


def _review(session: Session, head: Head, misfit: Proposed, due_at: datetime) -> Review:
    return Review(
        review_id=event_id(session.tenant_id, head.stream, misfit.sequence),
        sequence=misfit.sequence,
        policy=INVALID,
        reviewer=None,
        asked_at=head.recorded_at,
        due_at=due_at,
    )


def _set_aside(draft: Draft, before: Mapping[UUID, list[MemoryVersion]], misfits: Sequence[Proposed]) -> None:
    """Hold what does not fit no longer, until a person has decided."""
    for versions in before.values():
        if versions[-1].is_open and any(founds(each.candidate, versions[0]) for each in misfits):
            draft.do(versions, [ClosePayload(op=Operation.EXPIRE, reason=INVALID, memory=versions[0].memory_id)])


def _merge(draft: Draft, before: Mapping[UUID, list[MemoryVersion]], old: Candidate, new: Candidate) -> None:
    """Merge what was held for a candidate into what is held for the one that has its place.

    Where the words have stayed the same, resolution has done so already.
    """
    held = [version for versions in before.values() for version in versions]
    now: dict[UUID, list[MemoryVersion]] = defaultdict(list)
    for version in draft.as_they_are(held):
        now[version.memory_id].append(version)
    opened = [each for memory, each in now.items() if memory not in before and founds(new, each[0])]
    for memory in before:
        first, last = now[memory][0], now[memory][-1]
        by = [each for each in opened if each[0].valid_from == first.valid_from and each[-1].is_open]
        if by and last.is_open and founds(old, first):
            draft.do(before[memory], [_merged(by[0][0].memory_id, last)])


def _succeed(draft: Draft, versions: Sequence[MemoryVersion], known: Schemas) -> None:
    """Give a record that no candidate founded its successor, where an upgrade makes one of it."""
    last = versions[-1]
    if not last.is_open or last.claim is None:
        return
    try:
        fitted = _fitted(last, known)
    except InvalidRecord:
        return
    if fitted.is_upgraded:
        entry = WrittenEntry(
            kind=last.kind,
            epistemic_type=last.epistemic_type,
            text=last.text,
            claim=fitted.schema.claim(last.claim.subject, fitted.data),
            valid_from=last.valid_from,
            valid_to=last.valid_to,
            evidence=last.evidence,
            confidence=last.confidence,
            schema_name=fitted.schema.written_name,
            data=fitted.data,
        )
        by = memory_id(draft.session.tenant_id, draft.head.stream, draft.head.sequence + 1, 0)
        draft.do(versions, [AddPayload(reason=_CHANGED, entries=(entry,)), _merged(by, last)])


def _merged(by: UUID, absorbed: MemoryVersion) -> Payload:
    return MergePayload(reason=_CHANGED, memory=by, absorbed=(absorbed.memory_id,), evidence=absorbed.evidence)


@contextmanager
def _writing(services: Services, tenant_id: str, owner: Owner) -> Iterator[Session]:
    with services.database.transaction(Role.WORKER, tenant_id, [owner]) as session:
        generations.ensure(session, "memory")
        generations.writing(session, "sparse")
        yield session
