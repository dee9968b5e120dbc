"""Memories, version by version, and what they rest on. The one writer of `memory` and `memory_evidence`."""

# Above 300 lines: one function a statement, for everybody who reads or writes these two tables.

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Final, NamedTuple
from uuid import UUID

import numpy as np

from shared import clock
from shared.contract.events import Role
from shared.contract.records import Claim, EpistemicType, EvidenceRef, Kind, MemoryVersion, Operation, Span, Tier
from shared.contract.scope import Owner, stream_of
from shared.contract.trust import Origin
from shared.store.columns import portions
from shared.store.db import Row, Session
from shared.store.keys import Ints
from shared.store.queries import queries

_SQL: Final = queries("memories")
_COLUMNS: Final = tuple(each.name for each in fields(MemoryVersion) if each.name not in ("evidence", "claim", "data"))
_FOOTING: Final = ("kind", "epistemic_type", "schema_name", "agent_id", "trust", "valid_to")
_CLAIM: Final = tuple(each.name for each in fields(Claim))


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """How many rows went."""

    versions: int
    evidence: int


def insert(session: Session, versions: Sequence[MemoryVersion]) -> None:
    """Write new versions of the session's owner into the live generation, with their evidence.

    The caller holds the stream's lock.
    """
    for columns in portions(map(_row, versions)):
        session.execute(_SQL["insert"], **columns)
    for columns in portions(_evidence(versions)):
        session.execute(_SQL["insert_evidence"], **columns, stream=stream_of(session.owner))


def _row(version: MemoryVersion) -> Row:
    row: Row = {name: getattr(version, name) for name in _COLUMNS}
    row |= {f"claim_{name}": version.claim and getattr(version.claim, name) for name in _CLAIM}
    return {**row, "data": None if version.data is None else json.dumps(version.data, ensure_ascii=False)}


def _evidence(versions: Sequence[MemoryVersion]) -> Iterator[Row]:
    return (
        {
            "memory_id": version.memory_id,
            "version": version.version,
            "sequence": reference.sequence,
            "place": place,
            "span_start": reference.start,
            "span_end": reference.end,
            "independent": reference.independent,
        }
        for version in versions
        for reference, place in _placed(version.evidence)
    )


def _placed(evidence: Iterable[EvidenceRef]) -> Iterator[tuple[EvidenceRef, int]]:
    """Each reference with its place among those to the same event."""
    seen: Counter[int] = Counter()
    for reference in evidence:
        yield reference, seen[reference.sequence]
        seen[reference.sequence] += 1


def session_docs(session: Session, session_ids: Collection[str]) -> dict[str, int]:
    """The numbers (`MemoryVersion.session_doc`) of those of the sessions that an episode of the owner is held of."""
    rows = session.rows(_SQL["session_docs"], session_ids=list(session_ids))
    return {row["session_id"]: row["session_doc"] for row in rows}


def to_enter(session: Session, *, after: int, until: int) -> list[Row]:
    """The owner's memories numbered from behind `after` to `until`, in order, as the sparse view takes them in.

    `doc`, `session_doc`, `text`, `speaker`, `valid_from`, `tier`, `is_first` (none before it is held of its session).
    """
    return session.rows(_SQL["to_enter"], after=after, until=until)


def said(session: Session, digests: Collection[str], session_ids: Collection[str] | None) -> set[tuple[str, str, str]]:
    """Which (session, speaker, digest) the owner has as open episodes in some sessions, of those with one of `digests`.

    Without sessions, those of the owner's whole stream.
    """
    rows = session.rows(
        _SQL["said"],
        session_ids=None if session_ids is None else list(session_ids),
        digests=list(digests),
        stream=stream_of(session.owner),
    )
    return {(row["session_id"], row["speaker"], row["message_digest"]) for row in rows}


def ending_in(session: Session, ends: Collection[str]) -> list[str]:
    """The texts of the owner's open memories that end in one of `ends`, spaces aside; the newest 200 at most.

    Reads all of the owner's memories: some 150 ms at 100,000.
    """
    patterns = ["%" + re.sub(r"([\\%_])", r"\\\1", end) for end in ends]
    return [row["text"] for row in session.rows(_SQL["ending_in"], patterns=patterns)]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shown:
    """Memories that may be shown, without their text: parallel sequences in no order."""

    keys: Ints
    """See `shared.store.keys`."""
    sessions: Ints
    """Number of each one's session's first memory."""
    speakers: Sequence[str | None]
    roles: Sequence[str | None]
    times: Sequence[datetime | None]
    asks: Sequence[bool]
    """Whether each ends with a question mark."""
    may_be_confirmed: Sequence[bool] = ()
    """Whether each may rest on more than one piece of evidence; an episode as it was opened does not."""
    importances: Sequence[float | None] = ()
    """What an app said of each, 0 to 1; empty stands for None of each."""


_NO_KEYS: Final = np.empty(0, np.int64)
NOTHING_SHOWN: Final = Shown(
    keys=np.empty(0, np.int64), sessions=np.empty(0, np.int64), speakers=(), roles=(), times=(), asks=()
)


def visible(
    session: Session,
    keys: Ints,
    *,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
    cold: Ints | None = None,
) -> Shown:
    """Those of the memories of which there is a version that may be shown; in the cold tier, of the keys `cold` alone.

    Without `as_of` and `known_at` that is the open version, unless it has ended in the world and has a successor; with
    them, the one held at `known_at` and true at `as_of`. What the tenant holds hides what a user says of the same.
    """
    found, sessions, speakers, roles, times, asks, may_be_confirmed, importances = session.columns(
        _SQL["visible"],
        **_at(keys, as_of, known_at),
        may_be_cold=np.isin(keys, _NO_KEYS if cold is None else cold).tolist(),
    )
    return Shown(
        keys=np.array(found, np.int64),
        sessions=np.array(sessions, np.int64),
        speakers=speakers,
        roles=roles,
        times=times,
        asks=asks,
        may_be_confirmed=may_be_confirmed,
        importances=importances,
    )


def cold(session: Session, keys: Ints) -> Ints:
    """Those of the memories that are in the cold tier."""
    (found,) = session.columns(_SQL["cold"], keys=keys.tolist())
    return np.array(found, np.int64)


def behind(session: Session, summaries: Ints, *, limit: int) -> dict[int, list[tuple[int, int]]]:
    """By the key of a summary, the episodes in the cold tier that it stands for: each one's key and session's number.

    Of each summary `limit` at most, in order.
    """
    found: dict[int, list[tuple[int, int]]] = {}
    for summary, key, first in zip(*session.columns(_SQL["behind"], keys=summaries.tolist(), limit=limit), strict=True):
        found.setdefault(summary, []).append((key, first))
    return found


def of_agent(session: Session, *, limit: int) -> Ints:
    """Keys of what the session's agent may see, sorted: `limit` at most, its own before nobody's, the newest first.

    Whether a version of one may be shown is for `visible` to say.
    """
    (found,) = session.columns(_SQL["of_agent"], limit=limit)
    return np.unique(np.array(found, np.int64))


def confirmed(
    session: Session, keys: Ints, *, as_of: datetime | None = None, known_at: datetime | None = None
) -> dict[int, int]:
    """By key, on how many independent pieces of evidence memories rest, in the versions that `visible` shows."""
    found, pieces = session.columns(_SQL["confirmed"], **_at(keys, as_of, known_at))
    return dict(zip(found, pieces, strict=True))


def within(session: Session, start: datetime, end: datetime, *, limit: int, known_at: datetime | None = None) -> Ints:
    """Keys of the newest `limit` memories whose world time begins within a time, from `start` to before `end`.

    Without `known_at` those that are open now; with it, those that were held then.
    """
    (found,) = session.columns(_SQL["within"], start=start, end=end, limit=limit, known_at=known_at)
    return np.array(found, np.int64)


class Whole(NamedTuple):
    """A memory as it is shown, with the evidence events it rests on: ids and sequences are parallel, in order."""

    key: int
    """See `shared.store.keys`."""
    memory_id: UUID
    owner: Owner
    doc: int
    session_doc: int
    text: str
    kind: str
    epistemic_type: str
    speaker: str | None
    role: str | None
    origin: str
    trust: int
    session_id: str | None
    valid_from: datetime | None
    valid_to: datetime | None
    run_ids: Sequence[str | None]
    message_ids: Sequence[str | None]
    sequences: Sequence[int]
    claim_key: str | None = None
    claim_subject: str | None = None
    claim_predicate: str | None = None
    claim_object: str | None = None
    is_past: bool | None = None
    """Of an episode, whether all that was claimed from it has ended or never was; None where nothing was."""
    past_since: datetime | None = None
    """When the last of that ended; None where all of it was retracted."""


def whole(
    session: Session, keys: Ints, sessions: Ints, *, as_of: datetime | None = None, known_at: datetime | None = None
) -> list[Whole]:
    """Memories with their text, by key and the number of their session's first, as `visible` shows them.

    A number that is of another session, or of none, is passed over.
    """
    columns = session.columns(_SQL["whole"], session_docs=sessions.tolist(), **_at(keys, as_of, known_at))
    return [*map(Whole._make, zip(*columns, strict=True))]


def rivals(
    session: Session, claims: Collection[tuple[Owner, str]], *, as_of: datetime | None, known_at: datetime | None
) -> tuple[Ints, Ints]:
    """What is held and true of some owners' claims, by key: keys and the numbers of their sessions, parallel."""
    owners, claim_keys = [owner for owner, _ in claims], [key for _, key in claims]
    found, sessions = session.columns(
        _SQL["rivals"], owners_of=owners, claim_keys=claim_keys, as_of=as_of, known_at=known_at, now=clock.now()
    )
    return np.array(found, np.int64), np.array(sessions, np.int64)


def _at(keys: Ints, as_of: datetime | None, known_at: datetime | None) -> Row:
    return {"keys": keys.tolist(), "as_of": as_of, "known_at": known_at, "now": clock.now()}


def docs(session: Session, memory_ids: Collection[UUID]) -> dict[UUID, int]:
    """The numbers of those of the memories that the session's owner holds, open or closed."""
    return {row["memory_id"]: row["doc"] for row in session.rows(_SQL["docs"], memory_ids=list(memory_ids))}


def of_messages(session: Session, keys: Collection[tuple[str, str]]) -> dict[tuple[str, str], list[UUID]]:
    """The memories of the session's owner that rest on some messages, by the messages' id and digest."""
    found: dict[tuple[str, str], list[UUID]] = {}
    rows = session.rows(
        _SQL["of_messages"],
        message_ids=[message_id for message_id, _ in keys],
        digests=[digest for _, digest in keys],
        stream=stream_of(session.owner),
    )
    for row in rows:
        found.setdefault((row["message_id"], row["message_digest"]), []).append(row["memory_id"])
    return found


def owners_of(session: Session, memory_ids: Collection[UUID]) -> dict[UUID, Owner]:
    """Whose those of the memories are that any of the session's owners holds."""
    rows = session.rows(_SQL["owners"], memory_ids=list(memory_ids))
    return {row["memory_id"]: Owner(row["user_id"]) for row in rows}


def sources(session: Session, memory_ids: Sequence[UUID]) -> dict[UUID, list[Row]]:
    """The evidence events of memories: `run_id`, `message_id`, `stream` and `sequence`, in order."""
    found: dict[UUID, list[Row]] = {}
    for row in session.rows(_SQL["sources"], memory_ids=list(memory_ids)):
        found.setdefault(row["memory_id"], []).append(row)
    return found


def resting_on(session: Session, sequences: Collection[int]) -> list[MemoryVersion]:
    """All versions of the owner's memories of which any version rests on one of the evidence events, in order."""
    return _resting_on(session, sequences, only_beliefs=False)


def believed_of(session: Session, sequences: Collection[int]) -> list[MemoryVersion]:
    """All versions of the owner's beliefs of which any version rests on one of the evidence events, in order."""
    return _resting_on(session, sequences, only_beliefs=True)


def _resting_on(session: Session, sequences: Collection[int], *, only_beliefs: bool) -> list[MemoryVersion]:
    of = {"stream": stream_of(session.owner), "only_beliefs": only_beliefs}
    return [version_of(row) for row in session.rows(_SQL["resting_on"], **of, sequences=list(sequences))]


def of_claims(session: Session, claim_keys: Collection[str]) -> list[MemoryVersion]:
    """All versions of the owner's memories that claim any of this, in order of their numbers."""
    rows = session.rows(_SQL["of_claims"], claim_keys=list(claim_keys))
    return [version_of(row) for row in rows]


def records(session: Session) -> list[MemoryVersion]:
    """All versions of the owner's memories that have the fields of a schema, in order; looks at all that there are.

    Where the session is an agent's, without what another agent's name stands on.
    """
    return [version_of(row) for row in session.rows(_SQL["records"])]


def versions(session: Session, memory_ids: Collection[UUID]) -> list[MemoryVersion]:
    """All versions of some memories of whichever of the session's owners, as its agent may read them, in order."""
    return [version_of(row) for row in session.rows(_SQL["versions"], memory_ids=list(memory_ids))]


def changed_until(session: Session, *, after: int, limit: int) -> int | None:
    """The operation by which the `limit`-th change of the owner's claims behind one was made; None if there are fewer.

    A change is a version that was opened or closed, of what the session's agent may read.
    """
    rows = session.rows(_SQL["changes"], after=after, limit=limit)
    return rows[-1]["sequence"] if len(rows) == limit else None


def changed(session: Session, *, after: int, until: int) -> list[Row]:
    """The owner's claims that operations from behind `after` to `until` opened or closed, in order of their numbers.

    `doc`, `claim_key`, `claim_predicate`, `agent_id`.
    """
    return session.rows(_SQL["changed"], after=after, until=until)


def claiming(session: Session, docs: Collection[int] | None = None) -> list[MemoryVersion]:
    """All versions of the owner's memories that claim something, as the session's agent may read them, in order.

    With `docs`, of those that are numbered so.
    """
    rows = session.rows(_SQL["claiming"], docs=None if docs is None else list(docs))
    return [version_of(row) for row in rows]


def told(session: Session) -> list[MemoryVersion]:
    """All versions of what the owner has in words of its own, as the session's agent may read them, in order."""
    return [version_of(row) for row in session.rows(_SQL["told"])]


def naming(session: Session) -> list[MemoryVersion]:
    """All versions of the owner's beliefs that say who is meant by a name, in order of their numbers."""
    return [version_of(row) for row in session.rows(_SQL["naming"])]


def beliefs(session: Session, *, keyed: bool, limit: int) -> list[MemoryVersion]:
    """What the owner holds in words of its own, beliefs and summaries, the newest first.

    Without `keyed` those alone that claim nothing that could be compared by its key.
    """
    return [version_of(row) for row in session.rows(_SQL["beliefs"], keyed=keyed, limit=limit)]


class WordedRow(NamedTuple):
    """An open memory in words of its own, as `worded` gives it."""

    doc: int
    text: str
    opened_by: int
    footing: tuple[object, ...]
    """Kind, epistemic type, schema, agent, trust, and when it ended: what is equal in two that say the same."""


def worded_after(session: Session, sequence: int, *, limit: int) -> list[WordedRow]:
    """The first `limit` of the owner's open memories in words of their own that events behind `sequence` opened.

    In order of events and numbers.
    """
    return [_worded(row) for row in session.rows(_SQL["worded_after"], after=sequence, limit=limit)]


def worded(session: Session, *, until: int) -> Iterator[WordedRow]:
    """The owner's open memories in words of their own that events up to `until` opened; fetched in portions."""
    with session.connection.cursor(name="memory_worded") as cursor:
        cursor.itersize = 5_000
        cursor.execute(_SQL["worded"], session.whose(until=until))
        for row in cursor:
            yield _worded(row)


def _worded(row: Row) -> WordedRow:
    return WordedRow(row["doc"], row["text"], row["opened_by"], tuple(row[name] for name in _FOOTING))


class SentenceRow(NamedTuple):
    """An open belief that may be held against others, as `sentences` gives it."""

    doc: int
    text: str
    opened_by: int
    agent_id: str | None


def sentences(session: Session) -> Iterator[SentenceRow]:
    """The owner's open semantic memories in words of their own that have not ended; fetched in portions, in no order.

    Without what was inferred from others, and what has the fields of a schema.
    """
    with session.connection.cursor(name="memory_sentences") as cursor:
        cursor.itersize = 5_000
        cursor.execute(_SQL["sentences"], session.whose())
        for row in cursor:
            yield SentenceRow(**row)


def sentences_after(session: Session, sequence: int, *, limit: int) -> list[SentenceRow]:
    """The first `limit` of them that events behind `sequence` opened, in order of events and numbers."""
    return [SentenceRow(**row) for row in session.rows(_SQL["sentences_after"], after=sequence, limit=limit)]


def old_sessions(session: Session, before: datetime) -> list[tuple[int, int]]:
    """The owner's sessions of which all was said before a time and some is in the hot tier, the oldest first.

    Each by its number, with how many of its episodes are in the hot tier. Reads the owner's open memories: some 100 ms
    at 100,000.
    """
    rows = session.rows(_SQL["old_sessions"], before=before)
    return [(row["session_doc"], row["episodes"]) for row in rows]


def hot_episodes(session: Session, session_docs: Sequence[int]) -> list[MemoryVersion]:
    """The owner's open episodes of some sessions, by their numbers, that are in the hot tier; in that order."""
    return [version_of(row) for row in session.rows(_SQL["hot_episodes"], session_docs=list(session_docs))]


def without_summary(session: Session, *, limit: int) -> list[MemoryVersion]:
    """The owner's episodes in the cold tier that no summary rests on any more, in order of their numbers."""
    return [version_of(row) for row in session.rows(_SQL["without_summary"], limit=limit)]


def often_used(session: Session, *, least_used: int, limit: int) -> list[MemoryVersion]:
    """The owner's open episodes that so many recalls at least rested on, and those that were promoted, newest first.

    Reads the owner's open memories: some 50 ms at 100,000.
    """
    return [version_of(row) for row in session.rows(_SQL["often_used"], least_used=least_used, limit=limit)]


def opened_after(session: Session, sequence: int, *, limit: int) -> list[MemoryVersion]:
    """The owner's first `limit` open versions in the hot tier that events behind `sequence` opened.

    In order of events and numbers.
    """
    return [version_of(row) for row in session.rows(_SQL["opened_after"], after=sequence, limit=limit)]


def numbered(session: Session, docs: Collection[int]) -> list[MemoryVersion]:
    """The open versions of some numbered memories of the owner, in order."""
    return [version_of(row) for row in session.rows(_SQL["numbered"], docs=list(docs))]


def made_by(session: Session, job: str) -> list[MemoryVersion]:
    """The owner's open memories that a job has written, in order of their numbers."""
    return [version_of(row) for row in session.rows(_SQL["made_by"], job=job)]


class AgedRow(NamedTuple):
    """A memory by its newest version, with what `aged` says of it."""

    memory: MemoryVersion
    held_since: datetime
    used: int
    misled: int


def aged(
    session: Session, *, until: datetime, closed: bool = False, reported: bool = False, after: int = 0
) -> Iterator[AgedRow]:
    """The owner's memories that were first held by a time of ours, in order of their numbers; fetched in portions.

    Those that are open; with `closed`, the others too. With `reported` those alone of which anything was reported; with
    `after` those alone of which the number is greater.
    """
    parameters = session.whose(until=until, closed=closed, reported=reported, after=after)
    with session.connection.cursor(name="memory_aged") as cursor:
        cursor.itersize = 2_000
        cursor.execute(_SQL["aged"], parameters)
        for row in cursor:
            yield AgedRow(version_of(row), row["held_since"], row["used"], row["misled"])


def hanging_on(session: Session, memory_ids: Collection[UUID]) -> set[UUID]:
    """Those of some of the owner's memories that something held hangs on: a link, or what was made from them."""
    return {row["memory_id"] for row in session.rows(_SQL["hanging_on"], memory_ids=list(memory_ids))}


def closed_by(session: Session, operation: Operation) -> list[MemoryVersion]:
    """The newest versions of the owner's beliefs that were closed by an operation, in order of their numbers."""
    return [version_of(row) for row in session.rows(_SQL["closed_by"], operation=operation)]


def episodes(session: Session, *, limit: int) -> list[MemoryVersion]:
    """What people said in the owner's stream, as it was said and is held, the newest first."""
    return [version_of(row) for row in session.rows(_SQL["episodes"], limit=limit)]


def stored(session: Session) -> Iterator[Row]:
    """All versions of the owner's memories as they are stored, for `version_of`, in order of their numbers.

    Fetched in portions, so any length will do.
    """
    with session.connection.cursor(name="memory_stored") as cursor:
        cursor.itersize = 2_000
        cursor.execute(_SQL["stored"], session.whose())
        yield from cursor


def called(session: Session, first: UUID, last: UUID) -> list[tuple[UUID, Owner]]:
    """The memories whose id lies between two, with their owners, of all the owners the session touches; two at most."""
    rows = session.rows(_SQL["called"], first=first, last=last)
    return [(row["memory_id"], Owner(row["user_id"])) for row in rows]


def founding(session: Session, memory_id: UUID) -> list[Span]:
    """The stretches of evidence that the text of a memory of the owner was made from; none where it is not held."""
    rows = session.rows(_SQL["founding"], memory_id=memory_id)
    return [Span(sequence=row["sequence"], start=row["span_start"], end=row["span_end"]) for row in rows]


def close(session: Session, closed: Sequence[MemoryVersion]) -> None:
    """Write down when, how and by what versions that were open have been closed. The caller holds the stream's lock."""
    names = ("memory_id", "version", "closed_at", "closed_reason", "closed_by")
    session.execute_many(_SQL["close"], [{name: getattr(version, name) for name in names} for version in closed])


def restate(session: Session, restated: Sequence[MemoryVersion]) -> None:
    """Write down the ends of versions that had others, which are forgotten. The caller holds the stream's lock."""
    names = ("memory_id", "version", "valid_to")
    session.execute_many(_SQL["restate"], [{name: getattr(version, name) for name in names} for version in restated])


def remove(session: Session, memory_ids: Collection[UUID]) -> Removed:
    """Take memories of the owner out of every generation that is kept. The caller holds the stream's lock."""
    evidence = session.execute(_SQL["remove_evidence"], memory_ids=list(memory_ids)).rowcount
    versions = session.execute(_SQL["remove"], memory_ids=list(memory_ids)).rowcount
    return Removed(versions=versions, evidence=evidence)


def clear(session: Session) -> Removed:
    """Take every memory of the owner out of every generation. The caller holds the stream's lock."""
    evidence = session.execute(_SQL["clear_evidence"]).rowcount
    return Removed(versions=session.execute(_SQL["clear"]).rowcount, evidence=evidence)


def version_of(row: Row) -> MemoryVersion:
    """The version that a stored row is of; what it rests on in order of the ledger.

    Raises:
        ValueError: the row is none that was ever written.
    """
    given: Row = {name: row[name] for name in _COLUMNS}
    for name, known in (("role", Role), ("closed_reason", Operation)):
        given[name] = known(row[name]) if row[name] is not None else None
    evidence = tuple(
        EvidenceRef(sequence=sequence, start=start, end=end, independent=independent)
        for sequence, start, end, independent in row["evidence"] or ()
    )
    claim = None if row["claim_key"] is None else Claim(**{name: row[f"claim_{name}"] for name in _CLAIM})
    return MemoryVersion(
        **{
            **given,
            "claim": claim,
            "data": row["data"],
            "kind": Kind(row["kind"]),
            "epistemic_type": EpistemicType(row["epistemic_type"]),
            "origin": Origin(row["origin"]),
            "tier": Tier(row["tier"]),
            "evidence": evidence,
        }
    )
