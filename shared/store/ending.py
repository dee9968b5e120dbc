"""Ends that were told by what is forgotten by now: taken back, or told anew by what is left.

What is claimed is resolved as a whole (`resolving`); this is for ends that no claim's resolution knows of: those that
`supersede` gave, and those of conclusions, which end with the last of what they were made of.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from shared.belief.effects import part_of
from shared.belief.lineage import SOURCES_ENDED
from shared.belief.state import Versions
from shared.contract.operations import EndPayload, ReopenPayload, parsed
from shared.contract.records import Link, MemoryVersion
from shared.contract.relations import ABSTRACTS
from shared.store import ledger, links, memories
from shared.store.beliefs import Draft

REASON: Final = "end_taken_back"


def redo_ends(draft: Draft, superseded: Collection[Link]) -> None:
    """Take back what forgotten memories had ended, by the ties that there were, and what followed from such ends.

    Call it last: what was resolved anew is left as it is.
    """
    ended = _versions(draft, {tie.target for tie in superseded} - draft.changed)
    by_tie = {(tie.target, tie.opened_by) for tie in superseded}
    for memory, versions in ended.items():
        if any((memory, each.opened_by) in by_tie and each.valid_to == versions[-1].valid_to for each in versions):
            _move(draft, versions, None)
    _redo_conclusions(draft, {*ended, *draft.changed})


def _redo_conclusions(draft: Draft, changed: Collection[UUID]) -> None:
    """Have conclusions of some memories end with the last of what they were made of, or not at all."""
    ties = links.of(draft.session, changed) if changed else []
    made = {tie.source for tie in ties if tie.relation == ABSTRACTS and tie.target in changed}
    sources = links.made_from(draft.session, made)
    held = _versions(draft, made.union(*sources.values()))
    for memory in sorted(made & held.keys()):
        versions = held[memory]
        if _ended_with_sources(draft, versions):
            _move(draft, versions, _last_end([held[each][-1] for each in sources[memory] if each in held]))


def _ended_with_sources(draft: Draft, versions: Versions) -> bool:
    last = versions[-1]
    if not last.is_open or last.valid_to is None:
        return False
    by = next(each.opened_by for each in versions if each.valid_to == last.valid_to)
    (event,) = ledger.numbered(draft.session, draft.head.owner, [by])
    payload = parsed(event.payload or {}) if event.kind == "end" else None
    return isinstance(payload, EndPayload) and payload.reason == SOURCES_ENDED


def _last_end(sources: Sequence[MemoryVersion]) -> datetime | None:
    ends = [each.valid_to for each in sources if each.valid_to is not None]
    return max(ends) if ends and len(ends) == len(sources) else None


def _move(draft: Draft, versions: Versions, to: datetime | None) -> None:
    last = versions[-1]
    if last.is_open and last.valid_to is not None and last.valid_to != to:
        draft.do(versions, [ReopenPayload(reason=REASON, memory=last.memory_id, valid_to=to, forgets=True)])


def _versions(draft: Draft, named: Iterable[UUID]) -> dict[UUID, Versions]:
    """All versions of some memories, as they are by now."""
    wanted = set(named)
    stored = memories.versions(draft.session, wanted) if wanted else []
    now = part_of(draft.as_they_are(stored), (), docs=0).memories
    return {memory: versions for memory, versions in now.items() if memory in wanted}
