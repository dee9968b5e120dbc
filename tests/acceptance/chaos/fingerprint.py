"""What a tenant's rows amount to, whatever the order in which its runs landed: to be compared with another tenant's."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import psycopg
from psycopg.rows import dict_row

from shared.store.postings import ENTRY

Row = dict[str, Any]
Counts = Mapping[tuple[str, ...], int]

_QUERIES: Final = {
    # What was said, and what was decided about it: of what was erased, that is kept only if it was decided before.
    "message": """
        select event.user_id, event.run_id, event.message_id, event.message_digest, event.speaker, event.occurred_at,
            event.session_id, event_payload.payload is not null as kept,
            case when event_payload.payload is not null then decision.action end as action,
            case when event_payload.payload is not null then decision.rule end as rule
        from event
        left join decision using (tenant_id, stream, sequence)
        left join event_payload using (tenant_id, stream, sequence)
        where tenant_id = %(tenant)s and event_class = 'evidence'
    """,
    # What is held of it, and the message that each rests on.
    "episode": """
        select memory.user_id, memory.run_id, event.message_id, memory.text, memory.kind, memory.epistemic_type,
            memory.speaker, memory.valid_from, memory.valid_to, memory.session_id, memory.closed_at is null as open
        from memory
        left join memory_evidence using (tenant_id, generation, memory_id, version)
        left join event on event.tenant_id = memory.tenant_id and event.stream = memory_evidence.stream
            and event.sequence = memory_evidence.sequence
        where memory.tenant_id = %(tenant)s
            and generation = (select live from generation where tenant_id = %(tenant)s and view = 'memory')
    """,
    # Which texts have a vector: values differ in their last digits with the batch they were made in.
    "vector": """
        select memory_vector.user_id, memory.run_id, memory_vector.model_id, encode(text_hash, 'hex') as hash,
            sha256(convert_to(memory.text, 'UTF8')) = text_hash as of_its_text, memory_vector.open
        from memory_vector
        left join memory on memory.tenant_id = memory_vector.tenant_id and memory.memory_id = memory_vector.memory_id
            and memory.version = memory_vector.version
            and memory.generation = (select live from generation where tenant_id = %(tenant)s and view = 'memory')
        where memory_vector.tenant_id = %(tenant)s and memory_vector.generation
            = (select live from generation where tenant_id = %(tenant)s and view = 'dense')
    """,
    # A run's vectors are made by index or, where that was long in coming, by the job that fills gaps: one outcome here.
    "receipt": """
        select user_id, run_id, stage,
            case when stage = 'index' and outcome = 'ignored' then 'indexed' else outcome end as outcome
        from receipt where tenant_id = %(tenant)s
    """,
    "inbox": """
        select user_id, run_id, stage, state, payload is not null as content_kept
        from inbox where tenant_id = %(tenant)s
    """,
    "participant": "select room_id, user_id from participant where tenant_id = %(tenant)s",
    # Of somebody erased, counters of nothing are there or not, as they were before.
    "words": """
        select user_id, documents, length_sum, sessions
        from sparse_stream where tenant_id = %(tenant)s and documents > 0
            and generation = (select live from generation where tenant_id = %(tenant)s and view = 'sparse')
    """,
    "mention": """
        select mention.user_id, mention.name, memory.run_id, memory.text
        from mention
        left join memory on memory.tenant_id = mention.tenant_id and memory.user_id = mention.user_id
            and memory.doc = mention.doc and memory.closed_at is null
            and memory.generation = (select live from generation where tenant_id = %(tenant)s and view = 'memory')
        where mention.tenant_id = %(tenant)s
            and mention.generation = (select live from generation where tenant_id = %(tenant)s and view = 'graph')
    """,
    "entity": """
        select user_id, name, memories
        from entity where tenant_id = %(tenant)s
            and generation = (select live from generation where tenant_id = %(tenant)s and view = 'graph')
    """,
    "alias": """
        select user_id, alias, name
        from entity_alias where tenant_id = %(tenant)s
            and generation = (select live from generation where tenant_id = %(tenant)s and view = 'graph')
    """,
}
_POSTINGS: Final = """
    select user_id, term, entries from posting
    where tenant_id = %(tenant)s
        and generation = (select live from generation where tenant_id = %(tenant)s and view = 'sparse')
"""
_DOCS: Final = """
    select user_id, doc, run_id, session_id, text from memory
    where tenant_id = %(tenant)s and closed_at is null
        and generation = (select live from generation where tenant_id = %(tenant)s and view = 'memory')
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """How often each thing is there: a thing is a kind, and then its values as text."""

    counts: Counts

    @property
    def digest(self) -> str:
        """The whole in a few characters."""
        lines = sorted(f"{count}\x1f" + "\x1f".join(thing) for thing, count in self.counts.items())
        return hashlib.sha256("\x1e".join(lines).encode()).hexdigest()[:12]

    def minus(self, other: Fingerprint) -> list[str]:
        """What is here more often than there, one line a thing."""
        return sorted(" ".join(thing) for thing in Counter(self.counts) - Counter(other.counts))


def fingerprint(connection: psycopg.Connection[Any], tenant: str) -> Fingerprint:
    """The fingerprint of one tenant, read past every policy."""
    counts: Counter[tuple[str, ...]] = Counter()
    with connection.cursor(row_factory=dict_row) as cursor:
        for kind, query in _QUERIES.items():
            rows = cursor.execute(query, {"tenant": tenant}).fetchall()
            counts.update((kind, *(_plain(value) for value in row.values())) for row in rows)
        held = cursor.execute(_DOCS, {"tenant": tenant}).fetchall()
        blocks = cursor.execute(_POSTINGS, {"tenant": tenant}).fetchall()
    counts.update(_postings(held, blocks))
    return Fingerprint(counts=counts)


def _plain(value: object) -> str:
    return "-" if value is None else str(value)


def _postings(held: Iterable[Row], blocks: Iterable[Row]) -> Iterator[tuple[str, ...]]:
    """Each entry of the sparse view with texts in the place of numbers, which depend on the order of arrival."""
    memories = {(row["user_id"], row["doc"]): row for row in held}
    for block in blocks:
        for entry in np.frombuffer(block["entries"], ENTRY):
            owner = block["user_id"]
            memory = memories.get((owner, int(entry["doc"])))
            first = memories.get((owner, int(entry["session"])), memory)  # a session's first may have been erased
            yield (
                "posting",
                owner,
                block["term"],
                memory["text"] if memory else "of no open memory",
                str(first and (first["session_id"] or first["run_id"])),
                f"length={entry['length']}",
                f"tf={entry['tf']}",
            )
