"""What consolidate's model was asked about and has answered, as two kinds of derivation in the ledger.

One says what was asked about, of whom and at what cost, and holds no words; the other is the answer, which goes when
any of what the model was shown is erased. Whatever is made of an answer is made of what is stored.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from shared.belief.concluding import Concluded, concluded
from shared.contract.events import Event
from shared.contract.records import MemoryVersion
from shared.models.answers import ParseFailed, facts_in
from shared.store import ledger
from shared.store.db import Session

CONSOLIDATION: Final = "consolidation"
CONCLUSIONS: Final = "conclusions"
"""The kinds of the two events."""


def concluded_by_model(
    session: Session,
    after: int,
    held: Mapping[UUID, MemoryVersion],
    beliefs: Collection[MemoryVersion],
    drawn: Iterable[Collection[UUID]],
) -> Concluded:
    """What the answers come to that were stored behind a sequence, on what is held by now."""
    accounts = {event.sequence: event for event in asked_about(session)}
    answers = [
        event for event in ledger.derived(session, CONCLUSIONS, None) if event.sequence > after and event.payload
    ]
    found = Concluded()
    grounds = [*drawn]
    for event in answers:
        asked = accounts.get(event.caused_by or 0)
        entries = entries_in((event.payload or {}).get("answer", ""))
        if asked is None or entries is None:
            continue
        each = concluded(entries, _as_held(asked, held), beliefs, grounds)
        grounds += [proposal.read.keys() for proposal in each.proposals]
        found = Concluded(
            proposals=(*found.proposals, *each.proposals),
            questions=(*found.questions, *each.questions),
            rejected=found.rejected + each.rejected,
        )
    return found


def quoting(session: Session, evidence: Collection[int]) -> list[int]:
    """The stored answers, by sequence, that may quote some evidence: what they were shown rests on it."""
    shown = {
        each.sequence
        for each in asked_about(session)
        if not set((each.payload or {}).get("evidence", ())).isdisjoint(evidence)
    }
    answers = ledger.derived(session, CONCLUSIONS, None) if shown else []
    return [event.sequence for event in answers if event.caused_by in shown and event.payload is not None]


def asked_about(session: Session) -> list[Event]:
    """What a model was asked about in the owner's stream, call by call, in order."""
    return [event for event in ledger.derived(session, CONSOLIDATION, None) if event.payload is not None]


def docs_of(asked: Sequence[Event]) -> int:
    """Up to which memory of the owner it was asked about."""
    return max((int((event.payload or {}).get("docs", 0)) for event in asked), default=0)


def _as_held(asked: Event, held: Mapping[UUID, MemoryVersion]) -> list[MemoryVersion | None]:
    shown = ((UUID(memory), version) for memory, version in (asked.payload or {}).get("shown", ()))
    found = ((held.get(memory), version) for memory, version in shown)
    return [each if each is not None and each.version == version else None for each, version in found]


def entries_in(text: str, *, cut_off: bool = False) -> list[Any] | None:
    """The entries of an answer, unchecked; None where it is none."""
    try:
        return facts_in(text, cut_off=cut_off)
    except ParseFailed:
        return None
