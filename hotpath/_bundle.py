"""The bundle, put together from what the steps came to. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hotpath._ask import Ask, Progress
from hotpath._assemble import Assembled
from hotpath._expand import Piece
from hotpath._plan import Plan
from shared.contract.bundle import Bundle, Hit, Item, Verdict, Watermark
from shared.contract.scope import Owner
from shared.store.db import Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What was found for a query, before the budget."""

    hits: tuple[Piece, ...] = ()
    """Best first."""
    neighbours: Iterable[Piece] = ()
    """The turns around them, the best hit's first; made as they are asked for."""
    watermarks: tuple[Row, ...] = ()
    fresh_runs: int = 0
    evident: bool = False
    """Some hit bears on the query by itself."""


def bundle(
    ask: Ask,
    made: Plan,
    progress: Progress,
    evidence: Evidence,
    assembled: Assembled,
    *,
    reason: str,
    counter: str,
) -> Bundle:
    """What recall returns."""
    return Bundle(
        items=tuple(_item(ordinal, piece, ask) for ordinal, piece in enumerate(assembled.pieces, 1)),
        text=assembled.text,
        tokens=assembled.tokens,
        counter=counter,
        verdict=Verdict.SUPPORTED if evidence.evident else Verdict.UNKNOWN,
        reason=reason,
        degraded=tuple(dict.fromkeys(progress.failed)),
        omitted=assembled.omitted,
        hits=tuple(Hit(memory_id=hit.memory_id, score=hit.score, sources=hit.sources) for hit in evidence.hits),
        watermarks=tuple(map(_watermark, evidence.watermarks)),
        fresh_runs=evidence.fresh_runs,
        timings_ms=_timings(progress),
        plan=made.reasons,
    )


def _timings(progress: Progress) -> dict[str, float]:
    timings = progress.timings_ms | {
        "database": progress.database.seconds * 1000,
        "database_beside_embed": progress.database_beside_embed_s * 1000,
        "total": progress.total_ms(),
    }
    if "search" in timings:
        timings["search"] -= progress.waited_s * 1000
    return timings


def _watermark(row: Row) -> Watermark:
    return Watermark(
        owner=Owner(row["user_id"]), last_sequence=row["last_sequence"], recorded_at=row["last_recorded_at"]
    )


def _item(ordinal: int, piece: Piece, ask: Ask) -> Item:
    return Item(
        ordinal=ordinal,
        memory_id=piece.memory_id,
        text=piece.text,
        kind=piece.kind,
        epistemic_type=piece.epistemic_type,
        speaker=piece.speaker,
        role=piece.role,
        origin=piece.origin,
        trust=piece.trust,
        event_time=piece.at,
        session_id=piece.session_id,
        sources=piece.sources,
        score=piece.score,
        rank=piece.rank,
        fresh=piece.fresh,
        scores=piece.scores if ask.explain else {},
    )
