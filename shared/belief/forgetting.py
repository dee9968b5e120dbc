"""What has to go with a piece of evidence.

A FORGET reaches no further than the memories that rest on its spans, so all of it can be had from a part of a stream:
`part_of` makes a state of them, `forget` or `erasure` plans on it, and `effect` says what the event does to them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from shared.belief.fold import apply
from shared.belief.opening import payload_of
from shared.belief.state import State, Versions, founding
from shared.contract.events import Event, EventClass
from shared.contract.operations import ForgetPayload, written
from shared.contract.records import MemoryVersion, Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What a FORGET does to the memories that rest on its spans, in order of their documents; to others, nothing."""

    forgotten: tuple[UUID, ...]
    """Those of which nothing is left: all their versions go, and all links to and from them."""
    revised: tuple[tuple[MemoryVersion, MemoryVersion], ...]
    """Of each that was open and lost a confirmation: the version that was open, now closed, and the one after it."""


def forget(state: State, spans: Sequence[Span], *, reason: str, erased: Sequence[int] = ()) -> ForgetPayload:
    """The FORGET by which nothing rests on `spans`: it closes every memory, open or not, whose text was made from them.

    `erased` are the events whose payloads go in the same transaction; see `erasure`.
    """
    probe = State(suppressed=_by_sequence(spans))
    hit = (versions for versions in state.memories.values() if any(map(probe.suppresses, founding(versions))))
    closes = tuple(versions[0].memory_id for versions in sorted(hit, key=lambda versions: versions[0].doc))
    return ForgetPayload(reason=reason, spans=tuple(spans), closes=closes, erased=tuple(erased))


def erasure(state: State, events: Iterable[Event], evidence: Iterable[int], *, reason: str) -> ForgetPayload:
    """The FORGET that goes with erasing whole evidence events of a stream.

    `events` are the stream's operation events at least. Append the result, then remove the payloads of all events it
    calls `erased`, in one transaction. What the evidence had ended or absorbed stays so: resolve the touched claims
    anew from what survives, and append that (REOPEN, ADD) in the same transaction.
    """
    sequences = sorted(set(evidence))
    spans = [Span(sequence=sequence) for sequence in sequences]
    return forget(state, spans, reason=reason, erased=[*sequences, *written_from(events, sequences)])


def written_from(events: Iterable[Event], evidence: Iterable[int]) -> list[int]:
    """The sequences of the operation events that hold a text made from any of the evidence, closed or forgotten too."""
    sequences = set(evidence)
    return [event.sequence for event in events if not sequences.isdisjoint(_founding_sequences(event))]


def part_of(versions: Iterable[MemoryVersion], evidence: Iterable[Event]) -> State:
    """As much of a stream's state as one FORGET of some spans needs; no other operation can follow on it.

    `versions` are all versions, in any order, of all memories of which any version rests on evidence that overlaps the
    spans, whether its text was made from it or only confirmed by it. More memories do no harm. `evidence` are the
    events that the spans are of; whether they have payloads does not matter.
    """
    memories: dict[UUID, Versions] = {}
    for version in sorted(versions, key=lambda version: (version.doc, version.version)):
        memories[version.memory_id] = (*memories.get(version.memory_id, ()), version)
    return State(memories=memories, evidence={event.sequence: event for event in evidence})


def effect(part: State, event: Event) -> Effect:
    """What a FORGET event does to a part of a stream, which is as `part_of` makes it; the same as to the whole.

    Raises:
        LedgerDamaged: the event cannot follow, or the part lacks what the event names.
    """
    after = apply(part, event).memories
    revised = (versions[-2:] for memory, versions in after.items() if len(versions) > len(part.memories[memory]))
    return Effect(
        forgotten=tuple(memory for memory in part.memories if memory not in after),
        revised=tuple((closed, opened) for closed, opened in revised),
    )


def without_payloads(events: Iterable[Event], erased: Iterable[int]) -> list[Event]:
    """The ledger once the payloads of `erased` are gone."""
    gone = set(erased)
    return [replace(event, payload=None) if event.sequence in gone else event for event in events]


def _founding_sequences(event: Event) -> set[int]:
    if event.event_class is not EventClass.OPERATION or event.payload is None:
        return set()
    return {ref.sequence for entry in written(payload_of(event)) for ref in entry.evidence}


def _by_sequence(spans: Iterable[Span]) -> dict[int, dict[Span, int]]:
    found: dict[int, dict[Span, int]] = {}
    for span in spans:
        found.setdefault(span.sequence, {})[span] = 0
    return found
