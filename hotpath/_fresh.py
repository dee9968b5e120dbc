"""The fresh tail: runs accepted and not yet in the ledger, so that nobody has to wait for a worker to be remembered.

They are few, so they are read whole and ranked in this process, by words alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from hotpath._plan import Plan
from hotpath.weights import EVIDENT
from shared.accept.accept import unpack
from shared.belief import rules
from shared.contract.events import Message, Run, message_id_on_its_way
from shared.contract.records import Action
from shared.contract.scope import Owner, stream_of
from shared.language.bm25 import fresh_scores
from shared.language.indexing import indexed_terms
from shared.store import inbox, ledger
from shared.store.db import Session

LONGEST_CHARS: Final = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class FreshHit:
    """A message on its way that matches."""

    owner: Owner
    memory_id: UUID
    """Of the message's key; the memory gets its own id in the ledger."""
    run: Run
    message: Message
    coverage: float
    """Share of the query's terms that it holds, 0 to 1."""
    score: float
    """0 to 1, comparable with a fused score."""


def is_evident(hit: FreshHit) -> bool:
    """Whether a message on its way bears on the query by itself."""
    return hit.coverage >= EVIDENT


def search(session: Session, plan: Plan) -> tuple[list[FreshHit], int]:
    """The messages on their way that hold a word of the query, best first, and how many runs were looked at."""
    rows = inbox.fresh(session, limit=plan.channels["fresh"].limit, longest_chars=LONGEST_CHARS)
    if not rows:
        return [], 0
    runs = [run for run in (unpack(row["payload"]) for row in rows) if _is_read(session, run)]
    admitted = [
        (run, message)
        for run in runs
        for message in run.messages
        if rules.admit(message, rules.AdmissionContext()).action is Action.STORE
    ]
    held = [
        indexed_terms(text=message.text, speaker=message.speaker, at=message.occurred_at) for _, message in admitted
    ]
    return _new(session, _hits(plan, admitted, held)), len(runs)


def _is_read(session: Session, run: Run) -> bool:
    """Whether the session reads a run: not where it is another agent's."""
    return run.owner not in session.narrowed or run.scope.agent_id in {None, session.agent_id}


def _hits(plan: Plan, admitted: Sequence[tuple[Run, Message]], held: Sequence[Sequence[str]]) -> list[FreshHit]:
    """What holds a term of the query, scored up to what words alone can reach of a fused score."""
    share, wanted = plan.weights.lexical / plan.weights.total, set(plan.terms)
    hits = [
        FreshHit(
            owner=run.owner,
            memory_id=message_id_on_its_way(
                run.scope.tenant_id, stream_of(run.owner), message.message_id, message.digest
            ),
            run=run,
            message=message,
            coverage=len(wanted.intersection(found)) / len(wanted),
            score=share * score,
        )
        for (run, message), found, score in zip(admitted, held, fresh_scores(plan.terms, held), strict=True)
        if score > 0
    ]
    return sorted(hits, key=lambda hit: -hit.score)


def _new(session: Session, hits: Sequence[FreshHit]) -> list[FreshHit]:
    """The hits without what an earlier run has brought: agents send a conversation again with each turn."""
    known: set[tuple[Owner, str, str]] = set()
    for owner in {hit.owner for hit in hits}:
        digests = {hit.message.digest for hit in hits if hit.owner == owner}
        known |= {(owner, *key) for key in ledger.known_messages(session, stream_of(owner), digests)}
    first = {(hit.owner, hit.message.message_id, hit.message.digest): hit for hit in reversed(hits)}
    return [hit for key, hit in reversed(first.items()) if key not in known]
