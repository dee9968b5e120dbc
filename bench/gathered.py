"""What recall had in its hands for a question, with the gold: from this weights are fitted, without asking again."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from bench.product import Product
from hotpath import _fuse, _recall
from hotpath._plan import Plan
from hotpath._premise import Compared, compared
from hotpath._reading import features
from hotpath._rerank import readings_of
from hotpath.recipes import BALANCED
from shared.contract.errors import Permanent

if TYPE_CHECKING:
    from rich.progress import Progress

    from bench.corpus import Corpus, Question
    from bench.product import Memory
    from hotpath._bundle import Evidence
    from hotpath._search import Candidates

Floats = NDArray[np.float64]

_EVERY: Final = 10_000
_DEADLINE_MS: Final = 600_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Gathered:
    """One question's hits, in the order of the fused score; arrays are parallel."""

    question: Question
    turn_ids: Sequence[str]
    gold: NDArray[np.bool_]
    fused: Floats
    """(hits, fused features): each 0 to 1."""
    read: Floats
    """(hits that are read again, features of the second reading)."""
    compared: Compared | None
    """See `hotpath._premise`."""
    evident: bool


def gather(corpus: Corpus, product: Product, progress: Progress) -> Iterator[Gathered]:
    """Feed the conversations that are asked about, and ask each question once.

    Raises:
        Permanent: a channel failed, so what was found would be no recall's.
    """
    done = progress.add_task(f"{corpus.name}: questions gathered", total=len(corpus.questions))
    for conversation in corpus.conversations:
        questions = [each for each in corpus.questions if each.conversation_id == conversation.id]
        if questions:
            memory = product.feed(conversation, lambda _: None)
            for question in questions:
                yield _of(memory, question)
                progress.advance(done)


def _of(memory: Memory, question: Question) -> Gathered:
    held: dict[str, Any] = {}

    def fuse(plan: Plan, candidates: Candidates, **how: Any) -> list[_fuse.Ranked]:
        held.update(plan=plan, compared=compared(plan, candidates, asker=how["asker"]))
        return _fuse.fuse(plan, candidates, **{**how, "limit": _EVERY, "explain": True})

    def rerank(_ask: object, _plan: object, _progress: object, evidence: Evidence, _settings: object) -> Evidence:
        held["evidence"] = evidence
        return evidence

    with patch.object(_recall, "fuse", fuse), patch.object(_recall, "rerank", rerank):
        bundle = _recall.recall(
            memory.scope,
            question.query,
            budget_tokens=1,
            deadline_ms=_DEADLINE_MS,
            as_of=question.asked_at,
            known_at=None,
            k=None,
            explain=True,
        )
    if bundle.degraded:
        raise Permanent(f"recall lacked {', '.join(bundle.degraded)}; see the log, its features would be false")
    return _gathered(held, question, memory.scope.user_id or "")


def _gathered(held: dict[str, Any], question: Question, asker: str) -> Gathered:
    plan: Plan = held["plan"]
    evidence: Evidence = held["evidence"]
    hits = [hit for hit in evidence.hits if not hit.fresh]
    again = readings_of(hits[: BALANCED.rerank], evidence.around)
    ids = [next((each.message_id for each in hit.sources if each.message_id), "") for hit in hits]
    shares = {name: getattr(plan.weights, name) / plan.weights.total for name in _fuse.FEATURES}
    return Gathered(
        question=question,
        turn_ids=ids,
        gold=_among(ids, question.gold_turn_ids),
        fused=np.array(
            [[hit.scores[f"+{name}"] / share if share else 0.0 for name, share in shares.items()] for hit in hits]
        ).reshape(len(hits), len(shares)),
        read=features(plan, again, asker=asker, late=lambda: False),
        compared=held["compared"],
        evident=evidence.evident,
    )


def _among(ids: Sequence[str], gold: Collection[str]) -> NDArray[np.bool_]:
    return np.array([each in gold for each in ids], np.bool_)
