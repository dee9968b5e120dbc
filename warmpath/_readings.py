"""Which lines of a stream were read, and which of its readings have taken the place of others.

A reading that `rederive` prepares counts for nothing, and its lines for unread, until it is switched to. Each switch
notes what it replaced, so that the last one can be undone, and the one before it after that.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from shared.contract.candidates import EXTRACTION
from shared.contract.events import Event, EventClass, Json, NewEvent
from shared.store import ledger
from shared.store.db import Session

REDERIVATION: Final = "rederivation"
"""The kind of derivation that says that readings have changed places."""
SWITCH, BACK, DISCARD = "switch", "back", "discard"


@dataclass(frozen=True, slots=True, kw_only=True)
class Swap:
    """Readings that took the place of others, or are to."""

    lines: frozenset[int]
    """What was read anew, by sequence."""
    replaced: Sequence[int] = ()
    """Candidates that counted before, by sequence."""
    dropped: Sequence[int] = ()
    """Candidates that waited, or on which nothing was decided yet."""
    brought: Sequence[int] = ()
    """Candidates of the new readings."""

    def marker(self, step: str) -> NewEvent:
        """The event that says that this was done, or undone."""
        payload: Json = {
            "step": step,
            "lines": sorted(self.lines),
            "replaced": list(self.replaced),
            "dropped": list(self.dropped),
            "brought": list(self.brought),
        }
        return NewEvent(event_class=EventClass.DERIVATION, kind=REDERIVATION, payload=payload)


def lines_read(session: Session, run_ids: Collection[str]) -> set[int]:
    """The messages of some runs that were read: a run may be delivered again with more in it."""
    readings = ledger.derived(session, EXTRACTION, run_ids)
    read = set(_lines(event for event in readings if not _is_prepared(event)))
    anew = set(_lines(event for event in readings if _is_prepared(event))) - read
    if anew:
        read |= anew & {line for swap in swaps(session) for line in swap.lines}
    return read


def lines_prepared(session: Session) -> frozenset[int]:
    """The messages that were read anew and not switched to yet, or no more."""
    markers = _markers(session)
    last = markers[-1] if markers else None
    undone = _swap(last).lines if last is not None and _step(last) == BACK else frozenset[int]()
    since = last.sequence if last is not None else 0
    readings = ledger.derived(session, EXTRACTION, None)
    return undone | frozenset(_lines(event for event in readings if event.sequence > since and _is_prepared(event)))


def swaps(session: Session) -> list[Swap]:
    """The switches that stand, the last one last."""
    standing: list[Swap] = []
    for marker in _markers(session):
        if _step(marker) == SWITCH:
            standing.append(_swap(marker))
        elif _step(marker) == BACK and standing:
            standing.pop()
    return standing


def has_given_way(session: Session, reading: Event) -> bool:
    """Whether every line of a reading was read anew since, and switched to by a switch that stands.

    A reading that was prepared gives way to what was switched to after it was itself.
    """
    markers = [marker for marker in _markers(session) if marker.sequence > reading.sequence]
    since = markers[1:] if _is_prepared(reading) else markers
    standing: list[frozenset[int]] = []
    for marker in since:
        if _step(marker) == SWITCH:
            standing.append(_swap(marker).lines)
        elif _step(marker) == BACK and standing:
            standing.pop()
    return bool(standing) and frozenset(_lines([reading])) <= frozenset().union(*standing)


def _markers(session: Session) -> list[Event]:
    return ledger.derived(session, REDERIVATION, None)


def _step(marker: Event) -> str:
    return str((marker.payload or {}).get("step", ""))


def _swap(marker: Event) -> Swap:
    noted = marker.payload or {}
    return Swap(
        lines=frozenset(noted.get("lines", ())),
        replaced=noted.get("replaced", ()),
        dropped=noted.get("dropped", ()),
        brought=noted.get("brought", ()),
    )


def _lines(readings: Iterable[Event]) -> Iterable[int]:
    return (line for event in readings if event.payload for line in event.payload["lines"])


def _is_prepared(reading: Event) -> bool:
    return bool(reading.payload and reading.payload.get("prepared"))
