"""A text cut into tokens with their parts of speech, as a tagger gives it and statements are read from. Pure data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A word, a sign, or a part of a contraction (`I'm` is two)."""

    text: str
    norm: str
    """Small letters, contractions written out: `am` for `'m`, `not` for `n't`."""
    lemma: str
    pos: str
    """Universal part of speech: https://universaldependencies.org/u/pos/."""
    tag: str
    """Part of speech of the Penn Treebank, which tells tenses apart."""
    start: int
    """In characters of the text; `end` is exclusive."""
    end: int
