"""What is asked of the views."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from hotpath._embed import Embedded
from hotpath._plan import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A query and what is asked of it."""

    plan: Plan
    embedded: Callable[[], Embedded]
    """Gives the query's vector; waits for it."""
    as_of: datetime | None
    known_at: datetime | None

    @property
    def of_the_past(self) -> bool:
        """Whether it is asked what was so, or known, at another time: then nothing tells old from new."""
        return self.as_of is not None or self.known_at is not None

    @property
    def searches_cold(self) -> bool:
        """Whether the cold tier is searched: by date where a time is asked about, by all where one is given."""
        return self.of_the_past or "temporal" in self.plan.channels
