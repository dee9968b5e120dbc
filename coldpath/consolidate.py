"""consolidate: what was said or done again and again becomes one memory that cites every time, and dies with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final
from uuid import UUID

from coldpath._runs import ran
from coldpath.proposals import Proposed
from shared.belief import often, skills
from shared.belief.lineage import undermined
from shared.contract.operations import AbstractPayload, parsed
from shared.contract.records import EpistemicType, MemoryVersion
from shared.store import ledger, links, memories
from shared.store.db import Session

MOST_LOOKED_AT: Final = 20_000
"""Episodes and beliefs of a stream that are looked at, the newest of each: some 40 MB."""
_CONCLUDED: Final = frozenset({EpistemicType.INFERENCE, EpistemicType.PREFERENCE})
_OWN: Final = frozenset({often.REASON, skills.REASON})


def propose(session: Session) -> Proposed:
    """What is to be concluded in the stream of the session's owner, and what was and does not stand any more."""
    episodes = memories.episodes(session, limit=MOST_LOOKED_AT)
    beliefs = memories.beliefs(session, keyed=True, limit=MOST_LOOKED_AT)
    made = _made(session, beliefs)
    learned = [each for each in beliefs if made.get(each.memory_id, ("",))[0] == skills.REASON]
    denied = list(undermined([each for each in beliefs if each.memory_id in made], _sources(session, made)))
    gone = {memory for each in denied for memory in each.read}
    return Proposed(
        proposals=[
            *denied,
            *often.said_often(episodes, [each for each in beliefs if each.memory_id not in gone]),
            *skills.skills(ran(session, episodes), [each for each in learned if each.memory_id not in gone]),
        ]
    )


Made = Mapping[UUID, tuple[str, tuple[UUID, ...]]]
"""By memory: the reason that opened it, and what it was made of."""


def _made(session: Session, beliefs: Iterable[MemoryVersion]) -> Made:
    """Those of some beliefs that this job has opened."""
    concluded = [each.memory_id for each in beliefs if each.epistemic_type in _CONCLUDED]
    tied = [each for each in links.of(session, concluded) if each.relation == "abstracts"] if concluded else []
    events = ledger.numbered(session, session.owner, {each.opened_by for each in tied}) if tied else []
    payloads = {event.sequence: parsed(event.payload) for event in events if event.payload is not None}
    found: dict[UUID, tuple[str, tuple[UUID, ...]]] = {}
    for link in tied:
        payload = payloads.get(link.opened_by)
        if isinstance(payload, AbstractPayload) and payload.reason in _OWN:
            found[link.source] = (payload.reason, payload.sources)
    return found


def _sources(session: Session, made: Made) -> dict[UUID, list[MemoryVersion]]:
    """The newest versions of what each was made of."""
    named = {source for _, sources in made.values() for source in sources}
    newest = {each.memory_id: each for each in memories.versions(session, named)} if named else {}
    return {memory: [newest[each] for each in sources if each in newest] for memory, (_, sources) in made.items()}
