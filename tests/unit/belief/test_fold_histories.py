"""The law of the fold: any history gives live = replay, also after erasing any part of its evidence.

A machine writes histories of valid operations, drawn at random, and keeps beside them a plain account of its own of
what is open, ended and forgotten. After every step the ledger is folded from nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from uuid import UUID

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from shared.belief.fold import fingerprint, fold, open_memories
from shared.belief.forgetting import erasure, forget, without_payloads
from shared.contract.errors import LedgerDamaged
from shared.contract.events import EventClass
from shared.contract.operations import (
    AbstractPayload,
    ClosePayload,
    CorroboratePayload,
    EndPayload,
    LinkPayload,
    MergePayload,
    ReopenPayload,
    StandingPayload,
    SupersedePayload,
)
from shared.contract.records import EvidenceRef, Kind, MemoryVersion, Operation, Span
from shared.contract.trust import Origin
from tests.unit.belief.ledgers import Ledger, at, belief

DAYS = st.integers(0, 9)
Characters = set[tuple[int, int]]
"""Single characters of the evidence: (sequence, position)."""
TEXT_CHARS = len("secret001 was said, and secret001 again")
ORIGINS = st.sampled_from([Origin.USER, Origin.TOOL, Origin.WEB])


def characters(span: Span) -> Characters:
    """The characters that a span covers."""
    start, end = (0, TEXT_CHARS) if span.start is None or span.end is None else (span.start, span.end)
    return {(span.sequence, position) for position in range(start, end)}


class Histories(RuleBasedStateMachine):
    """Random valid histories of one stream."""

    def __init__(self) -> None:
        super().__init__()
        self.ledger = Ledger()
        self.texts: dict[int, str] = {}
        """Marker of each evidence event; it stands in every text made from it."""
        self.open: set[UUID] = set()
        self.closed: set[UUID] = set()
        self.forgotten: set[UUID] = set()
        self.ends: dict[UUID, int] = {}
        self.founding: dict[UUID, Characters] = {}
        self.erased: set[int] = set()
        self.suppressed: Characters = set()

    # What the rules choose from.

    def usable(self) -> list[int]:
        return sorted(self.texts.keys() - {sequence for sequence, _ in self.suppressed})

    def pick(self, data: st.DataObject, ids: set[UUID]) -> UUID:
        return data.draw(st.sampled_from(sorted(ids)))

    def evidence(self, data: st.DataObject, most: int = 2) -> list[int]:
        return data.draw(st.lists(st.sampled_from(self.usable()), min_size=1, max_size=most, unique=True))

    def version(self, memory: UUID) -> MemoryVersion:
        return self.ledger.state.memories[memory][-1]

    def note_open(self, memory: UUID, founding: Iterable[EvidenceRef]) -> None:
        self.open.add(memory)
        self.founding[memory] = {each for ref in founding for each in characters(ref.span)}

    def note_closed(self, memory: UUID) -> None:
        self.open.remove(memory)
        self.closed.add(memory)

    # Evidence and what is made of it.

    @initialize(count=st.integers(1, 3))
    def begin(self, count: int) -> None:
        self.hear(count, 0, Origin.USER)

    @rule(count=st.integers(1, 3), day=DAYS, origin=ORIGINS)
    def hear(self, count: int, day: int, origin: Origin) -> None:
        sequences = []
        for _ in range(count):
            marker = f"secret{len(self.texts) + 1:03}"
            sequences.append(self.ledger.hear(f"{marker} was said, and {marker} again", day=day, origin=origin))
            self.texts[sequences[-1]] = marker
        for memory, sequence in zip(self.ledger.open_episodes(*sequences), sequences, strict=True):
            self.note_open(memory, [EvidenceRef(sequence=sequence)])

    @precondition(lambda self: self.texts.keys() - self.erased)
    @rule(data=st.data(), start=st.integers(0, 30))
    def open_a_stretch(self, data: st.DataObject, start: int) -> None:
        sequence = data.draw(st.sampled_from(sorted(self.texts.keys() - self.erased)))
        ref = EvidenceRef(sequence=sequence, start=start, end=start + 9)
        if self.suppressed.isdisjoint(characters(ref.span)):
            self.note_open(self.ledger.open_stretch(ref), [ref])
            return
        with pytest.raises(LedgerDamaged):
            self.ledger.open_stretch(ref)

    def text_from(self, sequences: list[int]) -> str:
        return "made from " + " and ".join(self.texts[sequence] for sequence in sequences)

    @precondition(lambda self: self.usable())
    @rule(data=st.data(), confidence=st.floats(0.1, 0.9))
    def believe(self, data: st.DataObject, confidence: float) -> None:
        sequences = self.evidence(data)
        entry = belief(*sequences, text=self.text_from(sequences), confidence=confidence)
        self.note_open(self.ledger.believe(entry), entry.evidence)

    @precondition(lambda self: len(self.open) > 1)
    @rule(data=st.data())
    def abstract(self, data: st.DataObject) -> None:
        sources = data.draw(st.lists(st.sampled_from(sorted(self.open)), min_size=2, max_size=3, unique=True))
        refs = list({ref.span: ref for memory in sources for ref in self.version(memory).evidence}.values())
        sequences = sorted({ref.sequence for ref in refs})
        entry = belief(*refs, text=self.text_from(sequences))
        event = self.ledger.do(AbstractPayload(reason="compressed", sources=tuple(sources), entry=entry))
        self.note_open(self.ledger.ids(event)[0], refs)

    # What changes open memories.

    @precondition(lambda self: self.open and self.usable())
    @rule(data=st.data(), independent=st.booleans())
    def corroborate(self, data: st.DataObject, *, independent: bool) -> None:
        memory = self.pick(data, self.open)
        [sequence] = self.evidence(data, most=1)
        ref = EvidenceRef(sequence=sequence, independent=independent)
        version = self.version(memory)
        if ref.span in {each.span for each in version.evidence}:
            return
        confidence = min(0.95, version.confidence + (0.05 if independent and version.confidence < 0.9 else 0))
        confidence = min(confidence, version.confidence) if not independent else confidence
        self.ledger.do(CorroboratePayload(reason="said_again", memory=memory, evidence=(ref,), confidence=confidence))

    @precondition(lambda self: len(self.open) > 1)
    @rule(data=st.data(), days=DAYS)
    def supersede(self, data: st.DataObject, days: int) -> None:
        memory = self.pick(data, self.open)
        by = self.pick(data, self.open - {memory})
        self.ledger.do(SupersedePayload(reason="newer", memory=memory, by=by, valid_to=at(self.after(memory, days))))

    @precondition(lambda self: self.open)
    @rule(data=st.data(), days=DAYS)
    def end(self, data: st.DataObject, days: int) -> None:
        memory = self.pick(data, self.open)
        self.ledger.do(EndPayload(reason="no_longer", memory=memory, valid_to=at(self.after(memory, days))))

    def after(self, memory: UUID, days: int) -> int:
        start = self.version(memory).valid_from
        self.ends[memory] = days + ((start - at(0)).days if start else 0)
        return self.ends[memory]

    @precondition(lambda self: self.open)
    @rule(data=st.data(), how=st.sampled_from([Operation.RETRACT, Operation.EXPIRE, Operation.QUARANTINE]))
    def close(self, data: st.DataObject, how: Operation) -> None:
        memory = self.pick(data, self.open)
        self.ledger.do(ClosePayload.model_validate({"op": how, "reason": "policy", "memory": memory}))
        self.note_closed(memory)

    @precondition(lambda self: len(self.open) > 1)
    @rule(data=st.data())
    def merge(self, data: st.DataObject) -> None:
        memory = self.pick(data, self.open)
        absorbed = self.pick(data, self.open - {memory})
        evidence = self.version(absorbed).evidence
        self.ledger.do(MergePayload(reason="same", memory=memory, absorbed=(absorbed,), evidence=evidence))
        self.note_closed(absorbed)

    @precondition(lambda self: self.open)
    @rule(data=st.data(), up=st.booleans())
    def restand(self, data: st.DataObject, *, up: bool) -> None:
        memory = self.pick(data, self.open)
        to, how = (1.0, Operation.PROMOTE) if up else (0.05, Operation.DEMOTE)
        kind = Kind.SEMANTIC if up else None
        fields = {"op": how, "reason": "policy", "memory": memory, "kind": kind, "confidence": to}
        if up or self.version(memory).confidence >= to:
            self.ledger.do(StandingPayload.model_validate(fields))

    @precondition(lambda self: len(self.open | self.closed) > 1)
    @rule(data=st.data())
    def link(self, data: st.DataObject) -> None:
        source = self.pick(data, self.open | self.closed)
        target = self.pick(data, (self.open | self.closed) - {source})
        self.ledger.do(LinkPayload(reason="near", source=source, relation="reminds_of", target=target))

    @precondition(lambda self: self.closed or self.ends)
    @rule(data=st.data())
    def reopen(self, data: st.DataObject) -> None:
        memory = self.pick(data, self.closed | (self.ends.keys() & self.open) or self.open)
        if memory in self.open and memory not in self.ends:
            return
        self.ledger.do(ReopenPayload(reason="taken_back", memory=memory))
        self.ends.pop(memory, None)
        self.closed.discard(memory)
        self.open.add(memory)

    # Forgetting.

    @precondition(lambda self: self.usable())
    @rule(data=st.data())
    def forget(self, data: st.DataObject) -> None:
        sequences = self.evidence(data)
        spans = [Span(sequence=sequence) for sequence in sequences]
        self.ledger.do(forget(self.ledger.state, spans, reason="user_request"))
        self.note_forgotten(spans)

    @precondition(lambda self: self.texts)
    @rule(data=st.data(), start=st.integers(0, 30))
    def forget_a_stretch(self, data: st.DataObject, start: int) -> None:
        sequence = data.draw(st.sampled_from(sorted(self.texts)))
        span = Span(sequence=sequence, start=start, end=start + 5)
        self.ledger.do(forget(self.ledger.state, [span], reason="user_request"))
        self.note_forgotten([span])

    @precondition(lambda self: self.texts.keys() - self.erased)
    @rule(data=st.data())
    def erase(self, data: st.DataObject) -> None:
        left = sorted(self.texts.keys() - self.erased)
        sequences = data.draw(st.lists(st.sampled_from(left), min_size=1, max_size=3, unique=True))
        payload = erasure(self.ledger.state, self.ledger.events, sequences, reason="user_request")
        self.ledger.do(payload)
        self.ledger.events = without_payloads(self.ledger.events, payload.erased)
        self.erased |= set(sequences)
        self.note_forgotten([Span(sequence=sequence) for sequence in sequences])

    def note_forgotten(self, spans: list[Span]) -> None:
        touched = {each for span in spans for each in characters(span)}
        self.suppressed |= touched
        gone = {memory for memory, founding in self.founding.items() if not founding.isdisjoint(touched)}
        self.forgotten |= gone
        self.open -= gone
        self.closed -= gone
        self.ends = {memory: end for memory, end in self.ends.items() if memory not in gone}

    @precondition(lambda self: self.closed or self.forgotten)
    @rule(data=st.data())
    def the_impossible_is_refused(self, data: st.DataObject) -> None:
        memory = self.pick(data, self.closed | self.forgotten)
        before = fingerprint(self.ledger.state)
        with pytest.raises(LedgerDamaged) as caught:
            self.ledger.do(EndPayload(reason="no_longer", memory=memory, valid_to=at(99)))
        assert caught.value.details["sequence"] == len(self.ledger.events) + 1
        assert fingerprint(self.ledger.state) == before

    # The laws.

    @invariant()
    def live_equals_replay(self) -> None:
        replayed = fold(self.ledger.events)
        assert replayed == self.ledger.state
        assert fingerprint(replayed) == fingerprint(self.ledger.state)

    @invariant()
    def the_plain_account_agrees(self) -> None:
        state = self.ledger.state
        assert {version.memory_id for version in open_memories(state)} == self.open
        assert state.memories.keys() == self.open | self.closed
        assert state.forgotten.keys() == self.forgotten
        for version in open_memories(state):
            end = self.ends.get(version.memory_id)
            assert version.valid_to == (None if end is None else at(end))

    @invariant()
    def versions_are_contiguous_and_none_vanishes(self) -> None:
        for versions in self.ledger.state.memories.values():
            assert [version.version for version in versions] == list(range(1, len(versions) + 1))
            assert all(not version.is_open for version in versions[:-1])
            for version in versions:
                assert version.is_open or self.closes(version)
        for forgotten in self.ledger.state.forgotten.values():
            assert self.ledger.events[forgotten.closed_by - 1].kind == Operation.FORGET

    def closes(self, version: MemoryVersion) -> bool:
        assert version.closed_by is not None
        event = self.ledger.events[version.closed_by - 1]
        return event.event_class is EventClass.OPERATION and event.kind == version.closed_reason

    @invariant()
    def every_memory_keeps_its_document_number(self) -> None:
        state = self.ledger.state
        docs = [versions[0].doc for versions in state.memories.values()]
        docs += [forgotten.doc for forgotten in state.forgotten.values()]
        assert sorted(docs) == list(range(1, state.docs + 1))
        assert all(len({version.doc for version in versions}) == 1 for versions in state.memories.values())

    @invariant()
    def nothing_of_an_erased_text_is_left(self) -> None:
        markers = [self.texts[sequence] for sequence in self.erased]
        payloads = json.dumps([event.payload for event in self.ledger.events])
        seen = repr(self.ledger.state)
        assert not [marker for marker in markers if marker in payloads or marker in seen]

    @invariant()
    def nothing_open_rests_on_what_is_forgotten(self) -> None:
        for version in open_memories(self.ledger.state):
            assert all(self.suppressed.isdisjoint(characters(ref.span)) for ref in version.evidence)

    def teardown(self) -> None:
        self.check_that_order_and_names_do_not_matter()

    def check_that_order_and_names_do_not_matter(self) -> None:
        state = self.ledger.state
        turned = replace(
            state,
            memories=dict(reversed(list(state.memories.items()))),
            forgotten=dict(reversed(list(state.forgotten.items()))),
            suppressed=dict(reversed(list(state.suppressed.items()))),
        )
        assert fingerprint(turned) == fingerprint(state)
        assert [v.memory_id for v in open_memories(turned)] == [v.memory_id for v in open_memories(state)]


Histories.TestCase.settings = settings(
    max_examples=60, stateful_step_count=40, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
TestAnyHistoryGivesLiveEqualToReplay = Histories.TestCase
