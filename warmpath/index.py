"""index: the vectors of a run's memories."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime

from shared.contract.receipts import Outcome, Stage, Work
from shared.store import generations, inbox, vectors
from shared.store.db import Role, Row
from shared.store.vectors import MemoryVector
from warmpath._work import Result, Services, finish


def run(services: Services, work: Work, started: datetime) -> Result | None:
    """Embed what has no vector yet, outside any transaction, then store the vectors in one.

    Raises:
        ModelMismatch: the tenant's vectors are of another model.
    """
    run_id, rows = _unembedded(services, work)
    if run_id is None:
        return None
    made = _embed(services, rows)
    with services.database.transaction(Role.WORKER, work.tenant_id, [work.owner]) as session:
        if inbox.take(session, work, Stage.INDEX) is None:
            return None
        if made:
            model_id = services.embedder().model.key
            generations.ensure_dense(session, model_id)
            vectors.insert(session, model_id, made)
        result = Result(
            run_id=run_id,
            outcome=Outcome.INDEXED if made else Outcome.IGNORED,
            reason="embedded" if made else "no memory of this run lacks a vector",
            counts={"vectors": len(made)},
        )
        return finish(session, Stage.INDEX, work, result, started)


def _unembedded(services: Services, work: Work) -> tuple[str | None, list[Row]]:
    with services.database.transaction(Role.WORKER, work.tenant_id, [work.owner]) as session:
        row = inbox.take(session, work, Stage.INDEX)
        if row is None:
            return None, []
        return row["run_id"], vectors.unembedded(session, row["run_id"], services.embedder().model.key)


def _embed(services: Services, rows: Sequence[Row]) -> list[MemoryVector]:
    if not rows:
        return []
    texts = [row["text"] for row in rows]
    embeddings = services.embedder().encode_documents(texts)
    return [
        MemoryVector(
            doc=row["doc"],
            session_doc=row["session_doc"],
            memory_id=row["memory_id"],
            version=row["version"],
            kind=row["kind"],
            text_hash=hashlib.sha256(text.encode()).digest(),
            embedding=embedding,
        )
        for row, text, embedding in zip(rows, texts, embeddings, strict=True)
    ]
