"""Cleaning and tokenising text: one rule for the front door, one tokenizer for index and query alike.

The terms are part of the index: a change of `terms` (or of the stemmer's major version) makes stored postings
unfindable, so it goes together with a reindex.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from functools import lru_cache
from itertools import pairwise
from typing import Final

import Stemmer

from shared.language.characters import (
    CLUSTER_SIGNS,
    CLUSTERED,
    EMOJI,
    FOLD,
    HAN,
    HANGUL,
    HIRAGANA,
    KATAKANA,
    carries_meaning,
)
from shared.language.stop_words import STOP_WORDS

MAX_TERM_CHARS: Final = 64
"""Longer terms are cut to their first characters on both sides, so they still find each other."""

MAX_QUERY_CHARS: Final = 20_000
"""A query is read up to here, so that none costs more than a few milliseconds."""

_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_LAST_OF_PLANES: Final = "".join(chr(plane << 16 | last) for plane in range(17) for last in (0xFFFE, 0xFFFF))
_REPLACEABLE: Final = {
    "lone surrogate": re.compile("[\ud800-\udfff]"),
    "control character": re.compile("[\x01-\x08\x0b\x0c\x0e-\x1f]"),
    "noncharacter": re.compile(f"[\ufdd0-\ufdef{_LAST_OF_PLANES}]"),
}

_LINK: Final = r"(?:[.@&'+\-]|[%_]{1,2})"
_SPACELESS: Final = HAN + HIRAGANA + KATAKANA + HANGUL + CLUSTERED
_WORD: Final = rf"[^ .@&'+\-%_#{EMOJI}{_SPACELESS}]"
_CHUNK: Final = re.compile(
    rf"{_WORD}+(?:{_LINK}{_WORD}+)*(?:\+\+|#(?!{_WORD}))?"
    rf"|[{HAN}]+|[{HIRAGANA}]+|[{KATAKANA}]+|[{HANGUL}]+|[{CLUSTERED}]+"
    rf"|[\U0001f1e6-\U0001f1ff]{{2}}|[{EMOJI}]"
)
_FIRST_SPACELESS: Final = "\u0e01"
_HIRAGANA_ALONE: Final = re.compile(rf"[{HIRAGANA}]")
_SPACELESS_START: Final = re.compile(rf"[{_SPACELESS}]")
_CLUSTERED_START: Final = re.compile(rf"[{CLUSTERED}]")
_CLUSTER: Final = re.compile(rf"[^{CLUSTER_SIGNS}]?[{CLUSTER_SIGNS}]+|.")
_PART: Final = re.compile(rf"{_WORD}+|[{EMOJI}]+")
_SUFFIX: Final = re.compile(r"'(?:s|d|m|ll|re|ve)$")
_NEGATION: Final = re.compile(r"[a-z]+n't")
_GROUPED_NUMBER: Final = re.compile(r"(?<![\d,])\d{1,3}(?:,\d{3})+(?![\d,])")
_LETTERS_AND_DIGITS: Final = re.compile(r"([a-z]+)(\d+)|(\d+)([a-z]+)")
_HYPHENATED: Final = re.compile(r"[a-z]+(?:-[a-z]+)+")
_ORDINALS: Final = frozenset({"st", "nd", "rd", "th"})
_GLUED_BY_NFKC: Final = {ord("\u2122"): " ", ord("\u2120"): " "}  # it writes the trade mark as the letters TM
_LOCAL: Final = threading.local()


def normalise(text: str) -> tuple[str, tuple[str, ...]]:
    """Make text storable everywhere; returns it with a short note for each kind of thing that was changed.

    NUL is removed (so `tea<NUL>pot` is found as `teapot`); other C0 controls but tab, newline and carriage return,
    lone surrogates and noncharacters become U+FFFD, which keeps the words around them apart; a surrogate pair becomes
    the character it stands for; the result is NFC. All else, emoji sequences and written-out escapes included, passes
    unchanged. Doing it twice changes nothing more.
    """
    if text.isascii() and text.isprintable():
        return text, ()
    notes: list[str] = []
    cleaned = text.replace("\0", "")
    _note(notes, len(text) - len(cleaned), "NUL removed")
    cleaned, pairs = _PAIR.subn(_join_pair, cleaned)
    _note(notes, pairs, "surrogate pair joined")
    for name, pattern in _REPLACEABLE.items():
        cleaned, count = pattern.subn("\ufffd", cleaned)
        _note(notes, count, f"{name} replaced by U+FFFD")
    if not unicodedata.is_normalized("NFC", cleaned):
        cleaned = unicodedata.normalize("NFC", cleaned)
        notes.append("composed to NFC")
    return cleaned, tuple(notes)


def is_blank(text: str) -> bool:
    """Whether text says nothing: only space, invisible characters, punctuation. An emoji says something."""
    return not any(map(carries_meaning, set(text)))


def terms(text: str) -> list[str]:
    """The terms of text in order, repeated as often as they occur: what an index stores and what a query asks for.

    Case, width, digits of any script and the accents of Latin, Greek, Arabic and Hebrew are folded (`Zabek` is
    `Ząbek`). English words are stemmed and stop words dropped. What punctuation joins gives the whole and its parts
    (`kx-204`, `kx`, `204`). Han, kana, Thai, Lao, Khmer, Myanmar and Hangul give bigrams, and a character alone gives
    itself, unless it is hiragana (a particle). Other scripts give their words, an emoji itself. Terms are cut at
    `MAX_TERM_CHARS`. Linear in the text, never raises, safe to call from any thread.
    """
    found: list[str] = []
    for chunk in _CHUNK.findall(_folded(text)):
        if chunk[0] >= _FIRST_SPACELESS:
            found += _run(chunk)
        elif len(chunk) <= MAX_TERM_CHARS:
            found += _words_of_short(chunk)
        else:
            found += _words(chunk)
    return found


def query_terms(text: str, limit: int = 64) -> list[str]:
    """The first `limit` distinct terms of a query, in order; empty where the query holds only stop words."""
    return list(dict.fromkeys(terms(text[:MAX_QUERY_CHARS])))[:limit]


def _note(notes: list[str], count: int, what: str) -> None:
    if count:
        notes.append(what if count == 1 else f"{what} ({count} times)")


def _join_pair(match: re.Match[str]) -> str:
    return match.group().encode("utf-16", "surrogatepass").decode("utf-16")


def _folded(text: str) -> str:
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(_GLUED_BY_NFKC))
        text = unicodedata.normalize("NFKC", text.casefold())
    if "," in text:
        text = _GROUPED_NUMBER.sub(lambda number: number.group().replace(",", ""), text)
    return text.casefold().translate(FOLD)


def _run(chunk: str) -> list[str]:
    """Bigrams of a script without spaces; what else lies above Thai in Unicode is words or an emoji."""
    if not _SPACELESS_START.match(chunk):
        return list(_words(chunk))
    units = _CLUSTER.findall(chunk) if _CLUSTERED_START.match(chunk) else chunk
    if len(units) > 1:
        return [(first + second)[:MAX_TERM_CHARS] for first, second in pairwise(units)]
    return [] if _HIRAGANA_ALONE.match(chunk) else [units[0][:MAX_TERM_CHARS]]


def _words(chunk: str) -> tuple[str, ...]:
    """The terms of what stands between two spaces: `what's` none, `kx-204` three, `walked` its stem."""
    chunk = _SUFFIX.sub("", chunk) if "'" in chunk else chunk
    if _NEGATION.fullmatch(chunk):
        return ()
    parts = _PART.findall(chunk)
    found = [term for part in parts for term in _part_terms(part)]
    if len(parts) > 1:
        found.insert(0, _whole(chunk)[:MAX_TERM_CHARS])
    elif parts[0] != chunk:
        found.insert(0, chunk[:MAX_TERM_CHARS])  # `c++`, `f#`
    return tuple(found)


def _whole(chunk: str) -> str:
    """What is joined, as one term: `o'brien` obrien, `wi-fi` wifi, `kx-204` as it stands."""
    chunk = chunk.replace("'", "")
    if _HYPHENATED.fullmatch(chunk):
        return _stem(chunk.replace("-", "")[:MAX_TERM_CHARS])
    return chunk


def _part_terms(part: str) -> list[str]:
    if part.isascii() and part.isalpha():
        return [] if part in STOP_WORDS else [_stem(part[:MAX_TERM_CHARS])]
    mixed = _LETTERS_AND_DIGITS.fullmatch(part)
    if mixed is None:
        return [part[:MAX_TERM_CHARS]]
    letters, digits = mixed[1] or mixed[4], mixed[2] or mixed[3]
    if letters in _ORDINALS and mixed[3]:
        return [digits[:MAX_TERM_CHARS]]
    return [term[:MAX_TERM_CHARS] for term in (part, letters, digits)]


def _stem(word: str) -> str:
    """The stem by Snowball's English algorithm; one stemmer a thread, for it keeps state while it works."""
    stemmer: Stemmer.Stemmer | None = getattr(_LOCAL, "stemmer", None)
    if stemmer is None:
        stemmer = _LOCAL.stemmer = Stemmer.Stemmer("english", 0)
    return str(stemmer.stemWord(word))


_words_of_short = lru_cache(maxsize=65_536)(_words)
