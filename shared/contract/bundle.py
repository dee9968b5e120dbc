"""What recall returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from shared.contract.scope import Owner


class Verdict(StrEnum):
    """Whether the bundle answers the query."""

    SUPPORTED = "supported"
    """At least one item bears on it."""
    UNKNOWN = "unknown"
    """Nothing found bears on it, or nothing could be asked; the reason says which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """An evidence event that an item rests on, by the ids its writer knows."""

    run_id: str | None
    message_id: str | None
    stream: str
    sequence: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One memory of a bundle."""

    ordinal: int
    """What an answer cites it by: `[m<ordinal>]`."""
    memory_id: UUID
    text: str
    kind: str
    epistemic_type: str
    speaker: str | None
    role: str | None
    origin: str
    trust: int
    event_time: datetime | None
    """World time; None where it is not known."""
    session_id: str | None
    sources: tuple[Source, ...]
    score: float
    """Of the hit, 0 to 1; an item that is there as a hit's neighbour has the hit's, less its distance."""
    rank: int | None
    """Place among the hits, from 1; None for a neighbour."""
    fresh: bool = False
    """It is still on its way into the ledger: found by words alone."""
    scores: Mapping[str, float] = field(default_factory=dict)
    """With `explain`: the raw value of each channel and feature, and what it gave to the score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One ranked memory, before expansion and budget: what retrieval is measured on."""

    memory_id: UUID
    score: float
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Watermark:
    """Up to where what was searched had been built, for one stream."""

    owner: Owner
    last_sequence: int
    recorded_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """Evidence for one query, ready for a prompt."""

    items: tuple[Item, ...]
    """In the order they are rendered: by session and time."""
    text: str
    """The block to put before the user's words, never into the system role; empty where nothing was found."""
    tokens: int
    """Of `text`, as `counter` counts."""
    counter: str
    verdict: Verdict
    reason: str
    """Of the verdict, in a few words."""
    degraded: tuple[str, ...]
    """Channels and steps that failed or were out of time: the answer may lack what they would have found."""
    omitted: int
    """Hits that did not fit the budget."""
    hits: tuple[Hit, ...]
    """All ranked hits, best first, those omitted included."""
    watermarks: tuple[Watermark, ...]
    fresh_runs: int
    """Runs accepted but not yet in the ledger that were searched."""
    timings_ms: Mapping[str, float]
    """Milliseconds by step: plan, search, fuse, expand, assemble, and total.

    `embed` runs beside the beginning of the search, which does not count what it then has to wait. `database` is the
    part of all that was spent waiting for Postgres, `database_beside_embed` the part of that which passed while the
    query was being embedded.
    """
    plan: tuple[str, ...]
    """What the plan made of the query and why, a line each."""
