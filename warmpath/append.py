"""append: a run goes into the ledger, and what of it is admitted becomes episodes that words can find from that commit.

One transaction, under the lock of the owner's stream, for a burst of runs: of each the evidence events, the decision on
each, one ADD that opens the episodes, their rows, their postings, the receipt; and the stream's new end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from shared import clock
from shared.accept.accept import unpack
from shared.belief import rules
from shared.belief.opening import add_episodes, opened
from shared.contract.cutting import ends_to_look_for, is_end_of_item
from shared.contract.events import Event, EventClass, Json, Message, NewEvent, Run
from shared.contract.operations import as_json
from shared.contract.receipts import Outcome, Stage
from shared.contract.records import Action, Decision, MemoryVersion
from shared.contract.trust import Origin
from shared.language.indexing import Indexed, indexed
from shared.store import decisions, generations, inbox, ledger, memories, postings
from shared.store.db import Session
from shared.store.inbox import Claim
from warmpath._work import Done, Result, Services, finish, transaction


def run(services: Services, claim: Claim) -> list[Done]:
    """Append runs of one stream that wait in the inbox, in order of acceptance."""
    with transaction(services, claim) as session:
        rows = inbox.take(session, claim)
        if not rows:
            return []
        generations.ensure(session, "memory")
        generations.writing(session, "sparse")
        head = began = ledger.lock(session, claim.owner)
        done = []
        for row in rows:
            started = clock.now()
            result, head = _append(session, head, unpack(row["payload"]))
            done.append(finish(session, claim, row, result, started))
        if head.sequence > began.sequence:
            ledger.advance(session, head)
        return done


def _append(session: Session, head: ledger.Head, run: Run) -> tuple[Result, ledger.Head]:
    new = _new_messages(session, head.stream, run)
    evidence, head = ledger.append(session, head, [_evidence(run, message) for message in new])
    decided = _decide(session, run, new, evidence)
    decisions.write(
        session,
        Stage.APPEND,
        [(event.sequence, decision) for event, decision in decided],
        at=head.recorded_at,
    )
    versions, head = _open(session, head, decided)
    return _result(run, new, decided, versions), head


def _new_messages(session: Session, stream: str, run: Run) -> list[Message]:
    known = ledger.known_messages(session, stream, {message.digest for message in run.messages})
    return [message for message in run.messages if (message.message_id, message.digest) not in known]


def _evidence(run: Run, message: Message) -> NewEvent:
    return NewEvent(
        event_class=EventClass.EVIDENCE,
        kind="message",
        payload=_payload(message),
        origin=message.origin,
        actor_role=message.role,
        speaker=message.speaker,
        occurred_at=message.occurred_at,
        precision=message.precision,
        run_id=run.run_id,
        message_id=message.message_id,
        message_digest=message.digest,
        agent_id=run.scope.agent_id,
        session_id=_session_id(run),
    )


def _session_id(run: Run) -> str:
    return run.scope.session_id or run.run_id


def _payload(message: Message) -> Json:
    optional = {
        "original_at": message.original_at,
        "warnings": list(message.warnings),
        "tool_calls": list(message.tool_calls),
        "tool_call_id": message.tool_call_id,
        "recalled": message.recalled,
        "torn": list(message.torn),
    }
    return {"text": message.text, **{name: value for name, value in optional.items() if value}}


def _decide(
    session: Session, run: Run, new: Sequence[Message], evidence: Sequence[Event]
) -> list[tuple[Event, Decision]]:
    said = memories.said_in_session(session, _session_id(run), [message.digest for message in new])
    beside = [message for message in new if message.recalled]
    elsewhere = memories.said_in_session(session, None, [message.digest for message in beside]) if beside else set()
    ends = _known_ends(session, {line for message in beside for line in message.torn})
    context = rules.AdmissionContext(said=said, said_elsewhere=elsewhere, known_ends=ends)
    return list(zip(evidence, rules.admit_run(new, context), strict=True))


def _known_ends(session: Session, torn: set[str]) -> set[str]:
    """Of the torn lines of messages those that open memories of the owner end in."""
    if not torn:
        return set()
    texts = memories.ending_in(session, {end for line in torn for end in ends_to_look_for(line)})
    return {line for line in torn if any(is_end_of_item(line, text) for text in texts)}


def _open(
    session: Session, head: ledger.Head, decided: Sequence[tuple[Event, Decision]]
) -> tuple[list[MemoryVersion], ledger.Head]:
    payload = add_episodes(decided)
    if payload is None:
        return [], head
    add = NewEvent(
        event_class=EventClass.OPERATION,
        kind=payload.op,
        payload=as_json(payload),
        origin=Origin.UNKNOWN,
        run_id=decided[0][0].run_id,
        caused_by=decided[0][0].sequence,
    )
    (event,), head = ledger.append(session, head, [add])
    begun = memories.session_docs(session, {each.session_id for each, _ in decided if each.session_id is not None})
    versions = opened(event, {each.sequence: each for each, _ in decided}, head.doc + 1, begun)
    memories.insert(session, versions)
    last = versions[-1].doc
    postings.append(session, [_indexed(version) for version in versions], after=head.doc, until=last)
    return versions, replace(head, doc=last)


def _indexed(version: MemoryVersion) -> Indexed:
    return indexed(
        doc=version.doc,
        session=version.session_doc,
        text=version.text,
        speaker=version.speaker,
        at=version.valid_from,
    )


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
        return Result(run_id=run.run_id, outcome=Outcome.STORED, reason="in the ledger and findable", counts=counts)
    reason = "no message was admitted as a memory" if new else "every message was in the ledger before"
    return Result(run_id=run.run_id, outcome=Outcome.IGNORED, reason=reason, counts=counts)
