"""What has waited long enough: candidates for a second piece of evidence, and reviews for somebody who decides."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from shared import clock, metrics
from shared.contract.receipts import Stage
from shared.contract.records import Action, Decision
from shared.contract.scope import Owner
from shared.log import logger
from shared.store import candidates, decisions, ledger
from shared.store.candidates import Standing
from shared.store.db import Database, Role
from warmpath._by_owner import for_each
from warmpath.review import AT_ONCE, expire_overdue

_LOG: Final = logger(__name__)
_ALONE: Final = Decision(
    action=Action.IGNORE, rule="stayed_alone", reason="no second piece of evidence came in time", confidence=0.6
)


def let_go(database: Database) -> None:
    """Let go of what is overdue, and count what still waits. Finding nothing costs two looks at an index.

    Raises:
        DaybookError: nobody's could be let go of; it is found the next time, as what of somebody's could not be.
    """
    now = clock.now()
    expired = expire_overdue(database, now)
    due = candidates.due(database, now, AT_ONCE)
    alone = for_each("deferred", due, lambda tenant, owner: _let_go_of(database, tenant, owner, now))
    if expired or alone:
        _LOG.info("overdue reviews=%d deferred=%d", expired, alone)
    waiting = candidates.counted(database)
    for standing in (Standing.DEFERRED, Standing.REVIEW):
        metrics.CANDIDATES_WAITING.labels(standing=standing).set(waiting.get(standing, 0))


def _let_go_of(database: Database, tenant_id: str, owner: Owner, at: datetime) -> int:
    with database.transaction(Role.WORKER, tenant_id, [owner]) as session:
        head = ledger.lock(session, owner)
        late = candidates.overdue(session, at)
        candidates.settle(session, {each.sequence: (Standing.IGNORED, None) for each in late})
        decisions.write(session, Stage.GATE, [(each.sequence, _ALONE) for each in late], at=head.recorded_at)
    return len(late)
