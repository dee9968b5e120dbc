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
from shared.belief.state import Draft, State
from shared.belief.usefulness import reported
from shared.contract.errors import InvalidInput
from shared.contract.events import STANDING_QUESTION, STANDING_QUESTION_ENDED, Event, EventClass
from shared.contract.records import Claim, EvidenceRef, Forgotten, Link, MemoryVersion, Span
from shared.contract.turns import Use

# Not `asdict`, which copies every value at every level and took ten times as long.
_NAMES: Final = {
    kind: tuple(each.name for each in fields(kind))
    for kind in (MemoryVersion, EvidenceRef, Claim, Forgotten, Span, Link, Use)
}


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


def fold(events: Iterable[Event]) -> State:
    """The state after all events of a stream, from its first, in order of sequence. Audit events have no effect.

    Raises:
        LedgerDamaged: an event cannot follow, or a payload is gone that no FORGET accounts for.
    """
    draft = Draft(State())
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
    forgetting = {span: by for spans in state.suppressed.values() for span, by in spans.items()}
    lines = [
        *(_line("memory", _fields(version)) for versions in state.memories.values() for version in versions),
        *(_line("forgotten", _fields(forgotten)) for forgotten in state.forgotten.values()),
        *(_line("suppressed", {**_fields(span), "by": by}) for span, by in forgetting.items()),
        *(_line("link", _fields(link)) for link in state.links),
        *(_line("use", _fields(use)) for use in state.uses.values()),
        _line("docs", {"docs": state.docs}),
    ]
    digest = hashlib.sha256()
    for number, line in enumerate(sorted(lines)):
        digest.update(f"\n{line}".encode() if number else line.encode())
    return digest.hexdigest()


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
    """Of what was derived nothing is held; the words of a question that stands no more are gone with it."""
    if event.kind == STANDING_QUESTION:
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


def _line(sort: str, row: dict[str, object]) -> str:
    return f"{sort} {json.dumps(row, sort_keys=True, default=_plain)}"


def _fields(record: Any) -> dict[str, object]:
    return {name: getattr(record, name) for name in _NAMES[type(record)]}


def _plain(value: object) -> object:
    if isinstance(value, EvidenceRef | Claim):
        return _fields(value)
    return value.astimezone(UTC).isoformat() if isinstance(value, datetime) else str(value)
