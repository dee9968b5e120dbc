"""Folders of deep questions whose process was killed: they go with the next command, and so does the agent in them.

A folder's name begins with the pid of the process that made it; beside the tree lies a note of whose it is. An agent is
known by where it works and by what it was told at its start, so that none is missed that was never written down.
"""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gateway.runbook.folder import NOTE, place_in, remove
from shared.contract.errors import Misconfigured
from shared.contract.scope import Scope
from shared.embedded._process import Process, alive, started
from shared.log import logger

if TYPE_CHECKING:
    import psutil

_LOG: Final = logger(__name__)
METER: Final = "RUNBOOK_METER"
"""The variable that tells an agent of a file in its folder."""
_ROUNDS: Final = 50
_PAUSE_S: Final = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Whose a folder is, and who made it."""

    pid: int
    started: str
    tenant_id: str
    user_id: str
    kept: bool


def write_note(root: Path, scope: Scope, *, kept: bool) -> None:
    """Write down that this process makes a folder of what the scope may read, or leaves it there."""
    pid = os.getpid()
    note = Note(pid=pid, started=started(pid) or "", tenant_id=scope.tenant_id, user_id=scope.owner, kept=kept)
    fresh = root / f"{NOTE}.new"
    fresh.write_text(json.dumps(asdict(note)), encoding="utf-8")
    fresh.replace(root / NOTE)


def sweep(data_dir: Path, *, of: Scope | None = None) -> int:
    """End the agents of processes that are gone and remove their folders; returns how many folders went.

    What was to be kept stays, but for what was kept of the scope `of`: that is to be erased.

    Raises:
        Misconfigured: one cannot be removed.
    """
    place = place_in(data_dir)
    gone = 0
    for root in sorted(place.iterdir()) if place.is_dir() else ():
        if _is_stale(root, of):
            _end_agents(root)
            remove(root)
            gone += 1
    if gone:
        _LOG.info("deep swept=%d", gone)
    return gone


def try_to_sweep(data_dir: Path) -> None:
    """`sweep` where something else was asked for: what cannot be removed is told of in the log."""
    try:
        sweep(data_dir)
    except (Misconfigured, OSError) as error:
        _LOG.warning("deep: %s", error)


def _is_stale(root: Path, of: Scope | None) -> bool:
    note = _note(root)
    if note is None:
        pid = root.name.partition("-")[0]
        return pid.isdecimal() and started(int(pid)) is None
    if note.kept:
        return of is not None and (note.tenant_id, note.user_id) == (of.tenant_id, of.owner)
    return not alive(Process(pid=note.pid, started=note.started))


def _note(root: Path) -> Note | None:
    try:
        return Note(**json.loads((root / NOTE).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def _end_agents(root: Path) -> None:
    """Kill whatever works in a folder or was started for it, with its children and its session, until nothing does."""
    for _ in range(_ROUNDS):
        found = {each.pid for process in _agents(root) for each in (process, *_below(process))}
        if not found:
            return
        for pid in found | {pid for pid in _pids() if _session(pid) in found}:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(_PAUSE_S)


def _agents(root: Path) -> Iterator[psutil.Process]:
    import psutil

    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if process.status() != psutil.STATUS_ZOMBIE and _is_of(process, root):
                yield process


def _is_of(process: psutil.Process, root: Path) -> bool:
    return Path(process.cwd()).is_relative_to(root) or Path(process.environ().get(METER, "/")).is_relative_to(root)


def _below(process: psutil.Process) -> list[psutil.Process]:
    import psutil

    try:
        return process.children(recursive=True)
    except psutil.Error:
        return []


def _pids() -> list[int]:
    import psutil

    return psutil.pids()


def _session(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except OSError:
        return None
