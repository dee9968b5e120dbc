"""Whether a sentence says only what some lines say: of whom they say it, and in their words. Pure.

Words alone do not tell who did what: "Oskar lent the boat to Mira" has all the words of "Mira lent the boat to Oskar",
and "Ana pays 300" stands in "Ana pays 500" and "Ben pays 300". So a sentence that is to say what is held is made of its
lines one after the other, each from its beginning and word for word, but for words that mean little. Behind the
beginning that two lines share the rest of both may stand. It errs on one side: what is put otherwise is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from shared.belief._telling import MEANING_LITTLE, folded
from shared.belief.similarity import telling

_TOKEN: Final = re.compile(r"[^\W_]+(?:[.,:/'\-][^\W_]+)*%?|[,;:]")
_PLAIN = "has have this these those he she they him her them his their where while"
_FUNCTION: Final = MEANING_LITTLE | frozenset(_PLAIN.split())
"""What a sentence may say of its own; neither was nor had, which say when, nor to and from, which say whence."""
_PARTS = ", ; : and where while who which that"
_BREAKS: Final = frozenset(_PARTS.split())
"""What stands between two lines of which the first is not said to its end."""
_BESIDES = ", ; in on at since with and where who which"
_MAY_BE_LEFT_OUT: Final = frozenset(_BESIDES.split())
"""What begins the end of a line that may be left out: the rest is as true without it."""
_IFS = "if unless until till when whenever only except but or would could might"
_CONDITIONS: Final = frozenset(_IFS.split())
"""What the rest is not true without."""
_CLAUSES: Final = re.compile(r"[;,]\s|\band\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Line:
    """What of a text counts, in order."""

    words: tuple[str, ...]
    may_end: tuple[bool, ...]
    """Whether what follows each of the words may be left out."""
    breaks: tuple[bool, ...]
    """Whether each of the words begins a part of its own."""

    @classmethod
    def of(cls, text: str) -> _Line:
        tokens = _TOKEN.findall(folded(text.replace("\u2019", "'")))
        places = [place for place, each in enumerate(tokens) if each not in _FUNCTION and each not in _BREAKS]
        ends, breaks = [], []
        for number, place in enumerate(places):
            before = places[number - 1] if number else -1
            breaks.append(not _BREAKS.isdisjoint(tokens[before + 1 : place]))
            rest = tokens[place + 1 :]
            ends.append(number == len(places) - 1 or (rest[0] in _MAY_BE_LEFT_OUT and _CONDITIONS.isdisjoint(rest)))
        return cls(tuple(tokens[place] for place in places), tuple(ends), tuple(breaks))


def own_words(text: str, lines: Iterable[str]) -> set[str]:
    """The words of a text, but for those that mean little, that no line has."""
    return set(_Line.of(text).words).difference(*(_Line.of(each).words for each in lines))


def follows(text: str, lines: Iterable[str]) -> bool:
    """Whether a text is made of lines, each from its beginning, one after the other.

    Steps are as many as its words and those of the lines, squared at most.
    """
    told, said = _Line.of(text), [_Line.of(each) for each in lines]
    reached, seen = [(0, 0)], set[tuple[int, int]]()
    while reached:
        begin, at = reached.pop()
        if (begin, at) in seen:
            continue
        seen.add((begin, at))
        if at == len(told.words):
            return at > 0
        reached += _onwards(told, said, begin, at)
    return False


def _onwards(told: _Line, said: Sequence[_Line], begin: int, at: int) -> Iterable[tuple[int, int]]:
    """Where a text may have come to that has come to a word, in the part that began at `begin`: (begin, next)."""
    for line in said:
        yield from ((at, end) for end in _ends(told, line, at, 0))
        shared = _alike(told.words[begin:at], line.words)
        for behind in range(1, shared + 1):
            yield from ((begin, end) for end in _ends(told, line, at, behind))


def _ends(told: _Line, line: _Line, at: int, behind: int) -> Iterable[int]:
    """Up to which words a text says a line from one of its words on, and may go on or end."""
    length = _alike(told.words[at:], line.words[behind:])
    for size in range(1, length + 1):
        last, end = behind + size - 1, at + size
        is_whole = last == len(line.words) - 1
        is_parted = end == len(told.words) or told.breaks[end]
        if is_whole or (line.may_end[last] and is_parted):
            yield end


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """How many words two begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (mine, its) in pairs if mine != its), min(len(one), len(other)))


def exchanges(text: str, lines: Sequence[str]) -> bool:
    """Whether a text, in words of its own, has names in another order than its lines, or a number of another name.

    A number that lines have goes with the names of its clause: one of theirs must have it with one of these.
    """
    names = telling(text).names
    orders = [each for each in ([n for n in telling(line).names if n in names] for line in lines) if len(each) > 1]
    if any(not any(_is_in_order(names, each, other) for other in orders) for each in orders):
        return True
    said = [each for line in lines for each in _counted(line)]
    for mine, numbers in _counted(text):
        for number in numbers:
            with_it = [of for of, its in said if number in its]
            if with_it and mine and all(of and mine.isdisjoint(of) for of in with_it):
                return True
    return False


def _is_in_order(names: Sequence[str], some: Sequence[str], order: Sequence[str]) -> bool:
    """Whether some names of a text stand as they do in a line."""
    return [each for each in names if each in some] == [each for each in order if each in some]


def _counted(text: str) -> list[tuple[frozenset[str], tuple[str, ...]]]:
    """The names and the numbers of each clause that has a number; of one without names those of the whole text."""
    all_names = frozenset(telling(text).names)
    clauses = [telling(f"is {each.strip()}") for each in _CLAUSES.split(text)]
    return [(frozenset(each.names) or all_names, each.numbers) for each in clauses if each.numbers]
