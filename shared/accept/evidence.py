"""How a message of an accepted run stands in the ledger. Pure."""

from __future__ import annotations

from shared.belief.usefulness import as_payload
from shared.contract.events import MESSAGE, OUTCOME, EventClass, Json, Message, NewEvent, Run
from shared.contract.turns import TurnOutcome


def evidence_of(run: Run, message: Message) -> NewEvent:
    """The event that a message becomes."""
    return NewEvent(
        event_class=EventClass.EVIDENCE,
        kind=MESSAGE,
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
        session_id=session_of(run),
    )


def evidence_of_outcome(run: Run, outcome: TurnOutcome) -> NewEvent:
    """The event that what came of a recall becomes. In a room it is its reporter's, with whom it goes."""
    return NewEvent(
        event_class=EventClass.EVIDENCE,
        kind=OUTCOME,
        payload=as_payload(outcome),
        speaker=None if run.scope.is_tenant_wide else run.scope.user_id,
        run_id=run.run_id,
        agent_id=run.scope.agent_id,
        session_id=run.scope.session_id,
    )


def session_of(run: Run) -> str:
    """The session that a run's messages belong to: the run itself where the caller named none."""
    return run.scope.session_id or run.run_id


def _payload(message: Message) -> Json:
    optional = {
        "original_at": message.original_at,
        "warnings": list(message.warnings),
        "tool_calls": list(message.tool_calls),
        "tool_call_id": message.tool_call_id,
        "recalled": message.recalled,
        "torn": list(message.torn),
        "record": message.record and message.record.model_dump(mode="json", exclude_none=True),
    }
    told = {} if message.importance is None else {"importance": message.importance}
    return {"text": message.text, **{name: value for name, value in optional.items() if value}, **told}
