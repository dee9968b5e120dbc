"""plan: what a query asks for, by rules alone. Pure.

Says which words are looked up, when the thing asked about happened, who is asked about, and how much is fetched; every
finding adds a line to `reasons`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from hotpath import weights
from shared.language.text import query_terms
from shared.language.time_expressions import Window, window

CHANNELS: Final = frozenset({"sparse", "dense", "fresh"})

CANDIDATES: Final = 100
"""Best of each ranking that are scored by all features: 30 gave a point less of recall@10 on LoCoMo than 100."""
HITS: Final = 20
"""Hits of a recall that names no `k`."""
MAX_TERMS: Final = 32
"""Distinct terms of a query that are looked up; the rest of a longer one is for the embedding alone."""

_SMALL_TALK: Final = re.compile(
    r"(?:hi|hello|hey|yo|good (?:morning|afternoon|evening|night)|thanks?|thank you|thx|ok(?:ay)?|bye|goodbye|"
    r"see you|"
    r"how are you(?: doing)?|what'?s up|nice|great|cool|lol|yes|no|sure|please)"
    r"(?:[\s,]+(?:there|again|so much|a lot|everyone|all|today))*",
    re.IGNORECASE,
)
_EDGES: Final = " \t\r\n.,!?…~-–—'\"()"  # noqa: RUF001 - the dashes people type
_FIRST_PERSON: Final = re.compile(r"\b(?:I|we|me|my|mine|myself|us|our)\b|\bI['\u2019](?:m|ve|d|ll)\b")
_SECOND_PERSON: Final = re.compile(
    r"\byou\b[^.?!]{0,40}\b(?:told|said|suggested|recommended|mentioned|gave|given|provided|listed|explained|advised)\b"
    r"|\bdid you\b|\bremind me\b|\bour (?:last|previous|earlier) (?:conversation|chat|discussion)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What recall sets out to do for one query."""

    query: str
    terms: tuple[str, ...]
    """Terms to look up, in the order of the query."""
    window: Window | None
    """When the thing asked about happened, where the query gives a date."""
    about_user: bool
    """The asker asks about themselves: what they said counts for more."""
    about_assistant: bool
    """The asker asks what the assistant said."""
    search: bool
    """False where nothing is asked, as in a greeting."""
    channels: frozenset[str]
    """Which are asked."""
    candidates: int
    hits: int
    weights: weights.Weights
    reasons: tuple[str, ...]


def plan(query: str, *, now: datetime, k: int | None = None, channels: frozenset[str] = CHANNELS) -> Plan:
    """Plan a query. `now` is the asker's present, in their time zone."""
    terms = tuple(query_terms(query, MAX_TERMS))
    dates = window(query, now)
    talk = _SMALL_TALK.fullmatch(query.strip(_EDGES)) is not None
    about_user = _FIRST_PERSON.search(query) is not None
    about_assistant = _SECOND_PERSON.search(query) is not None
    return Plan(
        query=query,
        terms=terms,
        window=dates,
        about_user=about_user and not about_assistant,
        about_assistant=about_assistant,
        search=not talk,
        channels=channels,
        candidates=max(CANDIDATES, k or 0),
        hits=k or HITS,
        weights=weights.DEFAULT,
        reasons=tuple(_reasons(terms, dates, talk=talk, user=about_user, assistant=about_assistant)),
    )


def _reasons(terms: tuple[str, ...], dates: Window | None, *, talk: bool, user: bool, assistant: bool) -> list[str]:
    reasons = [f"words: {' '.join(terms)}" if terms else "words: none but stop words, so by meaning alone"]
    if talk:
        return ["small talk: nothing is asked, so nothing is searched"]
    if dates is not None:
        reasons.append(f"when: {dates.start:%Y-%m-%d} until before {dates.end:%Y-%m-%d}, from {dates.matched!r}")
    if assistant:
        reasons.append("who: the assistant, since the query asks what it said")
    elif user:
        reasons.append("who: the asker, since the query is in the first person")
    return reasons
