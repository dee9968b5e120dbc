"""assemble: what of the evidence goes to the model, and how it reads. Pure.

Hits are taken in order while they fit the budget; one that does not fit is passed over and counted, and the next tried.
What is left of the budget goes to the turns around the hits that were taken, until one does not fit. The budget is of
the rendered block, its frame and labels included.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

from hotpath._expand import Piece
from shared.contract import block
from shared.language.tokens import TokenCounter

SHORTEST_TOKENS: Final = 32
"""No line is shorter: its frame alone takes this much."""

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


def assemble(
    hits: Sequence[Piece], neighbours: Iterable[Piece], *, budget_tokens: int, counter: TokenCounter, nonce: str
) -> Assembled:
    """Fill the budget and render: by stream and time, so that what belongs together is read together."""
    left = budget_tokens - counter.count(render((), nonce))
    taken, left = _take(hits, left, counter, pass_over=True)
    omitted = len(hits) - len(taken)
    sessions = {piece.session_id for piece in taken}
    around, _ = _take((piece for piece in neighbours if piece.session_id in sessions), left, counter, pass_over=False)
    chosen = [*taken, *around]
    while chosen:
        ordered = tuple(sorted(chosen, key=_reading_order))
        text = render(ordered, nonce)
        tokens = counter.count(text)
        if tokens <= budget_tokens:
            return Assembled(pieces=ordered, text=text, tokens=tokens, omitted=omitted)
        # A counter may find the whole longer than its lines; the least of what was taken goes.
        omitted += chosen.pop().rank is not None
    return Assembled(pieces=(), text="", tokens=0, omitted=omitted)


def render(pieces: Sequence[Piece], nonce: str) -> str:
    """The block of some memories; each is one line of data, escaped, labelled with who, when and what it is."""
    items = [
        block.Item(ordinal=ordinal, memory_id=block.short_id(piece.memory_id), label=label(piece), text=piece.text)
        for ordinal, piece in enumerate(pieces, 1)
    ]
    return block.render(nonce, items)


def label(piece: Piece) -> str:
    """Who said it and when, what it is, and how far it is to be believed."""
    when = _when(piece.at) if piece.at else "time unknown"
    fresh = ", not yet processed" if piece.fresh else ""
    return f"{piece.speaker or 'several'}, {when}, {piece.kind} {piece.epistemic_type}, from {piece.origin}{fresh}"


@lru_cache(maxsize=4096)
def _when(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M}"


def _take(
    pieces: Iterable[Piece], budget_tokens: int, counter: TokenCounter, *, pass_over: bool
) -> tuple[list[Piece], int]:
    """The pieces that fit, in order, and what is left of the budget.

    One that does not fit is passed over, or is the end.
    """
    taken: list[Piece] = []
    for piece in pieces:
        if budget_tokens < SHORTEST_TOKENS:
            break
        cost = _cost(piece, counter)
        if cost <= budget_tokens:
            taken.append(piece)
            budget_tokens -= cost
        elif not pass_over:
            break
    return taken, budget_tokens


def _cost(piece: Piece, counter: TokenCounter) -> int:
    """Tokens of a memory's line. Its ordinal is not known yet; none has more than nine digits."""
    return counter.count(block.item_line(999_999, piece.memory_id, label(piece), piece.text) + "\n")


def _reading_order(piece: Piece) -> tuple[str, datetime, int]:
    return piece.owner, piece.at or _EPOCH, piece.doc
