"""Claims resolved in the tables: what is held of them is brought to what all that was proposed of them comes to.

The same for whoever learns something (resolve), decides (review) or forgets, so that no order of these makes a
difference.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

from shared.belief.promotion import promotion
from shared.belief.recording import founds
from shared.belief.replacing import ALONE_AGAIN
from shared.belief.resolve import resolve
from shared.belief.rules.context import Limits
from shared.belief.segments import Stated
from shared.belief.timeline import timeline
from shared.belief.unkeyed import Saying, founded_anew, is_unkeyed
from shared.contract.events import memory_id
from shared.contract.operations import ClosePayload, EndPayload, Payload, ReopenPayload, SupersedePayload
from shared.contract.records import EpistemicType, Link, MemoryVersion, Operation
from shared.store import candidates, decisions, ledger, memories
from shared.store.beliefs import Draft
from shared.store.candidates import Proposed, Standing
from shared.store.db import Session
from shared.store.ending import drop_ends, redo_ends
from shared.store.ledger import Head
from shared.store.naming import Family, families, known_as, names_people


def resolve_claims(
    draft: Draft,
    claim_keys: Iterable[str],
    *,
    run_id: str | None = None,
    verified: AbstractSet[str] = frozenset(),
    forgets: Collection[datetime] | None = None,
) -> set[UUID]:
    """Bring what the stream's owner holds of some claims to what is proposed of them and counts.

    The operations are of `run_id` where one led to them; `verified` are the speakers that `promotion` takes for such.
    With `forgets`, something that was proposed is forgotten, and these are the times that it spoke of: where nothing
    else does, no version keeps one as its end. Then the memories are returned whose ends are told by what is left.
    """
    keys = set(claim_keys)
    naming = set(filter(names_people, keys))
    told = set[UUID]()
    if naming:
        alone = [Family(main=key, keys=frozenset({key}), related=frozenset({key})) for key in naming]
        told |= _resolve(draft, alone, run_id, forgets=forgets)
    if keys:
        told |= _resolve(draft, families(draft, keys - naming, naming), run_id, verified, forgets=forgets)
    return told


def _resolve(
    draft: Draft,
    every: Sequence[Family],
    run_id: str | None,
    verified: AbstractSet[str] = frozenset(),
    *,
    forgets: Collection[datetime] | None,
) -> set[UUID]:
    proposed = candidates.of_claims(draft.session, {key for family in every for key in family.keys})
    held = memories.of_claims(draft.session, {key for family in every for key in family.related})
    told = set[UUID]()
    for family in every:
        now = [each for each in draft.as_they_are(held) if each.claim and each.claim.key in family.related]
        stated = [known_as(stated_of(each), family) for each in proposed if each.claim_key in family.keys]
        operations = resolve(stated, now, id_at=partial(_memory_at, draft.session, draft.head))
        draft.do(now, operations if forgets is None else [*map(_forgetting, operations)], run_id=run_id)
        draft.do(now, _promotions(draft, now, stated, verified), run_id=run_id)
        if forgets is not None:
            drop_ends(draft, now, set(forgets) - _times(stated))
            ends = {segment.valid_to for segment in timeline(stated) if segment.valid_to}
            told |= {each.memory_id for each in now if each.valid_to in ends}
    return told


def _times(said: Iterable[Stated | Proposed]) -> set[datetime]:
    """The times of the world that something said speaks of: whatever it ends, ends at one of them."""
    times = (time for each in said for time in (each.said_at, each.candidate.since, each.candidate.until))
    return {time for time in times if time is not None}


def _forgetting(operation: Payload) -> Payload:
    is_ending = isinstance(operation, SupersedePayload | EndPayload | ReopenPayload)
    return operation.model_copy(update={"forgets": True}) if is_ending else operation


def _promotions(
    draft: Draft, held: Iterable[MemoryVersion], stated: Sequence[Stated], verified: AbstractSet[str]
) -> list[Payload]:
    """What is to be done to the footing of what is held of one claim, now that it is resolved."""
    concluded: dict[UUID, list[MemoryVersion]] = {}
    keys = {each.claim.key for each in stated}
    for version in draft.as_they_are(held):
        if version.claim and version.claim.key in keys:
            concluded.setdefault(version.memory_id, []).append(version)
    concluded = {each: of for each, of in concluded.items() if of[0].epistemic_type is EpistemicType.INFERENCE}
    if not concluded:
        return []
    cited = {ref.sequence for each in stated for ref in each.candidate.evidence} if verified else set()
    events = {event.sequence: event for event in ledger.numbered(draft.session, draft.head.owner, cited)}
    found = (promotion(each, stated, evidence=events, verified=verified) for each in concluded.values())
    return [each for each in found if each is not None]


def resolve_without(
    session: Session,
    head: Head,
    *,
    forgotten: Iterable[Proposed],
    lost: Iterable[MemoryVersion],
    revised: Iterable[MemoryVersion],
    superseded: Collection[Link] = (),
    verified: AbstractSet[str] = frozenset(),
) -> Head:
    """Bring what is held to what is left once some statements are forgotten, and write that.

    `forgotten` are the candidates that went with them, `lost` the versions held until then of memories that were made
    from them, `revised` those held now of memories that they confirmed, `superseded` the ties from memories that are
    forgotten to those that they had superseded. What counted because they confirmed it waits again, and no end that
    they told of is kept. Locks as for `Draft`, `verified` as for `resolve_claims`; returns the stream's new end, to be
    stored.
    """
    draft, gone = Draft(session, head), [*forgotten]
    keys = {each.claim_key for each in gone if each.claim_key is not None}
    _wait_again(draft, candidates.of_claims(session, keys))
    for version in filter(is_unkeyed, revised):
        _wait_again(draft, _said_of(draft, version))
    found_anew(draft, lost)
    resolved = resolve_claims(draft, keys, verified=verified, forgets=_times(gone))
    redo_ends(draft, superseded, resolved=resolved)
    return draft.write()[1]


def _said_of(draft: Draft, version: MemoryVersion) -> list[Proposed]:
    """The candidates that count of a memory without a claim."""
    events = ledger.numbered(draft.session, draft.head.owner, _sequences(version))
    counting = candidates.of_runs(draft.session, {event.run_id for event in events if event.run_id}, {Standing.STORED})
    spans = {ref.span for ref in version.evidence}
    return [
        each
        for each in counting
        if each.claim_key is None and all(ref.span in spans for ref in each.candidate.evidence)
    ]


def _wait_again(draft: Draft, counting: Sequence[Proposed]) -> None:
    """Have those of some candidates wait that were not enough to go by, and that none of them confirms any more.

    What was held of them is closed; a second piece of evidence has them count again.
    """
    unsure = decisions.deferred(draft.session, [each.sequence for each in counting])
    alone = [
        each for each in counting if each.sequence in unsure and not any(_confirms(other, each) for other in counting)
    ]
    due_at = draft.head.recorded_at + timedelta(days=Limits().defer_days)
    candidates.settle(draft.session, {each.sequence: (Standing.DEFERRED, due_at) for each in alone})
    for each in alone:
        held = memories.resting_on(draft.session, {ref.sequence for ref in each.candidate.evidence})
        made = {version.memory_id for version in held if version.version == 1 and founds(each.candidate, version)}
        closing = [version.memory_id for version in held if version.is_open and version.memory_id in made]
        draft.do(held, [ClosePayload(op=Operation.EXPIRE, reason=ALONE_AGAIN, memory=memory) for memory in closing])


def _confirms(other: Proposed, each: Proposed) -> bool:
    """Whether a candidate says what another one says, in another run; of those without a claim, each does."""
    same = each.claim_key is None or stated_of(other).side == stated_of(each).side
    return same and other.claim_key == each.claim_key and other.run_id != each.run_id


def _sequences(version: MemoryVersion) -> set[int]:
    return {ref.sequence for ref in version.evidence}


def found_anew(draft: Draft, lost: Iterable[MemoryVersion]) -> None:
    """Hold what others have said of memories without a claim whose own words count no more."""
    unkeyed = [each for each in lost if is_unkeyed(each)]
    cited = set[int]().union(*map(_sequences, unkeyed))
    runs = {event.run_id for event in ledger.numbered(draft.session, draft.head.owner, cited) if event.run_id}
    left = [each for each in candidates.of_runs(draft.session, runs, {Standing.STORED}) if each.claim_key is None]
    said = [Saying(candidate=each.candidate, said_at=each.said_at, sequence=each.sequence) for each in left]
    for each in unkeyed:
        memory = _memory_at(draft.session, draft.head, 0)
        draft.do([], founded_anew(each, said, memory=memory))


def stated_of(proposed: Proposed) -> Stated:
    """A candidate as resolution sees it."""
    return Stated(
        candidate=proposed.candidate,
        said_at=proposed.said_at,
        message_id=proposed.message_id,
        digest=proposed.message_digest,
        trust=proposed.trust,
    )


def _memory_at(session: Session, head: Head, place: int) -> UUID:
    """The id of what the operation at a place, from 0, behind the stream's end will open."""
    return memory_id(session.tenant_id, head.stream, head.sequence + place + 1, 0)
