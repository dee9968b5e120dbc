"""What an answer cites of a bundle: which items, what that is not there, and which sentences cite nothing. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple
from uuid import UUID

from shared.contract.block import ID_CHARS, short_id

_ID: Final = rf"m\d{{1,9}}(?:~[0-9a-f]{{{ID_CHARS}}})?(?![^\W_])"
_TO: Final = r"\s{0,8}(?:[-\u2010-\u2015\u2212]|to|through)\s{0,8}"
_BARE: Final = r"\d{1,9}(?=\s{0,8}(?:[,;&\])\u3011]|and\b|to\b|[-\u2010-\u2015]))"
_NEXT: Final = r"(?:\s{0,8}[,;&]\s{0,8}(?:and\s{1,8})?|\s{1,8}and\s{1,8})"
_LIST: Final = (
    rf"{_ID}(?:{_TO}(?:{_ID}|{_BARE})|{_NEXT}(?:{_ID}|{_BARE})"
    rf"|(?:\s{{0,8}}[/+]\s{{0,8}}(?:and\s{{1,8}})?|\s{{1,8}}){_ID})*+"
)
_LED: Final = r"(?:see |cf\. |sources?:? )?"
_TAIL: Final = r"(?:(?:\s{0,8}[,;:]|\s{1,8}(?=[^\W\d_])|(?<=~[0-9a-f]{4})\s)[^\[\]\u3010\u3011\n]{0,300})?"
_CITATION: Final = re.compile(
    rf"[\[\u3010]{_LED}(?P<ids>{_LIST}){_TAIL}[\]\u3011]|\({_LED}(?P<held>{_LIST})(?:, ?pp?\. ?\d{{1,6}})?\)",
    re.IGNORECASE,
)
"""Ids in brackets: alone, listed, or from one to another, and whatever follows them there, such as a page or the label
that the block shows. In parentheses, ids alone."""
_STEP: Final = re.compile(
    rf"(?P<to>{_TO})?(?:m(?P<id>\d{{1,9}})(?:~(?P<mark>[0-9a-f]{{{ID_CHARS}}}))?|(?P<bare>\d{{1,9}}))", re.IGNORECASE
)
MOST_BETWEEN: Final = 1_000
"""Items that one citation may run over; of a longer run its ends are cited."""
_END: Final = re.compile(
    r"(?<![.!?…؟।])[.!?…؟।]++[\"'”’»)\]*_]*+(?=\s|$|[\[(\u3010]m\d)"  # noqa: RUF001 - points of many scripts
    r"|[。！？]++[”’」』]*+|\n\s*+"  # noqa: RUF001 - as above
)
"""What has been read is not given back, so that an answer is read once however many points or lines it has in a row."""
_LEADING_CITATIONS: Final = re.compile(
    rf"\s*+(?:(?:{_CITATION.pattern.replace('?P<ids>', '?:').replace('?P<held>', '?:')})\s*+)++[.!?。]*+", re.IGNORECASE
)
_WORD: Final = re.compile(r"[^\W\d_]")
_ABBREVIATION: Final = re.compile(
    r"(?:^|[\s(\"'\u201c\u2018])(?:(?:[A-Z]\.){0,5}[A-Z]|[ap]\.m|e\.g|i\.e|a\.k\.a|c\.f|Mr|Mrs|Ms|Mx|Dr|Prof|Rev|Gen|Sen|"
    r"Gov|Lt|Col|Sgt|Capt|St|Mt|Ft|Jr|Sr|Ph\.D|Inc|Ltd|Co|Corp|Dept|Fig|No|vol|pp?|ca|vs|cf|al|etc|approx|"
    r"Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.$"
)
_LONGEST_ABBREVIATION: Final = 14


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


class Cited(NamedTuple):
    """An item as an answer cites it."""

    ordinal: int
    mark: str = ""
    """The beginning of its memory's id, where the answer has it."""

    def __str__(self) -> str:
        return f"m{self.ordinal}{'~' if self.mark else ''}{self.mark}"

    def fits(self, memory_id: UUID | None) -> bool:
        """Whether it can be meant by that: there is such an item, and the beginning of the id is its memory's."""
        return memory_id is not None and self.mark in {"", short_id(memory_id)}


def cited(citation: str) -> Cited | None:
    """The one item that is cited, as `m3`, `[m3]`, `m3~5f0c` or with the label that the block shows; else None."""
    written = citation.strip()
    found = _CITATION.fullmatch(written if written[:1] in {"[", "(", "\u3010"} else f"[{written}]")
    several = list(dict.fromkeys(_in_citation(found))) if found else []
    return several[0] if len(several) == 1 and several[0].ordinal else None


def check_citations(answer: str, items: Mapping[int, UUID]) -> Citations:
    """Compare what an answer cites with the items that there are, by ordinal.

    `[m1]`, `[m1][m2]`, `[m1, m2]`, `[m1 and 2]`, `[m1-m3]`, `[m1, p. 3]`, `(m1)` and `[m1~5f0c user]` all cite, in wide
    brackets too; a citation after the point belongs to the sentence before it. Sentences are told apart by punctuation
    and line breaks, which is right for prose and lists, not for code. Linear in the answer.
    """
    mentioned = list(dict.fromkeys(_cited_in(answer)))
    named = dict.fromkeys(each.ordinal for each in mentioned if each.fits(items.get(each.ordinal)))
    return Citations(
        cited=tuple(f"m{each}" for each in named),
        unknown=tuple(str(each) for each in mentioned if not each.fits(items.get(each.ordinal))),
        uncited=tuple(f"m{each}" for each in items if each not in named),
        without=tuple(
            part
            for part in sentences(answer)
            if not any(each.fits(items.get(each.ordinal)) for each in _cited_in(part))
        ),
    )


def sentences(answer: str) -> list[str]:
    """The sentences of an answer, each with the citations that follow it, without what holds no word."""
    parts: list[str] = []
    start = place = 0
    while (end := _END.search(answer, place)) is not None:
        place = end.end()
        after = _LEADING_CITATIONS.match(answer, place)
        if _is_abbreviated(answer, start, end, after):
            continue
        place = max(place, after.end() if after else 0)
        parts.append(answer[start:place])
        start = place
    parts.append(answer[start:])
    return [part.strip() for part in parts if _WORD.search(_CITATION.sub("", part))]


def _is_abbreviated(answer: str, start: int, end: re.Match[str], after: re.Match[str] | None) -> bool:
    """Whether a point only ends a word: one after which a sentence is cited ends that too, unless it goes on small."""
    if "\n" in end[0] or not _ABBREVIATION.search(answer, max(start, end.end() - _LONGEST_ABBREVIATION), end.end()):
        return False
    return after is None or answer[after.end() : after.end() + 1].islower()


def _cited_in(text: str) -> Iterator[Cited]:
    for citation in _CITATION.finditer(text):
        yield from _in_citation(citation)


def _in_citation(citation: re.Match[str]) -> Iterator[Cited]:
    before = 0
    for step in _STEP.finditer(citation["ids"] or citation["held"]):
        ordinal = int(step["id"] or step["bare"])
        if step["to"] and before < ordinal <= before + MOST_BETWEEN:
            yield from map(Cited, range(before + 1, ordinal))
        yield Cited(ordinal, (step["mark"] or "").lower())
        before = ordinal
