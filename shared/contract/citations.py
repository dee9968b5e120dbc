"""What an answer cites of a bundle: which items, what that is not there, and which sentences cite nothing. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

_ID: Final = r"m\d{1,9}(?:~[0-9a-f]{4})?"
_CITATION: Final = re.compile(
    rf"[\[(](?:see |cf\. |sources?:? )?{_ID}(?:(?:\s*[,;&/+]\s*(?:and )?|\s+and\s+|\s+){_ID})*[\])]", re.IGNORECASE
)
"""One or several ids in brackets or parentheses; an id may stand as the block gives it, `m3~5f0c`."""
_ORDINAL: Final = re.compile(r"m(\d{1,9})", re.IGNORECASE)
_END: Final = re.compile(
    r"[.!?…؟।]+[\"'”’»)\]*_]*(?=\s|$|[\[(]m\d)|[。！？]+[”’」』]*|\n+"  # noqa: RUF001 - points of many scripts
)
_LEADING_CITATIONS: Final = re.compile(rf"\s*(?:{_CITATION.pattern}\s*)+[.!?。]*", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\W\d_]")
_ABBREVIATION: Final = re.compile(r"(?:^|[\s(])(?:[A-Z]|e\.g|i\.e|Mr|Mrs|Ms|Dr|Prof|St|No|vs|cf|etc|approx)\.$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Citations:
    """What an answer cites."""

    cited: tuple[str, ...]
    """Ids of items of the bundle, as `m3`, each once, in the order of the answer."""
    unknown: tuple[str, ...]
    """Ids cited that are no item's: made up, or of another bundle."""
    uncited: tuple[str, ...]
    """Ids of items that the answer does not cite, in the order of the bundle."""
    without: tuple[str, ...]
    """Sentences that cite no item of the bundle."""

    @property
    def holds(self) -> bool:
        """Whether every sentence cites an item of the bundle, and nothing else is cited."""
        return not self.unknown and not self.without


def check_citations(answer: str, ordinals: Collection[int]) -> Citations:
    """Compare what an answer cites with the ordinals that there are.

    `[m1]`, `[m1][m2]`, `[m1, m2]`, `[m1 and m2]`, `(m1)` and `[m1~5f0c]` all cite; a citation after the point belongs
    to the sentence before it. Sentences are told apart by punctuation and line breaks, which is right for prose and
    lists, not for code. Linear in the answer.
    """
    mentioned = list(dict.fromkeys(_ordinals(answer)))
    known = {*ordinals}
    cited = [each for each in mentioned if each in known]
    return Citations(
        cited=tuple(f"m{each}" for each in cited),
        unknown=tuple(f"m{each}" for each in mentioned if each not in known),
        uncited=tuple(f"m{each}" for each in dict.fromkeys(ordinals) if each not in cited),
        without=tuple(each for each in sentences(answer) if known.isdisjoint(_ordinals(each))),
    )


def sentences(answer: str) -> list[str]:
    """The sentences of an answer, each with the citations that follow it, without what holds no word."""
    parts: list[str] = []
    start = place = 0
    while (end := _END.search(answer, place)) is not None:
        place = end.end()
        if "\n" not in end[0] and _ABBREVIATION.search(answer, max(start, end.end() - 8), end.end()):
            continue
        after = _LEADING_CITATIONS.match(answer, end.end())
        place = max(place, after.end() if after else 0)
        parts.append(answer[start:place])
        start = place
    parts.append(answer[start:])
    return [part.strip() for part in parts if _WORD.search(_CITATION.sub("", part))]


def _ordinals(text: str) -> list[int]:
    return [int(each) for citation in _CITATION.finditer(text) for each in _ORDINAL.findall(citation[0])]
