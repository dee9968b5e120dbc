"""Which of what was proposed rests on nothing that is quarantined."""

from __future__ import annotations

from collections.abc import Collection

from shared.store import ledger
from shared.store.candidates import Proposed
from shared.store.db import Session


def trusted(session: Session, proposed: Collection[Proposed]) -> list[Proposed]:
    """Those of some candidates of the session's owner whose evidence was admitted and is not quarantined."""
    cited = {ref.sequence for each in proposed for ref in each.candidate.evidence}
    runs = {event.run_id for event in ledger.numbered(session, session.owner, cited) if event.run_id}
    admitted = {event.sequence for event in ledger.admitted(session, runs)}
    return [each for each in proposed if all(ref.sequence in admitted for ref in each.candidate.evidence)]
