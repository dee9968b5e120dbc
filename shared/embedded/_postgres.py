"""The embedded Postgres: made, started, found. Callers hold the folder's lock."""

from __future__ import annotations

import shlex
import signal
import sys
import time
from pathlib import Path
from typing import Final

from shared.clock import monotonic_s
from shared.contract.errors import ServiceFailed
from shared.embedded import _cluster
from shared.embedded._account import run
from shared.embedded._cluster import NAME
from shared.embedded._failure import PORT_TAKEN, failure
from shared.embedded._folder import Folder, write
from shared.embedded._log import prepare, since
from shared.embedded._passwords import Passwords
from shared.embedded._port import TRIES, configured_port, free_port
from shared.embedded._process import Server, is_another, prove
from shared.embedded._wheel import postgres_bin

STOPPING: Final = ((signal.SIGINT, 60.0), (signal.SIGQUIT, 10.0))
"""Fast shutdown; then immediate, which the write-ahead log makes good."""
START_TIMEOUT_S: Final = 60.0

_PAUSE_S: Final = 0.01
_PID, _PORT, _STATUS = 0, 3, 7
"""Lines of postmaster.pid (src/include/utils/pidfile.h)."""
# What a start says while the rest of a killed server, or one that somebody has just started, is still about.
_PASSING: Final = ("pre-existing shared memory block", 'lock file "postmaster.pid" already exists')

# After a crash: one call for the file system instead of one for each of 2,000 files, 0.1 s instead of 3.
_RECOVERY: Final = "recovery_init_sync_method = syncfs" if sys.platform == "linux" else ""

_CONF: Final = """\
# Written anew at every start; for settings of your own use ALTER SYSTEM, which goes before these.
port = {port}
listen_addresses = '127.0.0.1'      # nobody but this machine
unix_socket_directories = ''        # their path may be no longer than 107 characters, and nobody needs one
max_connections = 100
shared_buffers = 128MB              # holds the indexes of some 100,000 memories, and fits a small machine
work_mem = 16MB                     # a scope's vectors are sorted in memory
maintenance_work_mem = 128MB        # an HNSW graph that does not fit is built several times slower
fsync = on                          # what has been accepted is durable
synchronous_commit = on
full_page_writes = on
{recovery}
jit = off                           # compiling takes longer than a recall's statements do
max_parallel_workers_per_gather = 0 # starting a worker does too; nor is any of a container's small /dev/shm used
random_page_cost = 1.1              # the default is for disks that turn
idle_in_transaction_session_timeout = 10min  # a program that hangs must not hold back vacuum for ever
timezone = 'UTC'
log_timezone = 'UTC'
lc_messages = 'C'                   # the launcher reads the log
default_text_search_config = 'pg_catalog.english'
log_min_error_statement = panic     # statements and rows hold what people said: none of it belongs in a log
log_error_verbosity = terse
log_parameter_max_length_on_error = 0
log_checkpoints = off               # one every five minutes, for nobody to read
"""


def find(place: Folder) -> Server | None:
    """The server that runs on this folder's data, if one does."""
    try:
        lines = (place.data_of(NAME) / "postmaster.pid").read_text(encoding="utf-8").splitlines()
    except (FileNotFoundError, NotADirectoryError):
        return None
    if len(lines) <= _PORT or not lines[_PID].isdecimal():
        return None
    process = prove(int(lines[_PID]), uid=place.account.uid, program=NAME, argument=str(place.data_of(NAME)))
    if process is None:
        return None
    ready = len(lines) > _STATUS and lines[_STATUS].strip() == "ready"
    return Server(process=process, port=int(lines[_PORT]), ready=ready)


def ensure(place: Folder, passwords: Passwords, lock: int) -> Server:
    """The server, ready for connections: found, or started, its data made before if there is none.

    `lock` is the descriptor of the folder's lock.

    Raises:
        ServiceFailed: it did not start this time.
        Misconfigured: it cannot start.
    """
    if found := settled(place):
        return found
    programs = postgres_bin(place)
    if not place.data_of(NAME).exists():
        _cluster.make(place, passwords, programs, lock)
    return _start(place, programs)


def settled(place: Folder) -> Server | None:
    """The server, once it is ready; None once there is none. Waits while it starts, recovers or stops."""
    deadline = monotonic_s() + START_TIMEOUT_S
    while (found := find(place)) is not None and not found.ready:
        if monotonic_s() > deadline:
            pid = found.process.pid
            msg = f"postgres (pid {pid}) is still not ready after {START_TIMEOUT_S:g} s; see {place.log_of(NAME)}"
            raise ServiceFailed(msg, pid=pid)
        time.sleep(_PAUSE_S)
    return found


def _start(place: Folder, programs: Path) -> Server:
    deadline = monotonic_s() + START_TIMEOUT_S
    tries = TRIES
    while True:
        offset = prepare(place.log_of(NAME), place.account)
        _forget_foreign_pid(place)
        code = _launch(place, programs, fresh_port=tries < TRIES)
        if found := settled(place):
            return found
        said = since(place.log_of(NAME), offset)
        passing = any(words in said for words in _PASSING) and monotonic_s() < deadline
        tries -= PORT_TAKEN in said
        if tries == 0 or not (passing or PORT_TAKEN in said):
            raise failure(NAME, f"start (pg_ctl ended with {code})", place.log_of(NAME), offset)
        time.sleep(_PAUSE_S)


def _launch(place: Folder, programs: Path, *, fresh_port: bool) -> int:
    conf = place.conf_of(NAME)
    port = free_port(0 if fresh_port else configured_port(conf))
    write(conf, _CONF.format(port=port, recovery=_RECOVERY), mode=0o644)
    options = shlex.join(["-c", f"config_file={conf}"])  # pg_ctl hands them to a shell
    # pg_ctl, and not the server itself, so that it becomes no child of ours and dies without us to bury it.
    start: list[str | Path] = [programs / "pg_ctl", "start", "-w", "-t", f"{START_TIMEOUT_S:.0f}"]
    where: list[str | Path] = ["-D", place.data_of(NAME), "-l", place.log_of(NAME), "-o", options]
    return run(place.account, start + where, log=place.log_of(NAME), timeout_s=START_TIMEOUT_S + 10)


def _forget_foreign_pid(place: Folder) -> None:
    """Remove a dead server's pid file while that pid is taken: Postgres would take its bearer for the server.

    Safe even while processes of the dead server are about: Postgres sees its shared memory in use and does not start.
    """
    file = place.data_of(NAME) / "postmaster.pid"
    try:
        words = file.read_text(encoding="utf-8").split()
    except FileNotFoundError:
        return
    pid = int(words[0]) if words and words[0].isdecimal() else 0
    if pid and is_another(pid, place.data_of(NAME)):
        file.unlink(missing_ok=True)
