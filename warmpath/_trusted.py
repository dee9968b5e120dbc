"""Which of what was proposed rests on nothing that is quarantined."""

from __future__ import annotations

from collections.abc import Collection

from shared.store import ledger
from shared.store.candidates import Proposed
from shared.store.db import Session
from shared.store.quarantines import withheld


def heard(session: Session, sequences: Collection[int]) -> set[int]:
    """Of some messages of the session's owner those that were admitted, and are neither forgotten nor quarantined."""
    runs = {event.run_id for event in ledger.numbered(session, session.owner, sequences) if event.run_id}
    admitted = {event.sequence for event in ledger.admitted(session, runs)}.intersection(sequences)
    # What keeps their words may have been closed before a quarantine, and tells nothing of it then.
    return admitted - withheld(session) if admitted else admitted


def trusted(session: Session, proposed: Collection[Proposed]) -> list[Proposed]:
    """Those of some candidates of the session's owner whose evidence was admitted and is not quarantined."""
    admitted = heard(session, {ref.sequence for each in proposed for ref in each.candidate.evidence})
    return [each for each in proposed if all(ref.sequence in admitted for ref in each.candidate.evidence)]
