"""Where the demonstration plays: servers and workers of its own, made for it and gone after it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gateway import Daybook
from gateway.doctor import judge_login
from gateway.interruption import ignore_interruptions
from gateway.lifecycle import require_servers
from gateway.reports import Health
from shared import embedded
from shared.contract.errors import ServiceFailed
from shared.embedded._lock import seize
from shared.embedded._process import Process, alive, started
from shared.store.server import look

if TYPE_CHECKING:
    from shared.settings import Settings

FOLDER: Final = "demo"
_LOCK: Final = "demo.lock"
_OURS: Final = (
    "logs",
    "processes.json",
    "processes.lock",
    "beat-schedule*",
    "lock",
    "keep",
    "leases",
    "deep",
    "claims",
    "showing.json",
)


def demo_settings(configured: Settings) -> Settings:
    """The settings of the demonstration: a data folder of its own within the configured one, and real workers."""
    data_dir = configured.data_dir.expanduser().resolve() / FOLDER
    return configured.model_copy(update={"data_dir": data_dir, "mode": "workers"})


@contextmanager
def staged(settings: Settings, say: Callable[[str], None], *, keep: bool) -> Iterator[Daybook]:
    """Servers, a fresh database or the configured one migrated, and all workers ready; ended whatever happens.

    `say` is told of each step. With `keep`, all goes on running if the block ends well.

    Raises:
        ServiceFailed: something did not start, or another demonstration is running.
        DatabaseUnavailable, Misconfigured: what is configured does not fit.
    """
    with _alone(settings.data_dir):
        say("clearing what an earlier demonstration left")
        clear(settings)
        _mark(settings)
        try:
            with _running(settings, say, keep=keep) as daybook:
                yield daybook
        finally:
            ignore_interruptions()
            if not keep:
                embedded.stop(settings)
        if keep:
            _marker(settings).unlink()
        else:
            clear(settings)


def sweep(configured: Settings) -> bool:
    """End and delete what a demonstration that was killed has left running; whether there was one.

    Raises:
        DaybookError: it cannot be ended.
    """
    settings = demo_settings(configured)
    try:
        shown_by = Process(**json.loads(_marker(settings).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return False
    if alive(shown_by):
        return False
    with _alone(settings.data_dir):
        clear(settings)
    return True


def _marker(settings: Settings) -> Path:
    return settings.data_dir / "showing.json"


def _mark(settings: Settings) -> None:
    """Write down which process shows it, by which one that was killed is told from one that is to go on."""
    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    own = {"pid": os.getpid(), "started": started(os.getpid()) or ""}
    _marker(settings).write_text(json.dumps(own), encoding="utf-8")


def clear(settings: Settings) -> None:
    """End what runs on the demonstration's folder, and delete what is in it."""
    Daybook(settings).processes().stop()
    embedded.discard(settings)
    for pattern in _OURS:
        for path in settings.data_dir.glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    if settings.data_dir.is_dir() and not any(settings.data_dir.iterdir()):
        settings.data_dir.rmdir()


@contextmanager
def _running(settings: Settings, say: Callable[[str], None], *, keep: bool) -> Iterator[Daybook]:
    say("starting Postgres and Valkey" if settings.database_url is None else "connecting")
    with embedded.hold(settings, keep=keep) as endpoints, Daybook(settings) as daybook:
        processes = daybook.processes()
        ended_well = False
        try:
            say("bringing the database to the schema")
            daybook.migrate()
            _warn_of_owner(daybook, say)
            say("starting the Procfile's processes")
            processes.start(endpoints, require_servers=lambda: require_servers(settings))
            yield daybook
            ended_well = True
        finally:
            if not (keep and ended_well):
                say("stopping workers and servers")
                ignore_interruptions()
                processes.stop()
            if not ended_well:
                (settings.data_dir / "keep").unlink(missing_ok=True)


def _warn_of_owner(daybook: Daybook, say: Callable[[str], None]) -> None:
    login = judge_login(look(daybook.database()))
    if login.health is not Health.OK:
        say(f"warning: {login.found}, so row-level security is no net beneath it: {login.advice}")


@contextmanager
def _alone(data_dir: Path) -> Iterator[None]:
    data_dir.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = seize(data_dir.parent / _LOCK)
    if descriptor is None:
        raise ServiceFailed(f"another demonstration is running on {data_dir}: let it end, or set DAYBOOK_DATA_DIR")
    try:
        yield
    finally:
        os.close(descriptor)
