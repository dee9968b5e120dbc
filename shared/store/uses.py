"""How memories have fared in recalls: the view of usefulness. The one writer of `memory_use`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Final
from uuid import UUID

import numpy as np

from shared.belief.usefulness import reported, usefulness
from shared.contract.scope import Owner
from shared.contract.turns import Use
from shared.store import ledger, memories
from shared.store.columns import portions
from shared.store.db import Session
from shared.store.keys import DOC_BITS, Ints, docs_of
from shared.store.queries import queries

_SQL: Final = queries("uses")
_COLUMNS: Final = tuple(each.name for each in fields(Use))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Counts:
    """Of memories that something was reported of: parallel arrays."""

    keys: Ints
    """See `shared.store.keys`."""
    used: Ints
    misled: Ints


_NOTHING: Final = np.empty(0, np.int64)
NO_COUNTS: Final = Counts(keys=_NOTHING, used=_NOTHING, misled=_NOTHING)


def change(session: Session, before: Mapping[UUID, Use], after: Mapping[UUID, Use]) -> None:
    """Count, for memories of the session's owner, what some turns come to now in place of what they came to before.

    `after` has each memory that `before` has. The caller holds the stream's lock.
    """
    changes = [
        {
            "memory_id": memory,
            "doc": now.doc,
            "used": now.used - (before[memory].used if memory in before else 0),
            "misled": now.misled - (before[memory].misled if memory in before else 0),
        }
        for memory, now in after.items()
        if now != before.get(memory)
    ]
    for columns in portions(changes):
        session.execute(_SQL["change"], **columns)


def put(session: Session, uses: Iterable[Use]) -> None:
    """Say anew how memories of the session's owner have fared. The caller holds the stream's lock."""
    for columns in portions({name: getattr(use, name) for name in _COLUMNS} for use in uses):
        session.execute(_SQL["put"], **columns)


def recount(session: Session) -> None:
    """Work out anew, from all outcomes of the owner's ledger, how memories have fared.

    What was said of a memory is never less than before, unless an outcome was forgotten: then `clear` first.
    """
    reports = [each for each in map(reported, ledger.outcomes(session)) if each]
    named = {memory for each in reports for memory in each.memories}
    put(session, usefulness(reports, memories.docs(session, named)).values())


def of(session: Session, keys: Ints) -> Counts:
    """How memories, of whichever of the session's owners, have fared: those of which anything was reported."""
    owners, docs, used, misled = session.columns(_SQL["of"], docs=docs_of(keys).tolist())
    if not owners:
        return NO_COUNTS
    places = [session.owners.index(Owner(each)) for each in owners]
    return Counts(
        keys=(np.array(places, np.int64) << DOC_BITS) | np.array(docs, np.int64),
        used=np.array(used, np.int64),
        misled=np.array(misled, np.int64),
    )


def stored(session: Session) -> list[Use]:
    """How the owner's memories have fared, in order of their numbers."""
    return [Use(**{name: row[name] for name in _COLUMNS}) for row in session.rows(_SQL["stored"])]


def count(session: Session) -> int:
    """Of how many of the owner's memories anything was reported."""
    row = session.row(_SQL["count"])
    return row["reported"] if row else 0


def remove(session: Session, memory_ids: Collection[UUID]) -> int:
    """Take away what is said of some of the owner's memories; for the eraser. Returns how many rows went."""
    return session.execute(_SQL["remove"], memory_ids=list(memory_ids)).rowcount


def clear(session: Session) -> int:
    """Take away what is said of any of the owner's memories; for the eraser. Returns how many rows went."""
    return session.execute(_SQL["clear"]).rowcount
