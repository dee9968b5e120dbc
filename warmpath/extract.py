"""extract: a run is read, once, and what may be worth remembering is proposed.

The reading is done outside any transaction, by the model that is configured while its day's allowance lasts, else by
rules. Its answer and each candidate become events of class `derivation` in one transaction, before anything is made of
them; a replay never calls a model.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import timedelta, tzinfo
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from shared import clock, metrics
from shared.accept.registered import schemas
from shared.contract.candidates import (
    ANSWER,
    CANDIDATE,
    EXTRACTION,
    Candidate,
    Extraction,
    ExtractionStatus,
    Line,
    Neighbour,
    Reading,
)
from shared.contract.events import Event, EventClass, Json, NewEvent, Role, zone_of
from shared.contract.receipts import Outcome
from shared.contract.records import MemoryVersion
from shared.contract.scope import TENANT_OWNER, Owner, room_id_of
from shared.contract.trust import TRUST
from shared.store import candidates, inbox, ledger, memories
from shared.store.account import account, today
from shared.store.allowance import Allowance
from shared.store.candidates import Proposed, Standing
from shared.store.db import Session
from shared.store.inbox import Claim
from warmpath._extractors import longest_s, read
from warmpath._nearness import nearest
from warmpath._readings import lines_read
from warmpath._stated import RECORDS_ALONE, states_record, with_records
from warmpath._work import Done, Result, Services, finish, transaction
from warmpath.gate import is_read

_NEIGHBOURS: Final = 50
"""Open beliefs that a model is shown: some two thousand tokens."""
_LOOKED_AT: Final = 1_000
"""Newest open beliefs of which those are shown that are nearest to the run."""
_NO_TIME: Final = "not begun: the lease might have ended before the model had answered"
_OUTCOMES: Final = {
    ExtractionStatus.STORED: Outcome.EXTRACTED,
    ExtractionStatus.NOTHING_FOUND: Outcome.NOTHING_FOUND,
    ExtractionStatus.REFUSED: Outcome.REFUSED,
    ExtractionStatus.FAILED: Outcome.FAILED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """A run that was read."""

    events: Sequence[Event]
    """What was read of it."""
    extraction: Extraction
    naive_zone: str | None = None
    """The zone in which times without one were read; None where that is of no matter."""


def run(services: Services, claim: Claim) -> list[Done]:
    """Read runs of one stream, each line once, and write down what is proposed.

    With a model each run is written before the next one is read, since what was paid for must not go with the lease.
    Runs for which the lease may not last are given back.
    """
    if services.settings.extraction_model is None:
        return _read(services, claim)
    done: list[Done] = []
    for place, inbox_id in enumerate(claim.inbox_ids):
        if place and claim.left_ms < 1000 * longest_s(services.settings):
            _give_back(services, replace(claim, inbox_ids=claim.inbox_ids[place:]))
            break
        done += _read(services, replace(claim, inbox_ids=(inbox_id,)))
    return done


def _give_back(services: Services, claim: Claim) -> None:
    with transaction(services, claim) as session:
        inbox.give_back(session, claim, error=_NO_TIME, after=timedelta(0))


def _read(services: Services, claim: Claim) -> list[Done]:
    """Read runs, and write all of it in one transaction."""
    started = clock.now()
    unread, neighbours, allowance = _to_read(services, claim)
    found: dict[str, Read] = {}
    for run_id, (events, lines) in unread.items():
        whose = claim.tenant_id, claim.owner
        extraction = read_run(services, *whose, events, allowance, lines=lines, neighbours=neighbours)
        allowance = allowance.after(extraction.usage)
        found[run_id] = Read(events=events, extraction=extraction, naive_zone=services.settings.naive_timezone)
    with transaction(services, claim) as session:
        rows = inbox.take(session, claim)
        own = {row["run_id"]: found[row["run_id"]] for row in rows if row["run_id"] in found}
        proposed = _write(session, claim, own)
        done = [finish(session, claim, row, _result(row["run_id"], own, proposed), started) for row in rows]
    for each in own.values():
        metrics.RUNS_READ.labels(extractor=each.extraction.extractor, status=each.extraction.status).inc()
    return done


class Unread(NamedTuple):
    """What of a run nobody has read yet, and the sequences of all its messages by id."""

    events: list[Event]
    lines: dict[str, int]


def _to_read(services: Services, claim: Claim) -> tuple[dict[str, Unread], list[Neighbour], Allowance]:
    """What of the runs nobody has read yet, by run; open beliefs beside it; and what is left of the day."""
    with transaction(services, claim) as session:
        run_ids = sorted({row["run_id"] for row in inbox.take(session, claim)})
        known = lines_read(session, run_ids)
        unread = unread_of(ledger.admitted(session, run_ids), known, words=services.settings.extraction)
        asks_model = services.settings.extraction_model is not None
        held = memories.beliefs(session, keyed=True, limit=_LOOKED_AT) if asks_model and unread else []
        allowance = today(session, services.settings) if asks_model else Allowance()
    neighbours = [_neighbour(each) for each in held]
    words = [(event.payload or {}).get("text", "") for run in unread.values() for event in run.events]
    return unread, nearest(neighbours, words, _NEIGHBOURS), allowance


def _neighbour(held: MemoryVersion) -> Neighbour:
    return Neighbour(text=held.text, claim=held.claim, valid_from=held.valid_from, memory=held.memory_id)


def unread_of(admitted: Iterable[Event], known: Collection[int] = (), *, words: bool = True) -> dict[str, Unread]:
    """By run, what is to be read of what was admitted; runs of which that is nothing are left out."""
    runs: dict[str, Unread] = {}
    for event in admitted:
        run = runs.setdefault(event.run_id or "", Unread([], {}))
        run.lines[event.message_id or ""] = event.sequence
        if is_read(event, words=words) and event.sequence not in known:
            run.events.append(event)
    return {run_id: run for run_id, run in runs.items() if run.events}


def read_run(
    services: Services,
    tenant_id: str,
    owner: Owner,
    events: Sequence[Event],
    allowance: Allowance,
    *,
    lines: Mapping[str, int],
    neighbours: Sequence[Neighbour] = (),
) -> Extraction:
    """Read messages of a run: words by an extractor, records by their schemas. `lines` as in `Unread`.

    `allowance` is what is left of the tenant's day; what calls cost here is counted before they are made.

    Raises:
        Misconfigured: the schemas of records cannot be had.
    """
    said = [event for event in events if not states_record(event)]
    counted = account(services.database, services.settings, tenant_id, owner)
    reading = reading_of(services, owner, said, neighbours)
    found = read(services, reading, replace(allowance, account=counted)) if said else RECORDS_ALONE
    return with_records(found, events, lines, schemas(services.settings))


def reading_of(services: Services, owner: Owner, events: Sequence[Event], neighbours: Sequence[Neighbour]) -> Reading:
    """What an extractor is given of some messages of a stream."""
    one_persons = room_id_of(owner) is None and owner != TENANT_OWNER
    return Reading(
        lines=[line_of(event, ZoneInfo(services.settings.naive_timezone)) for event in events],
        neighbours=neighbours,
        owner_speaker=owner if one_persons else None,
    )


def line_of(event: Event, naive_zone: tzinfo) -> Line:
    """A message as an extractor reads it, with its time in the speaker's zone as the caller wrote it."""
    payload = event.payload or {}
    zone = zone_of(payload.get("original_at")) or naive_zone
    return Line(
        sequence=event.sequence,
        text=payload.get("text", ""),
        speaker=event.speaker or "",
        role=Role(event.actor_role or Role.USER),
        origin=event.origin,
        said_at=event.occurred_at.astimezone(zone) if event.occurred_at else None,
        zone=zone,
        states_record=states_record(event),
    )


def _write(session: Session, claim: Claim, found: Mapping[str, Read]) -> dict[str, int]:
    """Append what was read and proposed; returns how many candidates each run has."""
    if not found:
        return {}
    head = ledger.lock(session, claim.owner)
    kept = {event.sequence: event for event in ledger.admitted(session, sorted(found))}
    batch = ledger.Batch(session.tenant_id, head)
    proposed: list[Proposed] = []
    counts: dict[str, int] = {}
    for run_id, each in found.items():
        new = append_reading(batch, run_id, each, kept)
        proposed += new
        counts[run_id] = len(new)
    batch.write(session)
    candidates.insert(session, proposed)
    ledger.advance(session, batch.head)
    return counts


def append_reading(
    batch: ledger.Batch,
    run_id: str,
    each: Read,
    kept: Mapping[int, Event],
    standing: Standing = Standing.WAITING,
) -> list[Proposed]:
    """Put the events of one reading behind a batch: its account, a model's answer, a candidate each.

    `kept` is what stands of the run's messages now, by sequence: what rests on anything else is left out.
    """
    extraction = each.extraction
    standing_on = [one for one in extraction.candidates if all(ref.sequence in kept for ref in one.evidence)]
    withheld = len(extraction.candidates) - len(standing_on)
    account = {
        **_account(each),
        **({"prepared": True} if standing is Standing.PREPARED else {}),
        **({"withheld": withheld} if withheld else {}),
    }
    reading = batch.add(_derivation(EXTRACTION, account, run_id))
    if extraction.answer is not None and all(event.sequence in kept for event in each.events):
        batch.add(_derivation(ANSWER, {"answer": extraction.answer}, run_id, caused_by=reading.sequence))
    return [
        _proposed(batch, reading, one, [kept[ref.sequence] for ref in one.evidence], standing) for one in standing_on
    ]


def _proposed(
    batch: ledger.Batch, reading: Event, candidate: Candidate, evidence: Sequence[Event], standing: Standing
) -> Proposed:
    last, run_id = evidence[-1], reading.run_id or ""
    payload = candidate.model_dump(mode="json", exclude_none=True)
    event = batch.add(_derivation(CANDIDATE, payload, run_id, caused_by=last.sequence))
    return Proposed(
        sequence=event.sequence,
        run_id=run_id,
        reading=reading.sequence,
        candidate=candidate,
        said_at=last.occurred_at,
        message_id=last.message_id or "",
        message_digest=last.message_digest or "",
        trust=min(TRUST[each.origin] for each in evidence),
        standing=standing,
    )


def _account(each: Read) -> Json:
    """What is kept of a reading beside its words: it outlives them."""
    extraction = each.extraction
    return {
        "extractor": extraction.extractor,
        "status": extraction.status.value,
        "rejected": dict(extraction.rejected),
        "usage": asdict(extraction.usage),
        "lines": [event.sequence for event in each.events],
        **({"naive_zone": each.naive_zone} if each.naive_zone else {}),
    }


def _derivation(kind: str, payload: Json, run_id: str, *, caused_by: int | None = None) -> NewEvent:
    return NewEvent(event_class=EventClass.DERIVATION, kind=kind, payload=payload, run_id=run_id, caused_by=caused_by)


def _result(run_id: str, found: Mapping[str, Read], proposed: Mapping[str, int]) -> Result:
    if run_id not in found:
        reason = "all of it was read before, or is forgotten"
        return Result(run_id=run_id, outcome=Outcome.NOTHING_FOUND, reason=reason, counts={"candidates": 0})
    extraction = found[run_id].extraction
    rejected = sum(extraction.rejected.values())
    counts = {"candidates": proposed.get(run_id, 0), "rejected": rejected, "calls": extraction.usage.calls}
    why = ", ".join(f"{number} {name}" for name, number in sorted(extraction.rejected.items()))
    reason = f"read by {extraction.extractor}{f'; rejected: {why}' if why else ''}"
    return Result(run_id=run_id, outcome=_OUTCOMES[extraction.status], reason=reason, counts=counts)
