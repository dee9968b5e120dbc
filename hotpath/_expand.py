"""expand: hits to whole memories, with the turns around them and the evidence they rest on.

What surrounds a hit is its context. Contexts of one session that touch or overlap are one; none reaches into another
session.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Final, NamedTuple
from uuid import UUID

import numpy as np

from hotpath import _behind
from hotpath._contexts import contexts
from hotpath._fresh import FreshHit
from hotpath._fuse import Ranked
from shared import clock
from shared.belief.predicates import object_key
from shared.contract.bundle import Source
from shared.contract.scope import Owner, stream_of
from shared.contract.trust import TRUST
from shared.store import links, memories
from shared.store.db import Session
from shared.store.links import NOTHING_BESIDE, Beside
from shared.store.memories import Whole

MOST_FOLLOWED: Final = 10
"""Hits, the best, that what they are linked to stands beside."""
PER_HIT: Final = 2
"""Links of each, the surest."""

OVER: Final = 0.6
"""What a hit of the past counts for beside what holds: a clear match still comes before what hardly fits."""


class Piece(NamedTuple):
    """A whole memory that may go into the bundle.

    A tuple, since recall makes dozens: as a frozen dataclass each took eight times as long.
    """

    memory_id: UUID
    owner: Owner
    doc: int
    """Its number; for one on its way, its place behind all others."""
    text: str
    kind: str
    epistemic_type: str
    speaker: str | None
    role: str | None
    origin: str
    trust: int
    at: datetime | None
    session_id: str | None
    sources: tuple[Source, ...]
    score: float
    rank: int | None
    fresh: bool
    scores: dict[str, float]
    until: datetime | None = None
    """When it ended in the world; None where it holds."""
    group: str | None = None
    """What it contradicts another about: of a group at most one can hold. None where nothing is known to."""
    side: str | None = None
    """What it says about that: those of a group that say the same agree."""


class Around:
    """The turns around hits, made into pieces as they are asked for: most budgets have room for few."""

    def __init__(
        self,
        ranked: Sequence[Ranked] = (),
        rows: Mapping[int, Whole] = MappingProxyType({}),
        linked: Mapping[int, Sequence[tuple[int, float]]] = MappingProxyType({}),
    ) -> None:
        """`linked` gives, by key of a hit, what it is linked to: keys, and how sure each link is."""
        self._rows = rows
        self._linked = linked
        self._hits = {rows[each.key].memory_id: each for each in ranked if each.key in rows}
        self._given: set[int] = set()
        self._asked: set[int] = set()

    def only(self, hits: Iterable[Piece]) -> Around:
        """The same for some of the hits; one that is none any more may stand around another."""
        kept = [self._hits[hit.memory_id] for hit in hits if hit.memory_id in self._hits]
        return Around(kept, self._rows, self._linked)

    def beside(self, hit: Piece) -> tuple[str, str]:
        """The texts of the turns before and after a hit in its session; empty where there is none."""
        ranked = self._hits.get(hit.memory_id)
        if ranked is None:
            return "", ""
        before, after = (self._rows.get(ranked.key + step) for step in (-1, 1))
        return self._text(before, ranked), self._text(after, ranked)

    def _text(self, row: Whole | None, ranked: Ranked) -> str:
        return row.text if row is not None and row.session_doc == ranked.session else ""

    def __call__(self, hit: Piece) -> Iterator[Piece]:
        """The turns of its session around a hit, the nearest first, those after it before those before it.

        Asked for once more, what it is linked to. Each is given once, for the first hit that it is asked for of. Some
        may be hits themselves.
        """
        ranked = self._hits.get(hit.memory_id)
        if ranked is None:
            return
        yield from self._turns(ranked) if ranked.key not in self._asked else self._linked_to(ranked)
        self._asked.add(ranked.key)

    def _turns(self, ranked: Ranked) -> Iterator[Piece]:
        for step in (1, -1, 2):
            key = ranked.key + step
            row = self._rows.get(key)
            if row is not None and key not in self._given and row.session_doc == ranked.session:
                self._given.add(key)
                yield _piece(row, score=ranked.score / (1 + abs(step)), rank=None, scores={})

    def _linked_to(self, ranked: Ranked) -> Iterator[Piece]:
        for key, sure in self._linked.get(ranked.key, ()):
            row = self._rows.get(key)
            if row is not None and key not in self._given:
                self._given.add(key)
                yield _piece(row, score=ranked.score * sure / 2, rank=None, scores={"linked": sure})


def hits_and_around(
    session: Session,
    ranked: Sequence[Ranked],
    *,
    as_of: datetime | None,
    known_at: datetime | None,
    asked: Sequence[str] = (),
) -> tuple[list[Piece], Around]:
    """The hits as whole memories, best first, and what gives the turns around each; `asked` are the query's terms."""
    if not ranked:
        return [], Around()
    wanted = [(key, each.session) for each in contexts(ranked) for key in range(each.first, each.last + 1)]
    beside = _beside(session, ranked, known_at=known_at)
    wanted += zip(beside.others.tolist(), beside.sessions.tolist(), strict=True)
    keys, firsts = np.array([*dict.fromkeys(wanted)], np.int64).T
    rows = memories.whole(session, keys, firsts, as_of=as_of, known_at=known_at)
    by_key = {row.key: row for row in rows if not _behind.was_never_so(row)}
    when = Asked(as_of, known_at)
    pieces = [
        _piece(by_key[each.key], score=each.score, rank=None, scores=dict(each.explained))
        for each in ranked
        if each.key in by_key
    ]
    if as_of is None and known_at is None:  # else what is old was found by itself
        behind = _behind.read(session, by_key, ranked, asked)
        pieces += [_piece(by_key[key], score=score, rank=None, scores={}) for key, score in behind.items()]
    pieces = _with_rivals(session, pieces, by_key, when)
    best = sorted(map(_of_its_time, pieces), key=lambda piece: -piece.score)
    linked: dict[int, list[tuple[int, float]]] = {}
    for key, other, sure in zip(beside.keys.tolist(), beside.others.tolist(), beside.scores.tolist(), strict=True):
        linked.setdefault(key, []).append((other, sure))
    return [piece._replace(rank=rank) for rank, piece in enumerate(best, 1)], Around(ranked, by_key, linked)


def _beside(session: Session, ranked: Sequence[Ranked], *, known_at: datetime | None) -> Beside:
    """What the best hits are linked to; which links there were at a time of ours is not known."""
    best = np.array([each.key for each in ranked[:MOST_FOLLOWED]], np.int64)
    return NOTHING_BESIDE if known_at else links.beside(session, best, limit=PER_HIT)


class Asked(NamedTuple):
    """The times that are asked about, the world's and ours."""

    as_of: datetime | None
    known_at: datetime | None


def _of_its_time(piece: Piece) -> Piece:
    """What has ended counts for less than what holds, however well it fits the query."""
    return piece if piece.until is None or piece.until > clock.now() else piece._replace(score=piece.score * OVER)


def _with_rivals(session: Session, pieces: Sequence[Piece], rows: dict[int, Whole], when: Asked) -> list[Piece]:
    """The pieces, and what contradicts any of them though nobody found it: all of a contradiction is shown, or none."""
    claims = {(row.owner, row.claim_key): row for row in rows.values() if row.claim_key is not None}
    if not claims:
        return list(pieces)
    keys, firsts = memories.rivals(session, list(claims), as_of=when.as_of, known_at=when.known_at)
    lacking = np.array([key not in rows for key in keys.tolist()], np.bool_)
    if lacking.any():
        more = memories.whole(session, keys[lacking], firsts[lacking], as_of=when.as_of, known_at=when.known_at)
        rows |= {row.key: row for row in more}
    groups = _contradictions(rows[key] for key in keys.tolist() if key in rows)
    found = {piece.memory_id: piece for piece in pieces}
    for group in groups:
        scores = [found[row.memory_id].score for row in group if row.memory_id in found]
        if scores:
            found |= {row.memory_id: _contradicting(row, found.get(row.memory_id), min(scores)) for row in group}
    return list(found.values())


def _contradictions(rows: Iterable[Whole]) -> list[list[Whole]]:
    """What is held and true of one claim and does not agree."""
    together: dict[tuple[Owner, str | None], list[Whole]] = {}
    for row in rows:
        together.setdefault((row.owner, row.claim_key), []).append(row)
    return [group for group in together.values() if len(set(map(_side, group))) > 1]


def _side(row: Whole) -> str:
    return f"{row.claim_predicate} {object_key(row.claim_object or '')}"


def _contradicting(row: Whole, piece: Piece | None, score: float) -> Piece:
    piece = piece or _piece(row, score=score, rank=None, scores={})
    return piece._replace(group=f"{row.claim_subject} · {row.claim_predicate}", side=_side(row))


def piece_of(row: Whole) -> Piece:
    """A memory that stands in a bundle by itself: no hit, and beside none."""
    return _piece(row, score=0.0, rank=None, scores={})


def fresh_piece(hit: FreshHit) -> Piece:
    """A message on its way, as a memory would show it."""
    message = hit.message
    source = Source(run_id=hit.run.run_id, message_id=message.message_id, stream=stream_of(hit.owner), sequence=0)
    return Piece(
        memory_id=hit.memory_id,
        owner=hit.owner,
        doc=2**31 + message.position,
        text=message.text,
        kind="episodic",
        epistemic_type="evidence",
        speaker=message.speaker,
        role=message.role,
        origin=message.origin,
        trust=TRUST[message.origin],
        at=message.occurred_at,
        session_id=hit.run.scope.session_id or hit.run.run_id,
        sources=(source,),
        score=hit.score,
        rank=None,
        fresh=True,
        scores={"fresh": hit.score},
    )


def _piece(row: Whole, *, score: float, rank: int | None, scores: dict[str, float]) -> Piece:
    stream = stream_of(row.owner)
    cited = zip(row.run_ids, row.message_ids, row.sequences, strict=True)
    return Piece(
        memory_id=row.memory_id,
        owner=row.owner,
        doc=row.doc,
        text=row.text,
        kind=row.kind,
        epistemic_type=row.epistemic_type,
        speaker=row.speaker,
        role=row.role,
        origin=row.origin,
        trust=row.trust,
        at=row.valid_from,
        session_id=row.session_id,
        sources=tuple(
            Source(run_id=run_id, message_id=message_id, stream=stream, sequence=sequence)
            for run_id, message_id, sequence in cited
        ),
        score=score,
        rank=rank,
        fresh=False,
        scores=scores,
        until=row.past_since if row.is_past else row.valid_to,
    )
