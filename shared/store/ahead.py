"""What was worked out ahead of time from other memories: of which, and that it goes when one of them does."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final
from uuid import UUID

from shared.belief import anticipating, composing, foretelling, reflecting
from shared.belief.state import Versions
from shared.contract.operations import AbstractPayload, parsed
from shared.contract.records import EpistemicType, MemoryVersion, Operation
from shared.contract.relations import ABSTRACTS
from shared.store import ledger, links, memories
from shared.store.db import Session

QUOTING: Final = frozenset({anticipating.REASON, foretelling.REASON, reflecting.REASON, composing.REASON})
"""Reasons by which a memory was made that quotes its sources, in their words or a model's: it is of now only while all
of them are."""


def sources_of(
    session: Session, beliefs: Iterable[MemoryVersion], reasons: Collection[str] = QUOTING
) -> dict[UUID, tuple[UUID, ...]]:
    """What those of the owner's beliefs were made of that were abstracted for some reasons, in the order given then."""
    inferred = [each.memory_id for each in beliefs if each.epistemic_type is EpistemicType.INFERENCE]
    return {memory: each.sources for memory, each in abstractions(session, inferred, reasons).items()}


def abstractions(
    session: Session, memory_ids: Collection[UUID], reasons: Collection[str]
) -> dict[UUID, AbstractPayload]:
    """By which operation each of the owner's memories was abstracted; those alone that were, for some reasons."""
    tied = [each for each in links.of(session, memory_ids) if each.relation == ABSTRACTS] if memory_ids else []
    events = ledger.numbered(session, session.owner, {each.opened_by for each in tied}) if tied else []
    payloads = {event.sequence: parsed(event.payload) for event in events if event.payload is not None}
    found: dict[UUID, AbstractPayload] = {}
    for tie in tied:
        payload = payloads.get(tie.opened_by)
        if isinstance(payload, AbstractPayload) and payload.reason in reasons:
            found[tie.source] = payload
    return found


def quoting(session: Session, gone: Collection[UUID]) -> list[MemoryVersion]:
    """The open memories that quote one of some, the newest version last; one look-up where none does."""
    ties = links.of(session, gone) if gone else []
    made = {tie.source for tie in ties if tie.relation == ABSTRACTS and tie.target in gone}
    versions = memories.versions(session, made) if made else []
    quoted = sources_of(session, [each for each in versions if each.is_open])
    return [each for each in versions if each.memory_id in quoted]


def no_more_of_now(before: Mapping[UUID, Versions], after: Mapping[UUID, Versions]) -> set[UUID]:
    """Memories that were held, and are held no more or have another end by now. What was merged is still so."""
    pairs = ((each, versions[-1], after[each][-1]) for each, versions in before.items() if after.get(each))
    return {
        each
        for each, was, now in pairs
        if was.is_open and (now.valid_to != was.valid_to if now.is_open else now.closed_reason is not Operation.MERGE)
    }
