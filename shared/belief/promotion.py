"""Promotion: when what was concluded becomes a fact. By one rule, and never because something was said often. Pure.

An inference becomes a fact once somebody who may say so states it, in words that it was not concluded from:

    the user    says the same, in a message of their own
    a source    that is verified says the same: a tool or document by its name, from a registered list

An echo states nothing, and an inference drawn twice is an inference. Where every statement that could have made it a
fact is forgotten or set aside, what had been promoted is an inference again. Which sources are verified is asked when
something is stated; whatever a source says keeps what had been promoted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from shared.belief.predicates import side_of
from shared.belief.segments import Stated
from shared.contract.candidates import Change
from shared.contract.events import Event
from shared.contract.operations import StandingPayload
from shared.contract.records import EpistemicType, MemoryVersion, Operation
from shared.contract.trust import TRUST, Origin

CONFIRMED, UNCONFIRMED = "confirmed", "confirmation_gone"
_CONCLUDED: Final = EpistemicType.INFERENCE
_SOURCES: Final = frozenset({Origin.TOOL, Origin.DOCUMENT, Origin.WEB})
_OF_SOURCES: Final = frozenset(TRUST[each] for each in _SOURCES)


def promotion(
    versions: Sequence[MemoryVersion],
    stated: Iterable[Stated],
    *,
    evidence: Mapping[int, Event],
    verified: AbstractSet[str] = frozenset(),
) -> StandingPayload | None:
    """What is to be done to a memory's footing; None where nothing is.

    `versions` are all versions of one memory, oldest first; `stated` what counts for its claim's key; `evidence` holds
    the events that these rest on, by sequence, those of them that are there; `verified` are speakers.
    """
    first, last = versions[0], versions[-1]
    if not last.is_open or first.epistemic_type is not _CONCLUDED or first.claim is None:
        return None
    said = [each for each in stated if _says_so(each, versions)]
    if last.epistemic_type is _CONCLUDED:
        good = any(each.trust >= TRUST[Origin.USER] or _is_verified(each, evidence, verified) for each in said)
        return _standing(Operation.PROMOTE, CONFIRMED, last, EpistemicType.FACT) if good else None
    if last.epistemic_type is EpistemicType.FACT and not any(map(_may_say_so, said)):
        return _standing(Operation.DEMOTE, UNCONFIRMED, last, _CONCLUDED)
    return None


def _standing(op: Operation, reason: str, last: MemoryVersion, to: EpistemicType) -> StandingPayload:
    return StandingPayload.model_validate({"op": op, "reason": reason, "memory": last.memory_id, "epistemic_type": to})


def _says_so(stated: Stated, versions: Sequence[MemoryVersion]) -> bool:
    """Whether a statement says what the memory says, of itself, and in a message that it was not concluded from.

    The memory must rest on it: what was said of another time of the same claim confirms nothing here.
    """
    candidate, first = stated.candidate, versions[0]
    if candidate.change is not Change.HOLDS or candidate.epistemic_type is _CONCLUDED:
        return False
    founding = {ref.sequence for ref in first.evidence}
    held = {ref.span for ref in versions[-1].evidence}
    same = first.claim is not None and stated.side == side_of(first.claim)
    own = [ref for ref in candidate.evidence if ref.independent and ref.sequence not in founding]
    return same and bool(own) and all(ref.span in held for ref in candidate.evidence)


def _may_say_so(stated: Stated) -> bool:
    """Whether it is a user's, or a source's that may have been verified."""
    return stated.trust >= TRUST[Origin.USER] or stated.trust in _OF_SOURCES


def _is_verified(stated: Stated, evidence: Mapping[int, Event], verified: AbstractSet[str]) -> bool:
    events = [evidence.get(ref.sequence) for ref in stated.candidate.evidence]
    return all(event is not None and event.origin in _SOURCES and event.speaker in verified for event in events)
