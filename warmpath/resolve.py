"""resolve: what was proposed of a run is judged, and what passes changes what is believed.

One transaction under the stream's lock, so two workers that learn the same thing at once learn it one after the other:
the second finds what the first has written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from shared import clock
from shared.contract.receipts import Outcome
from shared.store import candidates, generations, inbox, ledger
from shared.store.beliefs import Draft
from shared.store.candidates import Standing
from shared.store.inbox import Claim
from warmpath._settling import settle
from warmpath._work import Done, Result, Services, finish, transaction

_REASONS: Final = {
    Outcome.STORED: "what is believed has changed, or is better founded",
    Outcome.DEFERRED: "what was proposed waits for more evidence, or for a person",
    Outcome.IGNORED: "nothing that was proposed is to be remembered",
    Outcome.NOTHING_FOUND: "nothing was proposed",
}


def run(services: Services, claim: Claim) -> list[Done]:
    """Settle what waits of some runs of one stream."""
    started = clock.now()
    with transaction(services, claim) as session:
        rows = inbox.take(session, claim)
        if not rows:
            return []
        generations.ensure(session, "memory")
        generations.writing(session, "sparse")
        head = ledger.lock(session, claim.owner)
        waiting = candidates.of_runs(session, {row["run_id"] for row in rows}, {Standing.WAITING})
        draft = Draft(session, head)
        settled = settle(draft, waiting, services.settings)
        ledger.advance(session, draft.write()[1])
        return [finish(session, claim, row, _result(row["run_id"], settled), started) for row in rows]


def _result(run_id: str, settled: Mapping[str, Mapping[str, int]]) -> Result:
    counts = dict(settled.get(run_id, {}))
    outcome = _outcome(counts)
    return Result(run_id=run_id, outcome=outcome, reason=_REASONS[outcome], counts=counts)


def _outcome(counts: Mapping[str, int]) -> Outcome:
    if not counts:
        return Outcome.NOTHING_FOUND
    if counts.get("store") or counts.get("corroborate"):
        return Outcome.STORED
    return Outcome.DEFERRED if counts.get("defer") or counts.get("review") else Outcome.IGNORED
