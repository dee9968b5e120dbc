"""index: the vectors of a run's memories, and the names in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from shared import clock
from shared.contract.errors import ModelMismatch
from shared.contract.receipts import Outcome
from shared.log import logger
from shared.models import may_be_of
from shared.store import generations, graph, inbox, ledger, vectors
from shared.store.db import Row, Session
from shared.store.inbox import Claim
from shared.store.vectors import MemoryVector
from warmpath._work import Done, Result, Services, finish, transaction

_LOG: Final = logger(__name__)
_ANOTHER_MODEL: Final = (
    "the stored vectors are of another model than the configured one; `daybook reembed` will give this run its own, "
    "and words find it meanwhile"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lacking:
    """What of some runs has no vector of the model yet."""

    by_run: Mapping[UUID, Sequence[Row]]
    """Memories, each once, by the delivery whose run they are of; a delivery that lacks nothing is not named."""
    fits: bool
    """Whether vectors of the model may be stored beside those that are there."""


def run(services: Services, claim: Claim) -> list[Done]:
    """Embed what has no vector yet in one batch, outside any transaction, then store the vectors in one.

    Where the stored vectors are of another model than the configured one, none are made: such runs are deferred. The
    graph view follows the stream's end, not the runs, so the order in which they come changes nothing.
    """
    started = clock.now()
    model_id = services.embedder().model.key
    lacking = _lacking(services, claim, model_id)
    made = _embed(services, lacking) if lacking.fits else {}
    with transaction(services, claim) as session:
        rows = inbox.take(session, claim)
        new = {row["inbox_id"]: made.get(row["inbox_id"], ()) for row in rows}
        named = generations.writing(session, "graph")
        stored = _store(session, claim, model_id, new) if lacking.fits else None
        graph.catch_up(session, named, until=ledger.lock(session, claim.owner).doc)
        results = [_result(row, lacking.by_run.get(row["inbox_id"], ()), stored) for row in rows]
        return [finish(session, claim, row, result, started) for row, result in zip(rows, results, strict=True)]


def _lacking(services: Services, claim: Claim, model_id: str) -> _Lacking:
    found: dict[UUID, list[Row]] = {}
    of_runs: set[str] = set()
    with transaction(services, claim) as session:
        for row in inbox.take(session, claim):
            if row["run_id"] not in of_runs:
                of_runs.add(row["run_id"])
                found[row["inbox_id"]] = vectors.unembedded(session, row["run_id"], model_id)
        stored_model = generations.dense_model(session)
    return _Lacking(
        by_run={inbox_id: rows for inbox_id, rows in found.items() if rows}, fits=stored_model in {None, model_id}
    )


def _embed(services: Services, lacking: _Lacking) -> dict[UUID, list[MemoryVector]]:
    every = [row for rows in lacking.by_run.values() for row in rows]
    if not every:
        return {}
    made = iter(vectors.embedded(every, services.embedder().encode_documents([row["text"] for row in every])))
    return {inbox_id: [next(made) for _ in rows] for inbox_id, rows in lacking.by_run.items()}


def _store(
    session: Session, claim: Claim, model_id: str, new: Mapping[UUID, Sequence[MemoryVector]]
) -> dict[UUID, int] | None:
    """Store vectors, and say how many of each delivery; None if another model's have come to be stored meanwhile."""
    new = {inbox_id: made for inbox_id, made in new.items() if made}
    if not new:
        return {}
    try:
        into = generations.writing_dense(session, model_id)
    except ModelMismatch:
        return None
    ledger.lock(session, claim.owner)
    return {inbox_id: vectors.insert(session, model_id, made, into) for inbox_id, made in new.items()}


def _result(row: Row, lacking: Sequence[Row], stored: Mapping[UUID, int] | None) -> Result:
    """What was lacking may have been stored, or its memory forgotten, while it was being embedded."""
    made = stored.get(row["inbox_id"], 0) if stored is not None else 0
    if made:
        outcome, reason = Outcome.INDEXED, "embedded"
    elif lacking and stored is None:
        outcome, reason = Outcome.DEFERRED, _ANOTHER_MODEL
    else:
        outcome, reason = Outcome.IGNORED, "no memory of this run lacks a vector"
    return Result(run_id=row["run_id"], outcome=outcome, reason=reason, counts={"vectors": made})


def warn_of_other_models(services: Services) -> None:
    """Say in the log if the tenants' vectors are not of the model that is configured here; loads no model."""
    others = {each for each in generations.models(services.database) if not may_be_of(services.settings, each)}
    if others:
        _LOG.warning(
            "the stored vectors are of %s, and DAYBOOK_EMBEDDING_MODEL is %s: what is observed is found by words alone "
            "until `daybook reembed`, or until the setting is put back",
            ", ".join(sorted(others)),
            services.settings.embedding_model,
        )
