"""What claims nothing that could be compared by a key: a memory of its own, confirmed by whatever says the same. Pure.

Its text is that of the statement it was opened for. Where that one is forgotten or set aside, what the others said is
not: the memory is founded anew, in the words of the earliest of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from shared.belief.segments import MOST_CERTAIN
from shared.contract.candidates import Candidate
from shared.contract.operations import AddPayload, CorroboratePayload, Payload, WrittenEntry
from shared.contract.records import EpistemicType, EvidenceRef, MemoryVersion, Span

_BEFORE_ALL_TIME: Final = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """A candidate without a claim that counts."""

    candidate: Candidate
    said_at: datetime | None
    """World time of the message that it was read from."""
    sequence: int
    """Of its event; it orders what was said at one time."""


def opening(candidate: Candidate, said_at: datetime | None) -> AddPayload:
    """The operation that opens a memory for a candidate."""
    entry = WrittenEntry(
        kind=candidate.kind,
        epistemic_type=candidate.epistemic_type,
        text=candidate.text,
        claim=candidate.claim,
        valid_from=candidate.since or said_at,
        valid_to=candidate.until,
        evidence=candidate.evidence,
        confidence=candidate.confidence,
        schema_name=candidate.schema_name,
        data=candidate.data,
    )
    return AddPayload(reason="stated", entries=(entry,))


def is_unkeyed(version: MemoryVersion) -> bool:
    """Whether a memory is in words of its own and claims nothing."""
    return version.claim is None and version.epistemic_type is not EpistemicType.EVIDENCE


def founded_anew(lost: MemoryVersion, sayings: Iterable[Saying], *, memory: UUID) -> list[Payload]:
    """The operations by which a memory is held on what is left of it; none where nothing is, or where it was closed.

    `lost` is the version that was held until its founding words were forgotten or set aside; of `sayings` those count
    that it rests on and that are not its founding words' (which must not be among them). `memory` is the id of what the
    first operation will open.
    """
    cited = {ref.span: ref for ref in lost.evidence}
    said = [each for each in sayings if all(ref.span in cited for ref in each.candidate.evidence)]
    if not lost.is_open or not is_unkeyed(lost) or not said:
        return []
    first, *others = sorted(said, key=lambda each: (each.said_at or _BEFORE_ALL_TIME, each.sequence))
    done: list[Payload] = [opening(first.candidate, first.said_at)]
    known: set[Span] = {ref.span for ref in first.candidate.evidence}
    confidence = first.candidate.confidence
    for each in others:
        evidence = tuple(_as_cited(each.candidate.evidence, lost, known))
        if evidence:
            known |= {ref.span for ref in evidence}
            if any(ref.independent for ref in evidence):
                doubt = (1 - confidence) * (1 - each.candidate.confidence)
                confidence = max(confidence, min(MOST_CERTAIN, 1 - doubt))
            done.append(
                CorroboratePayload(reason="said_again", memory=memory, evidence=evidence, confidence=confidence)
            )
    return done


def _as_cited(refs: Sequence[EvidenceRef], lost: MemoryVersion, known: AbstractSet[Span]) -> Iterable[EvidenceRef]:
    """What is new of some evidence, an echo where the memory that is lost had it as one."""
    echoes = {ref.span for ref in lost.evidence if not ref.independent}
    return (replace(ref, independent=ref.span not in echoes) for ref in refs if ref.span not in known)
