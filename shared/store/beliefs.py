"""What is decided about memories, written down: operations into the ledger, and what they come to into the tables.

Whoever writes an operation goes through a `Draft`, so tables and ledger cannot differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain
from uuid import UUID

from shared.belief.effects import Effects, difference, part_of
from shared.belief.fold import apply_all
from shared.belief.state import Place, State, Versions, place_of
from shared.contract.events import EventClass, NewEvent
from shared.contract.operations import ClosePayload, Payload, UnlinkPayload, as_json
from shared.contract.records import EvidenceRef, MemoryVersion, Operation, Tier
from shared.language.indexing import indexed_of
from shared.store import ledger, links, memories, postings, profiles, reviews, suppressions, vectors
from shared.store.ahead import no_more_of_now, quoting
from shared.store.db import Session
from shared.store.ledger import Head
from shared.store.quarantines import founded_on_withheld


class Draft:
    """Operations on a stream that are worked out one after the other and written together.

    What they come to in the end is what is written: what is opened and closed again on the way is in the ledger, and in
    the tables as it ended. The caller holds the stream's lock and, where memories may be opened or change their tier,
    the shared lock on the sparse view, and stores the new end that `write` returns. Where operations say that they
    forget, the shared lock on the profile view too, as the eraser.
    """

    def __init__(self, session: Session, head: Head) -> None:
        """Begin at the stream's end, with nothing done yet."""
        self.session = session
        self._began = head
        self._batch = ledger.Batch(session.tenant_id, head)
        self._before: dict[UUID, Versions] = {}
        self._ties: set[Place] = set()
        self._state = State(docs=head.doc)

    @property
    def head(self) -> Head:
        """The stream's end, with all that was done so far."""
        return replace(self._batch.head, doc=self._state.docs)

    @property
    def changed(self) -> frozenset[UUID]:
        """The memories that were stored before, and are otherwise by now."""
        after = self._state.memories
        return frozenset(each for each, versions in self._before.items() if after.get(each) != versions)

    def lost_ends(self, memory: UUID) -> set[datetime]:
        """The ends that a memory had when this began, in any version, and has in none by now."""
        was, now = ({each.valid_to for each in of.get(memory, ())} for of in (self._before, self._state.memories))
        return {each for each in was - now if each is not None}

    def as_they_are(self, held: Iterable[MemoryVersion]) -> list[MemoryVersion]:
        """Versions of stored memories, those of them that were touched as they are by now."""
        stored = part_of(held, (), docs=0).memories
        new = {each: versions for each, versions in self._state.memories.items() if each not in self._before}
        now = {each: self._state.memories.get(each, versions) for each, versions in stored.items()} | new
        return [version for versions in now.values() for version in versions]

    def do(self, held: Iterable[MemoryVersion], operations: Sequence[Payload], *, run_id: str | None = None) -> None:
        """Append operations; `held` are versions of the stored memories that they name, and may be of more.

        Of a memory all versions, or the newest alone: then those before are read.

        Raises:
            LedgerDamaged: an operation cannot follow; nothing may be committed.
        """
        if not operations:
            return
        self._hold(held, operations)
        self._state = apply_all(self._state, [self._batch.add(_event(each, run_id)) for each in operations])

    def write(self) -> tuple[Effects, Head]:
        """Write what was done, and let go of what hangs on a memory that is of now no more. Vectors are for index.

        That is what quotes it, and the questions about it that are open: its answer is to be written down before.
        """
        self.hold_back()
        self.let_go()
        found = difference(self._before, self._state, self._ties)
        head = self.head
        if head.sequence == self._began.sequence:
            return found, head
        self._batch.write(self.session)
        memories.close(self.session, found.closed)
        memories.restate(self.session, found.restated)
        memories.insert(self.session, found.opened)
        links.insert(self.session, found.links)
        links.close(self.session, found.unlinked)
        if found.added:
            words = [indexed_of(version) for version in found.added]
            postings.append(self.session, words, after=self._began.doc, until=head.doc)
        self._move(found.latest)
        vectors.relink(self.session, [each.doc for each in found.latest if each.doc <= self._began.doc])
        if found.restated:
            profiles.redo(self.session, found.restated)
        past = no_more_of_now(self._before, self._state.memories)
        if past:
            reviews.settle(self.session, past, at=head.recorded_at)
        return found, head

    def _move(self, latest: Iterable[MemoryVersion]) -> None:
        """Have what has changed its tier leave the one view of it and enter the other."""
        moved = [each for each in latest if each.tier is not self._tier_before(each)]
        if moved:
            cold, hot = ([each.doc for each in moved if each.tier is tier] for tier in (Tier.COLD, Tier.HOT))
            postings.move(self.session, [indexed_of(each) for each in moved])
            vectors.retier(self.session, cold=cold, hot=hot)

    def _tier_before(self, version: MemoryVersion) -> Tier:
        before = self._before.get(version.memory_id)
        return before[-1].tier if before else Tier.HOT

    def hold_back(self) -> list[MemoryVersion]:
        """Close what is held again although it was made from what a quarantine holds back; it waits for the lift.

        Whoever goes on from what it has opened calls it before. Returns what it has closed, as it was held until then.
        """
        again = [each for each, was in self._before.items() if not was[-1].is_open]
        opened = [of for each in again if (of := self._state.memories.get(each)) and of[-1].is_open]
        versions = [version for of in opened for version in of]
        out = founded_on_withheld(replace(self.session, owners=(self._began.owner,)), versions)
        self.do(versions, [ClosePayload(op=Operation.QUARANTINE, reason="source", memory=each) for each in sorted(out)])
        return [of[-1] for of in opened if of[-1].memory_id in out]

    def let_go(self) -> None:
        """Hold no longer what was worked out ahead from something that ended or was closed."""
        stored = quoting(self.session, no_more_of_now(self._before, self._state.memories))
        quotes = {each.memory_id for each in stored}
        versions = [each for each in self.as_they_are(stored) if each.memory_id in quotes]
        going = {each.memory_id for each in versions if each.is_open}
        closing = [ClosePayload(op=Operation.EXPIRE, reason="source_changed", memory=each) for each in sorted(going)]
        self.do(versions, closing)

    def _hold(self, held: Iterable[MemoryVersion], operations: Sequence[Payload]) -> None:
        """Take in the memories and the evidence that operations name, as they are stored."""
        given = part_of(held, (), docs=0).memories
        new = self._whole({each: versions for each, versions in given.items() if each not in self._state.memories})
        self._before |= new
        untied = {each.link for each in operations if isinstance(each, UnlinkPayload)}
        ties = links.numbered(self.session, untied) if untied else []
        self._ties |= {place_of(link) for link in ties}
        cited = {ref.sequence for each in operations for ref in _cited(each)}
        unread = cited - self._state.evidence.keys()
        events = ledger.numbered(self.session, self._began.owner, unread) if unread else []
        # What is opened again rests on what is not forgotten by now, which a replay knows of the whole stream.
        resting = {ref.sequence for versions in new.values() for ref in versions[-1].evidence}
        self._state = replace(
            self._state,
            memories={**self._state.memories, **new},
            links=self._state.links.union(ties),
            evidence={**self._state.evidence, **{event.sequence: event for event in events}},
            suppressed={**self._state.suppressed, **suppressions.of(self.session, cited | resting)},
        )

    def _whole(self, given: Mapping[UUID, Versions]) -> dict[UUID, Versions]:
        """Memories with all their versions: a memory is known by its first."""
        partial = [memory for memory, versions in given.items() if versions[0].version > 1]
        found = part_of(memories.versions(self.session, partial), (), docs=0).memories if partial else {}
        return {**given, **found}


def _event(payload: Payload, run_id: str | None) -> NewEvent:
    return NewEvent(event_class=EventClass.OPERATION, kind=payload.op, payload=as_json(payload), run_id=run_id)


def _cited(payload: Payload) -> Iterable[EvidenceRef]:
    entries = getattr(payload, "entries", ()) or filter(None, [getattr(payload, "entry", None)])
    texts = (each.evidence if isinstance(each.evidence, tuple) else (each.evidence,) for each in entries)
    return chain(getattr(payload, "evidence", ()), *texts)
