"""Profiles: what is held of a scope's subjects, how that came about, and the view of it built anew."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from shared import clock
from shared.accept.registered import schemas
from shared.belief.blocks import Block, Field, Shown, shown
from shared.belief.predicates import BUILT_IN, RECORD
from shared.belief.profiles import Profile
from shared.belief.topics import topic_of
from shared.contract.errors import NotFound
from shared.contract.instants import checked_instant
from shared.contract.scope import Owner, Scope, checked_scope, room_id_of
from shared.settings import Settings
from shared.store import profiles
from shared.store.db import Database, Role, Session

if TYPE_CHECKING:
    from gateway.rebuilding import Heard, Rebuild

_SHORTEST_ID: Final = 8
"""Digits by which a block can be named."""


def profile_of(
    database: Database,
    settings: Settings,
    scope: Scope,
    *,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
) -> Profile:
    """What is held of the scope's subjects, field by field, at a time of the world (None: now).

    Records are merged by their schemas, and of the user alone; blocks are of the rooms too that the user takes part in.

    Raises:
        InvalidScope: the scope is not acceptable.
        InvalidQuery: a time is no datetime with a zone.
        Misconfigured: the schemas cannot be had.
    """
    at, known_at = checked_instant("as_of", as_of) or clock.now(), checked_instant("known_at", known_at)
    known = schemas(settings)
    blocks: list[Shown] = []
    built_to: dict[str, int] = {}
    with _reading(database, scope) as session:
        merged = profiles.read(replace(session, owners=(scope.owner,)), known, at=at, known_at=known_at)
        for owner in _owners(session, scope):
            reach, held = profiles.read_blocks(replace(session, owners=(owner,)), known_at=known_at)
            built_to[owner] = reach
            blocks += (shown(each, owner, at) for each in held)
    return replace(merged, blocks=tuple(each for each in blocks if each.fields), built_to=built_to)


def history_of(database: Database, scope: Scope, named: str, *, newest: int) -> list[Shown]:
    """The newest versions of a block, or of a field in each block that has it, oldest first, block by block.

    `named` is a block's id or the first 8 digits of it or more, or the name of a predicate or of a record's field. Of a
    field, only the versions are given that change what it says. Each says what was held then, of whatever time.

    Raises:
        InvalidScope: the scope is not acceptable.
        NotFound: the scope has no such block or field.
    """
    found: list[Shown] = []
    with _reading(database, scope) as session:
        for owner in _owners(session, scope):
            own = replace(session, owners=(owner,))
            for block in profiles.read_blocks(own)[1]:
                if _is_called(block, named):
                    found += (shown(each, owner, None) for each in profiles.history(own, block, newest=newest))
                elif _may_have(block, named):
                    then = (shown(each, owner, None) for each in profiles.history(own, block, newest=newest))
                    found += _changing(then, BUILT_IN.find(named).name if _is_claimed(block) else named)
    if not found:
        msg = f"no block is called {named!r}, and none has such a field; `daybook profile --json` shows those there are"
        raise NotFound(msg, named=named)
    return found


def rebuild(database: Database, settings: Settings, tenant_id: str, heard: Heard) -> Rebuild:
    """Build a tenant's profile view anew, here and to the end; the old one serves until it is whole.

    A pass that was left unfinished is gone on with first, and this one's own follows where that was none.

    Raises:
        NotFound: nothing was ever stored of the tenant.
    """
    import math

    from coldpath.profile import is_rebuilding, rebuild_on
    from gateway.rebuilding import Rebuild, tenants
    from shared.work.passes import Outcome, Report, carry_out
    from shared.work.queues import PROFILE

    tenants(database, tenant_id)

    def call() -> Report:
        return carry_out(
            database, settings, PROFILE, tenant_id, lambda job: rebuild_on(database, job, heard), until_s=math.inf
        )

    report = call()
    if report.outcome is Outcome.DONE and not is_rebuilding(report.counts):
        report = call()
    return Rebuild(
        tenant_id=tenant_id,
        job=PROFILE,
        outcome=report.outcome.value,
        memories=report.counts.get("memories", 0),
        error=report.error,
    )


@contextmanager
def _reading(database: Database, scope: Scope) -> Iterator[Session]:
    checked_scope(scope)
    with database.transaction(
        Role.READER, scope.tenant_id, [scope.owner], read_only=True, agent_id=scope.agent_id
    ) as session:
        yield session


def _owners(session: Session, scope: Scope) -> list[Owner]:
    """The scope's own stream, and its rooms'; what the whole tenant shares is asked for by itself."""
    rooms = sorted(owner for owner in session.owners if room_id_of(owner) is not None)
    return list(dict.fromkeys([scope.owner, *rooms]))


def _is_called(block: Block, named: str) -> bool:
    digits = named.replace("-", "").lower()
    return len(digits) >= _SHORTEST_ID and block.block_id.hex.startswith(digits)


def _may_have(block: Block, named: str) -> bool:
    if not _is_claimed(block):
        return True
    return any(map(str.isalnum, named)) and topic_of(BUILT_IN.find(named).name) == block.address.topic


def _is_claimed(block: Block) -> bool:
    return not block.address.topic.startswith(RECORD)


def _changing(versions: Iterable[Shown], name: str) -> Iterator[Shown]:
    """The versions that change what a field says, each with that field alone."""
    before: tuple[Field, ...] = ()
    for each in versions:
        fields = tuple(field for field in each.fields if field.name == name)
        if fields != before:
            yield replace(each, fields=fields)
        before = fields
