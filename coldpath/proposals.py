"""How a job changes memories: it reads, proposes, is judged, and what passes is one batch.

A job reads a stream in a transaction that locks nothing, and takes as long as it takes to think out what it would do.
Its proposals are then judged by a pure validator on the memories as they are held under the stream's lock; what has
changed meanwhile is refused, and proposed again by the next pass if it is still right. What passes is written in
portions, each a transaction of its own, ledger, memories and views together, so that nobody waits long for the stream;
all of them are one batch that can be taken back. Whoever writes to the stream between two portions has the rest wait
for the next pass.
"""

# Above 300 lines: what is proposed, judged, committed and taken back is one rule, and is read as one.

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Final
from uuid import UUID

import psycopg

from coldpath._asking import ask, to_ask
from coldpath._fencing import Fence, unfenced
from coldpath._let_go import LetGo
from coldpath._ties import Ties
from coldpath._undoing import undo
from coldpath._undone import Apart, apart, by_now
from shared import metrics
from shared.belief.reverting import Kept
from shared.belief.validating import refused
from shared.contract.errors import DaybookError, NotFound, RevertedInPart
from shared.contract.ids import IdRange
from shared.contract.operations import LinkPayload
from shared.contract.proposals import Proposal, Refusal, named
from shared.contract.questions import Question
from shared.contract.records import MemoryVersion
from shared.contract.scope import Owner
from shared.log import logger
from shared.store import batches, generations, ledger, memories, streams
from shared.store.ahead import QUOTING
from shared.store.batches import Batch
from shared.store.beliefs import Draft
from shared.store.db import Database, Role, Session
from shared.store.ledger import Head

_LOG: Final = logger(__name__)
CHANGED_AT_ONCE: Final = 500
"""Memories that one transaction changes, or those of one proposal: a second or two under the stream's lock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """What a job would do in one stream."""

    proposals: Sequence[Proposal] = ()
    questions: Sequence[Question] = ()
    """What a person is to be asked, since no rule decides it."""
    passed_over: Mapping[str, int] = field(default_factory=dict)
    """What would follow, or a model said does, and nothing was made of, by why."""
    is_whole: bool = True
    """Whether all was looked at that the job is for; else it looks again although nothing is new."""
    waiting: int = 0
    """Memories that it looks at once they have a vector."""
    seen: int | None = None
    """Up to which event it has looked, where that is not all: the next pass goes on behind it."""


Propose = Callable[[Session], Proposed]
"""Reads the stream of a session's one owner. It may be asked again at any time, and must then propose the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tidying:
    """A job, as far as one of its streams goes."""

    job: str
    propose: Propose
    batch_id: UUID
    """Of the pass: the same in every stream that it changes."""
    by_time: bool = False
    """Whether it looks although nothing has happened in a stream, for what it finds hangs on the day too."""
    review_days: int = 14
    """How long a question waits for an answer."""
    fence: Fence = unfenced
    """Called in the transaction that writes, before what it writes."""

    def fenced(self, fence: Fence) -> Tidying:
        """The same, where somebody could take the job over."""
        return replace(self, fence=fence)


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What was done in a stream, or would be."""

    owner: Owner
    accepted: tuple[Proposal, ...] = ()
    refused: tuple[tuple[Proposal, Refusal], ...] = ()
    questions: tuple[Question, ...] = ()
    """What was asked, or would be."""
    passed_over: Mapping[str, int] = field(default_factory=dict)
    """As in `Proposed`."""
    waiting: int = 0
    """As in `Proposed`."""
    held: Mapping[UUID, MemoryVersion] = field(default_factory=dict)
    """The memories that the proposals and questions name, as they were before."""

    def and_then(self, later: Done) -> Done:
        """What was done, with what was done next."""
        return Done(
            owner=self.owner,
            accepted=(*self.accepted, *later.accepted),
            refused=(*self.refused, *later.refused),
            questions=(*self.questions, *later.questions),
            passed_over=Counter(self.passed_over) + Counter(later.passed_over),
            waiting=self.waiting + later.waiting,
            held={**self.held, **later.held},
        )

    @property
    def changed(self) -> set[UUID]:
        """The memories that are another version by what was accepted, or are held no more."""
        return {memory for each in self.accepted if _changes(each) for memory in named(each.operation)}

    @property
    def reasons(self) -> Mapping[str, int]:
        """How many were refused, by reason."""
        return Counter(reason.value for _, reason in self.refused)

    @property
    def refusals(self) -> int:
        """How many proposals, and entries of a model's answer, came to nothing."""
        return len(self.refused) + sum(self.passed_over.values())


def is_due(session: Session, owner: Owner, job: str) -> bool:
    """Whether anything has happened in a stream since a job saw all of it: one look-up, before anything dearer."""
    end = ledger.end_of(session, owner)
    return end is not None and end["last_sequence"] > batches.marked(session, job)


def rehearse(database: Database, tenant_id: str, owner: Owner, tidying: Tidying) -> Done:
    """What a job would do in a stream by now, judged; nothing is written."""
    with _reading(database, tenant_id, owner) as session:
        return _judged(session, owner, tidying.propose(session), apart(session, owner, tidying.job))


def tidy(database: Database, tenant_id: str, owner: Owner, tidying: Tidying) -> Done:
    """Have a job do in a stream what it proposes and what passes; nothing where nothing is new since it looked.

    Nor where the batch has changed the stream already: a stream has one turn a pass.

    Raises:
        LeaseLost: the job is somebody else's by now; nothing was written.
        DatabaseUnavailable: nothing was written; a later pass finds it again.
    """
    with _reading(database, tenant_id, owner) as session:
        stored = ledger.end_of(session, owner)
        if stored is None or not (tidying.by_time or is_due(session, owner, tidying.job)):
            return Done(owner=owner)
        seen = stored["last_sequence"]
        proposed = tidying.propose(session)
        undone = apart(session, owner, tidying.job) if proposed.proposals else Apart()
    writing = _Writing(database, tenant_id, owner, tidying, seen, undone)
    for portion in _portions(proposed):
        if not writing.write(portion):
            break
    _count(tidying.job, writing.done)
    return writing.done


def _portions(proposed: Proposed) -> Iterator[Proposed]:
    """The proposals, so many at a time that what they change is written soon; one portion at least.

    Questions, and how far the job has looked, are with the last; those before it are whole in nothing.
    """
    portion: list[Proposal] = []
    changed = 0
    for each in proposed.proposals:
        number = len(named(each.operation))
        if portion and changed + number > CHANGED_AT_ONCE:
            yield Proposed(proposals=portion, is_whole=False)
            portion, changed = [], 0
        portion.append(each)
        changed += number
    yield replace(proposed, proposals=portion)


class _Writing:
    """What a pass proposes in a stream, as it is written portion by portion."""

    def __init__(
        self, database: Database, tenant_id: str, owner: Owner, tidying: Tidying, seen: int, undone: Apart
    ) -> None:
        """Begin with nothing written; `seen` is the stream's end when it was read, and `undone` was read with it."""
        self.done = Done(owner=owner)
        self._database, self._tenant_id, self._tidying = database, tenant_id, tidying
        self._seen, self._end = seen, seen
        self._has_begun = self._is_late = False
        self._undone = undone

    def write(self, portion: Proposed) -> bool:
        """Judge a portion under the stream's lock and write what passes; whether the next one may follow.

        It may not, and nothing was written, where the batch has changed the stream already and is not at its end: what
        others wrote since would be taken for the batch's. Nor where it was taken back: that is not undone by going on.
        """
        owner = self.done.owner
        with self._database.transaction(Role.WORKER, self._tenant_id, [owner]) as session:
            self._tidying.fence(session)
            generations.ensure(session, "memory")
            generations.writing(session, "sparse")
            head = ledger.lock(session, owner)
            is_apart = head.sequence != self._end
            batch = batches.of(session, self._tidying.batch_id)
            if batch is not None and (is_apart or not self._has_begun or batch.reverted_at):
                return False
            if portion.proposals:
                self._undone = by_now(session, owner, self._tidying.job, self._undone, has_moved=is_apart)
            part = _judged(session, owner, portion, self._undone, self.done)
            end = _commit(session, head, part, self.done.reasons, self._tidying)
            done, is_late = self.done.and_then(part), self._is_late or is_apart
            self._mark(session, portion, done, self._seen if is_late else end.sequence)
        self.done, self._end, self._is_late, self._has_begun = done, end.sequence, is_late, True
        return True

    def _mark(self, session: Session, portion: Proposed, done: Done, sequence: int) -> None:
        """Note up to where the job has looked, if it need not look again; whole, it is up to `sequence`."""
        seen = sequence if portion.is_whole else portion.seen
        if seen is not None and streams.has_memories(session) and not _has_to_look_again(done):
            batches.mark(session, self._tidying.job, seen)


@contextmanager
def _reading(database: Database, tenant_id: str, owner: Owner) -> Iterator[Session]:
    """A reading transaction on one owner's stream, without the rooms and the tenant's own that it would take in."""
    with database.transaction(Role.READER, tenant_id, [owner], read_only=True) as widened:
        yield replace(widened, owners=(owner,))


def _changes(proposal: Proposal) -> bool:
    """Whether the memories that it names change by it: a link changes neither, and many answers may quote one fact."""
    return not isinstance(proposal.operation, LinkPayload) and proposal.operation.reason not in QUOTING


def _judged(session: Session, owner: Owner, proposed: Proposed, undone: Apart, before: Done | None = None) -> Done:
    """Which of the proposals pass, on the memories as they are held. Of two that touch one memory the first does.

    `undone` is what somebody took back of the job, `before` what the same pass has done in the stream already.

    What somebody took back is not done again: no two memories that it put together are, and to none that it changed by
    itself is the same done. Nor is what a policy has expired made again out of the same.
    """
    proposals, questions = proposed.proposals, proposed.questions
    read = {memory for each in proposals for memory in each.read}
    held = _newest(memories.versions(session, read.union(*(each.memories for each in questions))))
    ties, gone = Ties.of(session, proposals, held), LetGo.of(session, [each.operation for each in proposals])
    accepted: list[Proposal] = []
    refusals: list[tuple[Proposal, Refusal]] = []
    changed = before.changed if before else set()
    touched = set(changed)
    for each in proposals:
        reason = refused(each, held, ties.at(each)) if changed.isdisjoint(each.read) else Refusal.CHANGED_SINCE
        reason = reason or _is_again(each, held, undone, gone)
        if reason is None and not touched.isdisjoint(each.read):
            reason = Refusal.CHANGED_SINCE
        if reason is None:
            accepted.append(each)
            if isinstance(each.operation, LinkPayload):
                ties.add(each.operation)
            elif _changes(each):
                touched |= set(named(each.operation))
        else:
            refusals.append((each, reason))
    return Done(
        owner=owner,
        accepted=tuple(accepted),
        refused=tuple(refusals),
        questions=to_ask(session, questions, held, touched) if questions else (),
        passed_over=proposed.passed_over,
        waiting=proposed.waiting,
        held=held,
    )


def _is_again(proposal: Proposal, held: Mapping[UUID, MemoryVersion], undone: Apart, gone: LetGo) -> Refusal | None:
    """Why it does again what somebody took back, or makes again what a policy has expired; None where it does not."""
    if undone.forbids(proposal.operation, held):
        return Refusal.TAKEN_BACK
    return Refusal.LET_GO if gone.forbids(proposal.operation) else None


def _newest(versions: Iterable[MemoryVersion]) -> dict[UUID, MemoryVersion]:
    return {version.memory_id: version for version in versions}  # oldest first, so the last stays


def _commit(session: Session, head: Head, done: Done, reasons: Mapping[str, int], tidying: Tidying) -> Head:
    """Write a portion; `reasons` counts what was refused before it."""
    if not (done.accepted or done.questions):
        return head
    end = _operate(session, head, done, reasons, tidying) if done.accepted else head
    if done.questions:
        end = ask(session, end, done.questions, done.held, timedelta(days=tidying.review_days))
    ledger.advance(session, end)
    return end


def _operate(session: Session, head: Head, done: Done, reasons: Mapping[str, int], tidying: Tidying) -> Head:
    draft = Draft(session, head)
    draft.do(done.held.values(), [each.operation for each in done.accepted])
    _, end = draft.write()
    batch = Batch(
        batch_id=tidying.batch_id,
        job=tidying.job,
        first_sequence=head.sequence + 1,
        last_sequence=end.sequence,
        refused=Counter(reasons) + Counter(done.reasons),
        committed_at=end.recorded_at,
    )
    batches.write(session, batch)
    return end


def _has_to_look_again(done: Done) -> bool:
    """Whether something changed between reading and writing, so that the next pass may find more."""
    return any(reason is Refusal.CHANGED_SINCE for _, reason in done.refused)


def _count(job: str, done: Done) -> None:
    metrics.PROPOSALS.labels(job=job, outcome="accepted").inc(len(done.accepted))
    for reason, number in done.reasons.items():
        metrics.PROPOSALS.labels(job=job, outcome=reason).inc(number)
    for reason, number in done.passed_over.items():
        metrics.PROPOSALS.labels(job=job, outcome=reason).inc(number)
    metrics.PROPOSALS.labels(job=job, outcome="asked").inc(len(done.questions))
    if done.accepted or done.refused or done.questions:
        counts = len(done.accepted), dict(done.reasons), len(done.questions)
        _LOG.info("%s accepted=%d refused=%s asked=%d", job, *counts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A stream in which a batch is not taken back, since that failed."""

    owner: Owner
    error: str
    """The kind of error, and what it says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reverted:
    """What came of taking a batch back."""

    streams: int
    """Streams in which anything was."""
    operations: int
    kept: tuple[Kept, ...]
    """Memories that stay as they are, and why."""
    unknown: int
    """Operations of the batch whose content was erased: what they touched is not known, and stays."""
    already: int
    """Streams in which it had been taken back before."""
    failed: tuple[Failed, ...] = ()
    """Streams in which all is as it was."""

    @property
    def is_whole(self) -> bool:
        """Whether all of it that there was is taken back now, and it was anything."""
        return bool(self.operations) and not (self.kept or self.unknown or self.already or self.failed)


def revert(
    database: Database, tenant_id: str, batch: UUID | str, *, verified: AbstractSet[str] = frozenset()
) -> Reverted:
    """Hold again what was held before a batch, stream by stream; see `shared.belief.reverting` for what cannot be.

    What is held again is what all that was said of it by now comes to: what was said to have ended meanwhile has.
    Killed in the middle and called again, it goes on where it was. Also where nothing could be taken back the job does
    none of it again. `batch` is an id, or its first 12 digits or more; `verified` as for `resolve_claims`.

    Raises:
        NotFound: the tenant has no such batch.
        InvalidInput: it is no id, or the beginning of several.
        RevertedInPart: it failed in some streams, and is taken back in all others; call again for those. What came of
            it is `details["reverted"]`.
        DatabaseUnavailable: some streams are taken back and some not; call again.
    """
    batch_id = _called(database, tenant_id, batch)
    owners = batches.owners(database, tenant_id, batch_id)
    done: list[Reverted] = []
    failed: list[Failed] = []
    for owner in owners:
        try:
            done.append(_reverted(database, tenant_id, owner, batch_id, verified))
        except (DaybookError, psycopg.Error) as error:
            _LOG.warning("revert batch=%s owner=%s failed: %s", batch_id, owner, type(error).__name__)
            failed.append(Failed(owner=owner, error=_as_told(error)))
            batches.owners(database, tenant_id, batch_id)  # raises where there is no database for the next either
    reverted = _together(done, failed)
    if failed:
        msg = f"in {len(failed)} of {len(owners)} streams the batch is not taken back, first {failed[0].owner!r}"
        raise RevertedInPart(f"{msg} ({failed[0].error}); call again for those", reverted=reverted)
    return reverted


def _as_told(error: Exception) -> str:
    """An error by its kind; what Postgres says may quote what was said, and is left out."""
    return f"{error.code}: {error}" if isinstance(error, DaybookError) else type(error).__name__


def _together(done: Sequence[Reverted], failed: Iterable[Failed]) -> Reverted:
    return Reverted(
        failed=tuple(failed),
        streams=sum(each.streams for each in done),
        operations=sum(each.operations for each in done),
        kept=tuple(memory for each in done for memory in each.kept),
        unknown=sum(each.unknown for each in done),
        already=sum(each.already for each in done),
    )


def _called(database: Database, tenant_id: str, batch: UUID | str) -> UUID:
    """The batch that an id, or the beginning of one, stands for."""
    ids = IdRange.of(batch, field="batch")
    found = ids.only(batches.called(database, tenant_id, ids.first, ids.last), "batches", field="batch")
    if found is None:
        msg = f"tenant {tenant_id!r} has no batch {ids.begins}; `daybook batches` lists those that there are"
        raise NotFound(msg, batch=ids.begins)
    return found


def _reverted(database: Database, tenant_id: str, owner: Owner, batch_id: UUID, verified: AbstractSet[str]) -> Reverted:
    with database.transaction(Role.WORKER, tenant_id, [owner]) as session:
        generations.ensure(session, "memory")
        generations.writing(session, "sparse")
        head = ledger.lock(session, owner)
        batch = batches.of(session, batch_id)
        if batch is None or batch.reverted_at:
            return Reverted(streams=0, operations=0, kept=(), unknown=0, already=1)
        found = undo(session, head, batch, verified)
        ledger.advance(session, found.end)
        batches.revert(session, batch_id, head.recorded_at)
    streams = int(found.operations > 0)
    return Reverted(streams=streams, operations=found.operations, kept=found.kept, unknown=found.unknown, already=0)
