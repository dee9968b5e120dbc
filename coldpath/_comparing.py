"""What the tables hold of a stream, beside what its ledger comes to.

Row for row, with the first differences named by table, key and column, and never by what anybody said.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Final
from uuid import UUID

from coldpath import _comparing_graph, _comparing_profile
from shared.belief.state import State
from shared.contract.records import EvidenceRef, Link, MemoryVersion, Span, Tier
from shared.contract.turns import Use
from shared.language.indexing import Indexed, indexed_of
from shared.store import generations, ledger, links, memories, postings, suppressions, uses, vectors
from shared.store.db import Row, Session

PORTION: Final = 10_000
"""Memories whose words are worked out, and entered, at a time: within one transaction a block that is written over
leaves each of its states behind until the end."""
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
    held: State = field(default_factory=State)
    """What the tables come to. What no table holds (which memories are forgotten) is taken from the ledger."""
    stray: set[int] = field(default_factory=set)
    """Numbers of memories of which a vector is kept that is not of their text, or that are not held."""
    loose: set[int] = field(default_factory=set)
    """Numbers of memories of which a vector is kept under another key."""

    def differ(self, table: str, key: str, column: str) -> None:
        """Note a difference."""
        self.count += 1
        if self.count <= _NAMED:
            self.differences.append(Difference(table=table, key=key, column=column))


def compare(session: Session, state: State) -> Comparison:
    """Compare all that is kept of the session's owner with `state`, which its ledger came to.

    The session sees one state of the tables: it is read-only, or holds the stream's lock. Vectors are a cache: those
    that are there must fit, none must be there.
    """
    found = Comparison()
    held = _memories(session, state, found)
    suppressed = _suppressions(session, state, found)
    docs = (ledger.end_of(session, session.owner) or {}).get("last_doc", 0)
    if docs != state.docs:
        found.differ("stream", session.owner, "last_doc")
    gone = {memory: each for memory, each in state.forgotten.items() if memory not in held}
    found.held = State(
        memories=held,
        forgotten=gone,
        suppressed=suppressed,
        links=_links(session, state, found),
        docs=docs,
        uses=_uses(session, state, found),
    )
    _postings(session, state, found)
    for module in (_comparing_graph, _comparing_profile):
        for table, key, column in module.differences(session, state):
            found.differ(table, key, column)
    _vectors(session, state, found)
    return found


def in_portions(state: State) -> Iterator[Sequence[MemoryVersion]]:
    """The newest version of each memory held, in order of their numbers: what the views of words are made of."""
    newest = sorted((versions[-1] for versions in state.memories.values()), key=lambda version: version.doc)
    return (newest[start : start + PORTION] for start in range(0, len(newest), PORTION))


def begun_in(state: State) -> dict[int, Tier]:
    """By the number of a session, the tier that it counts for: that of the first memory that is held of it."""
    found: dict[int, Tier] = {}
    for portion in in_portions(state):
        for version in portion:
            found.setdefault(version.session_doc, version.tier)
    return found


def _memories(session: Session, state: State, found: Comparison) -> dict[UUID, tuple[MemoryVersion, ...]]:
    held: dict[UUID, tuple[MemoryVersion, ...]] = {}
    for row in memories.stored(session):
        memory, number = row["memory_id"], row["version"]
        expected = _numbered(state.memories.get(memory, ()), number)
        version = _compared(row, expected, found)
        if version is not None:
            held[memory] = (*held.get(memory, ()), version)
    for memory, versions in state.memories.items():
        there = {version.version for version in held.get(memory, ())}
        for version in versions:
            if version.version not in there:
                found.differ("memory", _name(memory, version.version), "missing")
    return held


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


def _suppressions(session: Session, state: State, found: Comparison) -> dict[int, dict[Span, int]]:
    held: dict[int, dict[Span, int]] = {}
    for span, by in suppressions.stored(session):
        held.setdefault(span.sequence, {})[span] = by
    for sequence in sorted(held.keys() | state.suppressed.keys()):
        here, expected = held.get(sequence, {}), state.suppressed.get(sequence, MappingProxyType({}))
        for span in {**here, **expected}:
            if here.get(span) != expected.get(span):
                column = "missing" if span not in here else "suppressed_by" if span in expected else "unknown"
                found.differ("suppression", f"event {sequence}", column)
    return held


def _links(session: Session, state: State, found: Comparison) -> frozenset[Link]:
    held = frozenset(links.stored(session))
    for link in sorted(held ^ state.links, key=lambda link: link.opened_by):
        found.differ("memory_link", f"event {link.opened_by}", "missing" if link in state.links else "unknown")
    return held


def _uses(session: Session, state: State, found: Comparison) -> dict[UUID, Use]:
    held = {use.memory_id: use for use in uses.stored(session)}
    for memory in sorted(held.keys() | state.uses.keys()):
        here, expected = held.get(memory), state.uses.get(memory)
        if here is None or expected is None:
            found.differ("memory_use", str(memory), "missing" if here is None else "unknown")
            continue
        for name in (each.name for each in fields(Use)):
            if getattr(here, name) != getattr(expected, name):
                found.differ("memory_use", str(memory), name)
    return held


def _postings(session: Session, state: State, found: Comparison) -> None:
    build = generations.live(session, "sparse")
    generation = build.generation if build else 0
    expected = _Words()
    for portion in in_portions(state):
        expected.add([indexed_of(version) for version in portion])
    tiers = Counter(begun_in(state).values())
    expected.counts |= {"sessions": tiers[Tier.HOT], "cold_sessions": tiers[Tier.COLD], "doc": state.docs}
    for tier, term, block, entries in postings.stored(session, generation):
        if not expected.take(tier, term, entries.tobytes()):
            found.differ("posting", f"{tier} term {_masked(term)} block {block}", "entries")
    for tier, term in expected.left():
        found.differ("posting", f"{tier} term {_masked(term)}", "missing")
    said = postings.counted(session, generation)
    for column, count in expected.counts.items():
        if said[column] != count:
            found.differ("sparse_stream", f"generation {generation}", column)


class _Words:
    """The posting entries that the memories of a stream come to, term by term of each tier."""

    def __init__(self) -> None:
        self.counts = dict.fromkeys((*postings.COUNTS, "doc"), 0)
        self._entries: dict[tuple[Tier, str], bytearray] = {}
        self._taken: dict[tuple[Tier, str], int] = {}

    def add(self, words: Iterable[Indexed]) -> None:
        """Take in the next memories."""
        words = list(words)
        for tier, prefix in ((Tier.HOT, ""), (Tier.COLD, "cold_")):
            mine = [each for each in words if each.tier is tier]
            self.counts[f"{prefix}documents"] += len(mine)
            self.counts[f"{prefix}length_sum"] += sum(each.length for each in mine)
            for term, entries in postings.entries_by_term(mine).items():
                self._entries.setdefault((tier, term), bytearray()).extend(entries.tobytes())

    def take(self, tier: Tier, term: str, part: bytes) -> bool:
        """Whether `part` is what comes next of a term in a tier."""
        start = self._taken.get((tier, term), 0)
        self._taken[tier, term] = start + len(part)
        return bool(part) and self._entries.get((tier, term), b"")[start : start + len(part)] == part

    def left(self) -> Iterator[tuple[Tier, str]]:
        """The terms of each tier of which entries were not taken."""
        return (key for key, entries in self._entries.items() if self._taken.get(key, 0) < len(entries))


def _masked(term: str) -> str:
    """A name for a term that does not say it: it is a word of somebody's."""
    return hashlib.sha256(term.encode()).hexdigest()[:12]


def _vectors(session: Session, state: State, found: Comparison) -> None:
    kept: dict[int, int] = {}
    held = {versions[-1].doc: versions[-1] for versions in state.memories.values()}
    for row in vectors.stored(session):
        if not row["model_id"].startswith(vectors.COLD):
            kept[row["generation"]] = kept.get(row["generation"], 0) + 1
        _vector(row, held.get(row["doc"]), found)
    said = vectors.counted(session)
    for generation in sorted(kept.keys() | said.keys()):
        if kept.get(generation, 0) != said.get(generation, 0):
            found.differ("dense_stream", f"generation {generation}", "vectors")


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
        found.differ("memory_vector", key, name)
