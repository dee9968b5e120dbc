"""expand: hits to whole memories, with the turns around them and the evidence they rest on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final, NamedTuple
from uuid import UUID

import numpy as np

from hotpath._fresh import FreshHit
from hotpath._fuse import Ranked
from shared.contract.bundle import Source
from shared.contract.scope import Owner, stream_of
from shared.contract.trust import TRUST
from shared.store import memories
from shared.store.db import Row, Session

BEFORE: Final = 1
AFTER: Final = 2
"""One third of what surrounds a hit comes before it and two thirds after: answers follow questions (MemMachine)."""


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


def hits_and_neighbours(
    session: Session, ranked: Sequence[Ranked], *, as_of: datetime | None, known_at: datetime | None
) -> tuple[list[Piece], Iterator[Piece]]:
    """The hits as whole memories, best first, and the turns around them, the best hit's first.

    The turns are made into pieces as they are asked for: most budgets have room for few.
    """
    if not ranked:
        return [], iter(())
    wanted = {(each.key + step, each.session) for each in ranked for step in range(-BEFORE, AFTER + 1)}
    keys, firsts = np.array(list(wanted), np.int64).T
    rows = memories.whole(session, keys, firsts, as_of=as_of, known_at=known_at)
    sources = memories.sources(session, [row["memory_id"] for row in rows])
    by_key = {row["key"]: row for row in rows}
    hits = [
        _piece(by_key[each.key], sources, score=each.score, rank=rank, scores=dict(each.explained))
        for rank, each in enumerate(ranked, 1)
        if each.key in by_key
    ]
    return hits, _neighbours(ranked, by_key, sources)


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


def _neighbours(ranked: Sequence[Ranked], by_key: dict[int, Row], sources: dict[UUID, list[Row]]) -> Iterator[Piece]:
    taken = {each.key for each in ranked}
    for each in ranked:
        for step in (1, -1, 2):
            row = by_key.get(each.key + step)
            if row is not None and row["key"] not in taken and row["session_doc"] == each.session:
                taken.add(row["key"])
                yield _piece(row, sources, score=each.score / (1 + abs(step)), rank=None, scores={})


def _piece(
    row: Row, sources: dict[UUID, list[Row]], *, score: float, rank: int | None, scores: dict[str, float]
) -> Piece:
    return Piece(
        memory_id=row["memory_id"],
        owner=Owner(row["user_id"]),
        doc=row["doc"],
        text=row["text"],
        kind=row["kind"],
        epistemic_type=row["epistemic_type"],
        speaker=row["speaker"],
        role=row["role"],
        origin=row["origin"],
        trust=row["trust"],
        at=row["valid_from"],
        session_id=row["session_id"],
        sources=tuple(
            Source(
                run_id=each["run_id"], message_id=each["message_id"], stream=each["stream"], sequence=each["sequence"]
            )
            for each in sources.get(row["memory_id"], ())
        ),
        score=score,
        rank=rank,
        fresh=False,
        scores=scores,
    )
