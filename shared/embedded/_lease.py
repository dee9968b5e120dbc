"""Who uses the servers: one file for each use, named by process. Callers hold the folder's lock."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from shared.contract.errors import ServiceFailed
from shared.embedded._folder import Folder
from shared.embedded._process import Process, alive, started


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """One use of the servers by one process."""

    place: Folder
    file: Path
    pid: int

    @property
    def stands(self) -> bool:
        """Whether it is this process's own, and has not been swept away with its folder."""
        return self.pid == os.getpid() and self.file.exists()

    def give_back(self) -> None:
        """End this use."""
        self.file.unlink(missing_ok=True)


def take(place: Folder) -> Lease:
    """Note that this process uses the servers, and clear away what the dead have left."""
    holders(place)
    pid = os.getpid()
    since = started(pid)
    if since is None:
        msg = "the system does not say when this process started, so its lease could not be told from another's"
        raise ServiceFailed(msg, pid=pid)
    lease = Lease(place=place, file=place.leases / f"{pid}-{secrets.token_hex(4)}", pid=pid)
    lease.file.write_text(since, encoding="ascii")
    return lease


def holders(place: Folder) -> set[int]:
    """The pids of the processes that use the servers. Leases of processes that are gone are removed."""
    pids = set()
    for file in place.leases.iterdir():
        pid = file.name.partition("-")[0]
        if pid.isdecimal() and alive(Process(pid=int(pid), started=file.read_text(encoding="ascii"))):
            pids.add(int(pid))
        else:
            file.unlink(missing_ok=True)
    return pids
