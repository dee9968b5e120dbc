"""What one recall put before a model, and what came of it, gathered from the log of recalls and the ledger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal
from uuid import UUID

from shared.belief.usefulness import reported
from shared.contract.errors import NotFound
from shared.contract.ids import IdRange
from shared.contract.scope import Owner, Scope, checked_scope
from shared.contract.turns import Injected, Turn, TurnOutcome
from shared.store import ledger, recalls
from shared.store.db import Database, Role, Session

Said = Literal["used", "misled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A memory of a recall."""

    memory_id: UUID
    owner: Owner
    """Whose stream it is in: the user's, a room's, the tenant's."""
    rank: int | None
    """Place among the hits, from 1; None for the neighbour of one."""
    score: float
    ordinal: int | None
    """What the block cites it by; None where it was ranked and not shown."""
    said: Said | None
    """What was said of it last, if anything was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnHistory:
    """A recall as it was logged, and what was reported of it by now. Ids alone: what was asked is kept nowhere."""

    turn_id: UUID
    recalled_at: datetime
    agent_id: str | None
    session_id: str | None
    verdict: str
    recipe: str
    tokens: int
    """Of the block that was put before the model."""
    watermark: int
    """The sequence up to which the asker's own stream was searched; 0 where it had none."""
    memories: tuple[Shown, ...]
    """Those shown in the order of the block, then the other hits by rank."""
    reported: bool
    """Whether anything was said of it. The next two are of what was said last."""
    corrected: bool
    abstained: bool


def turn(database: Database, scope: Scope, turn_id: UUID | str) -> TurnHistory:
    """The scope's recall of an id. Where the scope names an agent, not one that another agent made.

    Raises:
        InvalidScope, InvalidInput: the scope or the id is not acceptable.
        NotFound: it was not logged, or not by this scope.
    """
    checked_scope(scope)
    ids = IdRange.of(turn_id, field="turn_id")
    with database.transaction(Role.READER, scope.tenant_id, [scope.owner], read_only=True) as session:
        wanted = ids.only(recalls.called(session, ids.first, ids.last), "turns", field="turn_id")
        found = recalls.turn(session, wanted) if wanted else None
        if found is None or (scope.agent_id is not None and found.agent_id not in {None, scope.agent_id}):
            msg = (
                f"the scope has no turn {ids.begins}: it searched nothing, the log lags or is off, it is too long ago, "
                "or it is another user's or agent's"
            )
            raise NotFound(msg, turn_id=ids.begins)
        return _history(found, _reports(session, scope, found))


def _reports(session: Session, scope: Scope, found: Turn) -> dict[Owner, list[TurnOutcome]]:
    """What was reported of a turn, by the streams of its memories; of a room's, what the scope's user said there."""
    reports: dict[Owner, list[TurnOutcome]] = {}
    for owner in {found.owner, *(each.owner for each in found.injected)}:
        events = ledger.outcomes(replace(session, owners=(owner, *session.owners)), [str(found.turn_id)])
        own = (event for event in events if owner == found.owner or event.speaker == scope.user_id)
        reports[owner] = [each for each in map(reported, own) if each]
    return reports


def _history(found: Turn, reports: Mapping[Owner, Sequence[TurnOutcome]]) -> TurnHistory:
    said: dict[UUID, Said] = {}
    for each in (each for of_stream in reports.values() for each in of_stream):
        said.update(dict.fromkeys(each.used, "used"))
        said.update(dict.fromkeys(each.misled, "misled"))
    last = reports[found.owner][-1] if reports[found.owner] else None
    return TurnHistory(
        turn_id=found.turn_id,
        recalled_at=found.recalled_at,
        agent_id=found.agent_id,
        session_id=found.session_id,
        verdict=found.verdict,
        recipe=found.recipe,
        tokens=found.tokens,
        watermark=found.watermark,
        memories=tuple(_shown(each, said.get(each.memory_id)) for each in found.injected),
        reported=any(reports.values()),
        corrected=last is not None and last.corrected,
        abstained=last is not None and last.abstained,
    )


def _shown(each: Injected, said: Said | None) -> Shown:
    return Shown(
        memory_id=each.memory_id,
        owner=each.owner,
        rank=each.rank,
        score=each.score,
        ordinal=each.ordinal,
        said=said,
    )
