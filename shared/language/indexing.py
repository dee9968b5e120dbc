"""What of a memory is indexed: its passages, and its terms."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from shared.contract.records import MemoryVersion, Tier
from shared.language.text import terms

LONGEST_WHOLE_CHARS: Final = 2_400
"""A message up to this long is one episode."""
PASSAGE_CHARS: Final = 1_600
"""What a longer one is cut to, at a boundary near it: about what the embedding model reads at once."""
MAX_PASSAGES: Final = 256
"""Passages of one message that become episodes; the rest of it is kept in the ledger alone."""
MAX_TERMS: Final = 4_096
"""Terms of one memory that are indexed, from its start."""

_NAMELESS: Final = frozenset({"user", "assistant", "tool", "system", "developer", "unknown"})
_BOUNDARIES: Final = (
    re.compile(r"\n\s*\n"),
    re.compile(r"\n"),
    re.compile(r"(?<=[.!?\u3002\uff01\uff1f\u2026])\s*"),
    re.compile(r"\s+"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexed:
    """One memory as the sparse view takes it in."""

    doc: int
    session: int
    """The number of the first memory of its session."""
    counts: Mapping[str, int]
    """By term: how often it occurs."""
    length: int
    tier: Tier = Tier.HOT


def passages(text: str) -> list[tuple[int, int]]:
    """Where to cut a message into episodes: character spans, in order, that cover it (up to `MAX_PASSAGES`).

    A cut falls on a paragraph, line, sentence or word, whichever comes first in that order in the second half of the
    passage, or on the length where there is none.
    """
    if len(text) <= LONGEST_WHOLE_CHARS:
        return [(0, len(text))]
    spans: list[tuple[int, int]] = []
    start = 0
    while start < len(text) and len(spans) < MAX_PASSAGES:
        end = _cut(text, start)
        if text[start:end].strip():
            spans.append((start, end))
        start = end
    return spans


def found_up_to(text: str) -> int:
    """How many characters of a message its passages cover, from its start; all of them but for the largest messages."""
    if len(text) <= MAX_PASSAGES * PASSAGE_CHARS // 2:  # a passage is not shorter than half of one
        return len(text)
    spans = passages(text)
    end = spans[-1][1] if spans else 0
    return end if text[end:].strip() else len(text)


def _cut(text: str, start: int) -> int:
    end = start + PASSAGE_CHARS
    if end >= len(text):
        return len(text)
    for boundary in _BOUNDARIES:
        cuts = [match.end() for match in boundary.finditer(text, start + PASSAGE_CHARS // 2, end)]
        if cuts:
            return cuts[-1]
    return end


def named(speaker: str | None) -> str:
    """The speaker where that is a name, and not merely what a chat format calls everybody."""
    return "" if speaker is None or speaker.casefold() in _NAMELESS else speaker


def indexed(
    *, doc: int, session: int, text: str, speaker: str | None, at: datetime | None, tier: Tier = Tier.HOT
) -> Indexed:
    """What the sparse view holds of a memory: its words, who says it, and when."""
    found = indexed_terms(text=text, speaker=speaker, at=at)
    return Indexed(doc=doc, session=session, counts=Counter(found), length=len(found), tier=tier)


def indexed_of(version: MemoryVersion) -> Indexed:
    """`indexed`, of a memory as it is held."""
    return indexed(
        doc=version.doc,
        session=version.session_doc,
        text=version.text,
        speaker=version.speaker,
        at=version.valid_from,
        tier=version.tier,
    )


def indexed_terms(*, text: str, speaker: str | None, at: datetime | None) -> list[str]:
    """The terms that a memory is found by, at most `MAX_TERMS`.

    The date stands there in words, weekday, day, month and year, since that is how people ask.
    """
    return terms(f"{named(speaker)} {f'{at:%A %-d %B %Y}' if at else ''} {text}")[:MAX_TERMS]
