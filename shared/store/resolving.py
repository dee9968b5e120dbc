"""Claims resolved in the tables: what is held of them is brought to what all that was proposed of them comes to.

The same for whoever learns something (resolve), decides (review) or forgets, so that no order of these makes a
difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from uuid import UUID

from shared.belief.promotion import promotion
from shared.belief.resolve import resolve
from shared.belief.timeline import Stated
from shared.contract.events import memory_id
from shared.contract.operations import Payload
from shared.contract.records import EpistemicType, MemoryVersion
from shared.store import candidates, ledger, memories
from shared.store.beliefs import Draft
from shared.store.candidates import Proposed
from shared.store.db import Session
from shared.store.ledger import Head
from shared.store.naming import Family, families, known_as, names_people, of_the_named


def resolve_claims(
    draft: Draft,
    claim_keys: Iterable[str],
    *,
    run_id: str | None = None,
    verified: AbstractSet[str] = frozenset(),
) -> None:
    """Bring what the stream's owner holds of some claims to what is proposed of them and counts.

    The operations are of `run_id` where one led to them; `verified` are the speakers that `promotion` takes for such.
    """
    keys = set(claim_keys)
    naming = set(filter(names_people, keys))
    if naming:
        _resolve(draft, [Family(main=key, keys=frozenset({key}), related=frozenset({key})) for key in naming], run_id)
        keys |= of_the_named(draft, naming)
    if keys - naming:
        _resolve(draft, families(draft, keys - naming), run_id, verified)


def _resolve(
    draft: Draft, every: Sequence[Family], run_id: str | None, verified: AbstractSet[str] = frozenset()
) -> None:
    proposed = candidates.of_claims(draft.session, {key for family in every for key in family.keys})
    held = memories.of_claims(draft.session, {key for family in every for key in family.related})
    for family in every:
        now = [each for each in draft.as_they_are(held) if each.claim and each.claim.key in family.related]
        stated = [known_as(stated_of(each), family) for each in proposed if each.claim_key in family.keys]
        draft.do(now, resolve(stated, now, id_at=partial(_memory_at, draft.session, draft.head)), run_id=run_id)
        draft.do(now, _promotions(draft, now, stated, verified), run_id=run_id)


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


def resolved(session: Session, head: Head, claim_keys: Iterable[str]) -> Head:
    """`resolve_claims` alone, written. Locks as for `Draft`; returns the stream's new end, to be stored."""
    draft = Draft(session, head)
    resolve_claims(draft, claim_keys)
    return draft.write()[1]


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
