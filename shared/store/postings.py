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

from shared.contract.scope import Owner, stream_of
from shared.language.indexing import Indexed, indexed
from shared.log import logger
from shared.store import generations, memories
from shared.store.db import Row, Session
from shared.store.queries import queries

_SQL: Final = queries("postings")
_LOG: Final = logger(__name__)

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


def append(session: Session, indexed: Sequence[Indexed], *, after: int, until: int) -> None:
    """Enter the owner's newest memories, given in order of `doc`, into every generation that goes up to `after`.

    Each goes up to `until` then. A generation that is being built and has not come so far is left to its builder. Where
    the live one has not, or is beyond, its rows were damaged: the memories are kept all the same, since a rebuilding
    enters them, and the log says so. The caller holds the stream's lock.
    """
    found = generations.writing(session, "sparse")
    reached = positions(session)
    into = [each.generation for each in found.kept if reached.get(each.generation, 0) == after]
    if found.live.generation not in into:
        _LOG.error(
            "tenant=%s stream=%s: words find memories %d to %d only after `daybook reindex`: the sparse view has come "
            "to %d, and the stream to %d",
            *(session.tenant_id, stream_of(session.owner), after + 1, until),
            *(reached.get(found.live.generation, 0), after),
        )
    enter(session, indexed, into, until=until, sessions=sum(each.doc == each.session for each in indexed))


def enter_next(session: Session, into: Sequence[int], *, after: int, until: int) -> int:
    """Enter the owner's memories from behind number `after` to `until`; returns how many that are. Locks as below."""
    rows = memories.to_enter(session, after=after, until=until)
    words = [
        indexed(
            doc=row["doc"], session=row["session_doc"], text=row["text"], speaker=row["speaker"], at=row["valid_from"]
        )
        for row in rows
    ]
    enter(session, words, into, until=until, sessions=sum(row["is_first"] for row in rows))
    return len(rows)


def enter(session: Session, indexed: Sequence[Indexed], into: Sequence[int], *, until: int, sessions: int) -> None:
    """Enter memories of the owner, in order of `doc`, behind what each generation of `into` has, up to number `until`.

    `sessions` is how many of them are the first that is held of their session. The caller holds the stream's lock and
    one on the view.
    """
    entries = entries_by_term(indexed)
    newest = _newest(session, into, list(entries))
    blocks = [
        (generation, term, *block)
        for generation in into
        for term in sorted(entries)
        for block in _filled(entries[term], *newest.get((generation, term), (0, 0)))
    ]
    session.execute(
        _SQL["append"],
        generations=[generation for generation, *_ in blocks],
        terms=[term for _, term, *_ in blocks],
        blocks=[number for *_, number, _ in blocks],
        entries=[part for *_, part in blocks],
    )
    session.execute(
        _SQL["count"],
        generations=list(into),
        documents=len(indexed),
        length_sum=sum(each.length for each in indexed),
        sessions=sessions,
        doc=until,
    )


def _newest(session: Session, into: Sequence[int], terms: Sequence[str]) -> dict[tuple[int, str], tuple[int, int]]:
    """The newest block of each term in each generation, and how many entries it holds."""
    rows = session.rows(_SQL["newest"], generations=list(into), terms=list(terms))
    return {(row["generation"], row["term"]): (row["block"], row["bytes"] // ENTRY.itemsize) for row in rows}


def positions(session: Session) -> dict[int, int]:
    """By generation: the number of the owner's last memory that it has taken in."""
    return {row["generation"]: row["doc"] for row in session.rows(_SQL["positions"])}


def remove(session: Session, indexed: Sequence[Indexed]) -> None:
    """Take memories of the owner out of every generation, given as they were entered, when their own rows are gone.

    The caller holds the stream's lock and one on the view.
    """
    entries = entries_by_term(indexed)
    removed = {term: part["doc"] for term, part in entries.items()}
    rewritten = [
        (row["generation"], row["term"], row["block"], left.tobytes())
        for row in session.rows(
            _SQL["blocks_of"], terms=list(entries), docs=[each.doc for each in indexed], entry_bytes=ENTRY.itemsize
        )
        for held in [np.frombuffer(row["entries"], ENTRY)]
        for left in [held[~np.isin(held["doc"], removed[row["term"]])]]
        if len(left) < len(held)
    ]
    columns = list(zip(*rewritten, strict=True)) or [()] * 4
    parameters = dict(zip(("generations", "terms", "blocks", "entries"), map(list, columns), strict=True))
    session.execute(_SQL["rewrite"], **parameters)
    session.execute(_SQL["drop_empty"], **parameters)
    session.execute(_SQL["discount"], docs=[each.doc for each in indexed], lengths=[each.length for each in indexed])


def stored(session: Session, generation: int) -> Iterator[tuple[str, int, Entries]]:
    """The blocks of the owner in a generation, each with its term and number, in order; fetched in portions."""
    with session.connection.cursor(name="postings_stored") as cursor:
        cursor.itersize = 2_000
        cursor.execute(_SQL["stored"], session.whose(generation=generation))
        for row in cursor:
            yield row["term"], row["block"], np.frombuffer(row["entries"], ENTRY)


def counted(session: Session, generation: int) -> Row:
    """What a generation is said to hold of the owner: `documents`, `length_sum`, `sessions`, and up to which `doc`."""
    nothing = {"documents": 0, "length_sum": 0, "sessions": 0, "doc": 0}
    return session.row(_SQL["counted"], generation=generation) or nothing


def clear(session: Session) -> int:
    """Take everything of the owner out of every generation; returns how many blocks went."""
    gone = session.execute(_SQL["clear_postings"]).rowcount
    session.execute(_SQL["clear_streams"])
    return gone


def drop(session: Session, generation: int, *, limit: int) -> int:
    """See `generations.drop`."""
    return generations.drop(session, (_SQL["drop_postings"],), _SQL["drop_stream"], generation, limit=limit)


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
        cursor.execute(_SQL["fetch"], session.whose(terms=list(terms)))
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
