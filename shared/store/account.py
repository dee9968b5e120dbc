"""A tenant's account of calls of models: each is counted as the most that it may cost before it is made.

So a day's limit holds for all workers together, and what was paid for is counted whatever becomes of the run, or of the
worker: one that dies in a call leaves it counted at its most.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Final

from shared import clock
from shared.contract.candidates import Usage
from shared.contract.errors import DaybookError
from shared.contract.measures import Act
from shared.log import logger
from shared.store import holds, spending
from shared.store.allowance import Account, Allowance, Hold, Verdict
from shared.store.db import Role

if TYPE_CHECKING:
    from shared.contract.scope import Owner
    from shared.settings import Settings
    from shared.store.db import Database, Session

_LOG: Final = logger(__name__)


def account(database: Database, settings: Settings, tenant_id: str, owner: Owner) -> Account:
    """The account of a tenant, for calls on behalf of an owner."""
    return _Account(database=database, settings=settings, tenant_id=tenant_id, owner=owner)


def today(session: Session, settings: Settings) -> Allowance:
    """What is left of the day of the session's tenant: nothing where a gate keeps its runs from models."""
    is_held = any(each.act is Act.HOLD_MODEL for each in holds.of(session))
    return Allowance.of(settings, spending.of(session, clock.now().date()), is_held=is_held)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Account:
    database: Database
    settings: Settings
    tenant_id: str
    owner: Owner

    def __call__(self, most: Usage) -> Hold:
        """See `Account`. Takes a transaction of its own, and one more to settle.

        Raises:
            DatabaseUnavailable: nothing was set aside.
        """
        day = clock.now().date()
        try:
            with self._transaction() as session:
                _refuse(self.settings, spending.add(session, most, day=day))
        except _PassedError as passed:
            return Hold(verdict=passed.verdict)
        return Hold(verdict=Verdict.CALL, settle=lambda spent: self._settle(most, spent, day))

    def _settle(self, most: Usage, spent: Usage, day: date) -> None:
        try:
            with self._transaction() as session:
                spending.correct(session, most, spent, day=day)
        except DaybookError as error:
            # The answer that was paid for is worth more than the account, which now counts too much.
            _LOG.warning("a call stays counted as the most it may cost: %s", error)

    def _transaction(self) -> AbstractContextManager[Session]:
        return self.database.transaction(Role.WORKER, self.tenant_id, [self.owner])


class _PassedError(Exception):
    """Ends a transaction that would have set aside more than there is left."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(verdict)
        self.verdict = verdict


def _refuse(settings: Settings, spent: Usage) -> None:
    """Raise where a day that has come to `spent` has too little of something."""
    if settings.extraction_daily_usd is not None and spent.cost_usd is None:
        raise _PassedError(Verdict.NO_PRICE)
    left = Allowance.of(settings, spent)
    if left.left_tokens is not None and left.left_tokens < 0:
        raise _PassedError(Verdict.NO_TOKENS)
    if left.left_usd is not None and left.left_usd < 0.0:
        raise _PassedError(Verdict.NO_MONEY)
