"""The sparse view: where each term occurs, in blocks. The one writer of `posting` and `sparse_stream`.

A block is an array of `ENTRY` for one term of one owner. A query fetches the blocks of its terms, some kilobytes each,
and scores them in numpy: at 100,000 memories that took a tenth of the time of adding up rows in SQL
(docs/why.md, "Posting blocks").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from shared.contract.scope import Owner
from shared.language.indexing import Indexed
from shared.store.db import Session
from shared.store.queries import queries

_SQL: Final = queries("postings")

ENTRY: Final = np.dtype([("doc", "<i4"), ("session", "<i4"), ("length", "<u2"), ("tf", "u1")])
"""One memory that holds a term. `doc` is its number, `session` that of its session's first; `length` counts its terms,
`tf` the term in it; both stop at the type's largest value."""

BLOCK_ENTRIES: Final = 160
"""A block is below two kilobytes: a larger one is stored out of line and written anew at each append, which grew the
table five- to fiftyfold in a trial."""

Entries = NDArray[np.void]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """What BM25 needs to know of one owner's open memories."""

    documents: int
    length_sum: int
    """Terms of all of them together."""
    sessions: int


def append(session: Session, indexed: Sequence[Indexed]) -> None:
    """Enter the owner's newest memories, given in order of `doc`. The caller holds the stream's lock."""
    entries = entries_by_term(indexed)
    rows = session.rows(_SQL["newest"], terms=list(entries))
    newest = {row["term"]: (row["block"], row["bytes"] // ENTRY.itemsize) for row in rows}
    blocks = [(term, *block) for term in sorted(entries) for block in _filled(entries[term], *newest.get(term, (0, 0)))]
    session.execute(
        _SQL["append"],
        terms=[term for term, _, _ in blocks],
        blocks=[number for _, number, _ in blocks],
        entries=[part for _, _, part in blocks],
    )
    session.execute(
        _SQL["count"],
        documents=len(indexed),
        length_sum=sum(each.length for each in indexed),
        sessions=sum(each.doc == each.session for each in indexed),
    )


def entries_by_term(indexed: Iterable[Indexed]) -> dict[str, Entries]:
    """The posting entries of some memories, by term, in order of `doc`."""
    rows: dict[str, list[tuple[int, int, int, int]]] = {}
    for each in indexed:
        length = min(each.length, 65_535)
        for term, tf in each.counts.items():
            rows.setdefault(term, []).append((each.doc, each.session, length, min(tf, 255)))
    return {term: np.array(entries, ENTRY) for term, entries in rows.items()}


def _filled(entries: Entries, block: int, held: int) -> Iterator[tuple[int, bytes]]:
    """Spread entries over a block that holds `held` and the ones after it."""
    start = 0
    while start < len(entries):
        end = start + BLOCK_ENTRIES - held
        if end > start:
            yield block, entries[start:end].tobytes()
        start, block, held = max(end, start), block + 1, 0


def fetch(session: Session, terms: Sequence[str]) -> dict[tuple[Owner, str], Entries]:
    """The entries of each of `terms`, by owner and term, in order of `doc`, of every owner the session reads."""
    parts: dict[tuple[Owner, str], list[bytes]] = {}
    session.keep_deadline()
    with session.spent.counted(), session.connection.cursor(binary=True) as cursor:
        cursor.execute(
            _SQL["fetch"], {"tenant_id": session.tenant_id, "owners": list(session.owners), "terms": list(terms)}
        )
        for row in cursor:
            parts.setdefault((Owner(row["user_id"]), row["term"]), []).append(row["entries"])
    return {key: np.frombuffer(b"".join(blocks), ENTRY) for key, blocks in parts.items()}


def statistics(session: Session) -> Mapping[Owner, Statistics]:
    """The statistics of every owner the session reads that has memories."""
    return {
        Owner(row["user_id"]): Statistics(
            documents=row["documents"],
            length_sum=row["length_sum"],
            sessions=row["sessions"],
        )
        for row in session.rows(_SQL["statistics"])
    }
