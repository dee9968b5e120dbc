"""Which processes were started, written down where any later command finds it, and proof that they are those.

`<data_dir>/processes.json` names each by pid and start. A process that is started waits until that is on disk before it
becomes its command, so there is none that `daybook down` would not find, whenever the starter was killed.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import psutil

from shared.contract.errors import Misconfigured
from shared.embedded._process import Process, alive, started

FILE: Final = "processes.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """A process that was started, the leader of a session of its own."""

    name: str
    pid: int
    started: str
    """The system's word for when, which no other process of that pid can bear."""
    since: datetime
    command: tuple[str, ...]
    log: Path
    offset: int
    """Where in the log its own lines begin."""

    @property
    def runs(self) -> bool:
        """Whether that very process still runs; its words do not count, since programs may set their own titles."""
        return alive(Process(pid=self.pid, started=self.started))

    def members(self) -> list[int]:
        """The pids of its session: itself and the children of its pool, also when it is gone.

        No other process can bear its pid while one of its session lives. When all may have ended, and the pid been
        another's since, the command must be its too.
        """
        if started(self.pid) not in {None, self.started}:
            return []
        leads = self.runs
        return [pid for pid in psutil.pids() if _session(pid) == self.pid and (leads or _ends_in(pid, self.command))]

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to it alone."""
        if self.runs:
            os.kill(self.pid, number)

    def kill_all(self) -> None:
        """End it and what it started, at once."""
        for pid in self.members():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue


def load(data_dir: Path) -> list[Started]:
    """What was started last, running or not, in the Procfile's order.

    Raises:
        Misconfigured: the file is not what was written.
    """
    path = data_dir / FILE
    try:
        return [_started(each) for each in json.loads(path.read_text(encoding="utf-8"))]
    except FileNotFoundError:
        return []
    except (ValueError, TypeError, KeyError) as error:
        raise Misconfigured(f"{path} cannot be read ({error}); end the processes by hand and delete it") from error


def store(data_dir: Path, processes: Iterable[Started]) -> None:
    """Write down what was started: whole or not at all. Nothing left: no file."""
    path = data_dir / FILE
    entries = [asdict(each) | {"since": each.since.isoformat(), "log": str(each.log)} for each in processes]
    if not entries:
        path.unlink(missing_ok=True)
        return
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(entries, indent=1), encoding="utf-8")
    fresh.replace(path)


def since(pid: int) -> datetime:
    """When the process at `pid` was started, by the machine's clock."""
    return datetime.fromtimestamp(psutil.Process(pid).create_time(), UTC)


def _started(entry: dict[str, object]) -> Started:
    return Started(
        name=str(entry["name"]),
        pid=int(str(entry["pid"])),
        started=str(entry["started"]),
        since=datetime.fromisoformat(str(entry["since"])),
        command=tuple(map(str, entry["command"])),  # type: ignore[call-overload]
        log=Path(str(entry["log"])),
        offset=int(str(entry["offset"])),
    )


def _ends_in(pid: int, command: tuple[str, ...]) -> bool:
    """Whether a process runs `command`: whatever interpreter comes before, its arguments stand last."""
    try:
        words = psutil.Process(pid).cmdline()
    except psutil.Error:
        return False
    return len(words) >= len(command) and tuple(words[len(words) - len(command) + 1 :]) == command[1:]


def _session(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except OSError:
        return None
