"""The embedded Valkey: started, found. Callers hold the folder's lock."""

from __future__ import annotations

import os
import signal
import socket
import time
from pathlib import Path
from typing import Final

from shared.clock import monotonic_s
from shared.contract.errors import ServiceFailed
from shared.embedded._account import run
from shared.embedded._failure import PORT_TAKEN, failure
from shared.embedded._folder import Folder, hand_over, write
from shared.embedded._lock import seize
from shared.embedded._log import prepare, since
from shared.embedded._passwords import Passwords
from shared.embedded._port import LOOPBACK, TRIES, configured_port, free_port
from shared.embedded._process import Server, prove
from shared.embedded._wheel import valkey_server

NAME: Final = "valkey"
STOPPING: Final = ((signal.SIGTERM, 30.0), (signal.SIGKILL, 10.0))
"""Writes its file out and ends; killed, it loses what the last second brought, as a power cut would have it."""
START_TIMEOUT_S: Final = 60.0
"""Includes reading the append-only file."""

_PAUSE_S: Final = 0.005
_PING_TIMEOUT_S: Final = 2.0

_CONF: Final = """\
# Written anew at every start.
port {port}
bind 127.0.0.1
requirepass {password}
daemonize yes
pidfile "{data}/valkey.pid"
set-proc-title no
dir "{data}"
logfile "{log}"
loglevel notice
always-show-logo no
# A queue: what is in it must outlive a restart, and a full memory must refuse work rather than drop it.
appendonly yes
appendfsync everysec
save ""
maxmemory-policy noeviction
"""


def find(place: Folder) -> Server | None:
    """The server that runs on this folder's data, if one does and has come so far as to name its pid."""
    try:
        pid = (place.data_of(NAME) / "valkey.pid").read_text(encoding="ascii").strip()
    except (FileNotFoundError, NotADirectoryError):
        return None
    if not pid.isdecimal():
        return None
    conf = place.conf_of(NAME)
    process = prove(int(pid), uid=place.account.uid, program="valkey-server", argument=str(conf))
    return None if process is None else Server(process=process, port=configured_port(conf), ready=True)


def ensure(place: Folder, passwords: Passwords) -> Server:
    """The server, ready for commands: found, or started.

    Raises:
        ServiceFailed: it did not start this time.
        Misconfigured: it cannot start.
    """
    if not place.data_of(NAME).exists():
        hand_over(place.data_of(NAME), place.account)
    for tried in range(TRIES):
        offset = prepare(place.log_of(NAME), place.account)
        _launch(place, passwords, fresh_port=tried > 0)
        if found := _answering(place, passwords):
            return found
        if PORT_TAKEN not in since(place.log_of(NAME), offset):
            break
    raise failure(NAME, "start", place.log_of(NAME), offset)


def settled(place: Folder) -> Server | None:
    """The server, once it has named its pid; None where none runs on this data."""
    deadline = monotonic_s() + START_TIMEOUT_S
    while (found := find(place)) is None and _running_lock(place).exists():
        if (held := seize(_running_lock(place))) is not None:
            os.close(held)
            return None
        _pause_until(deadline, place)
    return found


def ping(port: int, password: str) -> str:
    """What the server on `port` answers, empty where none does. Spares loading a client."""
    try:
        with socket.create_connection((LOOPBACK, port), timeout=_PING_TIMEOUT_S) as connection:
            connection.sendall(f"AUTH {password}\r\nPING\r\nQUIT\r\n".encode())
            return b"".join(iter(lambda: connection.recv(1024), b"")).decode(errors="replace")
    except OSError:
        return ""


def _running_lock(place: Folder) -> Path:
    """Held by the server itself for as long as it lives, from before it has a pid to tell."""
    return place.home / "valkey.lock"


def _launch(place: Folder, passwords: Passwords, *, fresh_port: bool) -> None:
    """Start the server unless one runs on this data: unlike Postgres it would not notice, and both would write."""
    held = seize(_running_lock(place))
    if held is None:
        return
    try:
        conf = place.conf_of(NAME)
        port = free_port(0 if fresh_port else configured_port(conf))
        paths = {"data": place.data_of(NAME), "log": place.log_of(NAME)}
        write(conf, _CONF.format(port=port, password=passwords.broker, **paths), mode=0o600, owner=place.account)
        command = [valkey_server(place), conf]
        # It forks and lets its parent end, so it becomes no child of ours and dies without us to bury it.
        run(place.account, command, log=place.log_of(NAME), timeout_s=START_TIMEOUT_S, keep_fds=(held,))
    finally:
        os.close(held)


def _answering(place: Folder, passwords: Passwords) -> Server | None:
    """The server, once it answers; None once there is none."""
    deadline = monotonic_s() + START_TIMEOUT_S
    while (found := settled(place)) is not None:
        if "+PONG" in ping(found.port, passwords.broker):
            return found
        _pause_until(deadline, place)
    return None


def _pause_until(deadline: float, place: Folder) -> None:
    if monotonic_s() > deadline:
        msg = f"valkey does not answer after {START_TIMEOUT_S:g} s; see {place.log_of(NAME)}"
        raise ServiceFailed(msg, log=str(place.log_of(NAME)))
    time.sleep(_PAUSE_S)
