"""The law of the fold: any history gives live = replay, also after erasing any part of its evidence.

A machine writes histories of valid operations, drawn at random, and keeps beside them a plain account of its own of
what is open, ended and forgotten. After every step the ledger is folded from nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from uuid import UUID

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from shared.belief.fold import apply, fingerprint, fold, open_memories
from shared.belief.forgetting import effect, erasure, forget, part_of, without_payloads
from shared.belief.state import State
from shared.contract.errors import LedgerDamaged
from shared.contract.events import EventClass
from shared.contract.operations import (
    AbstractPayload,
    ClosePayload,
    CorroboratePayload,
    EndPayload,
    ForgetPayload,
    LinkPayload,
    MergePayload,
    ReopenPayload,
    RestorePayload,
    StandingPayload,
    SupersedePayload,
    UnlinkPayload,
)
from shared.contract.records import EpistemicType, EvidenceRef, Kind, Link, MemoryVersion, Operation, Span, Tier
from shared.contract.trust import Origin
from tests.unit.belief.ledgers import Ledger, at, belief

DAYS = st.integers(0, 9)
Characters = set[tuple[int, int]]
"""Single characters of the evidence: (sequence, position)."""
TEXT_CHARS = len("secret001 was said, and secret001 again")
SESSIONS = st.lists(st.sampled_from(["monday", "tuesday", None]), min_size=1, max_size=3)
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
        self.session: dict[int, str | None] = {}
        """Of each evidence event."""
        self.held: dict[str, list[UUID]] = {}
        """The episodes of each session that are not forgotten."""
        self.session_docs: dict[UUID, int] = {}

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
        self.session_docs[memory] = len(self.session_docs) + 1

    def note_episode(self, memory: UUID, ref: EvidenceRef) -> None:
        self.note_open(memory, [ref])
        session = self.session[ref.sequence]
        if session is None:
            return
        others = self.held.setdefault(session, [])
        if others:
            self.session_docs[memory] = self.session_docs[others[-1]]
        others.append(memory)

    def note_closed(self, memory: UUID) -> None:
        self.open.remove(memory)
        self.closed.add(memory)

    # Evidence and what is made of it.

    @initialize(sessions=SESSIONS)
    def begin(self, sessions: list[str | None]) -> None:
        self.hear(sessions, 0, Origin.USER)

    @rule(sessions=SESSIONS, day=DAYS, origin=ORIGINS)
    def hear(self, sessions: list[str | None], day: int, origin: Origin) -> None:
        sequences = []
        for session in sessions:
            marker = f"secret{len(self.texts) + 1:03}"
            text = f"{marker} was said, and {marker} again"
            sequences.append(self.ledger.hear(text, day=day, origin=origin, session=session))
            self.texts[sequences[-1]] = marker
            self.session[sequences[-1]] = session
        for memory, sequence in zip(self.ledger.open_episodes(*sequences), sequences, strict=True):
            self.note_episode(memory, EvidenceRef(sequence=sequence))

    @precondition(lambda self: self.texts.keys() - self.erased)
    @rule(data=st.data(), start=st.integers(0, 30))
    def open_a_stretch(self, data: st.DataObject, start: int) -> None:
        sequence = data.draw(st.sampled_from(sorted(self.texts.keys() - self.erased)))
        ref = EvidenceRef(sequence=sequence, start=start, end=start + 9)
        if self.suppressed.isdisjoint(characters(ref.span)):
            self.note_episode(self.ledger.open_stretch(ref), ref)
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
        kind, footing = (Kind.SEMANTIC, EpistemicType.FACT) if up else (None, None)
        fields = {"op": how, "reason": "policy", "memory": memory, "kind": kind, "epistemic_type": footing}
        fields["confidence"] = to
        if up or self.version(memory).confidence >= to:
            self.ledger.do(StandingPayload.model_validate(fields))

    @precondition(lambda self: self.standing_for())
    @rule(data=st.data())
    def leave_the_hot_tier(self, data: st.DataObject) -> None:
        summary = data.draw(st.sampled_from(sorted(self.standing_for())))
        memory, *others = sorted(self.standing_for()[summary])
        fields = {"op": "demote", "reason": "old", "memory": memory, "others": others, "tier": "cold"}
        self.ledger.do(StandingPayload.model_validate({**fields, "behind": summary}))
        assert {self.version(each).tier for each in (memory, *others)} == {Tier.COLD}

    def standing_for(self) -> dict[UUID, set[UUID]]:
        """By what is held in words of its own, the open episodes that it rests on all of the evidence of."""
        held = {each: self.version(each) for each in self.open}
        episodes = {each for each, version in held.items() if version.epistemic_type is EpistemicType.EVIDENCE}
        spans = {each: {ref.span for ref in version.evidence} for each, version in held.items()}
        found = {each: {one for one in episodes if spans[one] <= spans[each]} for each in held.keys() - episodes}
        return {each: behind for each, behind in found.items() if behind}

    @precondition(lambda self: len(self.open | self.closed) > 1)
    @rule(data=st.data())
    def link(self, data: st.DataObject) -> None:
        source = self.pick(data, self.open | self.closed)
        target = self.pick(data, (self.open | self.closed) - {source})
        self.ledger.do(LinkPayload(reason="near", source=source, relation="reminds_of", target=target, score=0.5))

    @precondition(lambda self: self.linked())
    @rule(data=st.data())
    def unlink(self, data: st.DataObject) -> None:
        link = data.draw(st.sampled_from(self.linked()))
        given = {"source": link.source, "relation": link.relation, "target": link.target}
        self.ledger.do(UnlinkPayload(reason="not_so", link=link.opened_by, **given))

    def linked(self) -> list[Link]:
        """The links that are open, in order."""
        links = (link for link in self.ledger.state.links if link.closed_by is None and link.score is not None)
        return sorted(links, key=lambda link: link.opened_by)

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

    @precondition(lambda self: self.open or self.closed)
    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        memory = self.pick(data, self.open | self.closed)
        versions = self.ledger.state.memories[memory]
        last = versions[-1]
        number = data.draw(st.integers(1, last.version))
        if number == last.version and last.is_open:
            return
        self.ledger.do(RestorePayload(reason="reverted", memory=memory, version=number))
        self.closed.discard(memory)
        self.open.add(memory)
        then, now = versions[number - 1], self.version(memory)
        assert (now.valid_to, now.kind, now.epistemic_type) == (then.valid_to, then.kind, then.epistemic_type)
        assert now.tier is then.tier
        assert set(now.evidence) <= set(then.evidence)
        self.ends.pop(memory, None)
        if then.valid_to is not None:
            self.ends[memory] = (then.valid_to - at(0)).days

    # Forgetting.

    @precondition(lambda self: self.usable())
    @rule(data=st.data())
    def forget(self, data: st.DataObject) -> None:
        sequences = self.evidence(data)
        spans = [Span(sequence=sequence) for sequence in sequences]
        self.do_on_a_part_and_on_all(spans, lambda state: forget(state, spans, reason="user_request"))
        self.note_forgotten(spans)

    @precondition(lambda self: self.texts)
    @rule(data=st.data(), start=st.integers(0, 30))
    def forget_a_stretch(self, data: st.DataObject, start: int) -> None:
        sequence = data.draw(st.sampled_from(sorted(self.texts)))
        span = Span(sequence=sequence, start=start, end=start + 5)
        self.do_on_a_part_and_on_all([span], lambda state: forget(state, [span], reason="user_request"))
        self.note_forgotten([span])

    @precondition(lambda self: self.texts.keys() - self.erased)
    @rule(data=st.data())
    def erase(self, data: st.DataObject) -> None:
        left = sorted(self.texts.keys() - self.erased)
        sequences = data.draw(st.lists(st.sampled_from(left), min_size=1, max_size=3, unique=True))
        spans = [Span(sequence=sequence) for sequence in sequences]
        payload = self.do_on_a_part_and_on_all(
            spans, lambda state: erasure(state, self.ledger.events, sequences, reason="user_request")
        )
        self.ledger.events = without_payloads(self.ledger.events, payload.erased)
        self.erased |= set(sequences)
        self.note_forgotten(spans)

    def do_on_a_part_and_on_all(self, spans: list[Span], plan: Callable[[State], ForgetPayload]) -> ForgetPayload:
        """Plan and do a FORGET, on what rests on the spans alone and on the whole: nothing differs."""
        before = self.ledger.state
        part = self.part(spans)
        payload = plan(before)
        assert plan(part) == payload
        event = self.ledger.do(payload)
        after = self.ledger.state.memories
        found = effect(part, event)
        assert found.forgotten == payload.closes
        assert set(found.forgotten) == before.memories.keys() - after.keys()
        changed = [versions for memory, versions in after.items() if versions != before.memories[memory]]
        assert {versions[-2:] for versions in changed} == set(found.revised)
        assert apply(part, event).memories == {memory: after[memory] for memory in part.memories if memory in after}
        return payload

    def part(self, spans: list[Span]) -> State:
        versions = [
            version
            for versions in self.ledger.state.memories.values()
            if any(span.overlaps(ref.span) for each in versions for ref in each.evidence for span in spans)
            for version in reversed(versions)
        ]
        headers = [replace(self.ledger.events[span.sequence - 1], payload=None) for span in spans]
        return part_of(reversed(versions), headers)

    def note_forgotten(self, spans: list[Span]) -> None:
        touched = {each for span in spans for each in characters(span)}
        self.suppressed |= touched
        gone = {memory for memory, founding in self.founding.items() if not founding.isdisjoint(touched)}
        self.forgotten |= gone
        self.open -= gone
        self.closed -= gone
        self.ends = {memory: end for memory, end in self.ends.items() if memory not in gone}
        for session, episodes in self.held.items():
            self.held[session] = [memory for memory in episodes if memory not in gone]

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
    def a_session_keeps_its_number_while_an_episode_of_it_is_held(self) -> None:
        state = self.ledger.state
        for memory, versions in state.memories.items():
            assert {version.session_doc for version in versions} == {self.session_docs[memory]}
        # What the tables say of it: any episode of a session that is held has the session's number.
        assert state.sessions == {
            session: self.session_docs[episodes[0]] for session, episodes in self.held.items() if episodes
        }
        assert state.held == {session: len(episodes) for session, episodes in self.held.items() if episodes}

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
