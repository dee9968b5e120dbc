"""What of a small budget is assembled so that every form of a bundle can show it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hotpath._assemble import SHORTEST_TOKENS, Assembled, Page, Turns, assemble
from hotpath._expand import Piece
from hotpath.layers.labels import day_of, label
from shared.contract import block, forms


def assemble_for_forms(hits: Sequence[Piece], around: Turns, page: Page, profile: Sequence[Piece] = ()) -> Assembled:
    """As `assemble`, but of a small budget no more than every form of a bundle can show.

    Each form has a frame and labels of its own, so of a small budget the block would show a memory where another form
    shows none. Nor does it show more than a budget that is just large enough for the long guard line. It
    has no room for a profile.
    """
    if page.budget_tokens >= block.FEW_TOKENS:
        return assemble(hits, around, page, profile)
    longer = page.counter.count(block.GUARD) - page.counter.count(block.SHORT_GUARD)
    within = min(page.budget_tokens, max(0, block.FEW_TOKENS - longer))
    assembled = assemble(hits, around, replace(page, budget_tokens=within))
    while assembled.pieces and not _fits_every_form(assembled, page):
        within -= SHORTEST_TOKENS
        assembled = assemble(hits, around, replace(page, budget_tokens=max(within, 0)))
    return assembled


def _fits_every_form(assembled: Assembled, page: Page) -> bool:
    items = [
        block.Item(
            ordinal=ordinal,
            memory_id=block.short_id(piece.memory_id),
            label=label(piece, day_of(piece.at, page.zone), [twin.at for twin in twins], zone=page.zone),
            text=piece.text,
        )
        for ordinal, (piece, twins) in enumerate(zip(assembled.pieces, assembled.twins, strict=True), 1)
    ]
    return all(
        page.counter.count(write(page.nonce, items, guard=block.guard_of(page.budget_tokens))) <= page.budget_tokens
        for write in (forms.markdown, forms.xml, forms.json_text)
    )
