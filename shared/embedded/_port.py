"""A port on loopback."""

from __future__ import annotations

import re
import socket
from pathlib import Path
from typing import Final

LOOPBACK: Final = "127.0.0.1"
TRIES: Final = 5
"""Starts before a server gives up: between our look and its own, another program may take the port."""

_LINE: Final = re.compile(r"^port\s*=?\s*(\d+)", re.MULTILINE)


def configured_port(file: Path) -> int:
    """The port in a server's configuration file; 0 where there is none."""
    try:
        found = _LINE.search(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return 0
    return int(found[1]) if found else 0


def free_port(preferred: int = 0) -> int:
    """`preferred` if it is free now, else any that is. A restart on the same port spares clients a new URL."""
    for candidate in (preferred, 0):
        with socket.socket() as probe:
            # As the servers do it: connections that linger after a stop do not make the port taken.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((LOOPBACK, candidate))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    return 0
