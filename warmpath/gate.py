"""gate: is what a run says worth reading, beyond its words being findable?

A run in which nobody's words were admitted and no record is stated has nothing to propose, and goes on to index. What
becomes of each candidate is judged in resolve's transaction (`warmpath._settling`), where nobody else can learn the
same meanwhile.
"""

from __future__ import annotations

from collections.abc import Collection

from shared import clock
from shared.contract.events import OUTCOME, Event
from shared.contract.receipts import Outcome, Stage
from shared.store import inbox, ledger
from shared.store.db import Row, Session
from shared.store.inbox import Claim
from warmpath._heard import is_heard
from warmpath._stated import states_record
from warmpath._work import Done, Result, Services, finish, transaction


def run(services: Services, claim: Claim) -> list[Done]:
    """Let runs pass to extract, or past it where there is nothing to read."""
    started = clock.now()
    with transaction(services, claim) as session:
        rows = inbox.take(session, claim)
        spoken = _spoken(services, session, rows)
        return [finish(session, claim, row, _result(row, spoken), started, then=_then(row, spoken)) for row in rows]


def _spoken(services: Services, session: Session, rows: Collection[Row]) -> set[str | None]:
    """The runs in which there is something to read."""
    words = services.settings.extraction
    return {event.run_id for event in ledger.admitted(session, _run_ids(rows)) if is_read(event, words=words)}


def is_read(event: Event, *, words: bool = True) -> bool:
    """Whether a piece of evidence may have something proposed from it; without `words`, a stated record alone."""
    if event.kind == OUTCOME:
        return False
    return states_record(event) or (words and is_heard(event.actor_role, event.origin))


def _run_ids(rows: Collection[Row]) -> list[str]:
    return sorted({row["run_id"] for row in rows})


def _then(row: Row, spoken: Collection[str | None]) -> Stage:
    return Stage.EXTRACT if row["run_id"] in spoken else Stage.INDEX


def _result(row: Row, spoken: Collection[str | None]) -> Result:
    is_spoken = row["run_id"] in spoken
    reason = "to be read" if is_spoken else "not to be read: nobody's words were admitted, or DAYBOOK_EXTRACTION is off"
    return Result(run_id=row["run_id"], outcome=Outcome.PASSED, reason=reason, counts={})
