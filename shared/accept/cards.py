"""Finds payment card numbers and leaves the many other long numbers alone. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_GROUP: Final = re.compile(r"(?<!\w)[0-9]++(?!\w)")
_SEPARATORS: Final = frozenset(" -\u00a0\u2009\u202f")
_MIN_DIGITS: Final = 13
_MAX_DIGITS: Final = 19
_MIN_GROUP: Final = 3
_EAN_DIGITS: Final = 13
_CONTEXT: Final = re.compile(r"card|visa|karte|carte|tarjeta|credit|debit", re.IGNORECASE)
_CONTEXT_CHARS: Final = 60

_ISSUED: Final = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})"  # Visa
    r"|(?:5[1-5]\d{2}|222[1-9]|22[3-9]\d|2[3-6]\d{2}|27[01]\d|2720)\d{12}"  # Mastercard
    r"|3[47]\d{13}"  # American Express
    r"|(?:6011|64[4-9]\d|65\d{2})\d{12,15}"  # Discover
    r"|(?:30[0-5]|36\d|3[89]\d)\d{11,16}"  # Diners Club
    r"|35(?:2[89]|[3-8]\d)\d{12,15}"  # JCB
    r"|62\d{14,17}"  # UnionPay
    r"|(?:50[1-9]\d|5[678]\d{2}|6304|67[5-7]\d)\d{9,15}"  # Maestro
)
"""Leading digits and lengths by scheme, after ISO/IEC 7812 and the schemes' own published ranges."""


def card_spans(text: str) -> Iterator[tuple[int, int]]:
    """Spans of card numbers, in order: 13 to 19 digits of a scheme's range that pass the Luhn check (ISO/IEC 7812-1).

    Digits may stand in groups of three or more, joined all by the same single space or hyphen; a hyphenated number
    counts as a whole only, so that no part of a longer one is taken for a card. A number after `+` is a telephone's.
    Thirteen digits are a card only where one is spoken of just before: most such numbers are bar codes.
    Linear in the text.
    """
    for run in _runs(text):
        start = 0
        while start < len(run):
            stop = _card_end(text, run, start)
            if stop is None:
                start += 1
            else:
                yield run[start][0], run[stop - 1][1]
                start = stop


def _runs(text: str) -> Iterator[list[tuple[int, int]]]:
    """Groups of digits that follow each other with one and the same separator between."""
    run: list[tuple[int, int]] = []
    separator = ""
    for group in _GROUP.finditer(text):
        between = text[run[-1][1] : group.start()] if run else ""
        if run and between in _SEPARATORS and separator in {"", between}:
            run.append(group.span())
            separator = between
        else:
            yield run
            run, separator = [group.span()], ""
    yield run


def _card_end(text: str, run: list[tuple[int, int]], start: int) -> int | None:
    """The number of groups of the run up to the end of the card that begins with group `start`."""
    begins = run[start][0]
    if _goes_back(text, run, start):
        return None
    digits = ""
    for stop in range(start + 1, len(run) + 1):
        low, high = run[stop - 1]
        if len(digits) + high - low > _MAX_DIGITS or high - low < _MIN_GROUP:
            return None
        digits += text[low:high]
        if _is_card(digits, text, begins) and not _goes_on(text, high):
            return stop
    return None


def _goes_back(text: str, run: list[tuple[int, int]], start: int) -> bool:
    """Whether the group is the middle of something: of a decimal, a telephone number, a hyphenated number or word."""
    begins, ends = run[start]
    if text[max(begins - 1, 0) : begins] in {"+", "."}:
        return True
    hyphened = begins > 1 and text[begins - 1] == "-" and text[begins - 2].isalnum()
    return hyphened and (start > 0 or ends - begins < _MIN_DIGITS)


def _goes_on(text: str, end: int) -> bool:
    following = text[end : end + 2]
    return following[:1] in {"-", "."} and following[1:].isalnum()


def _is_card(digits: str, text: str, begins: int) -> bool:
    if len(digits) < _MIN_DIGITS or not _ISSUED.fullmatch(digits) or not _passes_luhn(digits):
        return False
    return len(digits) != _EAN_DIGITS or bool(_CONTEXT.search(text, max(begins - _CONTEXT_CHARS, 0), begins))


def _passes_luhn(digits: str) -> bool:
    doubled = str.maketrans("0123456789", "0246813579")
    return sum(map(int, digits[-1::-2] + digits[-2::-2].translate(doubled))) % 10 == 0
