"""The sparse view: where each term occurs, in blocks. The one writer of `posting` and `sparse_stream`.

A block is an array of `ENTRY` for one term of one owner in one tier; the blocks of a term are in order of their
memories. A query fetches the blocks of its terms, some kilobytes each, and scores them in numpy: at 100,000 memories
that took a tenth of the time of adding up rows in SQL (docs/why.md, "Posting blocks").
"""

# Above 300 lines: one function a statement, for everybody who reads or writes blocks and their counts, tier by tier.

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from shared.contract.records import Tier
from shared.contract.scope import Owner, stream_of
from shared.language.indexing import Indexed, indexed
from shared.log import logger
from shared.store import _moving, generations, memories
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
Found = dict[tuple[Owner, str], Entries]
"""Entries by owner and term."""

COUNTS: Final = ("documents", "length_sum", "sessions", "cold_documents", "cold_length_sum", "cold_sessions")
"""What is counted of an owner: memories, their terms together, and sessions, in the hot tier and in the cold one. A
session counts for the tier of the first memory that is held of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """What BM25 needs to know of one owner's memories in the hot tier."""

    documents: int
    length_sum: int
    """Terms of all of them together."""
    sessions: int
    """Those that begin there."""
    cold_documents: int = 0
    """Of the cold tier; so are the two that follow."""
    cold_length_sum: int = 0
    cold_sessions: int = 0

    @property
    def of_both(self) -> Statistics:
        """Of both tiers, as if they were one."""
        return Statistics(
            documents=self.documents + self.cold_documents,
            length_sum=self.length_sum + self.cold_length_sum,
            sessions=self.sessions + self.cold_sessions,
        )


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
            doc=row["doc"],
            session=row["session_doc"],
            text=row["text"],
            speaker=row["speaker"],
            at=row["valid_from"],
            tier=Tier(row["tier"]),
        )
        for row in rows
    ]
    cold = sum(row["is_first"] and row["tier"] == Tier.COLD for row in rows)
    sessions = sum(row["is_first"] for row in rows) - cold
    enter(session, words, into, until=until, sessions=sessions, cold_sessions=cold)
    return len(rows)


def enter(
    session: Session,
    indexed: Sequence[Indexed],
    into: Sequence[int],
    *,
    until: int,
    sessions: int,
    cold_sessions: int = 0,
) -> None:
    """Enter memories of the owner, in order of `doc`, behind what each generation of `into` has, up to number `until`.

    `sessions` is how many of those in the hot tier are the first that is held of their session, `cold_sessions` how
    many of those in the cold one. The caller holds the stream's lock and one on the view.
    """
    by_tier = {tier: [each for each in indexed if each.tier is tier] for tier in Tier}
    for tier, words in by_tier.items():
        if words:
            _append(session, words, into, tier)
    hot, cold = by_tier[Tier.HOT], by_tier[Tier.COLD]
    session.execute(
        _SQL["count"],
        generations=list(into),
        documents=len(hot),
        length_sum=sum(each.length for each in hot),
        sessions=sessions,
        cold_documents=len(cold),
        cold_length_sum=sum(each.length for each in cold),
        cold_sessions=cold_sessions,
        doc=until,
    )


def _append(session: Session, indexed: Sequence[Indexed], into: Sequence[int], tier: Tier) -> None:
    """Put the words of memories behind those that are there of their tier."""
    entries = entries_by_term(indexed)
    newest = _newest(session, into, list(entries), tier)
    blocks = [
        (generation, term, *block)
        for generation in into
        for term in sorted(entries)
        for block in _filled(entries[term], *newest.get((generation, term), (0, 0)))
    ]
    session.execute(
        _SQL["append"],
        tier=tier,
        generations=[generation for generation, *_ in blocks],
        terms=[term for _, term, *_ in blocks],
        blocks=[number for *_, number, _ in blocks],
        entries=[part for *_, part in blocks],
    )


def _newest(
    session: Session, into: Sequence[int], terms: Sequence[str], tier: Tier
) -> dict[tuple[int, str], tuple[int, int]]:
    """The newest block of each term of a tier in each generation, and how many entries it holds."""
    rows = session.rows(_SQL["newest"], generations=list(into), terms=list(terms), tier=tier)
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
        (row["generation"], row["tier"], row["term"], row["block"], left.tobytes())
        for row in session.rows(
            _SQL["blocks_of"],
            terms=list(entries),
            docs=[each.doc for each in indexed],
            tiers=list(Tier),
            entry_bytes=ENTRY.itemsize,
        )
        for held in [np.frombuffer(row["entries"], ENTRY)]
        for left in [held[~np.isin(held["doc"], removed[row["term"]])]]
        if len(left) < len(held)
    ]
    session.execute(_SQL["rewrite"], **_columns(("generations", "tiers", "terms", "blocks", "entries"), rewritten))
    session.execute(_SQL["drop_empty"], terms=list(entries))
    session.execute(
        _SQL["discount"],
        docs=[each.doc for each in indexed],
        lengths=[each.length for each in indexed],
        tiers=[each.tier for each in indexed],
    )


def move(session: Session, indexed: Sequence[Indexed]) -> None:
    """Have words of the owner's memories, in order of `doc`, stand in the tier that each is given with.

    They stood in the other one. In every generation that has taken them in; their own rows are written already. The
    caller holds the stream's lock and one on the view.
    """
    for tier in Tier:
        coming = [each for each in indexed if each.tier is tier]
        if coming:
            _move(session, coming, tier)
    session.execute(
        _SQL["shift"],
        docs=[each.doc for each in indexed],
        lengths=[each.length for each in indexed],
        cold=[1 if each.tier is Tier.COLD else -1 for each in indexed],
    )


def _move(session: Session, coming: Sequence[Indexed], into: Tier) -> None:
    source = Tier.HOT if into is Tier.COLD else Tier.COLD
    reached = positions(session)
    docs = {term: entries["doc"] for term, entries in entries_by_term(coming).items()}
    leaving: dict[_Term, list[_Block]] = {}
    for row in session.rows(
        _SQL["blocks_between"],
        generations=list(reached),
        tier=source,
        terms=list(docs),
        lowest=min(each.doc for each in coming),
        highest=max(each.doc for each in coming),
        entry_bytes=ENTRY.itemsize,
    ):
        leaving.setdefault((row["generation"], row["term"]), []).append(_block(row))
    parted = {key: _moving.taken_from(blocks, docs[key[1]]) for key, blocks in leaving.items()}
    gone = {key: (stays, _together(leaves)) for key, (stays, leaves) in parted.items() if leaves}
    there = _there(session, into, {key: int(entries["doc"][0]) for key, (_, entries) in gone.items()})
    rewritten = {
        key: _moving.moved(stays, entries, *there.get(key, ([], -1)), BLOCK_ENTRIES)
        for key, (stays, entries) in gone.items()
    }
    _write_moved(session, rewritten, source, into)


_Term = tuple[int, str]
"""Generation and term."""
_Block = tuple[int, Entries]


def _block(row: Row) -> _Block:
    return row["block"], np.frombuffer(row["entries"], ENTRY)


def _together(blocks: Iterable[_Block]) -> Entries:
    return np.concatenate([entries for _, entries in blocks])


def _there(session: Session, tier: Tier, lowest: Mapping[_Term, int]) -> dict[_Term, tuple[list[_Block], int]]:
    """Of terms that a tier has: the blocks among which something is to be put, and the number of the last of all.

    `lowest` is by term the first memory that is to be put there. Most are newer than all that is there, so that the
    last block is all that is read.
    """
    generations_of, terms = [generation for generation, _ in lowest], [term for _, term in lowest]
    rows = session.rows(
        _SQL["newest_entries"], generations=sorted(set(generations_of)), terms=sorted(set(terms)), tier=tier
    )
    newest = {(row["generation"], row["term"]): _block(row) for row in rows}
    found = {
        key: ([last] if len(last[1]) < BLOCK_ENTRIES else [], last[0]) for key, last in newest.items() if key in lowest
    }
    among = [key for key in found if newest[key][1]["doc"][-1] > lowest[key]]
    blocks: dict[_Term, list[_Block]] = {}
    for row in session.rows(
        _SQL["all_of"], generations=[each for each, _ in among], terms=[term for _, term in among], tier=tier
    ):
        blocks.setdefault((row["generation"], row["term"]), []).append(_block(row))
    for key in among:
        reaching = [block for block in blocks[key] if block[1]["doc"][-1] > lowest[key]]
        found[key] = (reaching, found[key][1])
    return found


def _write_moved(session: Session, rewritten: Mapping[_Term, _moving.Rewritten], source: Tier, into: Tier) -> None:
    changed = [
        (generation, tier, term, number, entries)
        for (generation, term), each in rewritten.items()
        for tier, blocks in ((source, each.left), (into, each.kept))
        for number, entries in blocks.items()
    ]
    session.execute(_SQL["rewrite"], **_columns(("generations", "tiers", "terms", "blocks", "entries"), changed))
    moved = [(generation, term, *block) for (generation, term), each in rewritten.items() for block in each.moved]
    names = ("generations", "terms", "blocks", "to_blocks", "entries")
    session.execute(_SQL["move"], tier=source, into=into, **_columns(names, moved))
    begun = [
        (generation, term, *block) for (generation, term), each in rewritten.items() for block in each.begun.items()
    ]
    session.execute(_SQL["append"], tier=into, **_columns(("generations", "terms", "blocks", "entries"), begun))


def _columns(names: Sequence[str], rows: Sequence[tuple[object, ...]]) -> dict[str, object]:
    """Rows as one array a column."""
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    return dict(zip(names, map(list, columns), strict=True))


def stored(session: Session, generation: int) -> Iterator[tuple[Tier, str, int, Entries]]:
    """The blocks of the owner in a generation, each with tier, term and number, in order; fetched in portions."""
    with session.connection.cursor(name="postings_stored") as cursor:
        cursor.itersize = 2_000
        cursor.execute(_SQL["stored"], session.whose(generation=generation))
        for row in cursor:
            yield Tier(row["tier"]), row["term"], row["block"], np.frombuffer(row["entries"], ENTRY)


def counted(session: Session, generation: int) -> Row:
    """What a generation is said to hold of the owner, and up to which `doc`: see `COUNTS`."""
    return session.row(_SQL["counted"], generation=generation) or dict.fromkeys((*COUNTS, "doc"), 0)


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


def fetch(session: Session, terms: Sequence[str], tier: Tier = Tier.HOT) -> Found:
    """The entries of each of `terms` in a tier, in order of `doc`, of every owner the session reads."""
    parts: dict[tuple[Owner, str], list[bytes]] = {}
    session.keep_deadline()
    with session.spent.counted(), session.connection.cursor(binary=True) as cursor:
        cursor.execute(_SQL["fetch"], session.whose(terms=list(terms), tier=tier))
        for row in cursor:
            parts.setdefault((Owner(row["user_id"]), row["term"]), []).append(row["entries"])
    return {key: np.frombuffer(b"".join(blocks), ENTRY) for key, blocks in parts.items()}


def together(hot: Found, cold: Found) -> Found:
    """What both tiers hold, in order of `doc`."""
    both = {key: np.concatenate([hot[key], cold[key]]) for key in hot.keys() & cold.keys()}
    return {**hot, **cold, **{key: entries[np.argsort(entries["doc"])] for key, entries in both.items()}}


def statistics(session: Session) -> Mapping[Owner, Statistics]:
    """The statistics of every owner the session reads that has memories."""
    return {
        Owner(row["user_id"]): Statistics(**{name: row[name] for name in COUNTS})
        for row in session.rows(_SQL["statistics"])
    }
