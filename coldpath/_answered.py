"""What consolidate's model was asked about and has answered, as two kinds of derivation in the ledger.

One says what was asked about, of whom and at what cost, and holds no words; the other is the answer, which goes when
any of what the model was shown is erased. Whatever is made of an answer is made of what is stored.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from coldpath._model_gates import ModelGate
from shared.belief.concluding import Concluded, concluded
from shared.contract.events import Event
from shared.contract.records import MemoryVersion
from shared.models.answers import ParseFailed, facts_in
from shared.store import ledger
from shared.store.db import Session

CONSOLIDATION: Final = "consolidation"
CONCLUSIONS: Final = "conclusions"
"""The kinds of the two events."""
_SETTLED: Final = frozenset({ModelGate.ASKED.value, ModelGate.GIVEN_UP.value})
"""What a call is noted as that is not to be made again about the same."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """How far a model has seen what one agent holds of an owner."""

    docs: int = 0
    """Up to which memory it has answered, or was given up."""
    tries: int = 0
    """How often it was asked in vain since."""
    asked_at: datetime | None = None


def seen_by_agent(asked: Iterable[Event]) -> dict[str | None, Seen]:
    """How far each agent's memories were seen, by the calls in order; of an agent that is left out, none were.

    What was asked in vain is asked again, until `GIVEN_UP` says that it was the last time.
    """
    found: dict[str | None, Seen] = {}
    for event in asked:
        account = event.payload or {}
        agent = account.get("agent")
        before = found.get(agent, Seen())
        is_done = account.get("status") in _SETTLED
        found[agent] = Seen(
            docs=max(before.docs, int(account.get("docs", 0))) if is_done else before.docs,
            tries=0 if is_done else before.tries + 1,
            asked_at=event.recorded_at,
        )
    return found


def has_more(asked: Sequence[Event], last_doc: int, enough: int) -> bool:
    """Whether there may be enough to ask about, for the memories alone that came since, or by the last call's account.

    A look at the accounts, before anything dearer: some more may wait than it knows of, but no less than `enough`.
    """
    if not asked:
        return last_doc >= enough
    last = asked[-1].payload or {}
    newest = max(int((event.payload or {}).get("docs", 0)) for event in asked)
    return last_doc - newest >= enough or bool(last.get("waiting")) or last.get("status") not in _SETTLED


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
