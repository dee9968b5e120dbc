"""Memories, version by version, and what they rest on. The one writer of `memory` and `memory_evidence`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime
from typing import Final
from uuid import UUID

from shared.contract.records import MemoryVersion
from shared.contract.scope import stream_of
from shared.store.db import Row, Session
from shared.store.keys import Ints, docs_of, places_of
from shared.store.queries import queries

_SQL: Final = queries("memories")
_COLUMNS: Final = tuple(each.name for each in fields(MemoryVersion) if each.name not in ("evidence", "claim"))


def insert(session: Session, versions: Sequence[MemoryVersion]) -> dict[int, int]:
    """Write new versions of the session's owner into the live generation, with their evidence.

    Returns for each memory, by its number, the number of its session's first memory. The caller holds the stream's
    lock.
    """
    firsts = _first_docs(session, versions)
    session.execute_many(
        _SQL["insert"],
        [
            {"session_doc": firsts[version.doc], **{name: getattr(version, name) for name in _COLUMNS}}
            for version in versions
        ],
    )
    session.execute_many(
        _SQL["insert_evidence"],
        [
            {
                "memory_id": version.memory_id,
                "version": version.version,
                "stream": stream_of(session.owner),
                "sequence": reference.sequence,
                "span_start": reference.start,
                "span_end": reference.end,
                "independent": reference.independent,
            }
            for version in versions
            for reference in version.evidence
        ],
    )
    return firsts


def _first_docs(session: Session, versions: Sequence[MemoryVersion]) -> dict[int, int]:
    by_session: dict[str, int] = {}
    firsts: dict[int, int] = {}
    for version in versions:
        if version.session_id is None:
            firsts[version.doc] = version.doc
            continue
        if version.session_id not in by_session:
            row = session.row(_SQL["first_of_session"], session_id=version.session_id)
            by_session[version.session_id] = (row and row["doc"]) or version.doc
        firsts[version.doc] = by_session[version.session_id]
    return firsts


def said_in_session(session: Session, session_id: str, digests: Sequence[str]) -> set[tuple[str, str]]:
    """Which (speaker, digest) pairs a session of the owner holds as open episodes, of those with one of `digests`."""
    rows = session.rows(
        _SQL["said_in_session"], session_id=session_id, digests=list(digests), stream=stream_of(session.owner)
    )
    return {(row["speaker"], row["message_digest"]) for row in rows}


def visible(
    session: Session, keys: Ints, *, as_of: datetime | None = None, known_at: datetime | None = None
) -> list[Row]:
    """Of each memory the version that may be shown: its key, ids, speaker, role and time, not its text.

    Without `as_of` and `known_at` that is the open version; with them, the one held at `known_at` and true at `as_of`.
    """
    return session.rows(
        _SQL["visible"],
        places=places_of(keys).tolist(),
        docs=docs_of(keys).tolist(),
        as_of=as_of,
        known_at=known_at,
    )


def whole(
    session: Session, keys: Ints, sessions: Ints, *, as_of: datetime | None = None, known_at: datetime | None = None
) -> list[Row]:
    """Memories with their text, by key and the number of their session's first, as `visible` shows them.

    A number that is of another session, or of none, is passed over.
    """
    return session.rows(
        _SQL["whole"],
        places=places_of(keys).tolist(),
        docs=docs_of(keys).tolist(),
        session_docs=sessions.tolist(),
        as_of=as_of,
        known_at=known_at,
    )


def sources(session: Session, memory_ids: Sequence[UUID]) -> dict[UUID, list[Row]]:
    """The evidence events of memories: `run_id`, `message_id`, `stream` and `sequence`, in order."""
    found: dict[UUID, list[Row]] = {}
    for row in session.rows(_SQL["sources"], memory_ids=list(memory_ids)):
        found.setdefault(row["memory_id"], []).append(row)
    return found
