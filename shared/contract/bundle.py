"""What recall returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from shared.contract.citations import Citations, check_citations, cited
from shared.contract.errors import InvalidInput
from shared.contract.scope import Owner
from shared.contract.turns import TurnId


class Verdict(StrEnum):
    """Whether the bundle answers the query."""

    SUPPORTED = "supported"
    """At least one item bears on it."""
    CONFLICTING = "conflicting"
    """Memories that are held contradict each other on it; the reason says about what."""
    STALE = "stale"
    """The best of the evidence is of the past: it ended, was replaced, or is too old for what it claims."""
    PREMISE_UNSUPPORTED = "premise_unsupported"
    """The query takes something for granted that no memory says."""
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
class Repeat:
    """A hit that says the same as an item, which stands for it."""

    memory_id: UUID
    event_time: datetime | None
    sources: tuple[Source, ...]


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
    until: datetime | None = None
    """When it ended in the world; None where it holds."""
    group: str | None = None
    """What it contradicts other items about: all that is known of a group is in the bundle, or none of it."""
    repeats: tuple[Repeat, ...] = ()
    """Hits that say the same, best first: how often and when else it was said."""

    @property
    def also_at(self) -> tuple[datetime | None, ...]:
        """When else the same was said."""
        return tuple(repeat.event_time for repeat in self.repeats)


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

    turn_id: TurnId
    """The recall's own id, by which `warmpath.outcome` says what came of it; later ones are greater."""
    items: tuple[Item, ...]
    """In the order they are rendered: the profile, then section by section by stream and time."""
    text: str
    """The block to put before the user's words, never into the system role; empty where nothing was found."""
    tokens: int
    """Of `text`, as `counter` counts."""
    counter: str
    verdict: Verdict
    reason: str
    """Of the verdict, in a few words."""
    degraded: tuple[str, ...]
    """Channels and steps that failed or were out of time: the answer may lack what they would have found.

    `database` and `deadline` are of the whole, and `reason` says more. What was not even asked, since it failed time
    and again just before, is named here all the same, and `plan` has a line on it.
    """
    omitted: int
    """Hits that did not fit the budget. One that an item stands for, since it says the same, is none of them."""
    hits: tuple[Hit, ...]
    """All ranked hits, best first, those omitted included."""
    watermarks: tuple[Watermark, ...]
    fresh_runs: int
    """Runs accepted but not yet in the ledger that were searched."""
    timings_ms: Mapping[str, float]
    """Milliseconds by step: plan, search, fuse, expand, assemble, and total.

    `embed` runs beside the plan and the beginning of the search, which does not count what it then has to wait.
    `database` is the part of all that was spent waiting for Postgres, `database_beside_embed` the part of that which
    passed while the query was being embedded.
    """
    plan: tuple[str, ...]
    """What the plan made of the query and why, a line each."""
    conflicts: int = 0
    """Contradictions among the hits: each is in the items as a whole (`Item.group`), or did not fit."""
    covered: int = 0
    """Inferences among the hits that are not shown, since all that they cite is shown in its own words."""
    cached: bool = False
    """It was made for the same question less than a minute before, and nothing that bears on it has changed since."""
    budget_tokens: int | None = None
    """What was asked for, and what every form it is rendered in keeps to; None for no bound."""

    @property
    def summary(self) -> str:
        """What is in it, in a line for people: `6 memories, newest 3 May 2031; 2 more did not fit`."""
        times = [item.event_time for item in self.items if item.event_time is not None]
        count = "no memories" if not self.items else f"{len(self.items)} memor{'y' if len(self.items) == 1 else 'ies'}"
        newest = f", newest {max(times):%-d %b %Y}" if times else ""
        more = f"; {self.omitted} {'more ' if self.items else ''}did not fit" if self.omitted else ""
        without = f"; without {', '.join(self.degraded)}" if self.degraded else ""
        return f"{count}{newest}{more}{without}"

    def check_citations(self, answer: str) -> Citations:
        """What an answer cites of the items, and which of its sentences cite none."""
        return check_citations(answer, {item.ordinal: item.memory_id for item in self.items})

    def memory_ids(self, *citations: str) -> tuple[UUID, ...]:
        """The memories of items by how an answer cites them: `m3`, `[m3]` or `m3~5f0c`, each once, in order.

        Raises:
            InvalidInput: one cites no item of this bundle, or has the beginning of another memory's id.
        """
        by_ordinal = {item.ordinal: item.memory_id for item in self.items}
        found: dict[UUID, None] = {}
        for citation in citations:
            meant = cited(citation)
            memory_id = by_ordinal.get(meant.ordinal) if meant else None
            if meant is None or memory_id is None or not meant.fits(memory_id):
                msg = f"{citation[:40]!r} cites no item of this bundle, which has {len(by_ordinal)}: write it as m1"
                raise InvalidInput(msg, citation=citation)
            found[memory_id] = None
        return tuple(found)
