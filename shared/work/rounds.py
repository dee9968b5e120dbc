"""Checks that go round: each pass looks at some streams, and in time all have been looked at.

What was not as it must be is looked at first by the next pass, and by each until it is mended: a check that found
something fails until then, however much there is besides.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from shared import metrics
from shared.store import streams

if TYPE_CHECKING:
    from shared.store.db import Database
    from shared.store.streams import Placed
    from shared.work.passes import Job

SEEN: Final = "streams"
"""By which a pass counts the streams that the round has come by."""
MOST_AGAIN: Final = 100
"""Places that are looked at first; where more is wrong than that, the round comes by the others."""


def next_streams(database: Database, job: Job, size: int) -> Iterator[Placed]:
    """The streams that a pass over all tenants is to look at: what was not well, then the next `size` on the round.

    A pass that goes on has of those what it has not had. A stream counts as looked at when the next one is asked for.
    """
    seen = job.counts.get(SEEN, 0)
    first = [] if seen else streams.at_places(database, None, [place for place, *_ in job.round.again])
    if not seen:
        there = {each.place for each in first}
        job.round = replace(job.round, again=tuple(each for each in job.round.again if each[0] in there))
    yield from first
    behind = job.round.behind[0] if job.round.behind else None
    for each in streams.on_round(database, None, behind=behind, limit=size - seen) if size > seen else ():
        if each not in first:
            yield each
        job.round = replace(job.round, behind=(each.place,))
        job.count(**{SEEN: 1})


def note(job: Job, *place: int, differs: bool) -> None:
    """Note whether something was as it must be at a place."""
    others = tuple(each for each in job.round.again if each != place)
    again = (*others, place) if differs and len(others) < MOST_AGAIN else others
    job.round = replace(job.round, again=again)
    if differs:
        metrics.DIFFERENCES.labels(check=job.held.name).inc()
