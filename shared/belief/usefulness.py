"""Which memories turn out to be of use: what the outcomes in a stream come to. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from shared.belief.opening import damaged
from shared.contract.events import OUTCOME, Event, EventClass
from shared.contract.turns import TurnOutcome, Use


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
    last: dict[tuple[UUID, UUID], str] = {}
    for each in outcomes:
        for name, ids in _named(each).items():
            last |= {(each.turn_id, memory): name for memory in ids if memory in docs}
    found: dict[UUID, list[str]] = {}
    for (_, memory), said in last.items():
        found.setdefault(memory, []).append(said)
    return {
        memory: Use(memory_id=memory, doc=docs[memory], used=said.count("used"), misled=said.count("misled"))
        for memory, said in found.items()
    }


def _named(outcome: TurnOutcome) -> dict[str, tuple[UUID, ...]]:
    return {"used": outcome.used, "misled": outcome.misled}
