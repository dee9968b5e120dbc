"""profile: what the user has said of themselves, for the beginning of a bundle.

Which memories it is made of is looked up in the profile view; each is then shown as any memory is, so that nothing is
among them that is held no longer, of whatever age the view is. What is newer than the view is for the search to find.
"""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Final

import numpy as np

from hotpath._expand import Piece, piece_of
from shared.belief.predicates import object_key, subject_key
from shared.contract.trust import TRUST, Origin
from shared.store import memories, profiles
from shared.store.db import Session
from shared.store.memories import Whole

_OF_A_BLOCK: Final = 12
"""The newest memories of each: who likes two hundred things is not described by all of them."""
_MOST: Final = 40


def facts(session: Session, *, as_of: datetime | None, known_at: datetime | None) -> tuple[Piece, ...]:
    """What the session's user has said of themselves and is so, the most telling topics first.

    In an order that stays: by topic, and in each as it came to be held. What contradicts another is left to the search,
    which shows all of a contradiction or none; so is what others say.
    """
    docs = profiles.opening(session, subject_key(session.owner), most=_OF_A_BLOCK)[:_MOST]
    if not docs:
        return ()
    keys = np.array(docs, np.int64)
    rows = {row.doc: row for row in memories.whole(session, keys, keys, as_of=as_of, known_at=known_at)}
    held = [rows[doc] for doc in docs if doc in rows]
    sides = Counter(key for key, _ in {(row.claim_key, _side(row)) for row in held})
    return tuple(piece_of(row) for row in held if sides[row.claim_key] == 1 and row.trust >= TRUST[Origin.USER])


def _side(row: Whole) -> str:
    return f"{row.claim_predicate} {object_key(row.claim_object or '')}"
