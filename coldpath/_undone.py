"""What operations of a job touched, and what somebody took back of them: that is not done again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from uuid import UUID

from coldpath._former import former
from shared.belief.deciding import Former
from shared.contract.events import Event, memory_id
from shared.contract.operations import AbstractPayload, AddPayload, StandingPayload, parsed
from shared.contract.proposals import Proposable, named
from shared.contract.records import MemoryVersion, Operation, Tier
from shared.contract.scope import Owner
from shared.store import batches, ledger
from shared.store.ahead import QUOTING
from shared.store.batches import Batch
from shared.store.db import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """An operation of a job that was taken back."""

    op: str
    touched: AbstractSet[UUID]
    quoted: AbstractSet[UUID] | None = None
    """Of what quotes its sources, these: what was taken back is that text, and nothing else that is said of them."""

    def forbids(self, operation: Proposable, of: Sequence[AbstractSet[UUID]]) -> bool:
        """Whether another does the same; `of` gives for each memory that it names those that this one stands for."""
        if self.quoted is not None:
            same = len(of) == len(self.quoted) and all(not each.isdisjoint(self.quoted) for each in of)
            return same and operation.op.value == self.op
        again = sum(not each.isdisjoint(self.touched) for each in of)
        return again > 1 or (again == len(of) and operation.op.value == self.op)


class Apart:
    """What somebody took back of a job, looked up by memory, or by what stands in the place of one."""

    def __init__(self, undone: Sequence[Undone] = (), former: Former | None = None, of: Sequence[Batch] = ()) -> None:
        """`of` are the batches that were taken back, and `former` those of the memories that are held no more."""
        self.undone, self.of = undone, of
        self._former = former or Former()
        self._by_memory: dict[UUID, list[Undone]] = {}
        for each in undone:
            for memory in each.touched:
                self._by_memory.setdefault(memory, []).append(each)

    def forbids(self, operation: Proposable, held: Mapping[UUID, MemoryVersion]) -> bool:
        """Whether an operation does again what was taken back. What comes back to be searched always may.

        `held` are the memories that it names, those that there are.
        """
        if not self._by_memory or (isinstance(operation, StandingPayload) and operation.tier is Tier.HOT):
            return False
        of = [self._as_it_was(memory, held.get(memory)) for memory in named(operation)]
        near = (each for memories in of for memory in memories for each in self._by_memory.get(memory, ()))
        return any(each.forbids(operation, of) for each in near)

    def _as_it_was(self, memory: UUID, held: MemoryVersion | None) -> AbstractSet[UUID]:
        return {memory, *(self._former.of(held) if held else ())}

    def __contains__(self, memory: MemoryVersion) -> bool:
        """Whether something that the job did to a memory, or to one in whose place it stands, was taken back."""
        return any(each in self._by_memory for each in self._as_it_was(memory.memory_id, memory))


def apart(session: Session, owner: Owner, job: str) -> Apart:
    """What the job did in a stream that was taken back; a proposer with a limit passes over it before it counts.

    Reads every event of what was taken back: before the stream is locked, if it is to be.
    """
    return _with(session, owner, Apart(), batches.reverted(session, job))


def by_now(session: Session, owner: Owner, job: str, before: Apart, *, has_moved: bool) -> Apart:
    """What was read `before`, as it is by now; for who holds the stream's lock.

    Reads the events of what was taken back since, and with `has_moved`, where somebody wrote to the stream, which of
    the memories are held no more. Who takes back need not write to the stream: it may be that nothing could be.
    """
    found = batches.reverted(session, job)
    if found == before.of:
        return Apart(before.undone, _former(session, before.undone), found) if has_moved else before
    return _with(session, owner, before if all(each in found for each in before.of) else Apart(), found)


def _with(session: Session, owner: Owner, before: Apart, found: Sequence[Batch]) -> Apart:
    new = [each for each in found if each not in before.of]
    undone = [*before.undone, *taken_back(session, owner, new)]
    return Apart(undone, _former(session, undone), found)


def _former(session: Session, undone: Iterable[Undone]) -> Former:
    return former(session, {memory for each in undone for memory in each.touched})


def taken_back(session: Session, owner: Owner, found: Iterable[Batch]) -> list[Undone]:
    """What was done in some batches that were taken back."""
    sequences = {each for batch in found for each in range(batch.first_sequence, batch.last_sequence + 1)}
    events = ledger.numbered(session, owner, sequences) if sequences else []
    # A link that was taken back is closed, and the validator sees that by itself.
    there = (event for event in events if event.payload is not None and event.kind != Operation.LINK)
    return [Undone(op=event.kind, touched=touched_by(event), quoted=_quoted(event)) for event in there]


def _quoted(event: Event) -> AbstractSet[UUID] | None:
    """The sources of what quotes them word for word: an answer to a question, whoever asks it, is what it quotes."""
    payload = parsed(event.payload or {})
    quotes = isinstance(payload, AbstractPayload) and payload.reason in QUOTING
    return frozenset(payload.sources) if quotes else None  # type: ignore[union-attr]


def touched_by(event: Event) -> set[UUID]:
    """The memories that an operation names or has opened."""
    payload = parsed(event.payload or {})
    opened = isinstance(payload, AbstractPayload | AddPayload)
    own = {memory_id(event.tenant_id, event.stream, event.sequence, 0)} if opened else set()
    return own if isinstance(payload, AddPayload) else {*named(payload), *own}  # type: ignore[arg-type]
