"""append: a run goes into the ledger, and what of it is admitted becomes episodes that words can find from that commit.

One transaction, under the lock of the owner's stream, for a burst of runs: of each the evidence events, the decision on
each, one ADD that opens the episodes, their rows, their postings, the receipt; and the stream's new end. What decides
is read once for all runs, and all that they come to is written by one statement a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from shared import clock
from shared.accept.accept import unpack
from shared.accept.evidence import evidence_of, session_of
from shared.belief import rules
from shared.belief.opening import add_episodes, opened
from shared.contract.cutting import ends_to_look_for, is_end_of_item
from shared.contract.events import Event, EventClass, Message, NewEvent, Run
from shared.contract.operations import as_json
from shared.contract.receipts import Outcome, Stage
from shared.contract.records import Action, Decision, MemoryVersion
from shared.contract.trust import Origin
from shared.language.indexing import found_up_to, indexed_of
from shared.store import decisions, generations, inbox, ledger, memories, postings
from shared.store.db import Session
from shared.store.inbox import Claim
from warmpath._reports import Reports
from warmpath._work import Done, Result, Services, finish, transaction


def run(services: Services, claim: Claim) -> list[Done]:
    """Append runs of one stream that wait in the inbox, in order of acceptance."""
    started = clock.now()
    with transaction(services, claim) as session:
        rows = inbox.take(session, claim)
        if not rows:
            return []
        generations.ensure(session, "memory")
        generations.writing(session, "sparse")
        head = ledger.lock(session, claim.owner)
        runs = [unpack(row["payload"]) for row in rows]
        burst = _Burst(session, head, _known(session, head.stream, runs), Reports(session, runs))
        results = [burst.append(run) for run in runs]
        with session.connection.pipeline():
            burst.write()
            return [finish(session, claim, row, result, started) for row, result in zip(rows, results, strict=True)]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """What of a stream its next runs are decided by: read once for a burst, and added to by each of its runs."""

    messages: set[tuple[str, str]]
    """Id and digest of what the ledger has."""
    said: set[tuple[str, str, str]]
    """Session, speaker and digest of open episodes, of the sessions of the runs."""
    said_anywhere: set[tuple[str, str]]
    """Speaker and digest of open episodes of any session, of what recalled memories stood beside."""
    begun: dict[str, int]
    """The numbers of the sessions that have begun."""


def _known(session: Session, stream: str, runs: Sequence[Run]) -> _Known:
    messages = [message for run in runs for message in run.messages]
    digests = {message.digest for message in messages}
    beside = {message.digest for message in messages if message.recalled}
    sessions = {session_of(run) for run in runs}
    anywhere = memories.said(session, beside, None) if beside else set()
    return _Known(
        messages=ledger.known_messages(session, stream, digests),
        said=memories.said(session, digests, sessions),
        said_anywhere={(speaker, digest) for _, speaker, digest in anywhere},
        begun=memories.session_docs(session, sessions),
    )


class _Burst:
    """Some runs of a stream on their way into the tables: each is worked out with what those before it come to."""

    def __init__(self, session: Session, head: ledger.Head, known: _Known, reports: Reports) -> None:
        self._session = session
        self._reports = reports
        self._began = head
        self._known = known
        self._batch = ledger.Batch(session.tenant_id, head)
        self._decided: list[tuple[int, Decision]] = []
        self._versions: list[MemoryVersion] = []

    def append(self, run: Run) -> Result:
        """Put a run behind those before."""
        if run.outcome is not None:
            return self._reports.append(self._batch, run, run.outcome)
        new = [each for each in run.messages if (each.message_id, each.digest) not in self._known.messages]
        evidence = [self._batch.add(evidence_of(run, message)) for message in new]
        decided = list(zip(evidence, self._decide(run, new), strict=True))
        self._decided += [(event.sequence, decision) for event, decision in decided]
        versions = self._open(decided)
        self._reports.learn(evidence, versions)
        self._learn(run, new, [decision for _, decision in decided], versions)
        return _result(run, new, decided, versions)

    def write(self) -> None:
        """Write all that they come to. Statements are left to be sent together where the session has a pipeline."""
        head = self._batch.head
        if head.sequence == self._began.sequence:
            return
        self._batch.write(self._session)
        decisions.write(self._session, Stage.APPEND, self._decided, at=head.recorded_at)
        if self._versions:
            memories.insert(self._session, self._versions)
            words = [indexed_of(version) for version in self._versions]
            postings.append(self._session, words, after=self._began.doc, until=head.doc)
        self._reports.write()
        ledger.advance(self._session, head)

    def _decide(self, run: Run, new: Sequence[Message]) -> list[Decision]:
        of = session_of(run)
        context = rules.AdmissionContext(
            said={(speaker, digest) for session_id, speaker, digest in self._known.said if session_id == of},
            said_elsewhere=self._known.said_anywhere,
            known_ends=self._known_ends({line for message in new if message.recalled for line in message.torn}),
        )
        return rules.admit_run(new, context)

    def _known_ends(self, torn: set[str]) -> set[str]:
        """Of the torn lines of messages those that open memories of the owner end in."""
        if not torn:
            return set()
        texts = memories.ending_in(self._session, {end for line in torn for end in ends_to_look_for(line)})
        texts += [version.text for version in self._versions]
        return {line for line in torn if any(is_end_of_item(line, text) for text in texts)}

    def _open(self, decided: Sequence[tuple[Event, Decision]]) -> list[MemoryVersion]:
        payload = add_episodes(decided)
        if payload is None:
            return []
        add = NewEvent(
            event_class=EventClass.OPERATION,
            kind=payload.op,
            payload=as_json(payload),
            origin=Origin.UNKNOWN,
            run_id=decided[0][0].run_id,
            caused_by=decided[0][0].sequence,
        )
        evidence = {event.sequence: event for event, _ in decided}
        versions = opened(self._batch.add(add), evidence, self._batch.head.doc + 1, self._known.begun)
        self._batch.head = replace(self._batch.head, doc=versions[-1].doc)
        self._versions += versions
        return versions

    def _learn(
        self, run: Run, new: Sequence[Message], verdicts: Sequence[Decision], versions: Sequence[MemoryVersion]
    ) -> None:
        """Have the runs that follow know this one, as they would if it were committed."""
        stored = {
            (message.speaker, message.digest)
            for message, verdict in zip(new, verdicts, strict=True)
            if verdict.action is Action.STORE
        }
        self._known.messages.update((message.message_id, message.digest) for message in new)
        self._known.said.update((session_of(run), *key) for key in stored)
        self._known.said_anywhere.update(stored)
        if versions:
            self._known.begun.setdefault(session_of(run), versions[0].session_doc)


def _result(
    run: Run, new: Sequence[Message], decided: Sequence[tuple[Event, Decision]], versions: Sequence[MemoryVersion]
) -> Result:
    counts = {
        "messages": len(run.messages),
        "repeated": len(run.messages) - len(new),
        "ignored": sum(decision.action is Action.IGNORE for _, decision in decided),
        "episodes": len(versions),
    }
    if versions:
        reason = f"in the ledger and findable{_not_findable(decided)}"
        return Result(run_id=run.run_id, outcome=Outcome.STORED, reason=reason, counts=counts)
    known = "every message was in the ledger before, and what was forgotten or erased of it stays so"
    reason = "no message was admitted as a memory" if new else known
    return Result(run_id=run.run_id, outcome=Outcome.IGNORED, reason=reason, counts=counts)


def _not_findable(decided: Sequence[tuple[Event, Decision]]) -> str:
    """What to say of messages that are longer than their passages."""
    texts = [(event.payload or {}).get("text", "") for event, each in decided if each.action is Action.STORE]
    reach = [(found_up_to(text), len(text)) for text in texts]
    cut = [
        f", of one message only the first {found:,} of {whole:,} characters" for found, whole in reach if found < whole
    ]
    return "".join(cut)
