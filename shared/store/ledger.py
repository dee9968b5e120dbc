"""The ledger: streams of events, each gapless, in order, and chained by hashes. The one writer of `stream`, `event` and
`event_payload`.

An event's hash covers the hash before it and everything the row says, with the content by its salted digest: whoever
changes, drops or moves a row, breaks the chain there, while content can be erased and the chain still holds.
"""

# Above 300 lines: one function a statement, for everybody who reads or writes streams and their events.

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, tzinfo
from typing import Final

from shared.contract.events import Event, EventClass, Json, NewEvent, Precision, local
from shared.contract.scope import Owner, stream_of
from shared.contract.trust import Origin
from shared.store.columns import portions
from shared.store.db import Row, Session
from shared.store.queries import queries

GENESIS: Final = b"\x00" * 32
"""The hash before a stream's first event."""

_SQL: Final = queries("ledger")
_SALT_BYTES: Final = 16
_HEADER: Final = (
    "tenant_id",
    "stream",
    "sequence",
    "user_id",
    "event_class",
    "kind",
    "occurred_at",
    "precision",
    "recorded_at",
    "origin",
    "actor_role",
    "speaker",
    "run_id",
    "message_id",
    "message_digest",
    "agent_id",
    "session_id",
    "caused_by",
    "schema_version",
)
"""The columns that an event's hash covers beside its payload's digest and the hash before, in this order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where evidence comes from: all that is not None must agree."""

    origin: str | None = None
    speaker: str | None = None
    run_id: str | None = None
    agent: str | None = None
    since: datetime | None = None
    """When it came into the ledger, by our clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """Where a stream ends. Whoever holds one of `lock` is the stream's only writer until the transaction ends."""

    stream: str
    owner: Owner
    sequence: int
    hash: bytes
    recorded_at: datetime
    """When the events of this transaction are recorded: never before the last one, whatever the clock does."""
    doc: int
    """The number of the owner's newest memory."""


def lock(session: Session, owner: Owner) -> Head:
    """Lock the owner's stream for the rest of the transaction, making it if it is new, and return where it ends."""
    stream = stream_of(owner)
    session.execute(_SQL["make_stream"], stream=stream, user_id=owner, genesis=GENESIS)
    row = session.row(_SQL["lock_stream"], stream=stream)
    if row is None:
        msg = f"stream {stream} is not visible to its own writer"
        raise RuntimeError(msg)
    return Head(
        stream=stream,
        owner=owner,
        sequence=row["last_sequence"],
        hash=bytes(row["last_hash"]),
        recorded_at=row["recorded_at"],
        doc=row["last_doc"],
    )


class Batch:
    """Events that follow a stream's end, worked out before they are written."""

    def __init__(self, tenant_id: str, head: Head) -> None:
        self.head = head
        """The stream's end, with them."""
        self._tenant_id = tenant_id
        self._events: list[Row] = []
        self._payloads: list[Row] = []

    def add(self, event: NewEvent) -> Event:
        """Put an event behind those before, and return it as it will stand."""
        payload, salt = canonical(event.payload), secrets.token_bytes(_SALT_BYTES)
        row = _entry(self._tenant_id, self.head, event, hashlib.sha256(salt + payload.encode()).digest())
        self._events.append(row)
        self._payloads.append({"sequence": row["sequence"], "salt": salt, "payload": payload})
        self.head = replace(self.head, sequence=row["sequence"], hash=row["hash"])
        return _event(row, payload=event.payload)

    def write(self, session: Session) -> None:
        """Write them. The caller holds the stream's lock and stores the new end with `advance` when all is written."""
        whose = {"stream": self.head.stream, "user_id": self.head.owner}
        for query, rows in ((_SQL["insert_events"], self._events), (_SQL["insert_payloads"], self._payloads)):
            for columns in portions(rows):
                session.execute(query, **{**columns, **whose, "tenant_id": self._tenant_id})


def append(session: Session, head: Head, events: Sequence[NewEvent]) -> tuple[list[Event], Head]:
    """Write events after `head` and return them as they stand, with the stream's new end; see `Batch.write`."""
    batch = Batch(session.tenant_id, head)
    written = [batch.add(event) for event in events]
    batch.write(session)
    return written, batch.head


def advance(session: Session, head: Head) -> None:
    """Store where the stream ends now. Once, at the end of a transaction that has written to it."""
    session.execute(
        _SQL["advance_stream"],
        stream=head.stream,
        sequence=head.sequence,
        hash=head.hash,
        recorded_at=head.recorded_at,
        doc=head.doc,
    )


def is_free(session: Session, owner: Owner) -> bool:
    """Whether nobody writes to the owner's stream right now; if so, nobody else does until the transaction ends."""
    return session.row(_SQL["free_stream"], stream=stream_of(owner)) is not None


def known_messages(session: Session, stream: str, digests: Collection[str]) -> set[tuple[str, str]]:
    """Which (message id, digest) pairs of evidence the stream has already, of those with one of `digests`."""
    rows = session.rows(_SQL["known_messages"], stream=stream, digests=list(digests))
    return {(row["message_id"], row["message_digest"]) for row in rows}


def numbered(session: Session, owner: Owner, sequences: Collection[int]) -> list[Event]:
    """Some of the owner's events, by sequence, in order."""
    rows = session.rows(_SQL["numbered"], stream=stream_of(owner), sequences=sorted(sequences))
    return [_event(row) for row in rows]


def recorded(session: Session, sequences: Collection[int]) -> dict[int, tuple[str | None, datetime]]:
    """The run of some of the owner's events and when they were recorded, by sequence."""
    rows = session.rows(_SQL["recorded"], stream=stream_of(session.owner), sequences=sorted(sequences))
    return {row["sequence"]: (row["run_id"], row["recorded_at"]) for row in rows}


def said_at(session: Session, sequences: Collection[int]) -> dict[int, datetime | None]:
    """The world time of some of the owner's events, by sequence; None where it is not known."""
    rows = session.rows(_SQL["said_at"], stream=stream_of(session.owner), sequences=sorted(sequences))
    return {row["sequence"]: row["occurred_at"] for row in rows}


def said_locally(session: Session, sequences: Collection[int], naive_zone: tzinfo) -> dict[int, datetime | None]:
    """As `said_at`, each in the zone of whoever said it, or in `naive_zone` where that is not known."""
    rows = session.rows(_SQL["said_locally"], stream=stream_of(session.owner), sequences=sorted(sequences))
    return {row["sequence"]: local(row["occurred_at"], row["original_at"], naive_zone) for row in rows}


def admitted(session: Session, run_ids: Collection[str]) -> list[Event]:
    """The owner's evidence from some runs that was admitted, in order: nothing that is forgotten or quarantined."""
    return [_event(row) for row in session.rows(_SQL["admitted"], run_ids=list(run_ids))]


def noted(session: Session, run_ids: Collection[str]) -> list[Row]:
    """What came in by some runs that no agent in particular has heard, in order, whatever was decided of it.

    `sequence`, `message_id`, `occurred_at`, `speaker`, `payload`: None where it is forgotten or quarantined.
    """
    rows = session.rows(_SQL["noted"], run_ids=list(run_ids))
    return [{**row, "payload": row["payload"] and json.loads(row["payload"])} for row in rows]


def derived(session: Session, kind: str, run_ids: Collection[str] | None) -> list[Event]:
    """The owner's derivations of a kind from some runs (None: any), in order, each with what content it has left."""
    named = None if run_ids is None else list(run_ids)
    return [_event(row) for row in session.rows(_SQL["derived"], kind=kind, run_ids=named)]


def derived_behind(
    session: Session, kind: str, *, after: int, until: int | None = None, limit: int | None = None
) -> list[Event]:
    """The owner's derivations of a kind behind an event, and before another, in order, with what content is left."""
    bounds = {"after": after, "until": until, "limit": limit}
    return [
        _event(row)
        for row in session.rows(_SQL["derived_behind"], kind=kind, stream=stream_of(session.owner), **bounds)
    ]


def tool_messages(session: Session, *, limit: int) -> list[Event]:
    """The owner's messages that call tools or answer such calls, the newest, in order; none that is forgotten.

    Goes through the owner's messages of assistants and tools.
    """
    found = [_event(row) for row in session.rows(_SQL["tool_messages"], limit=limit)]
    return found[::-1]


def from_source(session: Session, source: Source) -> list[Event]:
    """The owner's evidence from a source, in order, without its content."""
    return [_event(row) for row in session.rows(_SQL["from_source"], **asdict(source))]


def runs(session: Session) -> list[str]:
    """The runs that the owner's evidence is of, in order of their first."""
    return [row["run_id"] for row in session.rows(_SQL["runs"])]


def with_content(session: Session, owner: Owner, event_class: EventClass) -> list[Row]:
    """The owner's events of a class that still have their content: `sequence`, `speaker` and `run_id`, in order."""
    return session.rows(_SQL["with_content"], stream=stream_of(owner), event_class=event_class)


def writing_texts(session: Session, owner: Owner, *, after: int = 0) -> list[Event]:
    """The owner's operations behind a sequence that hold a text of their own and still do, in order.

    Goes through the stream from there.
    """
    return [_event(row) for row in session.rows(_SQL["writing_texts"], stream=stream_of(owner), after=after)]


def closing(session: Session, owner: Owner, begins: str) -> list[Event]:
    """The owner's FORGETs that name a memory whose id begins so, in order. Goes through the stream."""
    return [_event(row) for row in session.rows(_SQL["closing"], stream=stream_of(owner), quoted=f'"{begins}')]


def outcomes(
    session: Session, run_ids: Collection[str] | None = None, *, since: datetime | None = None, limit: int | None = None
) -> list[Event]:
    """The owner's events that say what came of recalls, of some run ids or of all, in order; by an index of theirs.

    Of all, with `since`, what came in from a time of ours on; with `limit`, the newest so many.
    """
    query, of = (
        ("outcomes", {"since": since, "limit": limit})
        if run_ids is None
        else ("outcomes_of", {"run_ids": list(run_ids)})
    )
    return [_event(row) for row in session.rows(_SQL[query], **of)]


def unremembered(session: Session, *, until: datetime, after: int = 0) -> Iterator[Event]:
    """The owner's messages behind an event that came in by a time of ours and gave no memory, in order; in portions."""
    with session.connection.cursor(name="ledger_unremembered") as cursor:
        cursor.itersize = 2_000
        cursor.execute(_SQL["unremembered"], session.whose(until=until, stream=stream_of(session.owner), after=after))
        for row in cursor:
            yield _event(row)


def echoes(session: Session, owner: Owner, sequences: Collection[int]) -> list[tuple[int, str]]:
    """Sequence and digest of the events that say what some others of the stream say, and bear no memory."""
    rows = session.rows(_SQL["echoes"], stream=stream_of(owner), sequences=list(sequences))
    return [(row["sequence"], row["message_digest"]) for row in rows]


def with_digests(session: Session, owner: Owner, digests: Collection[str]) -> list[Row]:
    """The owner's evidence of some digests: `sequence`, `message_id`, `message_digest`, `speaker`, in order."""
    return session.rows(_SQL["with_digests"], stream=stream_of(owner), digests=list(digests))


def message_keys(session: Session, owner: Owner, *, newest: int) -> list[Row]:
    """The message keys of the owner's newest evidence, the newest first: `message_id` and `message_digest`."""
    return session.rows(_SQL["message_keys"], stream=stream_of(owner), newest=newest)


def erase_payloads(session: Session, owner: Owner, sequences: Collection[int]) -> int:
    """Remove the content of some of the owner's events for good; returns how many had any.

    For the eraser alone, in the transaction of the event that says so: a FORGET that names them, or, of a question that
    stands, its end. The caller holds the stream's lock.
    """
    return session.execute(_SQL["erase_payloads"], stream=stream_of(owner), sequences=list(sequences)).rowcount


def read(session: Session, owner: Owner, *, after: int = 0, until: int | None = None) -> Iterator[Event]:
    """The owner's events in order, from the one after sequence `after`; fetched in portions, so any length will do."""
    with session.connection.cursor(name="ledger_read") as cursor:
        cursor.itersize = 2_000
        cursor.execute(
            _SQL["read_events"],
            {
                "tenant_id": session.tenant_id,
                "owners": [owner],
                "stream": stream_of(owner),
                "after": after,
                "until": until,
            },
        )
        for row in cursor:
            yield _event(row)


def read_stored(session: Session, owner: Owner, *, after: int = 0) -> Iterator[Row]:
    """As `read`, but rows as they are stored, with the payload's text and salt: for verification."""
    with session.connection.cursor(name="ledger_verify") as cursor:
        cursor.itersize = 2_000
        parameters = {"tenant_id": session.tenant_id, "owners": [owner], "stream": stream_of(owner)}
        cursor.execute(_SQL["read_events"], {**parameters, "after": after, "until": None})
        yield from cursor


def end_of(session: Session, owner: Owner) -> Row | None:
    """The stored end of the owner's stream (`last_sequence`, `last_hash`, `last_doc`), or None where there is none."""
    return session.row(_SQL["stream_end"], stream=stream_of(owner))


def canonical(payload: Json) -> str:
    """The one text of a payload: what is hashed is what is stored."""
    return json.dumps(payload, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def chained(previous: bytes, row: Row) -> bytes:
    """The hash of an event's row that follows an event with hash `previous`."""
    header = json.dumps([_plain(row[name]) for name in _HEADER], ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(previous + bytes(row["payload_hash"]) + header.encode()).digest()


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return round(value.timestamp() * 1_000_000)
    return value


def _entry(tenant_id: str, head: Head, event: NewEvent, payload_hash: bytes) -> Row:
    row: Row = {
        "tenant_id": tenant_id,
        "stream": head.stream,
        "sequence": head.sequence + 1,
        "user_id": head.owner,
        "event_class": event.event_class.value,
        "kind": event.kind,
        "occurred_at": event.occurred_at,
        "precision": event.precision.value,
        "recorded_at": head.recorded_at,
        "origin": event.origin.value,
        "actor_role": event.actor_role,
        "speaker": event.speaker,
        "run_id": event.run_id,
        "message_id": event.message_id,
        "message_digest": event.message_digest,
        "agent_id": event.agent_id,
        "session_id": event.session_id,
        "caused_by": event.caused_by,
        "schema_version": event.schema_version,
        "payload_hash": payload_hash,
    }
    row["previous_hash"] = head.hash
    row["hash"] = chained(head.hash, row)
    return row


def _event(row: Row, payload: Json | None = None) -> Event:
    if payload is None and row.get("payload") is not None:
        payload = json.loads(row["payload"])
    return Event(
        tenant_id=row["tenant_id"],
        owner=Owner(row["user_id"]),
        stream=row["stream"],
        sequence=row["sequence"],
        event_class=EventClass(row["event_class"]),
        kind=row["kind"],
        occurred_at=row["occurred_at"],
        precision=Precision(row["precision"]),
        recorded_at=row["recorded_at"],
        origin=Origin(row["origin"]),
        actor_role=row["actor_role"],
        speaker=row["speaker"],
        run_id=row["run_id"],
        message_id=row["message_id"],
        message_digest=row["message_digest"],
        agent_id=row["agent_id"],
        session_id=row["session_id"],
        caused_by=row["caused_by"],
        schema_version=row["schema_version"],
        payload_hash=bytes(row["payload_hash"]),
        previous_hash=bytes(row["previous_hash"]),
        hash=bytes(row["hash"]),
        payload=payload,
    )


def watermarks(session: Session) -> list[Row]:
    """Where each stream the session reads ends: `user_id`, `last_sequence`, `last_recorded_at`.

    Words are entered in the transaction of their events, so this is how far the sparse view goes.
    """
    return session.rows(_SQL["watermarks"], streams=[stream_of(owner) for owner in session.owners])
