"""gate: is what the run says worth remembering beyond its words?

No candidates are drawn from runs yet, so nothing is held back here: each run passes, with a receipt that says so.
"""

from __future__ import annotations

from shared import clock
from shared.contract.receipts import Outcome
from shared.store import inbox
from shared.store.db import Row
from shared.store.inbox import Claim
from warmpath._work import Done, Result, Services, finish, transaction


def run(services: Services, claim: Claim) -> list[Done]:
    """Let the runs pass."""
    started = clock.now()
    with transaction(services, claim) as session:
        return [finish(session, claim, row, _result(row), started) for row in inbox.take(session, claim)]


def _result(row: Row) -> Result:
    return Result(run_id=row["run_id"], outcome=Outcome.PASSED, reason="no candidates to judge", counts={})
