"""Inferences that add nothing: all that they cite is among better hits, to be read in its own words. Pure.

An inference is covered by what was said, where a better hit is that; and by a better hit that it quotes word for word,
as answers that were put together from facts do. A fact covers nothing else: its message may have said more. Steps of a
procedure are no inference from what was said, so none is covered, and neither is half of a contradiction.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hotpath._expand import Piece

_Cited = set[tuple[str, int]]
"""Evidence by stream and sequence."""


def set_aside(hits: Sequence[Piece]) -> tuple[Sequence[Piece], list[Piece]]:
    """The hits that are to be shown where there is room, and those that better ones of these cover; each best first."""
    if not any(map(_can_be_covered, hits)):
        return hits, []
    kept: list[Piece] = []
    covered: list[Piece] = []
    for hit in hits:
        (covered if is_covered(hit, kept) else kept).append(hit)
    return kept, covered


def is_covered(hit: Piece, by: Iterable[Piece]) -> bool:
    """Whether an inference cites nothing but what some memories say."""
    if not _can_be_covered(hit):
        return False
    said = _Cited().union(*(_cited(each) for each in by if each.epistemic_type == "evidence" or each.text in hit.text))
    return _cited(hit) <= said


def _can_be_covered(hit: Piece) -> bool:
    return hit.epistemic_type == "inference" and hit.kind != "procedural" and hit.group is None and bool(hit.sources)


def _cited(piece: Piece) -> _Cited:
    return {(source.stream, source.sequence) for source in piece.sources}
