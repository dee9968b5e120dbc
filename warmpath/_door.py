"""The process's way into the warm path: where its database is, and who does the work."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import lru_cache, partial
from typing import Any, Final
from uuid import UUID

from pydantic import BaseModel

from shared.accept import accept, registered
from shared.accept.clean import RawMessage
from shared.accept.outcome import outcome_run
from shared.accept.records import record_messages
from shared.accept.spool import Sent
from shared.contract.bundle import Bundle
from shared.contract.errors import DaybookError
from shared.contract.receipts import Receipt, Stage, Work
from shared.contract.scope import Scope
from shared.embedded import endpoints, open_database
from shared.log import logger
from shared.models.embedding import embedder
from shared.settings import Settings, settings
from shared.store import receipts
from shared.store.db import Database, Role
from shared.work.doorbell import Bell, Doorbell
from warmpath._extractors import model_of
from warmpath._holding import give_back_of_the_dead
from warmpath._stages import STAGES
from warmpath._work import Services, perform

_LOG: Final = logger(__name__)


class InlineBell:
    """A bell that does the work it is rung for, at once, in this process."""

    def __init__(self) -> None:
        self.services: Services | None = None

    def ring(self, stage: Stage, work: Work) -> None:
        """Do the stage; it rings for the next. Never raises: a failure is noted on the run, and the run is safe."""
        try:
            perform(self._hung(), stage, STAGES[stage], work)
        except DaybookError as error:
            _LOG.warning("%s inbox=%s failed inline: %s", stage, work.inbox_id, error)
        except Exception as error:  # noqa: BLE001 - whoever observes has committed: the run must not seem refused
            # Its kind alone: what other libraries raise may hold what somebody said.
            _LOG.error("%s inbox=%s failed inline: %s", stage, work.inbox_id, type(error).__name__)

    def waiting(self) -> Mapping[Stage, int]:
        """None wait: each is answered at once."""
        return {}

    def _hung(self) -> Services:
        if self.services is None:
            raise RuntimeError("the bell was rung before it was hung")
        return self.services


class Door:
    """The warm path as one process uses it."""

    def __init__(self, services: Services) -> None:
        self.services = services

    def observe(
        self,
        scope: Scope,
        messages: Sequence[RawMessage | Mapping[str, Any]],
        *,
        run_id: str,
        room: str | None = None,
        participants: Iterable[str] = (),
        spool: bool | None = None,
    ) -> Receipt:
        """Accept a run; see `warmpath.observe`."""
        return accept.observe(
            self.services.database,
            self.services.bell,
            self.services.settings,
            scope,
            messages,
            run_id=run_id,
            room=room,
            members=participants,
            spools=self.services.settings.spool if spool is None else spool,
        )

    def record(
        self,
        scope: Scope,
        schema: str,
        data: BaseModel | Mapping[str, Any],
        *,
        run_id: str,
        occurred_at: datetime | None,
        origin: str = "tool",
        spool: bool | None = None,
        **said: Any,
    ) -> Receipt:
        """Accept a record; see `warmpath.record`."""
        known = registered.schemas(self.services.settings)
        messages = record_messages(
            known.find(schema), data, run_id=run_id, occurred_at=occurred_at, origin=origin, **said
        )
        return self.observe(scope, messages, run_id=run_id, spool=spool)

    def outcome(
        self,
        scope: Scope,
        turn: Bundle | UUID | str,
        *,
        used: Iterable[UUID | str] = (),
        misled: Iterable[UUID | str] = (),
        corrected: bool = False,
        abstained: bool = False,
        spool: bool | None = None,
    ) -> Receipt:
        """Accept what came of a recall; see `warmpath.outcome`."""
        database, configured = self.services.database, self.services.settings
        run = outcome_run(database, scope, turn, used=used, misled=misled, corrected=corrected, abstained=abstained)
        spools = configured.spool if spool is None else spool
        receipt = accept.report(database, self.services.bell, configured, run, spools=spools)
        return self._with_refused(receipt) if isinstance(self.services.bell, InlineBell) else receipt

    def _with_refused(self, receipt: Receipt) -> Receipt:
        """A receipt that says what append, which is done by now, took of the outcome and what it refused."""
        with self.services.database.transaction(
            Role.READER, receipt.tenant_id, [receipt.owner], read_only=True
        ) as session:
            done = receipts.of_subject(session, receipt.subject, Stage.APPEND)
        if done is None or not done.counts.get("refused"):
            return receipt
        return replace(receipt, counts={**receipt.counts, **done.counts}, warnings=(*receipt.warnings, done.reason))

    def send_spooled(self) -> Sent:
        """Have accepted what this machine keeps on its disk; see `shared.accept.accept.send_spooled`."""
        return accept.send_spooled(self.services.database, self.services.bell, self.services.settings)


def door(*, inline: bool | None = None) -> Door:
    """The door of this process; made at the first call, anew after a fork."""
    configured = settings()
    inline = configured.mode == "inline" if inline is None else inline
    return _door(open_database(configured), configured, inline)


@lru_cache(maxsize=4)
def _door(opened: Database, configured: Settings, inline: bool) -> Door:  # noqa: FBT001 - a key of the cache
    if inline:  # there may be no worker here who does so
        with suppress(DaybookError):
            give_back_of_the_dead(opened, configured)
    return Door(services(configured, InlineBell() if inline else None))


def services(configured: Settings, inline: InlineBell | None = None) -> Services:
    """What the stages work with, by the settings; with an inline bell, work is done where it is rung for.

    Raises:
        Misconfigured: a setting names what there is not.
    """
    registered.asked_about(configured)
    bell: Bell = inline or Doorbell(configured, lambda: endpoints(configured).redis_url)
    made = Services(
        database=open_database(configured),
        settings=configured,
        bell=bell,
        embedder=lambda: embedder(configured),
        model=partial(model_of, configured),
    )
    if inline is not None:
        inline.services = made
    return made
