"""Whose leases need not be waited for: which runs each process of this machine is at, noted on its disk.

A process that is killed holds its runs, and with them their streams, until the lease is over. While it is at them a
note of it lies in the data folder; whoever finds the note of a process that is gone gives the lease back. A note that
is missing, or of another machine, costs the wait that there was without it.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final
from uuid import UUID

from shared import clock
from shared.contract.receipts import Stage
from shared.contract.scope import Owner
from shared.embedded import Process, alive, started
from shared.log import logger
from shared.settings import Settings
from shared.store import inbox
from shared.store.db import Database
from shared.store.inbox import Claim

FOLDER: Final = "claims"
_LOG: Final = logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A process, and what it is at."""

    host: str
    """Where its pid means something."""
    pid: int
    started: str
    tenant_id: str
    owner: str
    stage: str
    inbox_ids: tuple[str, ...]
    attempt: int

    @property
    def is_of_the_dead(self) -> bool:
        """Whether it is of this machine, and its process runs no more."""
        return self.host == _host() and not alive(Process(pid=self.pid, started=self.started))


@contextmanager
def noted(settings: Settings, claim: Claim) -> Iterator[None]:
    """Have it known on this machine, for the length of a block, that this process is at what was claimed."""
    path = _write(settings, claim)
    try:
        yield
    finally:
        if path:
            with suppress(OSError):
                path.unlink(missing_ok=True)


def give_back_of_the_dead(database: Database, settings: Settings) -> int:
    """End the leases of processes of this machine that are gone; returns of how many runs.

    What a process had begun to commit is waited for by nobody: its row is passed over. A lease that was ended lets
    nobody commit, whoever may live after all: a stage takes its runs by lease and attempt.

    Raises:
        DatabaseUnavailable: some are still to be given back.
    """
    given = 0
    for path in _notes(settings):
        note = _read(path)
        is_old = _age_s(path) > settings.task_deadline_s
        if note is not None and note.is_of_the_dead:
            ended = _end_lease(database, note)
            given, is_old = given + ended, is_old or ended == len(note.inbox_ids)
        if is_old:
            with suppress(OSError):
                path.unlink(missing_ok=True)
    if given:
        _LOG.warning("leases=%d of processes that were killed are given back", given)
    return given


def _end_lease(database: Database, note: Note) -> int:
    ids = [UUID(each) for each in note.inbox_ids]
    owner, stage = Owner(note.owner), Stage(note.stage)
    return inbox.end_lease(database, note.tenant_id, owner, ids, stage=stage, attempt=note.attempt)


def _write(settings: Settings, claim: Claim) -> Path | None:
    """Note a claim; None where the disk does not take it: the lease will run out by itself."""
    pid = os.getpid()
    note = Note(
        host=_host(),
        pid=pid,
        started=started(pid) or "",
        tenant_id=claim.tenant_id,
        owner=claim.owner,
        stage=claim.stage,
        inbox_ids=tuple(map(str, claim.inbox_ids)),
        attempt=claim.attempt,
    )
    path = _folder(settings) / f"{pid}-{claim.stage}-{claim.inbox_ids[0].hex}"
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(note)), encoding="utf-8")
    except OSError as error:
        _LOG.debug("claim not noted: %s", error)
        return None
    return path


def _folder(settings: Settings) -> Path:
    return settings.data_dir.expanduser() / FOLDER


def _notes(settings: Settings) -> list[Path]:
    try:
        return sorted(_folder(settings).iterdir())
    except OSError:
        return []


def _read(path: Path) -> Note | None:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return Note(**{**found, "inbox_ids": tuple(found["inbox_ids"])})
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _age_s(path: Path) -> float:
    try:
        return clock.now().timestamp() - path.stat().st_mtime
    except OSError:
        return 0


@lru_cache(maxsize=1)
def _host() -> str:
    """This machine, and where there are several numberings of its processes, as in containers, which one."""
    try:
        numbering = str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        numbering = ""
    return f"{socket.gethostname()} {numbering}"
