"""How certain several memories that say the same are together. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from shared.contract.records import EvidenceRef, MemoryVersion, Span


class Together(NamedTuple):
    """What several memories rest on as one."""

    evidence: tuple[EvidenceRef, ...]
    """Each stretch once, as it was first cited."""
    confidence: float


def together(memories: Sequence[MemoryVersion]) -> Together:
    """What they rest on, and how certain they are by it: as if each after the first had been said again.

    The noisy or of their confidences, 1 - (1 - a)(1 - b), as corroboration has it, over those that bring independent
    evidence of their own; never less than the first is by itself.
    """
    first, *others = memories
    by_span: dict[Span, EvidenceRef] = {ref.span: ref for ref in first.evidence}
    doubt = 1 - first.confidence
    for each in others:
        own = [ref for ref in each.evidence if ref.span not in by_span]
        doubt *= 1 - each.confidence if any(ref.independent for ref in own) else 1.0
        by_span |= {ref.span: ref for ref in own}
    return Together(tuple(by_span.values()), max(first.confidence, 1 - doubt))
