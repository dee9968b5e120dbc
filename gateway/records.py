"""Records: the profile that they come to, and how they stand to the schemas that are registered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime

from shared import clock
from shared.accept.registered import schemas
from shared.belief.profiles import Profile
from shared.contract.scope import AUDIT_OWNER, Owner, Scope, checked_scope
from shared.settings import Settings
from shared.store import profiles
from shared.store.db import Database, Role
from warmpath import refit
from warmpath._work import Services
from warmpath.refit import Checked


def profile_of(
    database: Database,
    settings: Settings,
    scope: Scope,
    *,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
) -> Profile:
    """What the scope's records come to, field by field, at a time of the world (None: now).

    Raises:
        InvalidScope: the scope is not acceptable.
        Misconfigured: the schemas cannot be had.
    """
    checked_scope(scope)
    known, owner = schemas(settings), scope.owner
    with database.transaction(
        Role.READER, scope.tenant_id, [owner], read_only=True, agent_id=scope.agent_id
    ) as session:
        return profiles.read(replace(session, owners=(owner,)), known, at=as_of or clock.now(), known_at=known_at)


def checked(
    services: Services, streams: Iterable[tuple[str, Owner, int]], *, applies: bool = False
) -> Iterator[Checked]:
    """How the records of some streams stand to the registered schemas, and with `applies` have them brought to these.

    Raises:
        Misconfigured: the schemas cannot be had.
        DatabaseUnavailable: the stream it stopped at, and those behind it, are as they were.
    """
    act = refit.apply if applies else refit.check
    for tenant_id, owner, _ in streams:
        if owner != AUDIT_OWNER:
            yield act(services, tenant_id, owner)
