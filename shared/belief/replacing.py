"""What has no claim, and what was said in its place: named by whoever read both, and judged here. Pure.

By a key it could be resolved, in whatever order both came; without one somebody has to say that the two cannot both be
so. A reader may say so of what it was shown, and is believed where the world's times and the trust of both allow it.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from shared.belief.unkeyed import is_unkeyed
from shared.contract.operations import SupersedePayload
from shared.contract.records import MemoryVersion

REPLACED: Final = "replaced"
"""The reason of such an operation."""
REDERIVED: Final = "rederived"
"""Why a memory is closed that no reading proposes any more."""
ALONE_AGAIN: Final = "alone_again"
"""Why one is closed that waits again for a second piece of evidence."""
UNSAID: Final = frozenset({REDERIVED, ALONE_AGAIN})
"""Reasons to hold a memory no longer by which it ends nothing either: what is only left out for its age still does."""


def replacing(old: MemoryVersion, by: MemoryVersion, begins: datetime | None) -> SupersedePayload | None:
    """How a memory without a claim ends by another that began at a time of the world; None where it does not.

    What is not later, or is trusted less, or was heard by another agent, ends nothing; both stay.
    """
    if not (old.is_open and by.is_open) or old.valid_to is not None or old.memory_id == by.memory_id:
        return None
    if not is_unkeyed(old) or old.schema_name is not None or old.agent_id != by.agent_id or by.trust < old.trust:
        return None
    if begins is None or (old.valid_from is not None and begins <= old.valid_from):
        return None
    return SupersedePayload(reason=REPLACED, memory=old.memory_id, by=by.memory_id, valid_to=begins)
