"""How far a name that somebody wrote is from one that there is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_UNITS: Final = frozenset({"S", "MS", "DAYS", "HOURS", "TOKENS", "BYTES", "USD", "URL", "KEY", "SHARE", "THREADS"})
_STEM_CHARS: Final = 5


def slips(one: str, other: str) -> int:
    """How many slips make one name, of words in capitals joined by underscores, of another.

    One, where the words are in another order, a unit behind them is left out or put on, or the last is in another form.
    Else the distance by letters left out, put in, exchanged, or in the wrong order (Damerau, 1964).
    """
    words, others = one.split("_"), other.split("_")
    if one != other and (sorted(words) == sorted(others) or _ends_otherwise(words, others)):
        return 1
    return _distance(one, other)


def _ends_otherwise(words: Sequence[str], others: Sequence[str]) -> bool:
    short, long = sorted((words, others), key=len)
    if len(long) == len(short) + 1:
        return [*short] == [*long[:-1]] and long[-1] in _UNITS
    one, other = words[-1][:_STEM_CHARS], others[-1][:_STEM_CHARS]
    return words[:-1] == others[:-1] and one == other and len(one) == _STEM_CHARS


def _distance(one: str, other: str) -> int:
    """Row by row: `rows[-1]` is of the letters of `one` so far."""
    rows: list[list[int]] = [[*range(len(other) + 1)]]
    for place, letter in enumerate(one, 1):
        rows.append([place])
        for at, its in enumerate(other, 1):
            best = min(rows[-2][at] + 1, rows[-1][at - 1] + 1, rows[-2][at - 1] + (letter != its))
            swapped = place > 1 and at > 1 and letter == other[at - 2] and one[place - 2] == its
            rows[-1].append(min(best, rows[-3][at - 2] + 1) if swapped else best)
    return rows[-1][-1]
