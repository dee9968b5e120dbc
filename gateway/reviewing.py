"""Writes that wait for a person: found by id in what a scope may see, and decided."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from shared import clock
from shared.contract.errors import InvalidInput, NotFound
from shared.contract.ids import IdRange
from shared.contract.instants import shown as shown_as
from shared.contract.scope import Owner, Scope, checked_id, checked_scope, room_id_of
from shared.settings import Settings
from shared.store import reviews
from shared.store.db import Database, Role, Session
from shared.store.reviews import Review, ReviewState
from warmpath import review as deciding
from warmpath._policies import verified_sources
from warmpath._shown import Shown
from warmpath._twins import once

MOST: Final = 1_000
"""Reviews listed at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """That something waits for a person, without what it says."""

    owner: Owner
    review_id: UUID
    due_at: datetime


def listed(database: Database, scope: Scope, state: ReviewState | None = ReviewState.OPEN) -> list[Review]:
    """The reviews of a scope, and of the rooms of its user, in a state (None: in any); those due first at the head.

    Where the scope names an agent, those of what it has heard, or none has.

    Raises:
        InvalidScope, InvalidInput: the scope is not acceptable, or there is no such state.
    """
    checked_scope(scope)
    if state is not None and state not in list(ReviewState):
        raise InvalidInput(f"state {shown_as(state)} is none; name one of {', '.join(ReviewState)}", field="state")
    with _reading(database, scope) as session:
        return once(reviews.listed(_decidable(session, scope), state, limit=MOST))


def waiting(database: Database, tenant_id: str) -> list[Waiting]:
    """What waits in a tenant, whoever's: whose and until when, and nothing of what it says.

    Raises:
        InvalidScope: the id is not acceptable.
    """
    checked_id("tenant_id", tenant_id)
    found = reviews.waiting(database, tenant_id, limit=MOST)
    return [Waiting(owner=owner, review_id=review_id, due_at=due_at) for owner, review_id, due_at in found]


def shown(database: Database, settings: Settings, scope: Scope, review_id: UUID | str) -> Shown:
    """A review of the scope, with what it rests on and what approving it would do.

    Raises:
        InvalidScope, InvalidInput: the scope or the id is not acceptable.
        NotFound: the scope has no such review.
    """
    owner, found = _named(database, scope, review_id)
    with database.transaction(Role.WORKER, scope.tenant_id, [owner]) as session:
        return _as_read(scope, owner, deciding.shown(session, found, verified=verified_sources(settings)))


def approve(database: Database, settings: Settings, scope: Scope, review_id: UUID | str, *, by: str) -> Shown:
    """Have it remembered; see `warmpath.review.approve`.

    Raises:
        InvalidInput: its time is over, too: what nobody has decided on until then is not remembered.
    """
    owner, found = _named(database, scope, review_id)
    _require_in_time(database, scope, owner, found)
    by, verified = checked_id("reviewer_id", by), verified_sources(settings)
    return _as_read(scope, owner, deciding.approve(database, scope.tenant_id, owner, found, by=by, verified=verified))


def answer(database: Database, scope: Scope, review_id: UUID | str, given: str, *, by: str) -> Shown:
    """Say which of the memories that it asks about is right; see `warmpath.review.answer`.

    Raises:
        InvalidInput: its time is over, too.
    """
    owner, found = _named(database, scope, review_id)
    _require_in_time(database, scope, owner, found)
    by = checked_id("reviewer_id", by)
    return _as_read(scope, owner, deciding.answer(database, scope.tenant_id, owner, found, given, by=by))


def reject(database: Database, scope: Scope, review_id: UUID | str, *, by: str) -> Review:
    """Have it not remembered; of a question, say that all of it is true. See `warmpath.review.reject`."""
    owner, found = _named(database, scope, review_id)
    return deciding.reject(database, scope.tenant_id, owner, found, by=checked_id("reviewer_id", by))


def assign(
    database: Database, scope: Scope, review_id: UUID | str, *, reviewer: str | None, due_at: datetime | None = None
) -> Review:
    """Say who is to decide, and until when; see `warmpath.review.assign`.

    Raises:
        InvalidInput: `due_at` has no zone, or is over, too.
    """
    if due_at is not None:
        _check_due(due_at)
    owner, found = _named(database, scope, review_id)
    named = checked_id("reviewer_id", reviewer) if reviewer is not None else None
    return deciding.assign(database, scope.tenant_id, owner, found, named, due_at)


def _check_due(due_at: datetime) -> None:
    if due_at.tzinfo is None:
        raise InvalidInput(f"due_at is {due_at!r}: pass a datetime with a zone", field="due_at")
    if due_at <= clock.now():
        raise InvalidInput(f"due_at {due_at.isoformat()} is over: a review waits for a time to come", field="due_at")


def _require_in_time(database: Database, scope: Scope, owner: Owner, review_id: UUID) -> None:
    """Refuse what is overdue, whether or not the sweep has let it go already."""
    with database.transaction(Role.WORKER, scope.tenant_id, [owner]) as session:
        found = reviews.take(session, review_id)
    if found is not None and found.state is ReviewState.OPEN and found.due_at <= clock.now():
        msg = f"review {review_id} was due at {found.due_at:%Y-%m-%d %H:%M %Z}, and what is overdue expires; assign it "
        raise InvalidInput(f"{msg}with a later time to decide on it after all", field="review_id")


def _reading(database: Database, scope: Scope) -> AbstractContextManager[Session]:
    owners, agent_id = [scope.owner], scope.agent_id
    return database.transaction(Role.READER, scope.tenant_id, owners, read_only=True, agent_id=agent_id)


def _as_read(scope: Scope, owner: Owner, found: Shown) -> Shown:
    """A review without what is held that the scope's agent may not read."""
    if scope.agent_id is None or room_id_of(owner) is not None:
        return found
    held = tuple(version for version in found.held if version.agent_id in {None, scope.agent_id})
    known = {None, *(version.memory_id for version in held)}
    return replace(found, held=held, differences=tuple(each for each in found.differences if each.memory_id in known))


def _decidable(session: Session, scope: Scope) -> Session:
    """A session on what the scope decides on: a user reads what the tenant shares, and does not decide on it."""
    owners = [each for each in session.owners if each == scope.owner or room_id_of(each) is not None]
    return replace(session, owners=tuple(owners))


def _named(database: Database, scope: Scope, review_id: UUID | str) -> tuple[Owner, UUID]:
    """Whose review an id, or the beginning of one, stands for in a scope, and which.

    Raises:
        InvalidScope, InvalidInput, NotFound: as for `shown`.
    """
    checked_scope(scope)
    ids = IdRange.of(review_id, field="review_id")
    with _reading(database, scope) as session:
        called = reviews.called(_decidable(session, scope), ids.first, ids.last)
    found = ids.only(called, "reviews", field="review_id")
    if found is None:
        msg = f"the scope has no review {str(review_id)[:40]!r}: see `daybook review list`"
        raise NotFound(msg, review_id=str(review_id)[:40])
    named, owner = found
    return owner, named
