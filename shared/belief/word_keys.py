"""Keys by which texts of nearly the same words are found without comparing each with each. Pure.

By their words two texts say the same where the shorter is the longer with hardly any words left out (`similarity`): of
`n` words at most `k`, one in ten. Each text has some keys, and two such texts have one in common, by two laws:

- The longer is cut into k + 1 stretches. One of them is whole in the shorter, as many words nearer to its beginning as
  there are stretches before it: what is left out before a stretch, less the stretches before it, begins at 0, ends
  below, and falls by 1 at most a stretch; where it falls from 0, nothing of the stretch is left out. (The partitions of
  Pass-Join; Li, Deng, Wang and Feng, VLDB 2011.)
- Of words in any fixed order, the first of the shorter is among the first k + 1 of the longer. (The prefix filter;
  Bayardo, Ma and Srikant, WWW 2007.) With the rarest first, few texts share it.

Texts of a few words, most that there are, have one key: all of them. Two that have a key in common need not be alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Final

from shared.belief.similarity import LEAST_OVERLAP

Words = tuple[str, ...]
Order = Callable[[str], tuple[int, str]]
"""What words are sorted by, the same for all texts that are held against each other."""

MOST_LEFT_OUT: Final = 4
"""Words that may be left out of a text that is cut into stretches. Of a longer text rare words alone are keys: it has
enough of them, and stretches times words would be too many."""
_SLACK: Final = 1e-9


def keys(words: Words, order: Order) -> Iterator[int]:
    """The keys of a text by the words it must share (`similarity.meaning`); of none where there are none."""
    if words:
        first = sorted(set(words), key=order)
        yield hash(words)
        yield from _as_longer(words, first)
        yield from _as_shorter(words, first[0])


def _as_longer(words: Words, first: list[str]) -> Iterator[int]:
    left_out = _left_out(len(words))
    if not left_out:
        return
    for word in first[: left_out + 1]:
        if left_out > MOST_LEFT_OUT:
            yield hash(word)
            continue
        for place, (start, end) in enumerate(_stretches(len(words))):
            yield hash((len(words), place, words[start:end], word))


def _as_shorter(words: Words, word: str) -> Iterator[int]:
    """Those that a text has in common with the longer ones of which it may be what is left."""
    for longer in range(len(words) + 1, int(len(words) / LEAST_OVERLAP + _SLACK) + 1):
        if _left_out(longer) > MOST_LEFT_OUT:
            yield hash(word)
            return
        for place, (start, end) in enumerate(_stretches(longer)[: longer - len(words) + 1]):
            yield hash((longer, place, words[start - place : end - place], word))


def _left_out(count: int) -> int:
    """How many of so many words a text may lack that says the same."""
    return int((1 - LEAST_OVERLAP) * count + _SLACK)


@cache
def _stretches(count: int) -> tuple[tuple[int, int], ...]:
    """Where each of the stretches begins and ends that a text of so many words is cut into."""
    parts = _left_out(count) + 1
    return tuple((part * count // parts, (part + 1) * count // parts) for part in range(parts))
