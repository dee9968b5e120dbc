"""Runs of many users that wait to be appended."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from bench.synthetic import Writer
from shared.contract.errors import Permanent
from shared.contract.receipts import Stage, Work
from shared.contract.scope import Scope
from shared.store import inbox, ledger
from shared.store.db import Role
from warmpath._door import Door
from warmpath._work import Services

if TYPE_CHECKING:
    from bench.place import Place

MESSAGES: Final = (6, 7, 8, 9, 10)
"""How long runs are, in turn."""
_SEED: Final = 20_240_401


class Unheard:
    """A bell that nobody hears."""

    def ring(self, stage: Stage, work: Work) -> None:
        """Do nothing."""

    def waiting(self) -> Mapping[Stage, int]:
        """None are kept."""
        return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Crowd:
    """Who has runs waiting at once."""

    tenants: int
    users: int
    """Of each tenant."""
    runs: int
    """Of each user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """A run that waits in the inbox."""

    scope: Scope
    run_id: str
    number: int
    """Which of its user's it is, from 0."""
    messages: Sequence[Mapping[str, Any]]
    work: Work


class Filler:
    """Fills the inbox with the runs of a crowd, again and again."""

    def __init__(self, place: Place, name: str, crowd: Crowd) -> None:
        self._database = place.database
        self._door = Door(
            Services(database=place.database, settings=place.settings, bell=Unheard(), embedder=lambda: place.embedder)
        )
        self._crowd = crowd
        self._tenants = [f"bench-{name}-{secrets.token_hex(4)}" for _ in range(crowd.tenants)]
        self._fillings = count()
        self._writer = Writer(_SEED)

    def fill(self) -> list[Accepted]:
        """Have the next runs of every user accepted, users in turn."""
        first = next(self._fillings) * self._crowd.runs
        return [
            self._accept(Scope(tenant_id=tenant, user_id=f"user-{user}"), number)
            for number in range(first, first + self._crowd.runs)
            for user in range(self._crowd.users)
            for tenant in self._tenants
        ]

    def again(self, run: Accepted) -> Work:
        """Have the same run accepted for a twin of its tenant, whose stream is there."""
        twin = replace(run.scope, tenant_id=f"{run.scope.tenant_id}-bare")
        work = self._observe(twin, run.messages, run.run_id)
        with self._database.transaction(Role.WORKER, work.tenant_id, [work.owner]) as session:
            ledger.lock(session, work.owner)
        return work

    def require_empty(self) -> None:
        """Make sure that nothing waits to be appended.

        Raises:
            Permanent: something does, so what is timed is not all of the work, or not the work alone.
        """
        at = [row["runs"] for row in inbox.backlog(self._database) if row["stage"] == Stage.APPEND]
        if at:
            raise Permanent(f"{sum(at)} runs wait or are parked at append; see the log, or the inbox, for why")

    def _accept(self, scope: Scope, number: int) -> Accepted:
        run_id = f"run-{number}"
        messages = next(self._writer.sessions(MESSAGES[number % len(MESSAGES)]))
        work = self._observe(scope, messages, run_id)
        return Accepted(scope=scope, run_id=run_id, number=number, messages=messages, work=work)

    def _observe(self, scope: Scope, messages: Sequence[Mapping[str, Any]], run_id: str) -> Work:
        receipt = self._door.observe(scope, messages, run_id=run_id)
        return Work(tenant_id=scope.tenant_id, owner=receipt.owner, inbox_id=receipt.subject)
