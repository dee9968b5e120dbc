"""The fresh tail: runs accepted and not yet in the ledger, so that nobody has to wait for a worker to be remembered.

They are few, so they are read whole and ranked in this process, by words alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID, uuid5

from hotpath._plan import Plan
from hotpath.weights import EVIDENT
from shared.accept.accept import unpack
from shared.belief import rules
from shared.contract.events import NAMESPACE, Message, Run
from shared.contract.records import Action
from shared.contract.scope import Owner
from shared.language.bm25 import fresh_scores
from shared.language.indexing import named
from shared.language.text import terms
from shared.store import inbox
from shared.store.db import Session

MOST_RUNS: Final = 50
LONGEST_CHARS: Final = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class FreshHit:
    """A message on its way that matches."""

    owner: Owner
    memory_id: UUID
    """Of the message's delivery and place; the memory gets its own id in the ledger."""
    run: Run
    message: Message
    share: float
    """Of the most that a message could score by words, 0 to 1."""
    score: float
    """0 to 1, comparable with a fused score."""


def is_evident(hit: FreshHit) -> bool:
    """Whether a message on its way bears on the query by itself."""
    return hit.share >= EVIDENT


def search(session: Session, plan: Plan) -> tuple[list[FreshHit], int]:
    """The messages on their way that hold a word of the query, best first, and how many runs were looked at."""
    rows = inbox.fresh(session, limit=MOST_RUNS, longest_chars=LONGEST_CHARS)
    runs = [(row["inbox_id"], unpack(row["payload"])) for row in rows]
    admitted = [
        (inbox_id, run, message)
        for inbox_id, run in runs
        for message in run.messages
        if rules.admit(message, rules.AdmissionContext()).action is Action.STORE
    ]
    scores = fresh_scores(plan.terms, [terms(f"{named(message.speaker)} {message.text}") for _, _, message in admitted])
    return _hits(admitted, scores, share=plan.weights.lexical / plan.weights.total), len(runs)


def _hits(admitted: Sequence[tuple[UUID, Run, Message]], scores: Sequence[float], *, share: float) -> list[FreshHit]:
    """`share` is what words alone can reach of a fused score."""
    hits = [
        FreshHit(
            owner=run.owner,
            memory_id=uuid5(NAMESPACE, f"fresh\x1f{inbox_id}\x1f{message.position}"),
            run=run,
            message=message,
            share=score,
            score=share * score,
        )
        for (inbox_id, run, message), score in zip(admitted, scores, strict=True)
        if score > 0
    ]
    return sorted(hits, key=lambda hit: -hit.score)
