"""verify: does the ledger still say what was written?

Goes through a stream from its first event, works out each hash anew, and says where the chain first breaks: a changed
row, a changed payload, a row that is missing or out of place, an end that was cut off. What it found is itself written
into the tenant's audit stream. As a job it does so once for each stream of its sample, whatever becomes of its worker.
"""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from shared.contract.events import EventClass, NewEvent
from shared.contract.scope import AUDIT_OWNER, Owner, stream_of
from shared.log import logger
from shared.store import jobs, ledger, streams
from shared.store.db import Database, Role, Row
from shared.work.passes import Job

_LOG: Final = logger(__name__)


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


def verify(database: Database, tenant_id: str, owner: Owner, job: Job | None = None) -> Verification:
    """Check one stream from its first event to its end, and write down the outcome; for a job, once a pass.

    Raises:
        LeaseLost: the job's pass is somebody else's by now; nothing was written down.
    """
    # One state throughout: what is appended between reading the end and reading the events is no damage.
    with database.transaction(Role.READER, tenant_id, [owner], read_only=True) as session:
        end = ledger.end_of(session, owner)
        events, erased, fault = check(ledger.read_stored(session, owner), end)
    found = Verification(
        tenant_id=tenant_id,
        owner=owner,
        stream=stream_of(owner),
        events=events,
        erased=erased,
        fault=fault,
    )
    _write_down(database, found, job)
    return found


def verify_sample(database: Database, size: int, job: Job) -> bool:
    """Check `size` streams, drawn by chance from all tenants'; False if there was time for some of them only."""
    drawn = sample(streams.of_tenant(database, None), size, job.held.job_id)
    for at, (tenant_id, owner) in enumerate(drawn):
        if job.time_is_up:
            return False
        job.progress(at, len(drawn))
        if _is_written_down(database, tenant_id, owner, job):
            continue
        found = verify(database, tenant_id, owner, job)
        job.count(streams=1, damaged=int(found.fault is not None))
        if found.fault:
            _LOG.error("verify stream=%s sequence=%d %s", found.stream, found.fault.sequence, found.fault.reason)
    return True


def sample(known: Iterable[tuple[str, Owner, int]], size: int, seed: UUID) -> list[tuple[str, Owner]]:
    """`size` of the streams, by chance; the same ones for the same seed, so a pass that goes on draws as it began."""

    def lot(stream: tuple[str, Owner]) -> bytes:
        return hashlib.sha256("\x1f".join([str(seed), *stream]).encode()).digest()

    return heapq.nsmallest(size, ((tenant_id, owner) for tenant_id, owner, _ in known), key=lot)


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


def _is_written_down(database: Database, tenant_id: str, owner: Owner, job: Job) -> bool:
    """Whether this pass has checked a stream already: the audit stream takes an event of its mark once."""
    with database.transaction(Role.READER, tenant_id, [AUDIT_OWNER], read_only=True) as session:
        return jobs.is_written(session, stream_of(AUDIT_OWNER), jobs.mark(job.held, stream_of(owner)))
