"""The doors: everything behind one object, and the command line.

    from gateway import Daybook
    from shared.contract.scope import Scope

    with Daybook() as daybook:
        me = Scope(tenant_id="acme", user_id="mira")
        daybook.observe(me, [{"role": "user", "text": "I keep two beehives."}], run_id="run-7", inline=True)
        print(daybook.recall(me, "Where are the beehives?").text)

Importing this loads no Celery, no broker client, no model and no database driver.
"""

# Above 300 lines: every door is a method of one object, a few lines each that load what they need.

from __future__ import annotations

import time
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime
    from types import TracebackType
    from uuid import UUID

    from pydantic import BaseModel

    from coldpath.forget import Erased, ForgetReceipt
    from coldpath.replay import Replayed
    from coldpath.verify import Verification
    from gateway.accounts import Why
    from gateway.dead import DeadLetter
    from gateway.processes import Processes
    from gateway.reports import Check, Liveness, Progress, RunHistory, Status
    from gateway.reviewing import Waiting
    from gateway.runbook import Budget, DeepAnswer, Model
    from gateway.scheduling import Scheduled
    from gateway.turns import TurnHistory
    from gateway.versions import MemoryHistory
    from shared.accept.clean import RawMessage
    from shared.accept.spool import Sent
    from shared.belief.blocks import Shown as ProfileBlock
    from shared.belief.profiles import Profile
    from shared.contract.bundle import Bundle
    from shared.contract.receipts import Receipt, Work
    from shared.contract.scope import Owner, Scope
    from shared.settings import Settings
    from shared.store.db import Database
    from shared.store.reviews import Review, ReviewState
    from warmpath._shown import Shown
    from warmpath._work import Services
    from warmpath.refit import Checked

__all__ = ["Daybook"]

_LOOK_EVERY_S: Final = 0.1


class Daybook:
    """Daybook as one process uses it, by `settings` (default: the environment's).

    In a `with` block, embedded servers run for as long as the block, unless they are kept by `daybook up`; without one,
    they run until the process exits. Cheap to make: nothing is started or connected before it is needed.
    """

    def __init__(self, settings: Settings | None = None) -> None:
        from shared.settings import settings as in_force

        self.settings: Final = in_force() if settings is None else settings
        self._leaving = ExitStack()
        self._rings = False
        self._logs = False

    def __enter__(self) -> Self:
        """Start what is to run for as long as the block.

        Raises:
            Misconfigured: policies, gates or schemas cannot be had; nothing was started.
            ServiceFailed: an embedded server could not be had.
        """
        from shared.accept.configured import require_configured
        from shared.embedded import hold

        require_configured(self.settings)
        self._leaving.enter_context(hold(self.settings, broker=False))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leaving.__exit__(kind, error, trace)

    def observe(
        self,
        scope: Scope,
        messages: Sequence[RawMessage | Mapping[str, Any]],
        *,
        run_id: str,
        room: str | None = None,
        participants: Iterable[str] = (),
        inline: bool | None = None,
        spool: bool | None = None,
    ) -> Receipt:
        """Accept a run; see `warmpath.observe`."""
        from shared.settings import using
        from warmpath import observe

        self._ring_before_leaving()
        with using(self.settings):
            return observe(
                scope, messages, run_id=run_id, room=room, participants=participants, inline=inline, spool=spool
            )

    def recall(
        self,
        scope: Scope,
        query: str,
        *,
        budget_tokens: int | None = None,
        deadline_ms: int | None = None,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        k: int | None = None,
        recipe: str = "balanced",
        explain: bool = False,
    ) -> Bundle:
        """The memories that bear on a query; see `hotpath.recall`."""
        from hotpath import recall
        from shared.settings import using

        self._log_before_leaving()
        with using(self.settings):
            return recall(
                scope,
                query,
                budget_tokens=budget_tokens,
                deadline_ms=deadline_ms,
                as_of=as_of,
                known_at=known_at,
                k=k,
                recipe=recipe,
                explain=explain,
            )

    def deep(
        self, scope: Scope, question: str, *, model: Model | None = None, budget: Budget | None = None,
        keep: bool = False,
    ) -> DeepAnswer:  # fmt: skip
        """Have an agent search all that a scope may read, as files; see `gateway.runbook.deep.deep`.

        The agent is `model`, or else the command of `DAYBOOK_DEEP_COMMAND`; `budget` is by default the settings'.

        Raises:
            Misconfigured: there is neither.
        """
        from gateway.runbook.answers import Budget
        from gateway.runbook.configured import agent_for
        from gateway.runbook.deep import deep

        agent = agent_for(self.settings, model)
        bounds = Budget.configured(self.settings) if budget is None else budget
        data_dir = self.settings.data_dir
        return deep(self.database(), scope, question, agent=agent, budget=bounds, data_dir=data_dir, keep=keep)

    def outcome(
        self,
        scope: Scope,
        turn: Bundle | UUID | str,
        *,
        used: Iterable[UUID | str] = (),
        misled: Iterable[UUID | str] = (),
        corrected: bool = False,
        abstained: bool = False,
        inline: bool | None = None,
        spool: bool | None = None,
    ) -> Receipt:
        """Report what came of a recall; see `warmpath.outcome`."""
        from shared.settings import using
        from warmpath import outcome

        self._ring_before_leaving()
        with using(self.settings):
            return outcome(
                scope,
                turn,
                used=used,
                misled=misled,
                corrected=corrected,
                abstained=abstained,
                inline=inline,
                spool=spool,
            )

    def record(
        self,
        scope: Scope,
        schema: str,
        data: BaseModel | Mapping[str, Any],
        *,
        run_id: str,
        occurred_at: datetime | None,
        **said: Any,
    ) -> Receipt:
        """Accept a record of a registered schema; takes what `warmpath.record` takes."""
        from shared.settings import using
        from warmpath import record

        self._ring_before_leaving()
        with using(self.settings):
            return record(scope, schema, data, run_id=run_id, occurred_at=occurred_at, **said)

    def profile(self, scope: Scope, *, as_of: datetime | None = None, known_at: datetime | None = None) -> Profile:
        """What is held of the scope's subjects, in fields; see `gateway.profiles.profile_of`."""
        from gateway.profiles import profile_of

        return profile_of(self.database(), self.settings, scope, as_of=as_of, known_at=known_at)

    def profile_history(self, scope: Scope, named: str, *, newest: int = 20) -> list[ProfileBlock]:
        """How a block of a profile, or a field, came about; see `gateway.profiles.history_of`."""
        from gateway.profiles import history_of

        return history_of(self.database(), scope, named, newest=newest)

    def check_schemas(self, tenant: str, user: str | None = None, *, applies: bool = False) -> Iterator[Checked]:
        """How stored records stand to the registered schemas; see `gateway.records.checked`.

        Raises:
            NotFound: the tenant or user has no stream.
        """
        from gateway.records import checked

        with self.working() as services:
            yield from checked(services, self.streams(tenant, user), applies=applies)

    def turn(self, scope: Scope, turn_id: UUID | str) -> TurnHistory:
        """What a recall of the scope put before a model, by ids, and what came of it.

        Raises:
            InvalidScope, InvalidInput: the scope or the id is not acceptable.
            NotFound: it was not logged, or not by this scope.
        """
        from gateway.turns import turn
        from hotpath._log import flush

        flush()
        return turn(self.database(), scope, turn_id)

    def _log_before_leaving(self) -> None:
        """Have the log of recalls written while embedded servers still run."""
        from hotpath._log import flush

        if not self._logs:
            self._logs = True
            self._leaving.callback(flush)

    def _ring_before_leaving(self) -> None:
        if not self._rings:
            self._rings = True
            self._leaving.callback(self.flush)

    def flush(self, timeout_s: float | None = None) -> bool:
        """Wait until the workers have been rung for what was observed here; False if that took longer.

        The broker is given `timeout_s`, by default `DAYBOOK_BROKER_TIMEOUT_S`; loading its client comes on top, where
        this process has not done so yet. Leaving the `with` block does this too. What was not rung for is found by the
        sweep.
        """
        from shared.settings import using
        from shared.work.doorbell import Doorbell
        from warmpath._door import door

        with using(self.settings):
            bell = door().services.bell
        if not isinstance(bell, Doorbell) or bell.drain(0):
            return True
        import_module("shared.work.broker")  # what the bell's thread may still be at: no time of the broker's
        return bell.drain(self.settings.broker_timeout_s if timeout_s is None else timeout_s)

    def prepare(self) -> None:
        """Load the embedding model and open the database now, so that the first recall need not.

        Raises:
            DatabaseUnavailable, Misconfigured: it cannot be.
        """
        from shared.models import embedder

        embedder(self.settings).encode_query("ready?")
        self.database().check()

    def why(self, scope: Scope, text: str) -> Why:
        """Why the scope remembers something, or does not; see `gateway.accounts.why`."""
        from gateway.accounts import why

        return why(self.database(), scope, text)

    def history(self, scope: Scope, memory_id: UUID | str) -> MemoryHistory:
        """All that became of a memory of the scope; see `gateway.versions.history_of`."""
        from gateway.versions import history_of

        return history_of(self.database(), scope, memory_id)

    def reviews(self, scope: Scope, state: ReviewState | None = None) -> list[Review]:
        """The writes of the scope that a person decides or decided on, in a state or (None) in any.

        Raises:
            InvalidScope, InvalidInput: the scope is not acceptable, or there is no such state.
        """
        from gateway import reviewing

        return reviewing.listed(self.database(), scope, state)

    def reviews_waiting(self, tenant: str) -> list[Waiting]:
        """Whose writes wait for a person in a tenant, and until when; nothing of what they say."""
        from gateway import reviewing

        return reviewing.waiting(self.database(), tenant)

    def review(self, scope: Scope, review_id: UUID | str) -> Shown:
        """A write that waits for a person, and what approving it would change.

        Raises:
            NotFound: the scope has no such review.
        """
        from gateway import reviewing

        return reviewing.shown(self.database(), self.settings, scope, review_id)

    def approve(self, scope: Scope, review_id: UUID | str, *, by: str) -> Shown:
        """Have what waits remembered; see `warmpath.review.approve`."""
        from gateway import reviewing

        return reviewing.approve(self.database(), self.settings, scope, review_id, by=by)

    def reject(self, scope: Scope, review_id: UUID | str, *, by: str) -> Review:
        """Have what waits not remembered; see `warmpath.review.reject`."""
        from gateway import reviewing

        return reviewing.reject(self.database(), scope, review_id, by=by)

    def answer(self, scope: Scope, review_id: UUID | str, answer: str, *, by: str) -> Shown:
        """Say which of the memories that a review asks about is right; see `warmpath.review.answer`."""
        from gateway import reviewing

        return reviewing.answer(self.database(), scope, review_id, answer, by=by)

    def assign(
        self, scope: Scope, review_id: UUID | str, *, reviewer: str | None, due_at: datetime | None = None
    ) -> Review:
        """Say who is to decide on a review, and until when; see `warmpath.review.assign`."""
        from gateway import reviewing

        return reviewing.assign(self.database(), scope, review_id, reviewer=reviewer, due_at=due_at)

    def expire_reviews(self, tenant: str | None = None) -> int:
        """Let go of what nobody has decided on in time, of one tenant or of all; returns how many that were."""
        from shared import clock
        from warmpath.review import expire_overdue

        return expire_overdue(self.database(), clock.now(), tenant_id=tenant)

    def receipts(self, scope: Scope, run_id: str) -> RunHistory:
        """Each delivery of a run, its receipts by stage, and what was decided about each message.

        A room's run is seen by its participants, from the moment it is in the ledger.

        Raises:
            NotFound: the scope has no run of that id.
        """
        from gateway.history import history

        return history(self.database(), scope, run_id)

    def progress(self, tenant: str | None = None) -> Progress:
        """How many runs wait at which stage, of one tenant or of all."""
        from gateway.reports import progress_of
        from shared.store import inbox

        return progress_of(inbox.backlog(self.database(), tenant))

    def wait(self, timeout_s: float, tenant: str | None = None) -> bool:
        """Wait until no accepted run waits for any stage; False if some still do after `timeout_s`."""
        from gateway.reports import progress_of
        from shared import clock
        from shared.store import inbox

        deadline = clock.monotonic_s() + timeout_s
        while progress_of(inbox.unfinished(self.database(), tenant)).waiting:
            if clock.monotonic_s() > deadline:
                return False
            time.sleep(_LOOK_EVERY_S)
        return True

    def dead_letters(self, tenant: str | None = None) -> list[DeadLetter]:
        """Runs that were given up, of one tenant or of all, the newest first."""
        from gateway.dead import dead_letters

        return dead_letters(self.database(), tenant)

    def redrive(self, tenant: str, inbox_id: UUID | str) -> DeadLetter:
        """Have a run that was given up tried again, and ring for it; returns it as it was.

        Raises:
            NotFound: the tenant has no dead letter of that id.
            InvalidInput: it is no id, or the beginning of several.
        """
        from gateway.dead import dead_letter, redrive

        letter = dead_letter(self.database(), tenant, inbox_id)
        self._ring_again(letter, redrive(self.database(), tenant, letter.inbox_id))
        self._leaving.callback(self.flush)
        return letter

    def redrive_all(self, tenant: str) -> list[DeadLetter]:
        """Have every run of a tenant's that was given up by now tried again, and ring for each."""
        from gateway.dead import redrive_all

        self._leaving.callback(self.flush)
        found = []
        for letter, work in redrive_all(self.database(), tenant):
            self._ring_again(letter, work)
            found.append(letter)
        return found

    def _ring_again(self, letter: DeadLetter, work: Work) -> None:
        from shared.contract.receipts import Stage
        from shared.settings import using
        from warmpath._door import door

        with using(self.settings):
            door().services.bell.ring(Stage(letter.stage), work)

    @contextmanager
    def working(self) -> Iterator[Services]:
        """What the stages of the warm path work with, for what does their work on demand; opens and closes this."""
        from shared.settings import using
        from warmpath._door import door

        with self, using(self.settings):
            yield door().services

    def send_spooled(self) -> Sent:
        """Have accepted what `observe` kept on this machine's disk.

        Raises:
            DatabaseUnavailable: those not sent stay there, as do those of tenants whose inbox is full.
        """
        from shared.settings import using
        from warmpath._door import door

        with using(self.settings):
            return door().send_spooled()

    def streams(self, tenant: str | None = None, user: str | None = None) -> list[tuple[str, Owner, int]]:
        """Tenant, owner and length of the streams there are, of one tenant or user or of all.

        Raises:
            NotFound: the tenant or user that was named has none.
        """
        from shared.contract.errors import NotFound
        from shared.store import streams

        found = [each for each in streams.of_tenant(self.database(), tenant) if user in (None, each[1])]
        if not found and tenant is not None:
            whose = f"tenant {tenant!r}" if user is None else f"{user!r} of tenant {tenant!r}"
            raise NotFound(f"{whose} has no stream: nothing was ever written for it; ids are compared exactly")
        return found

    def verify(self, tenant: str | None = None, user: str | None = None) -> Iterator[Verification]:
        """Check the hash chains of streams one by one, from the first event of each to its last."""
        from coldpath.verify import verify

        for tenant_id, owner, _ in self.streams(tenant, user):
            yield verify(self.database(), tenant_id, owner)

    def forget(self, scope: Scope, memory_id: UUID | str, *, erase_content: bool = False) -> ForgetReceipt:
        """Forget one memory, or what one delivery brought; see `coldpath.forget.forget`.

        What this machine has spooled is sent before, and what this process holds of recalls goes with it.
        """
        from coldpath.forget import forget
        from warmpath._policies import verified_sources

        self._unspool()
        with self._letting_go():
            verified = verified_sources(self.settings)
            return forget(self.database(), scope, memory_id, erase_content=erase_content, verified=verified)

    def erase(self, scope: Scope) -> Erased:
        """Erase everything of a user; see `coldpath.forget.erase`. What is spooled and held goes as in `forget`.

        So does what deep questions have left on this machine's disk, or were to keep there of the user's.
        """
        from coldpath.forget import erase
        from gateway.runbook.stale import sweep

        sweep(self.settings.data_dir, of=scope)
        self._unspool()
        with self._letting_go():
            return erase(self.database(), scope, self.settings)

    @contextmanager
    def _letting_go(self) -> Iterator[None]:
        """Hold nothing of recalls afterwards, whether it went well or the answer of the server was lost."""
        from hotpath._cache import let_go

        try:
            yield
        finally:
            let_go(self.settings)

    def _unspool(self) -> None:
        """Have accepted what this machine keeps on its disk, as far as that goes."""
        from shared.accept import spool
        from shared.contract.errors import Retryable

        with suppress(Retryable):
            if spool.waiting(self.settings):
                self.send_spooled()

    def replay(
        self,
        tenant: str | None = None,
        user: str | None = None,
        *,
        verify: bool = False,
        progress: Callable[[int, int], None] = lambda _done, _total: None,
    ) -> Iterator[Replayed]:
        """Compare the tables of streams with their ledgers one by one; without `verify`, write them anew."""
        from coldpath.replay import replay_streams

        if tenant is not None:
            self.streams(tenant, user)
        return replay_streams(self.database(), tenant, verify=verify, progress=progress, owner=user)

    def migrate(self) -> str:
        """Bring the database to this code's schema, as the owner of `DAYBOOK_MIGRATE_URL`; returns its revision.

        Raises:
            DatabaseUnavailable, ExtensionMissing, Misconfigured: it cannot be; the message says what to do.
        """
        from shared.embedded import endpoints, migrate_to

        return migrate_to(endpoints(self.settings, broker=False), self.settings)

    def status(self) -> Status:
        """What runs, and what waits. Starts and changes nothing."""
        from gateway.status import status

        return status(self.settings)

    def health(self) -> Liveness:
        """Whether work gets done, by its state. Starts and changes nothing."""
        from gateway.health import health

        return health(self.settings)

    def schedule(self) -> list[Scheduled]:
        """What is done when, what became of it, and what is late; in the order of the day."""
        from gateway.scheduling import schedule

        return schedule(self.database(), self.settings)

    def doctor(self) -> Iterator[Check]:
        """Look at everything that must be right for Daybook to work, one check at a time."""
        from gateway.doctor import examine

        return examine(self.settings)

    def processes(self) -> Processes:
        """The Procfile's processes for these settings."""
        from gateway.processes import Processes

        return Processes(self.settings)

    def database(self) -> Database:
        """The process's connections to the database.

        Raises:
            ServiceFailed, Misconfigured: an embedded server could not be had.
        """
        from shared.embedded import open_database

        return open_database(self.settings)
