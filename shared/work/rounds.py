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
_TO_SEE_AGAIN: Final = "to_see_again"
"""By which a pass counts the places that it has still to look at again."""
MOST_AGAIN: Final = 100
"""Places that are looked at first; where more is wrong than that, the round comes by the others."""


def next_streams(database: Database, job: Job, size: int) -> Iterator[Placed]:
    """The streams that a pass over all tenants is to look at: what was not well, then the next `size` on the round.

    A pass that goes on has of those what it has not had. A stream counts as looked at when the next one is asked for.
    """
    for place in places_again(job):
        found = streams.at_places(database, None, place[:1])
        if not found:
            note(job, *place, differs=False)
        yield from found
    behind, left = job.round.behind[0] if job.round.behind else None, size - job.counts.get(SEEN, 0)
    for each in streams.on_round(database, None, behind=behind, limit=left) if left > 0 else ():
        yield each
        job.round = replace(job.round, behind=(each.place,))
        job.count(**{SEEN: 1})


def places_again(job: Job) -> Iterator[tuple[int, ...]]:
    """The places where something was not well, each once a pass; `note` says how it is there now."""
    job.counts.setdefault(_TO_SEE_AGAIN, len(job.round.again))
    while job.counts[_TO_SEE_AGAIN] > 0:
        yield job.round.again[0]
        job.count(**{_TO_SEE_AGAIN: -1})


def note(job: Job, *place: int, differs: bool) -> None:
    """Note whether something was as it must be at a place."""
    others = tuple(each for each in job.round.again if each != place)
    again = (*others, place) if differs and len(others) < MOST_AGAIN else others
    job.round = replace(job.round, again=again)
    if differs:
        metrics.DIFFERENCES.labels(check=job.held.name).inc()
