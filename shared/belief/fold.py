"""What the operations of a stream come to: the executable model of memory.

A pure fold of one stream's events, in order, to its memories. The tables are a projection of it: folding a ledger from
nothing gives what was written live, also after payloads were erased. The fold never re-resolves, calls no model, reads
no clock and does not guess: an operation that cannot follow from what came before is damage.

After an erasure some payloads are gone. What they opened is known by id alone and passed over by every operation, until
a FORGET names it; what an operation did to other memories stands.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any, Final

from shared.belief.changes import change, open_entries
from shared.belief.opening import OPENING, damaged, payload_of
from shared.belief.state import Draft, Kept, State
from shared.belief.usefulness import reported
from shared.contract.errors import InvalidInput
from shared.contract.events import REFLECTION_ANSWER, STANDING_QUESTION, STANDING_QUESTION_ENDED, Event, EventClass
from shared.contract.records import Claim, EvidenceRef, Forgotten, Link, MemoryVersion, Span
from shared.contract.turns import Use

# Not `asdict`, which copies every value at every level and took ten times as long.
_NAMES: Final = {
    kind: tuple(each.name for each in fields(kind))
    for kind in (MemoryVersion, EvidenceRef, Claim, Forgotten, Span, Link, Use)
}

_SORTS: Final = {MemoryVersion: "memory", Forgotten: "forgotten", Span: "suppressed", Link: "link", Use: "use"}


def apply(state: State, event: Event) -> State:
    """The state after one more event. Copies: to go through a whole ledger, `fold` it.

    Raises:
        LedgerDamaged: the event cannot follow; `details` has its stream and sequence.
    """
    return apply_all(state, (event,))


def apply_all(state: State, events: Iterable[Event]) -> State:
    """The state after some more events: one copy for all of them.

    Raises:
        LedgerDamaged: as for `apply`.
    """
    draft = Draft(state)
    for event in events:
        _step(draft, event)
    return draft.state()


def fold(events: Iterable[Event], kept: Kept | None = None) -> State:
    """The state after all events of a stream, from its first, in order of sequence. Audit events have no effect.

    With `kept` its memories and evidence are kept there, and the state is good for as long as they are.

    Raises:
        LedgerDamaged: an event cannot follow, or a payload is gone that no FORGET accounts for.
    """
    draft = Draft(State(), kept)
    for event in events:
        _step(draft, event)
    if draft.head and (draft.unexplained or draft.missing):
        gone = sorted(draft.unexplained)
        reason = f"no FORGET accounts for the payloads of {gone} and {len(draft.missing)} memories made from them"
        raise damaged(draft.head, reason)
    return draft.state()


def open_memories(state: State) -> list[MemoryVersion]:
    """The versions we hold now, in order of their documents."""
    latest = (versions[-1] for versions in state.memories.values())
    return sorted((version for version in latest if version.is_open), key=lambda version: version.doc)


def fingerprint(state: State) -> str:
    """SHA-256 (hex) of all that can be seen of a state; equal for equal states, however they came about."""
    return shown(weight_of(state) + sum(map(weight, (each for of in state.memories.values() for each in of))))


def weight_of(state: State) -> int:
    """What all that can be seen of a state but its memories comes to in its fingerprint."""
    return (
        sum(map(weight, state.forgotten.values()))
        + sum(weight(span, by=by) for spans in state.suppressed.values() for span, by in spans.items())
        + sum(map(weight, state.links))
        + sum(map(weight, state.uses.values()))
        + _hashed("docs", {"docs": state.docs})
    )


def weight(record: MemoryVersion | Forgotten | Span | Link | Use, **more: object) -> int:
    """What a record comes to in a fingerprint: a sum of hashes, so that none need be at hand with the others."""
    return _hashed(_SORTS[type(record)], {**_fields(record), **more})


def shown(weights: int) -> str:
    """The fingerprint that weights add up to."""
    return f"{weights % (1 << 256):064x}"


def _step(draft: Draft, event: Event) -> None:
    _check_place(draft.head, event)
    draft.head = event
    if event.payload is None:
        draft.unexplained.add(event.sequence)
    if event.event_class is EventClass.EVIDENCE:
        draft.evidence[event.sequence] = event
        report = reported(event)
        if report:
            draft.outcomes[event.sequence] = report
    elif event.event_class is EventClass.DERIVATION:
        _derive(draft, event)
    elif event.event_class is EventClass.OPERATION:
        try:
            _operate(draft, event)
        except InvalidInput as error:
            raise damaged(event, str(error)) from error


def _derive(draft: Draft, event: Event) -> None:
    """Of what was derived nothing is held; the words of a question that stands no more, and what a model answered to
    it, are gone with it.
    """
    if event.kind in {STANDING_QUESTION, REFLECTION_ANSWER}:
        draft.questions.add(event.sequence)
    elif event.kind == STANDING_QUESTION_ENDED and event.caused_by in draft.questions:
        draft.unexplained.discard(event.caused_by)


def _check_place(last: Event | None, event: Event) -> None:
    if last is None:
        return
    if (event.tenant_id, event.stream) != (last.tenant_id, last.stream):
        raise damaged(event, f"the events before it are of stream {last.stream!r}")
    if event.sequence <= last.sequence or event.recorded_at < last.recorded_at:
        raise damaged(event, f"it does not come after event {last.sequence}")


def _operate(draft: Draft, event: Event) -> None:
    if event.kind in OPENING:
        open_entries(draft, event)
    elif event.payload is None:
        raise damaged(event, f"the payload of a {event.kind} holds no text and is never erased")
    else:
        change(draft, event, payload_of(event))


def _hashed(sort: str, row: dict[str, object]) -> int:
    line = f"{sort} {json.dumps(row, sort_keys=True, default=_plain)}"
    return int.from_bytes(hashlib.sha256(line.encode()).digest(), "big")


def _fields(record: Any) -> dict[str, object]:
    return {name: getattr(record, name) for name in _NAMES[type(record)]}


def _plain(value: object) -> object:
    if isinstance(value, EvidenceRef | Claim):
        return _fields(value)
    return value.astimezone(UTC).isoformat() if isinstance(value, datetime) else str(value)
