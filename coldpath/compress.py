"""compress: old episodes leave the hot tier, behind a summary that cites them; nothing of what was said goes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime, timedelta
from functools import cache, partial
from typing import Final
from uuid import UUID

from coldpath._let_go import LetGo
from coldpath._undone import Apart, apart
from coldpath.proposals import Propose, Proposed, is_due
from shared import clock
from shared.belief.compressing import Held, proposals, returns
from shared.belief.usefulness import last_said, reported
from shared.contract.operations import AbstractPayload, StandingPayload
from shared.contract.proposals import Proposal, named
from shared.contract.records import EpistemicType, MemoryVersion
from shared.contract.scope import Owner
from shared.contract.turns import TurnOutcome
from shared.settings import Settings
from shared.store import inbox, ledger, memories, streams, vectors
from shared.store.db import Database, Session
from shared.work.queues import COMPRESS

MOST_LEAVING: Final = 2_000
"""Episodes of a stream that leave, or are summarised, by one pass: to write as many holds the stream's lock for some
seconds. What is more is for the next."""
MOST_LOOKED_AT: Final = 20_000
"""Episodes of a stream that a pass looks at, the oldest: of old sessions those that have not left."""
_AT_A_TIME: Final = 500


def by(settings: Settings) -> Propose:
    """The job, by the settings."""
    return partial(propose, float(settings.compress_after_days))


def among(settings: Settings, database: Database, tenant_id: str) -> Collection[Owner] | None:
    """In whose streams it has anything to do: with 0 days where an episode is in the cold tier; None for all."""
    return None if settings.compress_after_days else streams.with_cold(database, tenant_id)


def propose(after_days: float, session: Session) -> Proposed:
    """What should be summarised, leave or come back in the stream of the session's owner.

    Of sessions whose last message is older than `after_days`, the oldest first; with 0 none, and what left before comes
    back as ever where nothing stands for it. Of a run that is still at work nothing. It is whole once nothing more is
    to be done today.
    """
    before = clock.now() - timedelta(days=after_days)
    alone = memories.without_summary(session, limit=MOST_LEAVING) if is_due(session, session.owner, COMPRESS) else []
    found, touched, looked_at, waiting = list(returns(alone)), len(alone), 0, 0
    seen: dict[UUID, MemoryVersion] = {}
    reports = cache(partial(_reports, session, before))
    for episodes in _blocks(session, before) if after_days else ():
        if touched >= MOST_LEAVING or looked_at >= MOST_LOOKED_AT:
            break
        held = _held(session, episodes, reports())
        seen |= {each.memory_id: each for each in episodes}
        new = list(proposals(held))
        found += new
        waiting += sum(each.memory_id not in held.findable for each in held.summaries)
        looked_at += len(episodes)
        touched += sum(len(named(each.operation)) for each in new)
    # What is summarised only now has no vector either: the session leaves by the pass after it has one. What somebody
    # took back, or a policy has expired, is not summarised again, and nothing of it waits.
    made = [each.operation for each in found if isinstance(each.operation, AbstractPayload)]
    undone = apart(session, session.owner, COMPRESS) if made else Apart()
    gone = LetGo.of(session, made)
    waiting += sum(not (undone.forbids(each, seen) or gone.forbids(each)) for each in made)
    return Proposed(proposals=found, is_whole=not found, waiting=waiting)


def _blocks(session: Session, before: datetime) -> Iterator[list[MemoryVersion]]:
    """The episodes of old sessions that are in the hot tier, some whole sessions at a time, the oldest first."""
    busy = inbox.runs_at_work(session)
    block: list[int] = []
    size = 0
    old = memories.old_sessions(session, before)
    for place, (number, episodes) in enumerate(old, 1):
        block.append(number)
        size += episodes
        if size >= _AT_A_TIME or place == len(old):
            yield _at_rest(memories.hot_episodes(session, block), busy)
            block, size = [], 0


def _at_rest(episodes: Sequence[MemoryVersion], busy: set[str]) -> list[MemoryVersion]:
    """Without the sessions of which a run is still at work."""
    open_sessions = {each.session_doc for each in episodes if each.run_id in busy}
    return [each for each in episodes if each.session_doc not in open_sessions]


def _held(session: Session, episodes: Sequence[MemoryVersion], reports: Sequence[TurnOutcome]) -> Held:
    sequences = {ref.sequence for each in episodes for ref in each.evidence}
    newest = {each.memory_id: each for each in memories.resting_on(session, sequences)}
    written = [each for each in newest.values() if each.is_open and each.epistemic_type is not EpistemicType.EVIDENCE]
    return Held(
        episodes=episodes,
        summaries=written,
        findable=_findable(session, written, episodes),
        of_use=_of_use(episodes, reports),
    )


def _findable(session: Session, summaries: Sequence[MemoryVersion], episodes: Sequence[MemoryVersion]) -> set[UUID]:
    """Those of the summaries that have a vector, if any of the episodes has one; words find each of them."""
    having = vectors.having(session, [each.doc for each in (*summaries, *episodes)])
    needed = any(each.doc in having for each in episodes)
    return {each.memory_id for each in summaries if not needed or each.doc in having}


def _reports(session: Session, since: datetime) -> list[TurnOutcome]:
    """What was reported of recalls since a time, in order."""
    events = ledger.outcomes(session, since=since)
    return [each for each in map(reported, events) if each]


def _of_use(episodes: Sequence[MemoryVersion], reports: Sequence[TurnOutcome]) -> set[UUID]:
    """Those of the episodes that a recall rested on, by what was reported."""
    held = {each.memory_id for each in episodes}
    return {memory for (_, memory), said in last_said(reports, held).items() if said == "used"}


def counted(proposal: Proposal) -> tuple[str, int]:
    """What a proposal does, and to how many episodes: `summarised`, `left` or `returned`."""
    operation = proposal.operation
    if not isinstance(operation, StandingPayload):
        return "summarised", len(named(operation))
    return ("left" if operation.behind else "returned"), len(operation.memories)
