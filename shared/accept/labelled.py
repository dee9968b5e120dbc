"""How far a value goes that stands after the word for a password: to the end of its clause, random or not. Pure.

    password: correct-horse-battery, all lower case       the first clause
    The password is horse on the moon for the router.     up to "for"
    the password is on the fridge                         none: it says where the password is

A value that can be nothing but a secret takes with it what follows until an ordinary word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from shared.accept import describing
from shared.accept.likeness import is_ordinary, is_placeholder, looks_like_password, names_something
from shared.accept.wholly import is_wholly_description

_SPACELESS: Final = "\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef"
_WORD: Final = re.compile(rf"[^\s\"`<>;{{}}“”{_SPACELESS}]{{1,80}}+")
_GAP: Final = re.compile(r"[ \t]{1,2}")
_LONE_SIGN: Final = re.compile(r"[^\w]+")
_PARTS: Final = re.compile(r"[^\W_]{1,20}(?:[-_][^\W_]{1,20}){1,8}")
_PLAIN: Final = re.compile(r"[^\W\d_]{3,40}|\d{4,40}")
_LONG_NUMBER: Final = re.compile(r"\d{3,40}")
_MARKS: Final = "*_'\u2019("
_AFTER: Final = ".,:)]'\u2019*_…"
_ENDS_CLAUSE: Final = (".", ",", "!", "?", "…", ")", ":", "]")
_MOST_WORDS: Final = 24
_MOST_CHARS: Final = 240
_A_PHRASE: Final = 4
"""From so many words on, one that could describe may be part of a phrase: "correct horse battery staple"."""

_RUN: Final = re.compile(
    r"\s?(?:是|为|為|は|는|은|[:\uff1a])\s?[:\uff1a]?\s?"
    r"(?P<run>[\u3005-\u30ff\u3400-\u9fff]{2,30}|[\uac00-\ud7af]{2,30}(?: [\uac00-\ud7af]{1,20}){0,3})"
)
_POLITE: Final = re.compile(r"(?:です|でした|である|だ|입니다|이에요|예요|이야|임)$")
_KNOWN: Final = describing.POINTING | describing.PREDICATES | describing.QUALITIES | describing.PRONOUNS
_SAID_OF: Final = describing.PREDICATES | describing.QUALITIES
_DESCRIBES: Final = re.compile(describing.WITHOUT_SPACES)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Word:
    said: str
    """Without the marks around it."""
    end: int
    """Where it ends, without the punctuation after it."""

    @property
    def folded(self) -> str:
        return self.said.casefold()


def value_end(text: str, start: int, *, purpose: bool = False) -> int | None:
    """Where the value ends that begins at `start`, after a label; None if the clause describes and gives none.

    With `purpose` a clause with any ordinary word is none ("reset the password to get in").
    """
    words = list(_clause(text, start))
    if not words or is_placeholder(words[0].said):
        return None
    if names_something(words[0].said):
        return words[0].end if _is_number(words) else None
    if looks_like_password(words[0].said):
        return _until_ordinary(words).end
    if len(words) == 1:
        return words[0].end if _is_value(words[0].said) else None
    if purpose:
        meant = words[0].folded in describing.PURPOSES or any(map(_is_ordinary, words[1:]))
        return None if meant or is_wholly_description([word.said for word in words]) else words[-1].end
    described = _describes(words) or is_wholly_description([word.said for word in words], foreign=True)
    return None if described else words[-1].end


def clause(text: str, start: int) -> list[tuple[str, int]]:
    """The words of the clause that begins at `start`, without the marks around them, and where each ends."""
    return [(word.said, word.end) for word in _clause(text, start)]


def strong_end(text: str, start: int) -> int | None:
    """Where a value ends whose first word can be nothing but a secret; None if that may be a word."""
    words = list(_clause(text, start))
    return _until_ordinary(words).end if words and looks_like_password(words[0].said) else None


def run_after(text: str, start: int, limit: int) -> tuple[int, int] | None:
    """The value after a label in a script without spaces, between its "is" and the end of the clause."""
    match = _RUN.match(text, start, limit)
    if match is None or _DESCRIBES.search(match["run"]):
        return None
    said = _POLITE.sub("", match["run"])
    return (match.start("run"), match.start("run") + len(said)) if len(said) > 1 else None


def _clause(text: str, start: int) -> Iterator[_Word]:
    """The words up to the end of the clause, another label, or what goes on from the value."""
    at, count = start, 0
    while count < _MOST_WORDS and at < start + _MOST_CHARS:
        match = _WORD.match(text, at)
        if match is None or _is_next_label(match[0], first=count == 0) or _LONE_SIGN.fullmatch(match[0]):
            return
        if count and match[0].startswith("("):
            return
        word = _word(match)
        if count and (word.folded in describing.ENDING or (word.folded in describing.AND and _goes_on(text, match))):
            return
        yield word
        gap = _GAP.match(text, match.end())
        if gap is None or match[0].endswith(_ENDS_CLAUSE):
            return
        at, count = gap.end(), count + 1


def _word(match: re.Match[str]) -> _Word:
    bare = match[0].rstrip(_AFTER)
    plain = bare.rstrip("!?")
    if _PLAIN.fullmatch(plain.lstrip(_MARKS)):
        bare = plain
    return _Word(said=bare.lstrip(_MARKS), end=match.start() + len(bare))


def _is_next_label(word: str, *, first: bool) -> bool:
    return word.startswith("[") or (not first and (word.endswith(":") or "=" in word))


def _goes_on(text: str, conjunction: re.Match[str]) -> bool:
    """Whether an "and" begins another clause: but for a single word after it, as in "salt and pepper"."""
    gap = _GAP.match(text, conjunction.end())
    word = gap and _WORD.match(text, gap.end())
    if not word or is_ordinary(_word(word).said) or _word(word).folded in describing.POINTING:
        return True
    return not word[0].endswith(_ENDS_CLAUSE) and text[word.end() : word.end() + 1] not in {"", "\n", ";", '"'}


def _until_ordinary(words: list[_Word]) -> _Word:
    found = words[0]
    for word in words[1:]:
        if _is_ordinary(word):
            break
        found = word
    return found


def _is_ordinary(word: _Word) -> bool:
    return is_ordinary(word.said) or word.folded in _KNOWN


def _is_number(words: list[_Word]) -> bool:
    """Whether the clause is a plain number, such as 123456, and no count of anything."""
    return _LONG_NUMBER.fullmatch(words[0].said) is not None and (
        len(words) == 1 or words[1].folded in describing.POINTING
    )


def _is_value(word: str) -> bool:
    """Whether a single word is a value: none that describes, and of several joined by hyphens most do not."""
    if _PARTS.fullmatch(word):
        parts = re.split("[-_]", word)
        ordinary = sum(map(is_ordinary, parts))
        return ordinary * 2 < len(parts) if len(parts) > 2 else not ordinary  # noqa: PLR2004 - "read-only", "case-sensitive"
    ordinary = _is_ordinary(_Word(said=word, end=0)) or is_wholly_description([word])
    return _PLAIN.fullmatch(word) is not None and not ordinary


def _describes(words: list[_Word]) -> bool:
    """Whether the words of a clause tell about a password."""
    first, rest = words[0], words[1:]
    predicates = [word for word in rest if _is_predicate(word)]
    if any(word.folded in describing.PRONOUNS for word in rest) or _measures(words):
        return True
    if _is_ordinary(first):
        begins = first.folded in describing.BEGINNING and len(words) >= _A_PHRASE
        return not begins or any(map(_is_ordinary, rest))
    return len(predicates) > (len(words) >= _A_PHRASE)


def _is_predicate(word: _Word) -> bool:
    """Whether a word that goes on from a value says something of it; small words do not."""
    return word.folded not in describing.BETWEEN and (is_ordinary(word.said) or word.folded in _SAID_OF)


def _measures(words: list[_Word]) -> bool:
    return any(word.folded in describing.MEASURES for word in words)
