"""Passwords in sentences of the languages of `tongues.py`: "parola este …", "รหัสผ่านคือ …", "मेरा पासवर्ड … है". Pure.

parola de la wifi este Vrabie77        after the verb
mera password Vrabie77 hai              before the verb that ends the sentence
parola este greșită                    none: a word that describes a password

A single word is taken, at the end of its clause; where a script has little known of it, only one in Latin letters.
"""

# ruff: noqa: RUF001 - marks of many scripts

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from shared.accept.likeness import is_ordinary, is_placeholder, looks_like_password, names_something
from shared.accept.tongues import Tongue, tongue_of
from shared.accept.wholly import is_wholly_description

if TYPE_CHECKING:
    from collections.abc import Iterator

Span = tuple[int, int]

_VALUE: Final = (
    r"(?:[\"'`“«„](?P<quoted>(?!\[redacted)[^\"'`“”«»\n]{1,100})[\"'`”»“]|(?P<bare>[^\s\"'`<>;{}“”«»\[]{3,100}+))"
)
_OF: Final = r"(?P<of>(?:\s[^\s:=.,;!?\[]{1,20}){0,4}?)"
_OF_UNSPACED: Final = r"(?P<of>[^\W\d_a-z]?[^\x00-\x7f]{0,30}?)"
_ENDS: Final = re.compile(r"[.,;:!?)…।۔*_]*(?:\s*$|\s*\n|[.,;!?)…।۔](?:\s|$))")
_AFTER: Final = ".,:;)]*_…!?।۔"
_NUMBER: Final = re.compile(r"\d{4,40}")
_MOST_FOLLOWING: Final = 3
_SHORTEST_STEM: Final = 3
_WINDOW_CHARS: Final = 300


def values(text: str, keyword: re.Match[str]) -> Iterator[Span]:
    """The value that a sentence with this label gives. Linear in the text."""
    tongue = tongue_of(keyword) if keyword["password"] else None
    if tongue is None:
        return
    for pattern in _forms(tongue):
        match = pattern.match(text, keyword.end(), keyword.end() + _WINDOW_CHARS)
        span = _value(text, tongue, match) if match else None
        if span:
            yield span
            return


def describes(keyword: re.Match[str], value: str) -> bool:
    """Whether what stands for the value is a single word, of the label's language, that describes a password."""
    return len(value.split()) == 1 and begins_a_description(keyword, value)


def begins_a_description(keyword: re.Match[str], value: str) -> bool:
    """Whether what stands for the value begins with such a word, which after "is" makes it a description."""
    tongue = tongue_of(keyword) if keyword["password"] else None
    words = value.split()
    return tongue is not None and bool(words) and _is_described(tongue, words[0])


@cache
def _forms(tongue: Tongue) -> tuple[re.Pattern[str], ...]:
    between = _OF if tongue.spaced else _OF_UNSPACED
    gap = r"\s" if tongue.spaced else r"\s?"
    verbs = rf"{between}(?:{gap}(?:{tongue.verbs})\s?:?{gap}|\s?[:=\uff1a]\s?){_VALUE}"
    last = rf"{between}\s{_VALUE}\s?(?P<last>{tongue.last})(?!\w)"
    beside = rf"(?P<of>(?:\s[^\s\x00-\x7f]{{1,20}}){{0,2}}?)\s(?P<beside>(?=[\w-]*\d)){_VALUE}"
    rows = ((verbs, tongue.verbs), (last, tongue.last), (beside, not tongue.own_words))
    forms = [form for form, there in rows if there]
    return tuple(re.compile(form, re.IGNORECASE) for form in forms)


def _value(text: str, tongue: Tongue, match: re.Match[str]) -> Span | None:
    if match["quoted"] is not None:
        return None if is_wholly_description(match["quoted"].split()) else match.span("quoted")
    start = match.start("bare")
    said = match["bare"].rstrip(_AFTER)
    if is_placeholder(said) or _is_described(tongue, said):
        return None
    if "beside" in match.re.groupindex:
        return (start, start + len(said)) if said.isascii() and looks_like_password(said) else None
    sure = looks_like_password(said) or _NUMBER.fullmatch(said) or (not tongue.own_words and said.isascii())
    closed = "last" in match.re.groupindex or _ENDS.match(text, start + len(said))
    if sure:
        return None if is_ordinary(said) or len(said) < 4 else (start, start + len(said))  # noqa: PLR2004 - a word
    plain = tongue.own_words and closed and not ("last" in match.re.groupindex and match["of"])
    return (start, start + len(said)) if plain and _is_word(said) else None


def _is_word(said: str) -> bool:
    return not (names_something(said) or is_ordinary(said) or is_wholly_description([said]))


def _is_described(tongue: Tongue, word: str) -> bool:
    return bool(tongue.describing) and _describing(tongue).fullmatch(word.rstrip(_AFTER).lower()) is not None


@cache
def _describing(tongue: Tongue) -> re.Pattern[str]:
    words = tongue.describing.split()
    stems = "|".join(word for word in words if len(word) >= _SHORTEST_STEM)
    return re.compile(rf"(?:{stems})\w{{0,{_MOST_FOLLOWING}}}|{'|'.join(words)}")
