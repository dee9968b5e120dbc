"""verify: does the ledger still say what was written?

Goes through a stream from its first event, works out each hash anew, and says where the chain first breaks: a changed
row, a changed payload, a row that is missing or out of place, an end that was cut off. What it found is itself written
into the tenant's audit stream.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from shared.contract.events import EventClass, NewEvent
from shared.contract.scope import AUDIT_OWNER, Owner, stream_of
from shared.log import logger
from shared.store import ledger, streams
from shared.store.db import Database, Role, Row

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


def verify(database: Database, tenant_id: str, owner: Owner) -> Verification:
    """Check one stream from its first event to its end, and write down the outcome."""
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
    _write_down(database, found)
    return found


def verify_sample(database: Database, size: int) -> list[Verification]:
    """Check some streams, drawn by chance from all tenants'."""
    found = [verify(database, tenant_id, owner) for tenant_id, owner in streams.sample(database, size)]
    for each in found:
        if each.fault:
            _LOG.error("verify stream=%s sequence=%d %s", each.stream, each.fault.sequence, each.fault.reason)
    return found


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


def _write_down(database: Database, found: Verification) -> None:
    payload = {"stream": found.stream, "events": found.events, "erased": found.erased, "sound": found.fault is None}
    if found.fault:
        payload["broken_at"] = found.fault.sequence
    event = NewEvent(event_class=EventClass.AUDIT, kind="verify", payload=payload)
    with database.transaction(Role.WORKER, found.tenant_id, [AUDIT_OWNER]) as session:
        _, head = ledger.append(session, ledger.lock(session, AUDIT_OWNER), [event])
        ledger.advance(session, head)
