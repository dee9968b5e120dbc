"""One at a time."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from shared.clock import monotonic_s
from shared.contract.errors import ServiceFailed

_PAUSE_S: Final = 0.005


@contextmanager
def locked(path: Path, *, timeout_s: float) -> Iterator[int]:
    """Hold the lock file at `path`, against other processes and other threads alike, and yield its descriptor.

    The kernel lets go of it when this process ends, however it ends. A child that is given the descriptor keeps the
    lock alive for as long as it runs itself, should we be killed.

    Raises:
        ServiceFailed: somebody held it all that time.
    """
    deadline = monotonic_s() + timeout_s
    while (descriptor := seize(path)) is None:
        if monotonic_s() > deadline:
            msg = f"another process has held {path} for {timeout_s:g} s; find it with `fuser {path}` and end it"
            raise ServiceFailed(msg, lock=str(path))
        time.sleep(_PAUSE_S)
    try:
        yield descriptor
    finally:
        # Closing would not do: a child that we started may have the descriptor too.
        fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)


def seize(path: Path) -> int | None:
    """Take the lock if nobody holds it; the descriptor, or None. Whoever closes the last copy of it lets go."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if _is_at(path, descriptor):
            return descriptor
    except BlockingIOError:
        pass
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def _is_at(path: Path, descriptor: int) -> bool:
    """Whether that is still the file at `path`: its holder may have deleted it while we waited."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False
