"""The names in a text: of people, places, works, organisations, products. By rules, without a model. Pure.

A name is told by how it is written: capitals inside a sentence, quotation marks, `@` and `#`, capitals or digits within
a word, katakana. A capital that only begins a sentence says nothing, so such a word counts where the text writes it so
elsewhere, or where it is no ordinary word. What is missed is a name that looks like nothing; what is taken for one too
often is met in so many memories that it weighs nothing.

They are part of the graph view: a change of the rules goes together with a reindex.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from shared.language.characters import KATAKANA
from shared.language.name_keys import CASELESS, JOINING, MAX_WORDS, key_of
from shared.language.ordinary import LEADING, MONTHS, NEVER, ORDINARY, WEEKDAYS
from shared.language.stop_words import STOP_WORDS

MAX_NAMES: Final = 64
"""Names of one text, from its start."""
MAX_CHARS: Final = 200_000
"""A text is read up to here."""


@dataclass(frozen=True, slots=True)
class Name:
    """A name as a text has it."""

    key: str
    """Folded: by which the same name is known again, whoever writes it."""
    shown: str
    """As it is written."""


class _Word(NamedTuple):
    """A word with what matters around it.

    A tuple, since texts have many: as frozen dataclasses they took three times as long to make.
    """

    text: str
    """Without a possessive ending."""
    start: int
    end: int
    begins: bool
    """Whether it begins a sentence, a line or a quotation."""
    owns: bool
    """Whether it had a possessive ending."""
    apart: str
    """What stands between it and the word before."""

    @property
    def low(self) -> str:
        return self.text.casefold()

    @property
    def is_capital(self) -> bool:
        return self.text[0].isupper() or self.text[0].istitle()


_WORD: Final = re.compile(
    r"(?:(?<![^\W_])[^\W\d_]\.){2,}"  # U.S.
    r"|(?:Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|Mt|Ft|[^\W\d_](?=\. [^\W\d_]))\."
    r"|[^\W_]+(?:['\u2019.\-][^\W_]+)*"
)
_BEFORE_A_BEGINNING: Final = frozenset('.!?\u2026:;\n\r\u3002\uff01\uff1f*\u2022>|"\u201c\u201d`([\u2013\u2014')
_CONTRACTED: Final = re.compile(r"(?:n['\u2019]t|['\u2019](?:t|re|ve|ll|d|m|s))$")
_POSSESSIVE: Final = re.compile(r"['\u2019][sS]$")
_QUOTED: Final = re.compile(
    r'"([^"\n]{2,80})"|\u201c([^\u201c\u201d\n]{2,80})\u201d|\u00ab([^\u00ab\u00bb\n]{2,80})\u00bb'
    r"|\u300c([^\u300c\u300d\n]{1,80})\u300d|\u300e([^\u300e\u300f\n]{1,80})\u300f|\u201e([^\u201e\u201c\n]{2,80})\u201c"
    r"|\u300a([^\u300a\u300b\n]{1,80})\u300b|``([^`'\n]{2,80})''"
)
_MARKED: Final = re.compile(r"(?<![\w@#])[@#]([^\W_](?:[\w.\-]{0,60}[^\W_])?)")
_KATAKANA: Final = re.compile(rf"[{KATAKANA}]{{3,40}}(?:[\u30fb\uff65][{KATAKANA}]{{1,40}}){{0,4}}")
_CAMEL: Final = re.compile(r"(?>[^\W\d_]*?[a-z][A-Z])\w*+")  # gives nothing back, so a long word is read once
_CODE: Final = re.compile(r"(?=[^\W_]*[A-Z])[^\W\d_]+[\-]?\d[\w\-]*|\d+[A-Z]{2,}\w*")
MAX_WORDS_QUOTED: Final = 6
"""A longer quotation is somebody's words and no name."""
_ABSTRACT: Final = ("ing", "ly", "ness", "ment", "tion", "tions", "ed")
_SHOUTED: Final = 0.6
_SHORTEST_SHOUT: Final = 6
_APART: Final = re.compile(r"[ \u00a0]{1,2}|[ \u00a0]?[&-][ \u00a0]?")
_MOSTJOINING: Final = 2
_LONGEST_NUMBER: Final = 4
_ALSO_PEOPLE: Final = frozenset({"may", "april", "june", "august", "jan", "mar"})
_HALF: Final = 0.5
_MOST_WORDS_OF_A_MARK: Final = 2
_EDGES: Final = " \t.,!?;:\u2026"


def names_in(text: str) -> list[Name]:
    """The names in a text in order, each key once, at most `MAX_NAMES`. Linear in the text; never raises."""
    text = text[:MAX_CHARS]
    found: dict[str, Name] = {}
    for _, written in sorted(_written(text)):
        key = key_of(written)
        if key and key not in found:
            found[key] = Name(key, written)
            if len(found) == MAX_NAMES:
                break
    return list(found.values())


def _written(text: str) -> Iterator[tuple[int, str]]:
    """Where each name begins, and how it is written."""
    quoted: list[tuple[int, int]] = []
    for match in _QUOTED.finditer(text):
        inner = match[match.lastindex or 0].strip(_EDGES)
        if _is_title(inner):
            quoted.append(match.span())
            yield match.start(), inner
    for pattern in (_MARKED,) if text.isascii() else (_MARKED, _KATAKANA):
        for match in pattern.finditer(text):
            yield match.start(), match[match.lastindex or 0]
    words = list(_outside(_words(text), quoted))
    yield from _capitals(words, _inside(words))


def _is_title(quoted: str) -> bool:
    """Whether what stands in quotation marks is the name of something and not what somebody said."""
    words = quoted.split()
    if not words or len(words) > MAX_WORDS_QUOTED:
        return False
    if len(words) <= _MOST_WORDS_OF_A_MARK or CASELESS.search(quoted):
        return True
    telling = [word for word in words if word.casefold() not in STOP_WORDS]
    capital = sum(word[0].isupper() for word in telling)
    return words[0][0].isupper() and capital > _HALF * len(telling)


def _outside(words: Iterator[_Word], spans: Sequence[tuple[int, int]]) -> Iterator[_Word]:
    """The words that stand in none of some spans, which are in order."""
    left = iter(spans)
    start, end = next(left, (0, 0))
    for word in words:
        while end and end <= word.start:
            start, end = next(left, (0, 0))
        if not start <= word.start < end:
            yield word


def _words(text: str) -> Iterator[_Word]:
    before = 0
    for match in _WORD.finditer(text):
        start, end = match.span()
        written = match.group()
        plain = _POSSESSIVE.sub("", written) if written[-1] in "sS" else written
        between = text[before:start]
        yield _Word(plain, start, end, _begins(between, first=not before), plain != written, between)
        before = end


def _begins(between: str, *, first: bool) -> bool:
    return first or (between != " " and ("\n" in between or not _BEFORE_A_BEGINNING.isdisjoint(between)))


def _inside(words: Sequence[_Word]) -> frozenset[str]:
    """Words that a text writes with a capital inside of a sentence, and never without one anywhere."""
    inside = {word.low for word in words if not word.begins and word.is_capital}
    return frozenset(inside - {word.text for word in words if not word.is_capital})


def _capitals(words: Sequence[_Word], inside: frozenset[str]) -> Iterator[tuple[int, str]]:
    """Sequences of words with capitals, with what may join them; and words that are names by their very letters."""
    shouted = _is_shouted(words)
    run: list[_Word] = []
    waiting: list[_Word] = []
    for word in words:
        if run and (word.begins or not _APART.fullmatch(word.apart)):
            yield from _named(run, inside)
            run, waiting = [], []
        if _is_part(word, run, shouted=shouted):
            run += [*waiting, word]
            waiting = []
        elif run and word.low in JOINING and len(waiting) < _MOSTJOINING:
            waiting.append(word)
        elif run:
            yield from _named(run, inside)
            run, waiting = [], []
    yield from _named(run, inside)


def _is_shouted(words: Sequence[_Word]) -> bool:
    """Whether a text is in capitals, so that they say nothing."""
    long = [word for word in words if len(word.text) > 1]
    capital = sum(word.text.isupper() for word in long)
    return len(long) >= _SHORTEST_SHOUT and capital > _SHOUTED * len(long)


def _is_part(word: _Word, run: Sequence[_Word], *, shouted: bool) -> bool:
    """Whether a word may stand in a name behind `run`."""
    if word.text.islower():  # most words, and what follows would say the same of them in five times the time
        return False
    if _CODE.fullmatch(word.text) or (_CAMEL.fullmatch(word.text) and not word.text.isupper()):
        return True
    if word.text.isdigit():
        return bool(run) and len(word.text) <= _LONGEST_NUMBER and not run[-1].owns
    if not word.is_capital or (shouted and word.text.isupper()):
        return False
    if word.low in MONTHS or word.low in WEEKDAYS:
        return bool(run) and word.low in _ALSO_PEOPLE and not run[-1].begins
    return _CONTRACTED.sub("", word.low) != "i"


def _named(run: Sequence[_Word], inside: frozenset[str]) -> Iterator[tuple[int, str]]:
    """What of a run is a name, and what it belongs to where somebody owns something in it."""
    while run and _says_nothing(run[0], inside, alone=len(run) == 1):
        run = run[1:]
    while run and run[-1].text.isdigit() and len(run) == 1:
        run = run[:-1]
    if not run or len(run) > MAX_WORDS:
        return
    yield run[0].start, _spelt(run)
    for at, word in enumerate(run[:-1], 1):
        if word.owns:
            yield run[0].start, _spelt(run[:at])


def _says_nothing(word: _Word, inside: frozenset[str], *, alone: bool) -> bool:
    """Whether the first word of a run has its capital only because it begins something, or is never a name."""
    if _CODE.fullmatch(word.text) or _CAMEL.fullmatch(word.text):
        return False
    plain = _CONTRACTED.sub("", word.low)
    if plain in NEVER:
        return alone or word.begins
    if not word.begins or word.low in inside or (word.text.isupper() and len(word.text) > 1):
        return False
    if not alone:
        return plain in LEADING
    return plain in ORDINARY or plain.removesuffix("s") in ORDINARY or plain.endswith(_ABSTRACT)


def _spelt(run: Sequence[_Word]) -> str:
    return " ".join(word.text for word in run)
