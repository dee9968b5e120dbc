"""The bundle, put together from what the steps came to. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, tzinfo

from hotpath._ask import Ask, Progress
from hotpath._assemble import Assembled
from hotpath._expand import Around, Piece
from hotpath._plan import Plan
from shared.contract.bundle import Bundle, Hit, Item, Repeat, Verdict, Watermark
from shared.contract.scope import Owner
from shared.store.db import Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What was found for a query, before the budget."""

    hits: tuple[Piece, ...] = ()
    """Best first."""
    profile: tuple[Piece, ...] = ()
    """What the user has said of themselves, whatever was asked."""
    around: Around = field(default_factory=Around)
    """A hit to the turns around it."""
    watermarks: tuple[Row, ...] = ()
    fresh_runs: int = 0
    evident: bool = False
    """Some hit bears on the query by itself."""
    elsewhere: str = ""
    """Why the query's premise is not supported, where that is so."""
    zone: tzinfo = UTC
    """Whose days are shown."""


def bundle(
    ask: Ask,
    made: Plan,
    progress: Progress,
    evidence: Evidence,
    assembled: Assembled,
    *,
    judged: tuple[Verdict, str],
    counter: str,
) -> Bundle:
    """What recall returns."""
    return Bundle(
        turn_id=progress.turn_id,
        items=tuple(
            _item(ordinal, piece, twins, ask)
            for ordinal, (piece, twins) in enumerate(zip(assembled.pieces, assembled.twins, strict=True), 1)
        ),
        text=assembled.text,
        tokens=assembled.tokens,
        counter=counter,
        verdict=judged[0],
        reason=judged[1],
        degraded=tuple(dict.fromkeys(progress.failed)),
        omitted=assembled.omitted,
        covered=assembled.covered,
        hits=tuple(Hit(memory_id=hit.memory_id, score=hit.score, sources=hit.sources) for hit in evidence.hits),
        watermarks=tuple(map(_watermark, evidence.watermarks)),
        fresh_runs=evidence.fresh_runs,
        timings_ms=timings(progress),
        plan=(*made.reasons, *_covered(assembled.covered)),
        conflicts=len({hit.group for hit in evidence.hits if hit.group}),
        budget_tokens=progress.budget_tokens,
    )


def _covered(number: int) -> tuple[str, ...]:
    if not number:
        return ()
    what = "1 inference is" if number == 1 else f"{number} inferences are"
    return (f"{what} left out: all that is cited there is shown",)


def timings(progress: Progress) -> dict[str, float]:
    """Milliseconds by step, as `Bundle.timings_ms` has them."""
    spent = progress.timings_ms | {
        "database": progress.database.seconds * 1000,
        "database_beside_embed": progress.database_beside_embed_s * 1000,
        "total": progress.total_ms(),
    }
    if "search" in spent:
        spent["search"] -= progress.waited_s * 1000
    return spent


def _watermark(row: Row) -> Watermark:
    return Watermark(
        owner=Owner(row["user_id"]), last_sequence=row["last_sequence"], recorded_at=row["last_recorded_at"]
    )


def _item(ordinal: int, piece: Piece, twins: tuple[Piece, ...], ask: Ask) -> Item:
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
        until=piece.until,
        group=piece.group,
        repeats=tuple(Repeat(memory_id=each.memory_id, event_time=each.at, sources=each.sources) for each in twins),
    )
