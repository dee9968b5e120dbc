"""gate: is what the run says worth remembering beyond its words?

No candidates are drawn from runs yet, so nothing is held back here: each run passes, with a receipt that says so.
"""

from __future__ import annotations

from datetime import datetime

from shared.contract.receipts import Outcome, Stage, Work
from shared.store import inbox
from shared.store.db import Role
from warmpath._work import Result, Services, finish


def run(services: Services, work: Work, started: datetime) -> Result | None:
    """Let the run pass."""
    with services.database.transaction(Role.WORKER, work.tenant_id, [work.owner]) as session:
        row = inbox.take(session, work, Stage.GATE)
        if row is None:
            return None
        result = Result(run_id=row["run_id"], outcome=Outcome.PASSED, reason="no candidates to judge", counts={})
        return finish(session, Stage.GATE, work, result, started)
