"""The rows of a run without the product: read back as it wrote them, and inserted again for another tenant.

As one would write it by hand who knows them all beforehand: one round trip a run, statements prepared, one commit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, LiteralString

import psycopg
from psycopg import sql
from psycopg.types.json import Jsonb

from bench.crowd import Accepted
from shared.contract.receipts import Work
from shared.contract.scope import Owner
from shared.language.indexing import indexed
from shared.store.db import Database, Role, Row
from shared.store.postings import entries_by_term
from shared.store.queries import queries

_READ: Final[Mapping[str, LiteralString]] = {
    "event": "select * from event where tenant_id = %s and user_id = %s and run_id = %s order by sequence",
    "event_payload": """
        select event_payload.* from event_payload join event using (tenant_id, stream, sequence)
        where event.tenant_id = %s and event.user_id = %s and event.run_id = %s
    """,
    "decision": """
        select decision.* from decision join event using (tenant_id, stream, sequence)
        where event.tenant_id = %s and event.user_id = %s and event.run_id = %s
    """,
    "memory": "select * from memory where tenant_id = %s and user_id = %s and run_id = %s order by doc",
    "memory_evidence": """
        select memory_evidence.* from memory_evidence
        join memory using (tenant_id, generation, memory_id, version)
        where memory.tenant_id = %s and memory.user_id = %s and memory.run_id = %s
    """,
    "receipt": """
        select * from receipt where tenant_id = %s and user_id = %s and run_id = %s and stage = 'append'
    """,
}
_STEP_ON: Final = """
    update inbox
    set stage = 'gate', attempts = 0, lease_until = null, retry_at = null, rung_at = null, last_error = null,
        changed_at = clock_timestamp(), payload = null
    where tenant_id = %(tenant_id)s and user_id = %(owners)s and inbox_id = %(inbox_id)s
"""
_ADVANCE: Final = """
    update stream
    set last_sequence = %(sequence)s, last_hash = %(hash)s, last_recorded_at = %(recorded_at)s, last_doc = %(doc)s
    where tenant_id = %(tenant_id)s and user_id = %(owners)s and stream = %(stream)s
"""
_BECOME: Final = queries("session")["become"]
_TIMEOUT_MS: Final = 300_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What one run comes to, for another tenant."""

    tenant_id: str
    owner: Owner
    rows: Mapping[str, Sequence[Row]]
    """By table, in the order in which they are written."""
    whose: Row
    """What is to be said in the transaction of its tenant, owner, stream's end and row in the inbox, where it waits."""


def read(database: Database, run: Accepted, into: Work) -> Run:
    """The rows that `append` wrote of a run, as those of another's that waits in the inbox."""
    whose = run.work.tenant_id, run.work.owner, run.run_id
    with database.transaction(Role.READER, run.work.tenant_id, [run.work.owner], read_only=True) as session:
        found = {table: session.connection.execute(query, whose).fetchall() for table, query in _READ.items()}
    found["posting"] = _postings(found["memory"], block=run.number)
    for row in found["receipt"]:
        row |= {"counts": Jsonb(row["counts"]), "subject": into.inbox_id}
    for row in found["decision"]:
        row["fields"] = Jsonb(row["fields"])
    last = found["event"][-1]
    return Run(
        tenant_id=into.tenant_id,
        owner=into.owner,
        rows={table: [{**row, "tenant_id": into.tenant_id} for row in each] for table, each in found.items() if each},
        whose={
            **{name: last[name] for name in ("stream", "sequence", "hash", "recorded_at")},
            "doc": found["memory"][-1]["doc"],
            "tenant_id": into.tenant_id,
            "owners": into.owner,
            "inbox_id": into.inbox_id,
            "role": Role.WORKER,
            "timeout_ms": str(_TIMEOUT_MS),
            "idle_ms": str(_TIMEOUT_MS),
        },
    )


def _postings(memories: Sequence[Row], *, block: int) -> list[Row]:
    """One row for each term of the run."""
    entries = entries_by_term(
        indexed(
            doc=row["doc"], session=row["session_doc"], text=row["text"], speaker=row["speaker"], at=row["valid_from"]
        )
        for row in memories
    )
    first = memories[0]
    return [
        {
            "tenant_id": first["tenant_id"],
            "generation": first["generation"],
            "user_id": first["user_id"],
            "term": term,
            "block": block,
            "entries": part.tobytes(),
        }
        for term, part in sorted(entries.items())
    ]


def connected(database_url: str) -> psycopg.Connection[Any]:
    """A connection for `insert`."""
    connection = psycopg.connect(database_url, autocommit=True)
    connection.prepare_threshold = 0
    return connection


def insert(connection: psycopg.Connection[Any], run: Run) -> None:
    """Write a run in one transaction and one round trip."""
    with connection.pipeline(), connection.cursor() as cursor:
        cursor.execute("begin")
        cursor.execute(_BECOME, run.whose)
        for table, rows in run.rows.items():
            cursor.executemany(_into(table, tuple(rows[0])), rows)
        cursor.execute(_ADVANCE, run.whose)
        cursor.execute(_STEP_ON, run.whose)
        cursor.execute("commit")


@cache
def _into(table: str, columns: tuple[str, ...]) -> sql.Composed:
    return sql.SQL("insert into {} ({}) values ({})").format(
        sql.Identifier(table),
        sql.SQL(", ").join(map(sql.Identifier, columns)),
        sql.SQL(", ").join(map(sql.Placeholder, columns)),
    )
