"""The fresh tail: runs accepted and not yet in the ledger, so that nobody has to wait for a worker to be remembered.

They are few, so they are read whole and ranked in this process, by words alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from hotpath._asked import is_asked_about
from hotpath._fuse import RANKINGS
from hotpath._plan import Plan
from hotpath._rrf import reciprocal_ranks
from hotpath._search import Found
from hotpath.weights import EVIDENT
from shared.accept.accept import unpack
from shared.belief import rules
from shared.contract.events import Message, Run, message_id_on_its_way
from shared.contract.records import Action
from shared.contract.scope import Owner, stream_of
from shared.language.bm25 import fresh_scores, tf_weight
from shared.language.indexing import indexed_terms
from shared.store import inbox, ledger
from shared.store.db import Session

LONGEST_CHARS: Final = 200_000
LEAST_SHARE: Final = 0.1
"""Of its own score by words, what a message on its way keeps however it compares."""
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class FreshHit:
    """A message on its way that matches."""

    owner: Owner
    memory_id: UUID
    """Of the message's key; the memory gets its own id in the ledger."""
    run: Run
    message: Message
    terms: Sequence[str]
    """As an index would hold it."""
    coverage: float
    """Share of the query's terms that it holds, 0 to 1."""
    in_window: bool
    """It lies in the time asked about."""
    score: float
    """0 to 1, comparable with a fused score."""


def is_evident(plan: Plan, hit: FreshHit) -> bool:
    """Whether a message on its way bears on the query by itself."""
    return hit.coverage >= EVIDENT or (plan.only_when and hit.in_window)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tail:
    """What the runs on their way came to."""

    hits: Sequence[FreshHit] = ()
    """Best first."""
    runs: int = 0
    """How many were looked at."""
    is_whole: bool = True
    """Whether that is all that wait: not where there are more than are looked at, or one is too large for it."""


def features(plan: Plan, hits: Sequence[FreshHit], found: Found, *, asker: str) -> dict[str, Floats]:
    """What is known of the hits as of the views' candidates, on the same scale: arrays parallel to them, by feature.

    Words count by the statistics of the views; where these hold none of them, by those of the tail. Nothing where the
    plan fuses ranks: the tail has its own.
    """
    if plan.fusion != "score" or not hits:
        return {}
    return {
        "words": _words(hits, found),
        "speaker": np.array(
            [is_asked_about(plan, hit.message.speaker, hit.message.role, asker) for hit in hits], np.float64
        ),
        "date": np.array([hit.in_window for hit in hits], np.float64),
    }


def _words(hits: Sequence[FreshHit], found: Found) -> Floats:
    if not found.words:
        return np.array([hit.score for hit in hits])
    by, counts = found.words[0], [Counter(hit.terms) for hit in hits]
    return np.array(
        [
            sum(weight * tf_weight(count[term], count.total(), by.average) for term, weight in by.weights.items())
            for count in counts
        ]
    )


def scored(hits: Sequence[FreshHit], scores: Floats) -> list[FreshHit]:
    """The hits with their fused scores, best first.

    The least of a few scores 0 once they are compared, and is a hit all the same: a part of its own score stays.
    """
    fused = (max(float(score), LEAST_SHARE * hit.score) for hit, score in zip(hits, scores, strict=True))
    found = [replace(hit, score=score) for hit, score in zip(hits, fused, strict=True)]
    return sorted(found, key=lambda hit: -hit.score)


def search(session: Session, plan: Plan) -> Tail:
    """The messages on their way that hold a word of the query, or are of the time that it asks about."""
    limit = plan.channels["fresh"].limit
    rows = inbox.fresh(session, limit=limit + 1, longest_chars=LONGEST_CHARS)
    if not rows:
        return Tail()
    payloads = [row["payload"] for row in rows[:limit] if row["payload"] is not None]
    runs = [run for run in map(unpack, payloads) if _is_read(session, run)]
    admitted = [
        (run, message)
        for run in runs
        for message in run.messages
        if rules.admit(message, rules.AdmissionContext()).action is Action.STORE
    ]
    held = [
        indexed_terms(text=message.text, speaker=message.speaker, at=message.occurred_at) for _, message in admitted
    ]
    hits = _new(session, _hits(plan, admitted, held))
    return Tail(hits=hits, runs=len(runs), is_whole=len(payloads) == len(rows))


def _is_read(session: Session, run: Run) -> bool:
    """Whether the session reads a run: not where it is another agent's."""
    return run.owner not in session.narrowed or run.scope.agent_id in {None, session.agent_id}


def _hits(plan: Plan, admitted: Sequence[tuple[Run, Message]], held: Sequence[Sequence[str]]) -> list[FreshHit]:
    """What may answer, scored up to what words alone can reach of a fused score."""
    wanted, scores = set(plan.terms), fresh_scores(plan.terms, held)
    hits = [
        FreshHit(
            owner=run.owner,
            memory_id=message_id_on_its_way(
                run.scope.tenant_id, stream_of(run.owner), message.message_id, message.digest
            ),
            run=run,
            message=message,
            terms=found,
            coverage=len(wanted.intersection(found)) / max(1, len(wanted)),
            in_window=_lies_in(plan, message),
            score=score,
        )
        for (run, message), found, score in zip(admitted, held, _fused(plan, scores), strict=True)
        if score > 0 or _lies_in(plan, message)
    ]
    return sorted(hits, key=lambda hit: -hit.score)


def _lies_in(plan: Plan, message: Message) -> bool:
    at, window = message.occurred_at, plan.window
    return window is not None and at is not None and window.start <= at < window.end


def _fused(plan: Plan, scores: Sequence[float]) -> list[float]:
    """Scores by words, 0 to 1, as the plan would fuse them if no other channel gave any."""
    if plan.fusion == "score":
        return [plan.weights.lexical / plan.weights.total * score for score in scores]
    rankings = [channel for channel in RANKINGS.values() if channel in plan.channels]
    share = (rankings.count("sparse") or 1) / (len(rankings) or 1)
    ranked: list[float] = (share * reciprocal_ranks(np.array([scores]))[0]).tolist()
    return ranked


def _new(session: Session, hits: Sequence[FreshHit]) -> list[FreshHit]:
    """The hits without what an earlier run has brought: agents send a conversation again with each turn."""
    known: set[tuple[Owner, str, str]] = set()
    for owner in {hit.owner for hit in hits}:
        digests = {hit.message.digest for hit in hits if hit.owner == owner}
        known |= {(owner, *key) for key in ledger.known_messages(session, stream_of(owner), digests)}
    first = {(hit.owner, hit.message.message_id, hit.message.digest): hit for hit in reversed(hits)}
    return [hit for key, hit in reversed(first.items()) if key not in known]
