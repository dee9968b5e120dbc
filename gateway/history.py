"""All that became of a run, gathered from the inbox, the receipts and the decisions."""

from __future__ import annotations

from gateway.reports import Delivery, Judgement, RunHistory
from shared.contract.errors import NotFound
from shared.contract.scope import Owner, Scope, checked_id, checked_scope
from shared.store import decisions, inbox, receipts
from shared.store.db import Database, Role, Row


def history(database: Database, scope: Scope, run_id: str) -> RunHistory:
    """What became of the scope's run, and of runs of that id in the rooms its user takes part in.

    Raises:
        InvalidScope: the scope or the run's id is not acceptable.
        NotFound: there is none.
    """
    checked_scope(scope)
    checked_id("run_id", run_id)
    with database.transaction(Role.READER, scope.tenant_id, [scope.owner], read_only=True) as session:
        found = RunHistory(
            run_id=run_id,
            deliveries=tuple(map(_delivery, inbox.of_run(session, run_id))),
            receipts=tuple(receipts.of_run(session, run_id)),
            decisions=tuple(map(_judgement, decisions.of_run(session, run_id))),
        )
    if not found.deliveries and not found.receipts:
        msg = (
            f"user {scope.user_id!r} of tenant {scope.tenant_id!r} has no run {run_id!r}; ids are compared exactly, "
            "and a room's run is shown once it is in the ledger"
        )
        raise NotFound(msg, run_id=run_id)
    return found


def _delivery(row: Row) -> Delivery:
    return Delivery(
        subject=str(row["inbox_id"]),
        owner=Owner(row["user_id"]),
        stage=row["stage"],
        state=row["state"],
        attempts=row["attempts"],
        last_error=row["last_error"],
        accepted_at=row["accepted_at"],
        changed_at=row["changed_at"],
    )


def _judgement(row: Row) -> Judgement:
    return Judgement(
        message_id=row["message_id"],
        speaker=row["speaker"],
        stage=row["stage"],
        action=row["action"],
        rule=row["rule"],
        reason=row["reason"],
        confidence=row["confidence"],
    )
