"""What was made of other memories, and of which: by the operations that opened it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from shared.belief import concluding, often, skills
from shared.contract.records import EpistemicType, MemoryVersion
from shared.store import memories
from shared.store.ahead import abstractions
from shared.store.db import Session

REASONS: Final = frozenset({often.REASON, skills.REASON, concluding.REASON})
"""Those of consolidate."""
_CONCLUDED: Final = frozenset({EpistemicType.INFERENCE, EpistemicType.PREFERENCE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """How a memory was made."""

    reason: str
    """Of the operation."""
    sources: tuple[UUID, ...]


def made_of(session: Session, beliefs: Iterable[MemoryVersion], reasons: Collection[str] = REASONS) -> dict[UUID, Made]:
    """Those of the owner's beliefs that were abstracted for one of some reasons."""
    concluded = [each.memory_id for each in beliefs if each.epistemic_type in _CONCLUDED]
    found = abstractions(session, concluded, reasons)
    return {memory: Made(reason=each.reason, sources=each.sources) for memory, each in found.items()}


def sources_of(session: Session, made: Mapping[UUID, Made]) -> dict[UUID, list[MemoryVersion]]:
    """The newest versions of what each was made of; what is forgotten by now is left out."""
    named = {source for each in made.values() for source in each.sources}
    newest = {each.memory_id: each for each in memories.versions(session, named)} if named else {}
    return {memory: [newest[each] for each in of.sources if each in newest] for memory, of in made.items()}
