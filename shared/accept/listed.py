"""Passwords, keys, PINs and logins listed under a line, or after a word, that calls them so. Pure.

Here are my passwords:                  the head: a label at the end of its line
- Gmail: Zebra4711                      a name, and what can be nothing but a password
1. Okapi0815                            or that alone
- bank: swordfish                       a plain word only after a sign, and where the head says whose they are
Logins: netflix mira/Rosebud1941        a name and what belongs to it, in one
The PINs are 4711 and 0815.             every number of the sentence

After a head that speaks of one password, only the first line can be it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from shared.accept import describing
from shared.accept.beside import NAMES_OF_NO_PASSWORD, is_strong, is_word
from shared.accept.labels import is_plural, kind_of
from shared.accept.likeness import looks_like_key, names_something
from shared.accept.signed import is_of_something_else
from shared.accept.wholly import is_wholly_description

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shared.accept.known_secrets import Found

_BELOW: Final = (
    r"(?P<below>\s(?:as |listed |stehen )?(?:below|these|the following|follows?|here|unten|hier|folgende|ci-dessous|"
    r"abajo|aquí|qui sotto|abaixo|hieronder))?"
)
_HEAD: Final = re.compile(
    r"(?P<list>\s(?:lists?|liste|lista|collection|sammlung))?"
    r"(?:\s?\([^()\n]{1,40}\)|\s(?:for|of|to|on|at|für|pour|de|para|per|voor)\s[^\n:.!?]{1,40}?)?"
    rf"(?:\s(?:are|were|is|sind|sont|son|são|sono|zijn))?{_BELOW}"
    r"[*_\"'`)\]]{0,3}\s?(?P<sign>[:\uff1a.])?[*_]{0,2}[ \t]{0,8}(?:\r?\n|$)",
    re.IGNORECASE,
)
_WHOSE: Final = re.compile(
    r"\b(?:my|our|here|these|mein\w{0,2}|unser\w{0,2}|hier|mes|nos|voici|mis|nuestras|meus?|minhas|mie|mijn|onze)\b",
    re.IGNORECASE,
)
_WANTING: Final = re.compile(
    r"\b(?:needs?|needing|requir\w+|without|lacks?|lacking|no|brauch\w*|ohne|sans|sin)\s(?:[\w-]{1,20}\s){0,2}$",
    re.IGNORECASE,
)
"""Before a label: what is listed has no password yet, and is none."""
_LOGINS: Final = re.compile(
    r"(?<![^\W\d_])(?:logins|login (?:details|data|info\w{0,7})|credentials|creds|zugangsdaten|identifiants)"
    r"[^\n:.!?]{0,40}:"
)
_LOGIN_HINTS: Final = (*("logins", "login d", "login i", "credent", "creds", "zugangsdaten", "identifiants"),)
_PINS: Final = re.compile(
    r"(?<!\w)PIN(?:s|S|-?[Cc]odes|-[Nn]ummern| [Cc]odes| numbers)[^\n:.!?\d]{0,40}?"
    r"(?:\s?:|\s(?:are|were|sind|waren|sont|son|são|sono|zijn)\b)"
    r"(?P<run>[^\n.!?]{0,120}(?:\n[ \t]{0,8}[^\n.!?]{1,60}){0,12})"
)
_A_PIN: Final = re.compile(
    r"(?<![\w.,:/€$£-])(?<!in )(?<!since )(?<!from )\d{4,8}"
    r"(?=[*_`\"')]{0,3}[.,;!?)]?(?:\s*$|\s*\n|\s?[(=\u2013-]|(?<=[.,;!?)])\s|\s(?:and|or|for|is|on|at|und|oder|für|et|ou|pour|y|e|para|de)\b))"
)
_SAME_LINE: Final = re.compile(r"(?:\s(?:are|were|sind|sont|son|são|zijn))?\s?[:\uff1a][ \t]{1,4}(?=\S)")
_PART: Final = re.compile(r"(?:[^,;\n]|[,;](?!\s))+")
_MARK: Final = re.compile(r"[ \t>|]{0,12}(?:(?:[-*•\u2013+]|\d{1,2}[.)])[ \t]{1,4})?")
_ASIDE: Final = re.compile(r"\s?\([^()]{0,60}\)\s*$")
_PAIR: Final = re.compile(r"(?P<name>[^\s:/|=]{1,80})(?:[:/|=]{1,2}|\s[/|]\s)(?P<value>[^\s/|]{4,100})$")
_VALUE: Final = re.compile(r"\S{4,100}$")
_PLAIN: Final = re.compile(r"[^\W_][\w-]{3,39}")
_FENCE: Final = re.compile(r"[ \t]{0,8}(?:```\w{0,10}|\|?[-:| ]{3,40})?\s*")
_SIGNS: Final = (":", "=", "->", "→", "=>", "-", "\u2013", "\uff1a")
_MARKS: Final = "*_`\"'“”„«»| "
_AFTER: Final = ".,;)"
_MOST_LINES: Final = 60
_MOST_WORDS: Final = 5
_SAID_BEFORE: Final = 80
_LONGEST_LINE: Final = 200
_NO_NAMES: Final = describing.ENGLISH_POINTING | describing.PRONOUNS
_LONGEST_NAME: Final = 3

Span = tuple[int, int]


def listed(text: str, lowered: str, labels: list[re.Match[str]]) -> Iterator[Found]:
    """The values of a text's lists of passwords, keys, PINs and logins. Linear in the text."""
    if labels:
        yield from _labelled(text, labels)
    if any(hint in lowered for hint in _LOGIN_HINTS):
        for match in _LOGINS.finditer(lowered):
            yield from ((*span, "password") for span in _of_logins(text, match.end()))
    if "PIN" in text:
        for match in _PINS.finditer(text):
            yield from ((*number.span(), "pin") for number in _A_PIN.finditer(text, *match.span("run")))


def _labelled(text: str, labels: list[re.Match[str]]) -> Iterator[Found]:
    done = 0
    for label in labels:
        if label.start() < done or is_of_something_else(text, label):
            continue
        for start, end in (*_beside(text, label), *_below(text, label)):
            yield start, end, kind_of(label)
            done = end


def _beside(text: str, label: re.Match[str]) -> Iterator[Span]:
    """The values of a list that begins in the label's own line."""
    sign = _SAME_LINE.match(text, label.end()) if label["password"] and is_plural(label) else None
    for part in _PART.finditer(text, sign.end(), _end_of_line(text, sign.end())) if sign else ():
        span = _of_line(text, *part.span(), words=False)
        if span:
            yield span


def _below(text: str, label: re.Match[str]) -> Iterator[Span]:
    head = _HEAD.match(text, label.end())
    if head and _is_head(text, label, head):
        yield from _under(text, label, head)


def _is_head(text: str, label: re.Match[str], head: re.Match[str]) -> bool:
    """Whether a label announces what stands in the lines below."""
    if label["phrase"] or (label["key"] and " " not in label[0]):
        return False
    said = _line_before(text, label)
    announced = head["sign"] == ":" or head["sign"] == "\uff1a" or head["below"] or "here are" in said.lower()
    return bool(announced) and not _WANTING.search(said)


def _line_before(text: str, label: re.Match[str]) -> str:
    return text[max(label.start() - _SAID_BEFORE, 0) : label.start()].rpartition("\n")[2]


def _under(text: str, label: re.Match[str], head: re.Match[str]) -> Iterator[Span]:
    owned = bool(head["below"]) or _WHOSE.search(_line_before(text, label)) is not None
    plural = is_plural(label) or head["list"] is not None
    names = 0
    for start, end, marked in _lines(text, head.end()):
        span = _of_line(text, start, end, words=owned and plural and not label["key"])
        if span and (not label["key"] or looks_like_key(text[slice(*span)])):
            yield span
            names = 0
        elif not plural or not (marked or (names == 0 and _is_name(text[start:end]))):
            return
        else:
            names += 1
        if not plural:
            return


def _is_name(line: str) -> bool:
    """Whether a line may only say what the value in the next one is for."""
    words = line.split()
    return len(words) <= _LONGEST_NAME and not is_wholly_description(words)


def _lines(text: str, at: int) -> Iterator[tuple[int, int, bool]]:
    """What the lines from a place on say: start, end without the mark of a list, and whether there was one."""
    blank = 0
    for _ in range(_MOST_LINES):
        end = _end_of_line(text, at)
        if at >= len(text) or end - at >= _LONGEST_LINE:
            return
        if _FENCE.fullmatch(text, at, end):
            blank += 1
            if blank > 2:  # noqa: PLR2004 - a fence and a blank line
                return
        else:
            blank = 0
            mark = _MARK.match(text, at, end)
            begins = mark.end() if mark else at
            yield begins, end, bool(text[at:begins].strip())
        at = end + 1


def _end_of_line(text: str, at: int) -> int:
    """Where a line ends; of a long one, where so much of it ends."""
    stop = text.find("\n", at, at + _LONGEST_LINE)
    return stop if stop >= 0 else min(len(text), at + _LONGEST_LINE)


def _of_line(text: str, start: int, end: int, *, words: bool) -> Span | None:
    """The value of a line of a list: its last word, or what is joined to a name in it. With `words` a plain one too."""
    said = _ASIDE.sub("", text[start:end]).rstrip()
    bare = said.rstrip(_AFTER).rstrip(_MARKS)
    pair = _pair(bare)
    if pair:
        return start + pair[0], start + pair[1]
    last = _VALUE.search(bare)
    if last is None or len(bare.split()) > _MOST_WORDS:
        return None
    at = last.start() + len(last[0]) - len(last[0].lstrip(_MARKS))
    name = bare[:at].rstrip(_MARKS + " \t")
    signed = name.endswith(_SIGNS)
    value = bare[at:]
    names = {word.casefold().strip(_MARKS + ":=") for word in name.split()}
    if not names.isdisjoint(NAMES_OF_NO_PASSWORD if signed else NAMES_OF_NO_PASSWORD | _NO_NAMES):
        return None
    plain = words and signed and _PLAIN.fullmatch(value) and is_word(value)
    return (start + at, start + len(bare)) if plain or is_strong(value) else None


def _pair(said: str) -> Span | None:
    """Where in "mira/Rosebud1941" or "Gmail:Zebra4711" the value stands."""
    match = _PAIR.search(said)
    if match is None or names_something(said.rpartition(" ")[2]):
        return None
    return match.span("value") if is_strong(match["value"]) else None


def _of_logins(text: str, at: int) -> Iterator[Span]:
    """The second of each pair of a name and a password, in the line of the head and in the lines below."""
    for start, end, marked in _lines(text, at):
        found = [span for part in _PART.finditer(text, start, end) if (span := _pair_of(text, *part.span()))]
        yield from found
        if not found and not marked and start > at + 1:
            return


def _pair_of(text: str, start: int, end: int) -> Span | None:
    pair = _pair(_ASIDE.sub("", text[start:end]).rstrip().rstrip(_AFTER).rstrip(_MARKS))
    return (start + pair[0], start + pair[1]) if pair else None
