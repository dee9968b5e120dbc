"""verify: does the ledger still say what was written?

Goes through a stream from its first event, works out each hash anew, and says where the chain first breaks: a changed
row, a changed payload, a row that is missing or out of place, an end that was cut off. What it found is itself written
into the tenant's audit stream. As a job it does so once for each stream of its sample, whatever becomes of its worker.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from shared.contract.errors import LedgerDamaged
from shared.contract.events import EventClass, NewEvent
from shared.contract.scope import AUDIT_OWNER, Owner, stream_of
from shared.log import logger
from shared.store import jobs, ledger
from shared.store.db import Database, Role, Row
from shared.work.passes import Job
from shared.work.rounds import SEEN, next_streams, note

_LOG: Final = logger(__name__)
LONGEST_SAMPLED: Final = 1_000_000
"""Events of a stream that a sample checks: a task that takes longer than its deadline is killed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Where a stream stops being what was written."""

    sequence: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What was found of one stream."""

    tenant_id: str
    owner: Owner
    stream: str
    events: int
    """Events that are as they were written, from the first."""
    erased: int
    """Of those, events whose content is gone, by its digest alone."""
    fault: Fault | None


def verify(database: Database, tenant_id: str, owner: Owner) -> Verification:
    """Check one stream from its first event to its end, and write down the outcome."""
    found = _followed(database, tenant_id, owner)
    _write_down(database, found, None)
    return found


def _followed(database: Database, tenant_id: str, owner: Owner) -> Verification:
    # One state throughout: what is appended between reading the end and reading the events is no damage.
    with database.transaction(Role.READER, tenant_id, [owner], read_only=True) as session:
        end = ledger.end_of(session, owner)
        events, erased, fault = check(ledger.read_stored(session, owner), end)
    return Verification(
        tenant_id=tenant_id,
        owner=owner,
        stream=stream_of(owner),
        events=events,
        erased=erased,
        fault=fault,
    )


def verify_sample(database: Database, size: int, job: Job) -> bool:
    """Check what was damaged, and the next `size` streams on the round; False if there was time for some of them only.

    Streams longer than `LONGEST_SAMPLED` are left to `daybook verify`.

    What was found of a stream is written down once a pass.

    Raises:
        LedgerDamaged: a stream is not as it was written.
        LeaseLost: the job's pass is somebody else's by now; nothing more was written down.
    """
    for each in next_streams(database, job, size):
        if job.time_is_up:
            return False
        job.progress(job.counts.get(SEEN, 0), size)
        if each.events > LONGEST_SAMPLED and (each.place,) not in job.round.again:
            job.count(left_out=1)
            continue
        found = _followed(database, each.tenant_id, each.owner)
        if not _is_written_down(database, found, job):
            _write_down(database, found, job)
        note(job, each.place, differs=found.fault is not None)
        _tell(found)
    damaged = len(job.round.again)
    job.count(damaged=damaged)
    if damaged:
        many = "a stream is" if damaged == 1 else f"{damaged} streams are"
        raise LedgerDamaged(f"{many} not as it was written: `daybook verify` says which, and where; write nothing more")
    return True


def _tell(found: Verification) -> None:
    if found.fault:
        where = found.stream, found.fault.sequence, found.fault.reason
        _LOG.error("verify tenant=%s stream=%s sequence=%d %s", found.tenant_id, *where)


def check(rows: Iterable[Row], end: Row | None) -> tuple[int, int, Fault | None]:
    """Follow the chain through stored events, in order, to the stored end; pure.

    Returns how many events are sound, how many of those have no content any more, and the first fault.
    """
    sequence, previous, erased = 0, ledger.GENESIS, 0
    for row in rows:
        reason = _wrong(row, sequence + 1, previous)
        if reason:
            return sequence, erased, Fault(sequence=min(sequence + 1, row["sequence"]), reason=reason)
        sequence, previous = row["sequence"], bytes(row["hash"])
        erased += row["payload"] is None
    if end is None or (end["last_sequence"], bytes(end["last_hash"])) != (sequence, previous):
        reason = "events after this one are missing, or the stream's end was changed"
        return sequence, erased, Fault(sequence=sequence, reason=reason)
    return sequence, erased, None


def _wrong(row: Row, expected: int, previous: bytes) -> str | None:
    if row["sequence"] != expected:
        return f"event {expected} is missing; {row['sequence']} follows"
    if bytes(row["previous_hash"]) != previous:
        return "it does not follow the event before it"
    if ledger.chained(previous, row) != bytes(row["hash"]):
        return "it was changed after it was written"
    if row["payload"] is not None:
        digest = hashlib.sha256(bytes(row["salt"]) + row["payload"].encode()).digest()
        if digest != bytes(row["payload_hash"]):
            return "its content was changed after it was written"
    return None


def _write_down(database: Database, found: Verification, job: Job | None) -> None:
    payload = {"stream": found.stream, "events": found.events, "erased": found.erased, "sound": found.fault is None}
    if found.fault:
        payload["broken_at"] = found.fault.sequence
    event = NewEvent(event_class=EventClass.AUDIT, kind="verify", payload=payload)
    with database.transaction(Role.WORKER, found.tenant_id, [AUDIT_OWNER]) as session:
        if job:
            job.fence(session)
            message_id, digest = jobs.mark(job.held, found.stream)
            event = replace(event, message_id=message_id, message_digest=digest)
        _, head = ledger.append(session, ledger.lock(session, AUDIT_OWNER), [event])
        ledger.advance(session, head)


def _is_written_down(database: Database, found: Verification, job: Job) -> bool:
    """Whether this pass has told of a stream already: the audit stream takes an event of its mark once."""
    with database.transaction(Role.READER, found.tenant_id, [AUDIT_OWNER], read_only=True) as session:
        return jobs.is_written(session, stream_of(AUDIT_OWNER), jobs.mark(job.held, found.stream))
