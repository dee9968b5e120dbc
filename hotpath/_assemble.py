"""assemble: what of the evidence goes to the model, and how it reads. Pure.

Hits are taken in order while they fit the budget; one that does not fit is passed over and counted, and the next tried.
What is left of the budget goes to the turns around the hits that were taken, until one does not fit. The budget is of
the rendered block, its frame and labels included.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, NamedTuple

from hotpath._expand import Piece
from shared.contract import block
from shared.language.tokens import TokenCounter

SHORTEST_TOKENS: Final = 32
"""No line is shorter: its frame alone takes this much."""

_ANY_ORDINAL: Final = 999_999
"""Stands for a line's number while that is not known."""
_FRAME: Final = block.render("0" * 16, ())
"""Stands for the frame of any nonce, so that counters that keep what they have met before know it."""
_TO_THE_MINUTE: Final = len("2031-03-04 09:00")
_EPOCH: Final = datetime(1, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembled:
    """The block and what is in it."""

    pieces: tuple[Piece, ...]
    """In the order they are rendered."""
    text: str
    tokens: int
    omitted: int
    """Hits that did not fit."""


class _Line(NamedTuple):
    """A memory and the line it is rendered as, but for the number that the line begins with."""

    piece: Piece
    rest: str


def assemble(
    hits: Sequence[Piece], neighbours: Iterable[Piece], *, budget_tokens: int, counter: TokenCounter, nonce: str
) -> Assembled:
    """Fill the budget and render: by stream and time, so that what belongs together is read together."""
    left = budget_tokens - counter.count(_FRAME)
    taken, left = _take(hits, left, counter, pass_over=True)
    omitted = len(hits) - len(taken)
    sessions = {line.piece.session_id for line in taken}
    around, _ = _take((piece for piece in neighbours if piece.session_id in sessions), left, counter, pass_over=False)
    chosen = [*taken, *around]
    while chosen:
        ordered = sorted(chosen, key=_reading_order)
        text = render(ordered, nonce)
        tokens = counter.count(text)
        if tokens <= budget_tokens:
            pieces = tuple(line.piece for line in ordered)
            return Assembled(pieces=pieces, text=text, tokens=tokens, omitted=omitted)
        # A counter may find the whole longer than its lines; the least of what was taken goes.
        omitted += chosen.pop().piece.rank is not None
    return Assembled(pieces=(), text="", tokens=0, omitted=omitted)


def render(lines: Sequence[_Line], nonce: str) -> str:
    """The block as `block.render` writes it, of lines that have been written already."""
    numbered = [f"[m{ordinal}{line.rest}" for ordinal, line in enumerate(lines, 1)]
    return "\n".join([block.opening(nonce), block.GUARD, *numbered, block.closing(nonce)])


def label(piece: Piece) -> str:
    """Who said it and when, what it is, and how far it is to be believed."""
    when = piece.at.isoformat(" ", "minutes")[:_TO_THE_MINUTE] if piece.at else "time unknown"
    fresh = ", not yet processed" if piece.fresh else ""
    return f"{piece.speaker or 'several'}, {when}, {piece.kind} {piece.epistemic_type}, from {piece.origin}{fresh}"


def _take(
    pieces: Iterable[Piece], budget_tokens: int, counter: TokenCounter, *, pass_over: bool
) -> tuple[list[_Line], int]:
    """The lines of the pieces that fit, in order, and what is left of the budget.

    One that does not fit is passed over, or is the end.
    """
    taken: list[_Line] = []
    for piece in pieces:
        if budget_tokens < SHORTEST_TOKENS:
            break
        line = block.item_line(_ANY_ORDINAL, piece.memory_id, label(piece), piece.text)
        cost = counter.count(f"{line}\n")
        if cost <= budget_tokens:
            taken.append(_Line(piece, line.removeprefix(f"[m{_ANY_ORDINAL}")))
            budget_tokens -= cost
        elif not pass_over:
            break
    return taken, budget_tokens


def _reading_order(line: _Line) -> tuple[str, datetime, int]:
    piece = line.piece
    return piece.owner, piece.at or _EPOCH, piece.doc
