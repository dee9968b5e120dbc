"""Passwords of a change, the old one and the new: "I changed my password from … to …". Pure.

What stands between small words may be anything ("from my phone to be safe"), so words count only in English, where
"from" means nothing else, and where both may be values; what can be nothing but a secret counts in every language.
"""

# ruff: noqa: RUF001 - words of many scripts

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from shared.accept import beside
from shared.accept.labels import is_plural
from shared.accept.wholly import is_wholly_description

if TYPE_CHECKING:
    from collections.abc import Iterator

Span = tuple[int, int]

_CHANGES: Final = re.compile(
    r"\b(?:chang|set|reset|updat|switch|swap|replac|exchang|rotat|went|moved|änder|geänder|wechs|gewechs|umgestell|mudei|mudou|mudar|troquei|"
    r"alter|cambi|modifi|verander|gewijzig|wijzig|remplac|troc|sostitu|reemplaz|sustitu|ersetz|vervang|zmieni|смени|помен|поміня|changé)",
    re.IGNORECASE,
)
_VALUE: Final = (
    r"(?:[\"'`“«„](?P<{0}quoted>(?!\[redacted)[^\"'`“”«»\n]{{1,100}})[\"'`”»“]|"
    r"(?P<{0}bare>[^\s\"'`<>;{{}}“”«»,\[]{{3,100}}+))"
)
_FROM_TO: Final = re.compile(
    r"(?:\s(?!from\b|to\b)[^\s.,;:!?]{1,20}){0,4}?"
    rf"\s(?P<from>from|von|van|de|da|din|z|с|з)\s{_VALUE.format('old')}"
    rf"(?:\s(?:to|into|auf|in|zu|naar|à|en|pour|a|por|para|per|na|на)\s{_VALUE.format('new')})?",
    re.IGNORECASE,
)
_FOR: Final = re.compile(
    rf"(?:\schanged)?:?\s{_VALUE.format('old')}\s(?P<from>for|with|by|par|por|per|con|com|durch|gegen|door|->|→|=>)\s"
    rf"{_VALUE.format('new')}",
    re.IGNORECASE,
)
_CIRCUMSTANCES: Final = frozenset(
    """
    time day week month year morning evening home work place site account app device phone laptop browser scratch memory
    monday tuesday wednesday thursday friday saturday sunday
    """.split()  # noqa: SIM905
)
"""What "from … to …" says of a change beside its values."""
_CLOSES: Final = re.compile(
    r"[.,;:!?)]*(?:\s*$|\s*\n|[.,;!?)](?:\s|$)|\s(?:today|yesterday|last|and|because|since|after)\b)"
)
_AFTER: Final = ".,:;)]*_…!?"
_SAID_BEFORE: Final = 100
_SAID_AFTER: Final = 260


def values(text: str, keyword: re.Match[str]) -> Iterator[Span]:
    """The values that a password was changed from and to. Linear in the text."""
    if not keyword["password"]:
        return
    end = keyword.end() + _SAID_AFTER
    match = _FROM_TO.match(text, keyword.end(), end) or _FOR.match(text, keyword.end(), end)
    if match is None or is_plural(keyword) or beside.is_of_tool(text, keyword):
        return
    if not _CHANGES.search(text, max(keyword.start() - _SAID_BEFORE, 0), match.end() + len(" geändert....")):
        return
    spans = [span for name in ("old", "new") if (span := _span(match, name))]
    words = match["from"].lower() == "from" and len(spans) > 1 and all(_may_be(text, span) for span in spans)
    quoted = match["oldquoted"] and match["newquoted"]
    closed = _CLOSES.match(text, spans[-1][1])
    for span in spans:
        if beside.is_strong(text[slice(*span)]) or quoted or (words and closed):
            yield span


def _span(match: re.Match[str], name: str) -> Span | None:
    if match[f"{name}quoted"] is not None:
        return match.span(f"{name}quoted")
    if match[f"{name}bare"] is None:
        return None
    start = match.start(f"{name}bare")
    return start, start + len(match[f"{name}bare"].rstrip(_AFTER))


def _may_be(text: str, span: Span) -> bool:
    said = text[slice(*span)]
    known = said.lower() in _CIRCUMSTANCES or is_wholly_description(said.split())
    return not known and beside.is_word(said)
