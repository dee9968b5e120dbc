"""Receipts: what became of each stage. The one writer of `receipt`."""

from __future__ import annotations

import json
from typing import Final

from shared.contract.receipts import Outcome, Receipt, Stage
from shared.contract.scope import Owner
from shared.store.db import Row, Session
from shared.store.queries import queries

_SQL: Final = queries("receipts")


def write(session: Session, receipt: Receipt) -> bool:
    """Write a stage's receipt in the transaction of its effect; False if the stage had one already.

    A receipt that says that the stage failed gives way: the run was tried again. A stage's times are put on the
    server's clock, and only what it took is the worker's word: clocks of workers differ, a run's receipts are in order.
    """
    written = session.row(
        _SQL["insert" if receipt.stage is Stage.OBSERVE else "insert_or_mend"],
        subject=receipt.subject,
        stage=receipt.stage,
        user_id=receipt.owner,
        run_id=receipt.run_id,
        outcome=receipt.outcome,
        reason=receipt.reason,
        counts=json.dumps(receipt.counts),
        started_at=receipt.started_at,
        finished_at=receipt.finished_at,
    )
    return written is not None


def of_run(session: Session, run_id: str) -> list[Receipt]:
    """Every receipt of a run's deliveries, in the order the stages ended."""
    return [_receipt(row) for row in session.rows(_SQL["of_run"], run_id=run_id)]


def of_subject(session: Session, subject: object, stage: Stage) -> Receipt | None:
    """The receipt of one stage of one delivery."""
    row = session.row(_SQL["of_subject"], subject=subject, stage=stage)
    return _receipt(row) if row else None


def _receipt(row: Row) -> Receipt:
    return Receipt(
        tenant_id=row["tenant_id"],
        owner=Owner(row["user_id"]),
        run_id=row["run_id"],
        subject=row["subject"],
        stage=Stage(row["stage"]),
        outcome=Outcome(row["outcome"]),
        reason=row["reason"],
        counts=row["counts"],
        started_at=row["started_at"],
        finished_at=row["finished_at"],
    )


def clear(session: Session) -> int:
    """Take the receipts of the session's owner away, but for deliveries in the inbox. Returns how many went."""
    return session.execute(_SQL["clear"]).rowcount
