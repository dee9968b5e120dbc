"""Ends that were told by what is forgotten, or believed no more: taken back, or told anew by what is left.

What is claimed is resolved as a whole (`resolving`); this is for ends that no claim's resolution knows of: those that
`supersede` gave or a reader, and those of conclusions, which end with the last of what they were made of.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from shared.belief import contradictions
from shared.belief.deciding import Former
from shared.belief.effects import part_of
from shared.belief.lineage import SOURCES_ENDED
from shared.belief.replacing import REPLACED, UNSAID
from shared.belief.state import Versions
from shared.contract.operations import EndPayload, ReopenPayload, SupersedePayload, parsed
from shared.contract.proposals import Proposal
from shared.contract.records import Link, MemoryVersion, Operation
from shared.contract.relations import ABSTRACTS
from shared.store import ledger, links, memories
from shared.store.beliefs import Draft
from shared.store.db import Session
from shared.store.quarantines import founded_on_withheld

REASON: Final = "end_taken_back"
_TOLD: Final = frozenset({contradictions.REASON, REPLACED})
"""Why something was ended that no key resolves: by `supersede`, or since its reader said so."""
_ALL: Final = 2**31 - 1
_DENIED: Final = frozenset({Operation.RETRACT, Operation.QUARANTINE})


def ends_taken_back(session: Session, held: Iterable[MemoryVersion]) -> list[Proposal]:
    """How ends are taken back that were told, to what is held by the owner, by what is believed no more.

    What told of one is believed while it is held, was merged into another, or is only left out for its age; and while
    another says the same of its messages in its place, since who reads anew is shown no memory that they could name.
    """
    ids = [each.memory_id for each in held if each.valid_to is not None and each.version > 1]
    ended = [*part_of(memories.versions(session, ids), (), docs=0).memories.values()] if ids else []
    told = _told(session, {contradictions.ended_by(each) for each in ended})
    standing = _believed(session, {each.by for each in told.values()}) if told else frozenset()
    return [*contradictions.taken_back(ended, told, standing)]


def _told(session: Session, sequences: Collection[int]) -> dict[int, SupersedePayload]:
    """Those of some operations by which a memory was ended in the place of which no key puts another."""
    operations = {
        event.sequence: parsed(event.payload)
        for event in (ledger.numbered(session, session.owner, sequences) if sequences else ())
        if event.payload is not None and event.kind == Operation.SUPERSEDE
    }
    return {
        sequence: each
        for sequence, each in operations.items()
        if isinstance(each, SupersedePayload) and each.reason in _TOLD
    }


def _believed(session: Session, named: Collection[UUID]) -> frozenset[UUID]:
    versions = memories.versions(session, named)
    newest = {version.memory_id: version for version in versions}
    out = founded_on_withheld(session, versions)
    kept = [each for each in newest.values() if each.closed_reason not in _DENIED and each.memory_id not in out]
    unsaid = _unsaid(session, kept)
    said = frozenset(each.memory_id for each in kept) - {each.memory_id for each in unsaid}
    return said | _stood_for(session, unsaid)


def _unsaid(session: Session, newest: Iterable[MemoryVersion]) -> list[MemoryVersion]:
    """Those that are held no more since their reading has gone, or is not enough by itself."""
    closed = {each.closed_by: each for each in newest if each.closed_by and each.closed_reason is Operation.EXPIRE}
    events = ledger.numbered(session, session.owner, {*closed}) if closed else []
    return [closed[event.sequence] for event in events if (event.payload or {}).get("reason") in UNSAID]


def _stood_for(session: Session, gone: Collection[MemoryVersion]) -> frozenset[UUID]:
    """Those in whose place another stands by now."""
    messages = {ref.sequence for each in gone for ref in each.evidence}
    beside = memories.resting_on(session, messages) if messages else []
    former = Former(gone)
    return frozenset[UUID]().union(*(former.of(each) for each in beside if each.is_open))


def redo_ends(draft: Draft, superseded: Collection[Link], *, resolved: Collection[UUID]) -> None:
    """Take back what forgotten memories had ended, by the ties that there were, and what followed from such ends.

    Call it last: of what was resolved anew, `resolved` are the memories whose ends something tells that is left.
    """
    ended = _versions(draft, {tie.target for tie in superseded} - draft.changed - set(resolved))
    by_tie = {(tie.target, tie.opened_by) for tie in superseded}
    for memory, versions in ended.items():
        given = _ends(each for each in versions if (memory, each.opened_by) in by_tie)
        if versions[-1].is_open and versions[-1].valid_to in given:
            _move(draft, versions, None, forgets=True)
        else:
            drop_ends(draft, versions, given)
    draft.let_go()
    _redo_conclusions(draft, {*ended, *draft.changed}, forgets=True)


def redo_told(draft: Draft) -> frozenset[UUID]:
    """Take back the ends that were told by what is believed no more, of all that the stream's owner holds.

    Call it with nothing done yet: it goes by what is stored. Returns the memories that have not ended by it. Unlike a
    forgotten one, such an end is still known to have been believed.
    """
    held = memories.beliefs(draft.session, keyed=True, limit=_ALL)
    taken = {memory: each.operation for each in ends_taken_back(draft.session, held) for memory in each.read}
    draft.do([each for each in held if each.memory_id in taken], [*taken.values()])
    _redo_conclusions(draft, taken.keys(), forgets=False)
    return frozenset(taken)


def drop_ends(draft: Draft, held: Collection[MemoryVersion], lost: Collection[datetime]) -> None:
    """Take ends that nothing tells any more from all versions of some memories, also of those that are held no more.

    The end that an open one has by now stays: whoever resolves it has seen to that.
    """
    now = part_of(draft.as_they_are(held), (), docs=0).memories
    for memory in dict.fromkeys(each.memory_id for each in held) if lost else ():
        last = now[memory][-1]
        to = None if last.valid_to in lost and not last.is_open else last.valid_to
        if any(each.valid_to in lost and each.valid_to != to for each in now[memory]):
            dropping = ReopenPayload(reason=REASON, memory=memory, valid_to=to, forgets=True, stays=True)
            draft.do(now[memory], [dropping])


def _redo_conclusions(draft: Draft, changed: Collection[UUID], *, forgets: bool) -> None:
    """Have conclusions of some memories end with the last of what they were made of, or not at all.

    With `forgets`, those that are held no more keep no end that one of their sources has lost.
    """
    ties = links.of(draft.session, changed) if changed else []
    made = {tie.source for tie in ties if tie.relation == ABSTRACTS and tie.target in changed}
    sources = links.made_from(draft.session, made)
    held = _versions(draft, made.union(*sources.values()))
    for memory in sorted(made & held.keys()):
        versions = held[memory]
        if _ended_with_sources(draft, versions):
            last = _last_end([held[each][-1] for each in sources[memory] if each in held])
            _move(draft, versions, last, forgets=forgets)
        elif forgets:
            drop_ends(draft, versions, set[datetime]().union(*(draft.lost_ends(each) for each in sources[memory])))


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


def _move(draft: Draft, versions: Versions, to: datetime | None, *, forgets: bool) -> None:
    last = versions[-1]
    if last.is_open and last.valid_to is not None and last.valid_to != to:
        draft.do(versions, [ReopenPayload(reason=REASON, memory=last.memory_id, valid_to=to, forgets=forgets or None)])


def _ends(versions: Iterable[MemoryVersion]) -> set[datetime]:
    return {each.valid_to for each in versions if each.valid_to is not None}


def _versions(draft: Draft, named: Iterable[UUID]) -> dict[UUID, Versions]:
    """All versions of some memories, as they are by now."""
    wanted = set(named)
    stored = memories.versions(draft.session, wanted) if wanted else []
    now = part_of(draft.as_they_are(stored), (), docs=0).memories
    return {memory: versions for memory, versions in now.items() if memory in wanted}
