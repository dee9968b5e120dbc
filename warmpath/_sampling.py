"""The check of readings as it is scheduled: some of a tenant's each night, and in time all of them.

It goes round through the tenant's streams, reading by reading. What was not alike is read anew first, by each pass
until it is alike, or was read by other rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from shared.contract.errors import ReadingsDiffer
from shared.contract.scope import stream_of
from shared.log import logger
from shared.store import streams
from shared.store.streams import Placed
from shared.work.passes import Job
from shared.work.rounds import SEEN, note, places_again
from warmpath._rereading import Stored, reread, stored_readings
from warmpath._work import Services

_LOG: Final = logger(__name__)
LONGEST_SAMPLED: Final = 500
"""Lines of a reading that a sample reads anew, in some seconds: runs that have just ended wait for that."""
_MOST_STREAMS: Final = 1_000
"""Streams that a pass goes through, most of which may have no reading."""
_PASSED_OVER: Final = 10
"""Readings that a pass looks at, for each that it is to read anew."""
_END: Final = 2**62
"""Behind all that is in a stream."""
_COMPARED, _LOOKED_AT = "compared", "looked_at"


def check_sample(services: Services, size: int, job: Job) -> bool:
    """Read anew what was not alike, and the next `size` readings on the round through a tenant's streams.

    False if there was time for some of them only. Those by others than the rules of now are passed over, so many of
    them; those of more than `LONGEST_SAMPLED` lines are left to `daybook rederive --check`. Writes nothing.

    Raises:
        ReadingsDiffer: a reading does not come to what is stored of it.
        LeaseLost: the job's pass is somebody else's by now.
    """
    if not (_look_again(services, job) and _look_on(services, size, job)):
        return False
    unlike = len(job.round.again)
    job.count(unlike=unlike)
    if unlike:
        many = "a reading does" if unlike == 1 else f"{unlike} readings do"
        where = f"`daybook rederive --check --tenant {job.held.tenant_id}` says where"
        raise ReadingsDiffer(f"{many} not come to what is stored under the same version of the rules: {where}")
    return True


def _look_again(services: Services, job: Job) -> bool:
    """Look at what was not alike; whether there was time for all of it."""
    for place, sequence in places_again(job):
        if _is_over(job):
            return False
        found: list[Stored] = []
        for stream in streams.at_places(services.database, job.held.tenant_id, [place]):
            whose = job.held.tenant_id, stream.owner
            found = stored_readings(services, *whose, after=sequence - 1, limit=1, longest=LONGEST_SAMPLED)
            if found and found[0].account.sequence == sequence:
                _look(services, stream, found[0], job)
        if not found or found[0].account.sequence != sequence:
            note(job, place, sequence, differs=False)
    return True


def _look_on(services: Services, size: int, job: Job) -> bool:
    """Go on behind what was looked at last; whether the pass has looked at what it is to."""
    for stream, behind in _next(services, job):
        if _is_over(job):
            return False
        for each in _readings(services, job.held.tenant_id, stream, behind, size):
            if not _wants_more(job, size):
                return True
            if _is_over(job):
                return False
            _look(services, stream, each, job)
            job.round = replace(job.round, behind=(stream.place, each.account.sequence))
            job.progress(job.counts.get(_COMPARED, 0), size)
        job.round = replace(job.round, behind=(stream.place, _END))
        job.count(**{SEEN: 1})
    return True


def _is_over(job: Job) -> bool:
    return job.time_is_up


def _readings(services: Services, tenant_id: str, stream: Placed, behind: int, size: int) -> Iterator[Stored]:
    """A stream's readings behind an event, read in portions as they are asked for."""
    after = behind
    while portion := stored_readings(
        services, tenant_id, stream.owner, after=after, limit=size, longest=LONGEST_SAMPLED
    ):
        yield from portion
        after = portion[-1].account.sequence


def _next(services: Services, job: Job) -> Iterator[tuple[Placed, int]]:
    """The streams to look at, each with the event to go on behind: the one that was not finished, then the others."""
    place, behind = job.round.behind or (None, _END)
    whose = services.database, job.held.tenant_id
    if place is not None and behind < _END:
        yield from ((stream, behind) for stream in streams.at_places(*whose, [place]))
    for stream in streams.on_round(*whose, behind=place, limit=_MOST_STREAMS - job.counts.get(SEEN, 0)):
        if stream.place != place or behind == _END:
            yield stream, 0


def _wants_more(job: Job, size: int) -> bool:
    return job.counts.get(_COMPARED, 0) < size and job.counts.get(_LOOKED_AT, 0) < _PASSED_OVER * size


def _look(services: Services, stream: Placed, each: Stored, job: Job) -> None:
    found = reread(services, stream.owner, each, longest=LONGEST_SAMPLED)
    note(job, stream.place, each.account.sequence, differs=bool(found.unlike))
    job.count(**{_LOOKED_AT: 1, _COMPARED: found.compared}, older=found.older, left_out=found.left_out)
    for one in found.unlike:
        where = stream_of(one.owner), one.reading, one.run_id, len(one.parts)
        _LOG.error("rederive tenant=%s stream=%s sequence=%d run=%s parts=%d", job.held.tenant_id, *where)
