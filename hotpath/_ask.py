"""What is asked of recall, checked at the door, and how far it has come against its deadline."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from hotpath import recipes
from shared import clock
from shared.contract.errors import InvalidQuery
from shared.contract.instants import checked_instant, shown
from shared.contract.scope import Scope, checked_scope
from shared.contract.turns import RANDOM_BYTES, TurnId, turn_id
from shared.language.text import normalise
from shared.store.waiting import Spent

MOST_HITS: Final = 1_000
MOST_TOKENS: Final = 10_000_000
LONGEST_DEADLINE_MS: Final = 3_600_000

BUDGET_TOKENS: Final = 1_500
"""Where nobody says, and not even the settings can be read."""

_LEAST_MS = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A query whose arguments fit."""

    scope: Scope
    query: str
    budget_tokens: int | None
    """None: as is set up, or more where the tenant needs it."""
    deadline_ms: int | None
    as_of: datetime | None
    known_at: datetime | None
    k: int | None
    recipe: recipes.Recipe
    explain: bool

    @property
    def is_about_now(self) -> bool:
        """Whether it asks for what is so and known now."""
        return self.as_of is None and self.known_at is None


def _new_turn_id() -> TurnId:
    return turn_id(clock.now(), secrets.token_bytes(RANDOM_BYTES))


@dataclass(slots=True, kw_only=True)
class Progress:
    """Time spent and time left."""

    deadline_ms: int
    budget_tokens: int = BUDGET_TOKENS
    """What the rendered text may take."""
    turn_id: TurnId = field(default_factory=_new_turn_id)
    started_s: float = field(default_factory=clock.monotonic_s)
    timings_ms: dict[str, float] = field(default_factory=dict)
    database: Spent = field(default_factory=Spent)
    """Of all steps, the time that was spent waiting for Postgres."""
    database_beside_embed_s: float = 0.0
    """Of that, what passed while the query was being embedded."""
    waited_s: float = 0.0
    """How long the search had to wait for the query's vector."""
    failed: list[str] = field(default_factory=list)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Time a step."""
        began = clock.monotonic_s()
        try:
            yield
        finally:
            self.timings_ms[name] = (clock.monotonic_s() - began) * 1000

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Count a wait for the query's vector."""
        began = clock.monotonic_s()
        try:
            yield
        finally:
            self.waited_s += clock.monotonic_s() - began

    def left_ms(self) -> int:
        """Milliseconds to the deadline, at least 1: a server reads 0 as no limit."""
        return max(_LEAST_MS, round(self.deadline_ms - self.total_ms()))

    def total_ms(self) -> float:
        """Milliseconds since the start."""
        return (clock.monotonic_s() - self.started_s) * 1000


def checked(
    scope: object,
    query: object,
    *,
    budget_tokens: object,
    deadline_ms: object,
    as_of: object,
    known_at: object,
    k: object,
    recipe: object,
    explain: object,
) -> Ask:
    """Check the arguments of a recall.

    Raises:
        InvalidScope, InvalidQuery: one does not fit; nothing has been asked.
    """
    whose = checked_scope(scope)
    if not isinstance(query, str):
        raise InvalidQuery(f"the query must be a string, not {type(query).__name__}")
    cleaned, _ = normalise(query)
    if not cleaned.strip():
        raise InvalidQuery("the query is blank; ask something")
    if not isinstance(explain, bool):
        raise InvalidQuery(f"explain must be True or False, not {shown(explain)}")
    return Ask(
        scope=whose,
        query=cleaned,
        budget_tokens=None if budget_tokens is None else _whole("budget_tokens", budget_tokens, 0, MOST_TOKENS),
        deadline_ms=None if deadline_ms is None else _whole("deadline_ms", deadline_ms, 1, LONGEST_DEADLINE_MS),
        as_of=checked_instant("as_of", as_of),
        known_at=checked_instant("known_at", known_at),
        k=None if k is None else _whole("k", k, 1, MOST_HITS),
        recipe=recipes.recipe(recipe),
        explain=explain,
    )


def _whole(name: str, value: object, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InvalidQuery(f"{name} must be a whole number from {least:,} to {most:,}, not {shown(value)}")
    return value
