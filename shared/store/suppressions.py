"""Forgotten stretches of evidence, on which nothing may rest again. The one writer of `suppression`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Final

from shared.contract.records import Span
from shared.contract.scope import stream_of
from shared.store.db import Row, Session
from shared.store.queries import queries

_SQL: Final = queries("suppressions")
_END: Final = 2**31 - 1
"""Where a stretch ends that is the whole of an event: behind any text."""


def write(session: Session, spans: Iterable[Span], *, by: int) -> None:
    """Suppress stretches of the owner's stream by the FORGET at sequence `by`; what was suppressed before stays so.

    The caller holds the stream's lock.
    """
    rows = [
        (span.sequence, 0 if span.start is None else span.start, _END if span.end is None else span.end)
        for span in spans
    ]
    session.execute(
        _SQL["insert"],
        stream=stream_of(session.owner),
        sequences=[sequence for sequence, *_ in rows],
        starts=[start for _, start, _ in rows],
        ends=[end for *_, end in rows],
        by=by,
    )


def stored(session: Session) -> Iterator[tuple[Span, int]]:
    """The owner's suppressed stretches in order, each with the sequence of the FORGET that is noted of it."""
    for row in session.rows(_SQL["stored"], stream=stream_of(session.owner)):
        yield _span(row), row["suppressed_by"]


def of(session: Session, sequences: Collection[int]) -> dict[int, dict[Span, int]]:
    """The suppressed stretches of some events of the owner's stream, as `stored` gives them, by event."""
    found: dict[int, dict[Span, int]] = {}
    for row in session.rows(_SQL["of"], stream=stream_of(session.owner), sequences=list(sequences)):
        found.setdefault(row["sequence"], {})[_span(row)] = row["suppressed_by"]
    return found


def wholly(session: Session, sequences: Collection[int]) -> set[int]:
    """Those of some events of the owner's stream that are suppressed as a whole."""
    rows = session.rows(_SQL["wholly"], stream=stream_of(session.owner), sequences=list(sequences), end=_END)
    return {row["sequence"] for row in rows}


def clear(session: Session) -> int:
    """Suppress nothing of the owner's any more, for a rebuild; returns how many stretches went."""
    return session.execute(_SQL["clear"], stream=stream_of(session.owner)).rowcount


def _span(row: Row) -> Span:
    whole = (row["span_start"], row["span_end"]) == (0, _END)
    start, end = (None, None) if whole else (row["span_start"], row["span_end"])
    return Span(sequence=row["sequence"], start=start, end=end)
