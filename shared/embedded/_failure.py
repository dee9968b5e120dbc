"""Turns the end of a server's log into an error that says what to do."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from shared.contract.errors import DaybookError, Misconfigured, ServiceFailed
from shared.embedded._log import since

PORT_TAKEN: Final = "Address already in use"
_LINES: Final = 8

_ADVICE: Final[tuple[tuple[str, type[DaybookError], str], ...]] = (
    ("No space left on device", ServiceFailed, "free some disk space"),
    (PORT_TAKEN, ServiceFailed, "other programs took every port that was tried; try again"),
    ("incompatible with server", Misconfigured, "another version made the data: use that one, or move the data away"),
    ("Permission denied", Misconfigured, "give the servers' user access, or set DAYBOOK_DATA_DIR to another folder"),
    ("Read-only file system", Misconfigured, "set DAYBOOK_DATA_DIR to a folder that can be written"),
    ("could not look up effective user ID", Misconfigured, "run as a user that the machine knows by name"),
    ("invalid locale name", Misconfigured, "install the locale C.UTF-8"),
    ("Cannot allocate memory", ServiceFailed, "free some memory"),
    ("error while loading shared libraries", Misconfigured, "install the library that is named"),
)


_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
_PASSING: Final = _FULL | {errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EINTR, errno.EAGAIN}


@contextmanager
def file_errors(place: Path) -> Iterator[None]:
    """Turn what the system says of files in or below `place`, within the block, into an error that says what to do.

    Raises:
        ServiceFailed: it may go well another time: the disk is full, or too many files are open.
        Misconfigured: this user may not, or what lies there is not what should.
    """
    try:
        yield
    except OSError as error:
        said = f"{error.filename or place}: {error.strerror or error}"
        if error.errno in _FULL:
            raise ServiceFailed(f"{said}; free some disk space, then try again", folder=str(place)) from error
        if error.errno in _PASSING:
            raise ServiceFailed(f"{said}; try again", folder=str(place)) from error
        advice = "run as the owner of the data folder, or set DAYBOOK_DATA_DIR to a folder that this user may write to"
        raise Misconfigured(f"{said}; {advice}", folder=str(place)) from error


def failure(name: str, what: str, log: Path, offset: int) -> DaybookError:
    """The error for a server that did not do `what`: the last lines it wrote to `log` since `offset`, and advice."""
    tail = since(log, offset)
    lines = [line for line in tail.splitlines() if line.strip()][-_LINES:]
    kind, advice = next(
        ((kind, advice) for words, kind, advice in _ADVICE if words in tail),
        (ServiceFailed, f"read {log}"),
    )
    variable = "DAYBOOK_DATABASE_URL" if name == "postgres" else "DAYBOOK_REDIS_URL"
    message = f"{name} did not {what}: {advice}; or set {variable} to a server of yours. Its last words:"
    return kind("\n  ".join([message, *lines]), service=name, log=str(log))
