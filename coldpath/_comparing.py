"""What the tables hold of a stream, beside what its ledger comes to.

Row for row, with the first differences named by table, key and column, and never by what anybody said.
"""

# Above 300 lines: one table after the other is held against what the ledger comes to, in one walk over both.

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import groupby, islice
from types import MappingProxyType
from typing import Final, Protocol
from uuid import UUID

from coldpath._comparing_graph import Names
from coldpath._comparing_profile import Profiles
from shared.belief.fold import weight, weight_of
from shared.belief.state import State, Versions
from shared.contract.records import EvidenceRef, MemoryVersion, Span, Tier
from shared.contract.turns import Use
from shared.language.indexing import indexed_of
from shared.store import generations, ledger, links, memories, postings, suppressions, uses, vectors
from shared.store.db import Row, Session

PORTION: Final = 10_000
"""Memories whose words are worked out, and entered, at a time: within one transaction a block that is written over
leaves each of its states behind until the end."""
_WORDS_AT_ONCE: Final = 1_000
_NAMED: Final = 50
"""Differences that are named; of the others it is told how many there are."""
_COLUMNS: Final = tuple(each.name for each in fields(MemoryVersion) if each.name != "evidence")
_VECTOR_KEY: Final = ("session_doc", "memory_id", "version", "kind")


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One place where a table is not what the ledger says."""

    table: str
    key: str
    column: str
    """What of the row differs: a column, `missing` or `unknown` for the whole of it."""


@dataclass(slots=True, kw_only=True)
class Comparison:
    """What came out of comparing."""

    differences: list[Difference] = field(default_factory=list)
    """The first of them."""
    count: int = 0
    """How many there are."""
    memories: int = 0
    """How many the ledger comes to."""
    expected: int = 0
    """What all that the ledger comes to weighs (`shared.belief.fold.weight`)."""
    held: int = 0
    """What the tables come to weighs. What no table holds (which memories are forgotten) is taken from the ledger."""
    stray: set[int] = field(default_factory=set)
    """Numbers of memories of which a vector is kept that is not of their text, or that are not held."""
    loose: set[int] = field(default_factory=set)
    """Numbers of memories of which a vector is kept under another key."""
    cold: set[int] = field(default_factory=set)
    """Those of the latter that are in the cold tier."""

    def differ(self, table: str, key: str, column: str) -> None:
        """Note a difference."""
        self.count += 1
        if self.count <= _NAMED:
            self.differences.append(Difference(table=table, key=key, column=column))


class Part(Protocol):
    """A table, or a view, that is compared while the memories of a stream go by."""

    def take(self, versions: Versions) -> None:
        """Go on with the next memory, in order of their numbers."""

    def end(self) -> None:
        """Say what is left, once all have gone by."""


def compare(session: Session, state: State) -> Comparison:
    """Compare all that is kept of the session's owner with `state`, which its ledger came to.

    The session sees one state of the tables: it is read-only, or holds the stream's lock. Goes through the memories
    once, so they need not be in the process's memory. Vectors are a cache: those that are there must fit, none must be
    there.
    """
    found = Comparison(expected=weight_of(state))
    found.held = found.expected
    _suppressions(session, state, found)
    docs = (ledger.end_of(session, session.owner) or {}).get("last_doc", 0)
    if docs != state.docs:
        found.differ("stream", session.owner, "last_doc")
        found.held += weight_of(State(docs=docs)) - weight_of(State(docs=state.docs))
    _links(session, state, found)
    _uses(session, state, found)
    parts: tuple[Part, ...] = (
        _Rows(session, state, found),
        _Words(session, state, found),
        Names(session, state, found.differ),
        Profiles(session, found.differ),
        _Vectors(session, found),
    )
    for versions in state.memories.values():
        found.memories += 1
        for part in parts:
            part.take(versions)
    for part in parts:
        part.end()
    return found


def in_portions(state: State) -> Iterator[Sequence[MemoryVersion]]:
    """The newest version of each memory held, in order of their numbers: what the views of words are made of.

    Of a state that was folded from a stream's beginning.
    """
    newest = (versions[-1] for versions in state.memories.values())
    while portion := list(islice(newest, PORTION)):
        yield portion


def begun_in(state: State) -> dict[int, Tier]:
    """By the number of a session, the tier that it counts for: that of the first memory that is held of it."""
    found: dict[int, Tier] = {}
    for versions in state.memories.values():
        found.setdefault(versions[-1].session_doc, versions[-1].tier)
    return found


class _Rows:
    """Memories and what they rest on."""

    def __init__(self, session: Session, state: State, found: Comparison) -> None:
        self._state, self._found = state, found
        self._rows = memories.stored(session)
        self._next = next(self._rows, None)
        self._elsewhere: set[tuple[UUID, int]] = set()
        """Versions whose row has the number of another memory."""
        self._missing: list[tuple[UUID, int, int]] = []
        """Versions without a row, by id and number, with what each weighs: all there are where tables are empty."""
        self._strange: set[UUID] = set()

    def take(self, versions: Versions) -> None:
        """See `Part`."""
        self._found.expected += (own := sum(map(weight, versions)))
        self._found.held += own
        first, there = versions[0], set[int]()
        while self._next is not None and self._next["doc"] <= first.doc:
            if self._next["memory_id"] != first.memory_id:
                self._out_of_place(self._next)
            elif self._compared(self._next, _numbered(versions, self._next["version"])):
                there.add(self._next["version"])
            self._next = next(self._rows, None)
        gone = (each for each in versions if each.version not in there)
        self._missing += [(each.memory_id, each.version, weight(each)) for each in gone]

    def end(self) -> None:
        """See `Part`."""
        while self._next is not None:
            self._out_of_place(self._next)
            self._next = next(self._rows, None)
        for memory, number, weighs in self._missing:
            if (memory, number) not in self._elsewhere:
                self._found.differ("memory", _name(memory, number), "missing")
                self._found.held -= weighs

    def _out_of_place(self, row: Row) -> None:
        """A row that is of no memory with its number."""
        memory, number = row["memory_id"], row["version"]
        expected = _numbered(self._state.memories.get(memory, ()), number)
        if self._compared(row, expected):
            self._elsewhere.add((memory, number))
            gone = self._state.forgotten.get(memory)
            if gone and memory not in self._strange:
                self._strange.add(memory)
                self._found.held -= weight(gone)

    def _compared(self, row: Row, expected: MemoryVersion | None) -> bool:
        """Whether a row is of any version at all."""
        version = _compared(row, expected, self._found)
        if version is not None and version is not expected:
            self._found.held += weight(version) - (weight(expected) if expected else 0)
        return version is not None


def _numbered(versions: tuple[MemoryVersion, ...], number: int) -> MemoryVersion | None:
    return versions[number - 1] if 0 < number <= len(versions) else None


def _compared(row: Row, expected: MemoryVersion | None, found: Comparison) -> MemoryVersion | None:
    """The version that a row is of, which is `expected` itself where it is equal; None if it is of none at all."""
    name = _name(row["memory_id"], row["version"])
    try:
        version = memories.version_of(row)
    except ValueError:
        found.differ("memory", name, "unknown")
        return None
    if expected is None:
        found.differ("memory", name, "unknown")
        return version
    plain = as_stored(expected)
    if version == plain:
        return expected
    for column in _COLUMNS:
        if getattr(version, column) != getattr(plain, column):
            found.differ("memory", name, column)
    if version.evidence != plain.evidence:
        found.differ("memory_evidence", name, "evidence")
    return version


def as_stored(version: MemoryVersion) -> MemoryVersion:
    """A version as its row can tell it: evidence in order of the ledger."""
    if len(version.evidence) == 1:
        return version
    return replace(version, evidence=tuple(sorted(version.evidence, key=_place)))


def _place(ref: EvidenceRef) -> tuple[int, int]:
    return ref.sequence, -1 if ref.start is None else ref.start


def _name(memory: UUID, version: int) -> str:
    return f"{memory} version {version}"


def _suppressions(session: Session, state: State, found: Comparison) -> None:
    held: dict[int, dict[Span, int]] = {}
    for span, by in suppressions.stored(session):
        held.setdefault(span.sequence, {})[span] = by
    for sequence in sorted(held.keys() | state.suppressed.keys()):
        here, expected = held.get(sequence, {}), state.suppressed.get(sequence, MappingProxyType({}))
        for span in {**here, **expected}:
            if here.get(span) != expected.get(span):
                column = "missing" if span not in here else "suppressed_by" if span in expected else "unknown"
                found.differ("suppression", f"event {sequence}", column)
                found.held += weight(span, by=here[span]) if span in here else 0
                found.held -= weight(span, by=expected[span]) if span in expected else 0


def _links(session: Session, state: State, found: Comparison) -> None:
    held = frozenset(links.stored(session))
    for link in sorted(held ^ state.links, key=lambda link: link.opened_by):
        is_missing = link in state.links
        found.differ("memory_link", f"event {link.opened_by}", "missing" if is_missing else "unknown")
        found.held += -weight(link) if is_missing else weight(link)


def _uses(session: Session, state: State, found: Comparison) -> None:
    held = {use.memory_id: use for use in uses.stored(session)}
    for memory in sorted(held.keys() | state.uses.keys()):
        here, expected = held.get(memory), state.uses.get(memory)
        if here == expected:
            continue
        found.held += (weight(here) if here else 0) - (weight(expected) if expected else 0)
        if here is None or expected is None:
            found.differ("memory_use", str(memory), "missing" if here is None else "unknown")
            continue
        for name in (each.name for each in fields(Use)):
            if getattr(here, name) != getattr(expected, name):
                found.differ("memory_use", str(memory), name)


class _Words:
    """The sparse view: the posting entries that the memories of a stream come to, term by term of each tier."""

    def __init__(self, session: Session, state: State, found: Comparison) -> None:
        self._session, self._found = session, found
        self._counts = dict.fromkeys((*postings.COUNTS, "doc"), 0) | {"doc": state.docs}
        self._begun: dict[int, Tier] = {}
        self._portion: list[MemoryVersion] = []
        self._entries: dict[tuple[Tier, str], _Digest] = {}
        """Of each term what its entries come to, and not they: they grow with the stream, and its words hardly do."""

    def take(self, versions: Versions) -> None:
        """See `Part`."""
        self._portion.append(versions[-1])
        self._begun.setdefault(versions[-1].session_doc, versions[-1].tier)
        if len(self._portion) == _WORDS_AT_ONCE:
            self._add()

    def end(self) -> None:
        """See `Part`."""
        self._add()
        tiers = Counter(self._begun.values())
        self._counts |= {"sessions": tiers[Tier.HOT], "cold_sessions": tiers[Tier.COLD]}
        build = generations.live(self._session, "sparse")
        generation = build.generation if build else 0
        blocks = postings.stored(self._session, generation)
        for (tier, term), group in groupby(blocks, key=lambda row: (row[0], row[1])):
            held, expected = _Digest(), self._entries.pop((tier, term), _Digest())
            blank = [block for *_, block, entries in group if not held.add(entries.tobytes())]
            if blank or held.value != expected.value:
                is_short = held.length < expected.length
                self._found.differ("posting", f"{tier} term {_masked(term)}", "missing" if is_short else "entries")
        for tier, term in self._entries:
            self._found.differ("posting", f"{tier} term {_masked(term)}", "missing")
        said = postings.counted(self._session, generation)
        for column, count in self._counts.items():
            if said[column] != count:
                self._found.differ("sparse_stream", f"generation {generation}", column)

    def _add(self) -> None:
        words = [indexed_of(version) for version in self._portion]
        self._portion.clear()
        for tier, prefix in ((Tier.HOT, ""), (Tier.COLD, "cold_")):
            mine = [each for each in words if each.tier is tier]
            self._counts[f"{prefix}documents"] += len(mine)
            self._counts[f"{prefix}length_sum"] += sum(each.length for each in mine)
            for term, entries in postings.entries_by_term(mine).items():
                self._entries.setdefault((tier, term), _Digest()).add(entries.tobytes())


class _Digest:
    """What bytes come to that are heard part by part, wherever they are parted."""

    __slots__ = ("_sum", "length")

    def __init__(self) -> None:
        self._sum, self.length = hashlib.blake2b(digest_size=16), 0

    def add(self, part: bytes) -> int:
        """Go on with the next part; how long that is."""
        self._sum.update(part)
        self.length += len(part)
        return len(part)

    @property
    def value(self) -> bytes:
        """Of all that was heard."""
        return self._sum.digest()


def _masked(term: str) -> str:
    """A name for a term that does not say it: it is a word of somebody's."""
    return hashlib.sha256(term.encode()).hexdigest()[:12]


class _Vectors:
    """The dense view, as far as vectors are there."""

    def __init__(self, session: Session, found: Comparison) -> None:
        self._session, self._found = session, found
        self._rows = vectors.stored(session)
        self._next = next(self._rows, None)
        self._kept: dict[int, int] = {}

    def take(self, versions: Versions) -> None:
        """See `Part`."""
        while self._next is not None and self._next["doc"] <= versions[0].doc:
            self._one(self._next, versions[-1] if self._next["doc"] == versions[0].doc else None)

    def end(self) -> None:
        """See `Part`."""
        while self._next is not None:
            self._one(self._next, None)
        said = vectors.counted(self._session)
        for generation in sorted(self._kept.keys() | said.keys()):
            if self._kept.get(generation, 0) != said.get(generation, 0):
                self._found.differ("dense_stream", f"generation {generation}", "vectors")

    def _one(self, row: Row, version: MemoryVersion | None) -> None:
        if not row["model_id"].startswith(vectors.COLD):
            self._kept[row["generation"]] = self._kept.get(row["generation"], 0) + 1
        _vector(row, version, self._found)
        self._next = next(self._rows, None)


def _vector(row: Row, version: MemoryVersion | None, found: Comparison) -> None:
    key = f"generation {row['generation']} number {row['doc']}"
    if version is None:
        found.stray.add(row["doc"])
        found.differ("memory_vector", key, "unknown")
        return
    if bytes(row["text_hash"]) != hashlib.sha256(version.text.encode()).digest():
        found.stray.add(row["doc"])
        found.differ("memory_vector", key, "text_hash")
        return
    off = [name for name in _VECTOR_KEY if row[name] != getattr(version, name)]
    is_hot = version.tier is Tier.HOT
    if is_hot == row["model_id"].startswith(vectors.COLD):
        off.append("model_id")
    for name in [*off, *([] if row["open"] == (version.is_open and is_hot) else ["open"])]:
        found.loose.add(row["doc"])
        if not is_hot:
            found.cold.add(row["doc"])
        found.differ("memory_vector", key, name)
