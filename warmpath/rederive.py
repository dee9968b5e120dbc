"""rederive: the same evidence read anew, by another model, prompt or set of rules, and what that would change.

Three steps, each safe to stop and to begin again. `prepare` reads every run of a stream and writes down what is
proposed, counting for nothing. `compare` says what would be believed with it in the old readings' place, and changes
nothing. `switch` does it, in one transaction; `back` undoes the last one. Nothing is dropped: what was read before
stays in the ledger, and beliefs that nothing proposes any more are closed with that reason.

`check` reads anew what the same rules have read, and says where that comes to something else; it changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from shared.belief.deciding import turned
from shared.contract.candidates import Usage
from shared.contract.errors import NotFound
from shared.contract.events import NewEvent
from shared.contract.records import MemoryVersion
from shared.contract.scope import Scope
from shared.store import candidates, generations, ledger, memories
from shared.store.account import today
from shared.store.beliefs import Draft
from shared.store.candidates import Proposed, Standing
from shared.store.db import Role, Session
from shared.store.deciding import decisions
from shared.store.ending import redo_told
from shared.store.ledger import Head
from shared.store.resolving import found_anew, resolve_claims
from warmpath._deciding_again import ask_again, carry_over, withdraw
from warmpath._policies import verified_sources
from warmpath._readings import BACK, DISCARD, SWITCH, Swap, lines_prepared, swaps
from warmpath._rereading import Part, Reread, Unlike, check
from warmpath._sampling import check_sample
from warmpath._settling import put_in_place, settle
from warmpath._standing_in import Diff, change_places, difference, set_aside
from warmpath._trusted import heard, trusted
from warmpath._work import Services
from warmpath.extract import Read, Unread, append_reading, read_run, unread_of

__all__ = [
    "Diff",
    "Part",
    "Prepared",
    "Reread",
    "Unlike",
    "back",
    "check",
    "check_sample",
    "compare",
    "discard",
    "prepare",
    "switch",
]

_ALL: Final = 2**31 - 1
_WAITING: Final = (Standing.WAITING, Standing.DEFERRED, Standing.REVIEW)
_BROUGHT: Final = (Standing.STORED, Standing.DEFERRED, Standing.REVIEW, Standing.IGNORED, Standing.QUARANTINED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """What came of reading a stream anew."""

    runs: int
    """Runs that were read now; what an earlier pass read is not read again before it is switched to, or discarded."""
    candidates: int
    usage: Usage


class _UndoError(Exception):
    """Ends a transaction that was only to be looked at."""


def _undo() -> None:
    raise _UndoError


def prepare(
    services: Services, scope: Scope, progress: Callable[[int, int], None] = lambda _done, _total: None
) -> Prepared:
    """Read every run of the scope's stream anew, and keep what is proposed for a switch.

    `progress` takes runs done and runs in all. The extractor is the one that new runs are read by; with
    DAYBOOK_EXTRACTION off there is none, and records alone are read.

    Raises:
        DatabaseUnavailable: what was read so far is kept; go on by calling it again.
    """
    todo = _unread(services, scope)
    usage, found = Usage(), 0
    for done, (run_id, unread) in enumerate(todo):
        progress(done, len(todo))
        with services.database.transaction(Role.READER, scope.tenant_id, [scope.owner], read_only=True) as session:
            allowance = today(session, services.settings)
        extraction = read_run(services, scope.tenant_id, scope.owner, unread.events, allowance, lines=unread.lines)
        usage = usage.and_also(extraction.usage)
        zone = services.settings.naive_timezone
        found += _keep(services, scope, run_id, Read(events=unread.events, extraction=extraction, naive_zone=zone))
    progress(len(todo), len(todo))
    return Prepared(runs=len(todo), candidates=found, usage=usage)


def compare(services: Services, scope: Scope) -> Diff:
    """What a switch would change. Holds the stream's lock for as long as a switch takes, and changes nothing.

    Raises:
        NotFound: nothing is prepared.
    """
    with suppress(_UndoError), _transaction(services, scope) as session:
        diff = _switch(session, services, scope)
        _undo()
    return diff


def switch(services: Services, scope: Scope) -> Diff:
    """Put what is prepared in the place of what counts, and resolve all of it.

    Raises:
        NotFound: nothing is prepared.
        DatabaseUnavailable: nothing has changed.
    """
    with _transaction(services, scope) as session:
        return _switch(session, services, scope)


def discard(services: Services, scope: Scope) -> int:
    """Let go of what is prepared; returns how many candidates that were."""
    with _transaction(services, scope) as session:
        head = ledger.lock(session, scope.owner)
        prepared = candidates.standing(session, {Standing.PREPARED})
        candidates.settle(session, _all(prepared, Standing.IGNORED))
        _, head = ledger.append(session, head, [Swap(lines=lines_prepared(session)).marker(DISCARD)])
        ledger.advance(session, head)
        return len(prepared)


def back(services: Services, scope: Scope) -> Diff:
    """Undo the last switch that stands: what it replaced counts again, and what it brought is prepared.

    Raises:
        NotFound: there was none.
        DatabaseUnavailable: nothing has changed.
    """
    with _transaction(services, scope) as session:
        head = ledger.lock(session, scope.owner)
        standing = swaps(session)
        if not standing:
            raise NotFound("no reading of this stream has taken another's place")
        return _undo_swap(session, services, head, standing[-1])


def _switch(session: Session, services: Services, scope: Scope) -> Diff:
    """Have what counts of the lines that were read anew give way to what is prepared of them.

    Lines that are quarantined by now keep their readings, which count again once that is lifted.
    """
    head = ledger.lock(session, scope.owner)
    anew, prepared = lines_prepared(session), candidates.standing(session, {Standing.PREPARED})
    if not anew and not prepared:
        raise NotFound("nothing is prepared for this stream: `daybook rederive` reads it anew")
    lines, coming = frozenset(heard(session, anew)), trusted(session, prepared)
    before = memories.beliefs(session, keyed=True, limit=_ALL)
    counting, waiting = _resting_on(session, lines, Standing.STORED), _resting_on(session, lines, *_WAITING)
    turn = turned(decisions(session, [*counting, *coming]), counting, coming)
    leaving = [*turn.leaving, *waiting]
    candidates.settle(session, _all(prepared, Standing.IGNORED) | _all(leaving, Standing.REPLACED))
    withdrawn = withdraw(session, waiting, at=head.recorded_at)
    draft = Draft(session, head)
    closed = set_aside(draft, before, turn.leaving, turn.coming, judged=True)
    found_anew(draft, closed)
    settle(draft, coming, services.settings)
    ask_again(draft, coming, services.settings)
    carry_over(draft, withdrawn, coming)
    swap = Swap(lines=lines, replaced=_numbers(turn.leaving), dropped=_numbers(waiting), brought=_numbers(coming))
    diff = _finish(draft, services, before, (*counting, *coming), swap.marker(SWITCH))
    return replace(diff, decided=len(turn.kept))


def _undo_swap(session: Session, services: Services, head: Head, swap: Swap) -> Diff:
    """Have what a switch brought give way to what it replaced; what it found waiting is judged as if it came now.

    What rests on evidence that is quarantined by now counts for nothing either way: of what was replaced it counts once
    that is lifted, and of what was brought no more.
    """
    before = memories.beliefs(session, keyed=True, limit=_ALL)
    replaced, waiting = (_still(session, each, Standing.REPLACED) for each in (swap.replaced, swap.dropped))
    counting = _resting_on(session, swap.lines, Standing.STORED)
    turn = turned(decisions(session, [*counting, *replaced]), counting, replaced)
    restored, staying = trusted(session, turn.coming), {each.sequence for each in turn.staying}
    brought = [each for each in _still(session, swap.brought, *_BROUGHT) if each.sequence not in staying]
    mistrusted = [each for each in brought if each.standing is Standing.QUARANTINED]
    withdrawn = withdraw(session, brought, at=head.recorded_at)
    candidates.settle(session, _all(turn.leaving, Standing.REPLACED) | _all(brought, Standing.PREPARED))
    candidates.settle(session, _all(turn.coming, Standing.QUARANTINED) | _all(turn.refused, Standing.IGNORED))
    candidates.settle(session, _all(restored, Standing.STORED))
    draft = Draft(session, head)
    set_aside(draft, before, turn.leaving, restored, judged=False)
    change_places(draft, mistrusted, [each for each in turn.coming if each not in restored])
    settle(draft, waiting, services.settings)
    ask_again(draft, waiting, services.settings)
    carry_over(draft, withdrawn, waiting)
    diff = _finish(draft, services, before, (*counting, *restored), swap.marker(BACK))
    return replace(diff, decided=len(turn.kept))


def _finish(
    draft: Draft, services: Services, before: Sequence[MemoryVersion], touched: Sequence[Proposed], marker: NewEvent
) -> Diff:
    """Resolve what has changed places, write all of it, and redo the ends that no claim's resolution knows of."""
    session, verified = draft.session, verified_sources(services.settings)
    resolve_claims(draft, {each.claim_key for each in touched if each.claim_key is not None}, verified=verified)
    _, head = draft.write()
    head = _redo_ends(Draft(session, head), {each.sequence for each in touched})
    _, head = ledger.append(session, head, [marker])
    ledger.advance(session, head)
    return difference(before, memories.beliefs(session, keyed=True, limit=_ALL))


def _redo_ends(draft: Draft, touched: Collection[int]) -> Head:
    """Take back what was ended by what is believed no more, and end what is by what counts now; writes it."""
    taken = redo_told(draft)
    counting = [each for each in candidates.standing(draft.session, {Standing.STORED}) if each.candidate.replaces]
    put_in_place(draft, [each for each in counting if each.candidate.replaces in taken or each.sequence in touched])
    return draft.write()[1]


def _resting_on(session: Session, lines: Collection[int], *standings: Standing) -> list[Proposed]:
    """The candidates that stand so and rest on nothing but some lines: whatever rests on others was not read anew."""
    found = candidates.standing(session, set(standings))
    return [each for each in found if all(ref.sequence in lines for ref in each.candidate.evidence)]


def _still(session: Session, sequences: Collection[int], *standings: Standing) -> list[Proposed]:
    """Of some candidates those that are still there, and still stand so."""
    return [each for each in candidates.numbered(session, sequences) if each.standing in standings]


def _all(proposed: Iterable[Proposed], standing: Standing) -> dict[int, tuple[Standing, datetime | None]]:
    return {each.sequence: (standing, None) for each in proposed}


def _numbers(proposed: Iterable[Proposed]) -> list[int]:
    return [each.sequence for each in proposed]


def _unread(services: Services, scope: Scope) -> list[tuple[str, Unread]]:
    """The runs of the stream in which there is something that is not prepared yet, with what that is."""
    words = services.settings.extraction
    with services.database.transaction(Role.READER, scope.tenant_id, [scope.owner], read_only=True) as widened:
        session = replace(widened, owners=(scope.owner,))
        known = lines_prepared(session)
        runs = ([run_id] for run_id in ledger.runs(session))
        return [each for run in runs for each in unread_of(ledger.admitted(session, run), known, words=words).items()]


def _keep(services: Services, scope: Scope, run_id: str, each: Read) -> int:
    with _transaction(services, scope) as session:
        head = ledger.lock(session, scope.owner)
        kept = {event.sequence: event for event in ledger.admitted(session, [run_id])}
        batch = ledger.Batch(session.tenant_id, head)
        proposed = append_reading(batch, run_id, each, kept, Standing.PREPARED)
        batch.write(session)
        candidates.insert(session, proposed)
        ledger.advance(session, batch.head)
    return len(proposed)


@contextmanager
def _transaction(services: Services, scope: Scope) -> Iterator[Session]:
    with services.database.transaction(Role.WORKER, scope.tenant_id, [scope.owner]) as session:
        generations.ensure(session, "memory")
        generations.writing(session, "sparse")
        yield session
