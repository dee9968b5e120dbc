"""Which memories turn out to be of use: what the outcomes in a stream come to. Pure."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping
from typing import Any, Final
from uuid import UUID

from shared.belief.opening import damaged
from shared.contract.events import OUTCOME, Event, EventClass
from shared.contract.turns import TurnOutcome, Use

Z: Final = 1.96
"""Standard deviations to either side that leave out 5 %."""
_PLACES: Final = 12
"""Of a bound: what is left of rounding is behind them, so that all of any number is 1."""


def as_payload(outcome: TurnOutcome) -> dict[str, Any]:
    """An outcome as an event holds it: ids, and what is true; `reported` reads it back."""
    return {
        "turn_id": str(outcome.turn_id),
        **{name: [str(each) for each in ids] for name, ids in _named(outcome).items() if ids},
        **{name: True for name in ("corrected", "abstained") if getattr(outcome, name)},
    }


def reported(event: Event) -> TurnOutcome | None:
    """The outcome that an event reports; None where it is no such event or its content is erased.

    Raises:
        LedgerDamaged: the payload is no outcome.
    """
    if event.event_class is not EventClass.EVIDENCE or event.kind != OUTCOME or event.payload is None:
        return None
    held = event.payload
    try:
        return TurnOutcome(
            turn_id=UUID(str(held["turn_id"])),
            used=tuple(UUID(str(each)) for each in held.get("used", ())),
            misled=tuple(UUID(str(each)) for each in held.get("misled", ())),
            corrected=bool(held.get("corrected", False)),
            abstained=bool(held.get("abstained", False)),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise damaged(event, f"its payload is no outcome: {type(error).__name__}") from error


def usefulness(outcomes: Iterable[TurnOutcome], docs: Mapping[UUID, int]) -> dict[UUID, Use]:
    """What outcomes, in order, come to for each memory that is held.

    `docs` gives the numbers of the memories held; what others were said of is passed over. What is said last of a
    memory in a turn stands, so a turn counts once for it however often it is reported.
    """
    found: dict[UUID, list[str]] = {}
    for (_, memory), said in last_said(outcomes, docs).items():
        found.setdefault(memory, []).append(said)
    return {
        memory: Use(memory_id=memory, doc=docs[memory], used=said.count("used"), misled=said.count("misled"))
        for memory, said in found.items()
    }


def last_said(outcomes: Iterable[TurnOutcome], memories: Container[UUID]) -> dict[tuple[UUID, UUID], str]:
    """By turn and memory, of the memories given, what outcomes, in order, said of it last: `used` or `misled`."""
    last: dict[tuple[UUID, UUID], str] = {}
    for each in outcomes:
        for name, ids in _named(each).items():
            last |= {(each.turn_id, memory): name for memory in ids if memory in memories}
    return last


def least_share(used: int, misled: int) -> float:
    """How large the share of use is at least, by what was reported: 0 where nothing was.

    The lower bound of Wilson's score interval at 95 % (E. B. Wilson, 1927, J. Am. Stat. Assoc. 22, 209-212), with the
    z of `Z`: 1 of 1 is at least .21, 4 of 4 .51, 40 of 40 .91. The plain share would call one report certain.
    """
    return _bound(used, misled, -1.0)


def most_share(used: int, misled: int) -> float:
    """How large it is at most, the upper bound of the same interval: 1 where nothing was reported."""
    return _bound(used, misled, 1.0)


def _bound(used: int, misled: int, sign: float) -> float:
    count = used + misled
    if not count:
        return max(0.0, sign)
    share, spread = used / count, Z * Z / count
    middle = share + spread / 2
    width = Z * math.sqrt(share * (1 - share) / count + spread / (4 * count))
    return round((middle + sign * width) / (1 + spread), _PLACES)


def _named(outcome: TurnOutcome) -> dict[str, tuple[UUID, ...]]:
    return {"used": outcome.used, "misled": outcome.misled}
