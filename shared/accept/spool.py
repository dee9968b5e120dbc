"""The spool: runs that could not be accepted, kept on this machine's disk until they can.

For callers that asked for it. A file is a run, cleaned and scrubbed, written whole or not at all, and is removed when
the run is in the inbox. Sending one twice has one effect, so any number of processes may send at once.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from shared import clock
from shared.contract.errors import InboxFull, Permanent, SpoolFailed
from shared.log import logger

if TYPE_CHECKING:
    from uuid import UUID

    from shared.settings import Settings

_LOG: Final = logger(__name__)
_FOLDER: Final = "spool"
_REFUSED: Final = "refused"
_SUFFIX: Final = ".json"
_REASON: Final = ".reason"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """What became of the runs on disk."""

    accepted: int
    refused: int
    """Runs that can never be accepted; they stay in `spool/refused`, each with the reason beside it."""
    left: int
    """Runs that are still to be sent."""


def put(settings: Settings, inbox_id: UUID, payload: str) -> Path:
    """Keep a run, on the disk when this returns; the same run again takes the same file's place.

    Raises:
        SpoolFailed: the disk did not take it.
    """
    path = _folder(settings) / f"{inbox_id}{_SUFFIX}"
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        _write(path, payload)
    except OSError as error:
        raise SpoolFailed(
            f"{path.parent} does not take the run ({error.strerror}), and Postgres did not accept it: it is kept "
            "nowhere; make room there, or have it writable, and send the run again"
        ) from error
    return path


def waiting(settings: Settings) -> list[Path]:
    """The files of runs to be sent, the oldest first."""
    return sorted(_folder(settings).glob(f"*{_SUFFIX}"), key=_age)


def send(settings: Settings, accept: Callable[[str, datetime], object]) -> Sent:
    """Have each kept run accepted, and take it off the disk; those of a tenant whose inbox is full are left.

    `accept` is given a run and when it was put here. What the disk does not let be read or taken off is logged and left
    too.

    Raises:
        Retryable: what `accept` raised where none can be accepted now; those not sent stay.
    """
    accepted = refused = 0
    full: set[object] = set()
    for path in waiting(settings):
        try:
            done = _send(path, accept)
        except InboxFull as error:
            if (tenant_id := error.details.get("tenant_id")) not in full:
                _LOG.warning("spool: %s", error)
            full.add(tenant_id)
        except OSError as error:
            _LOG.error("spool run=%s: %s; it is left", path.stem, type(error).__name__)
        else:
            accepted, refused = accepted + (done is True), refused + (done is False)
    if accepted or refused:
        _LOG.info("spool accepted=%d refused=%d", accepted, refused)
    return Sent(accepted=accepted, refused=refused, left=len(waiting(settings)))


def erase(settings: Settings, left_of: Callable[[str], str | None]) -> int:
    """Put in the place of each kept run, refused ones included, what `left_of` leaves of it; returns how many changed.

    None: nothing is left, and the file goes. Files that hold no text are left alone: nobody can tell whose they are.

    Raises:
        SpoolFailed: a file could not be read or written; some may be as they were.
    """
    changed = 0
    folder = _folder(settings)
    for path in [*waiting(settings), *sorted((folder / _REFUSED).glob(f"*{_SUFFIX}"))]:
        try:
            changed += _erase(path, left_of)
        except OSError as error:
            raise SpoolFailed(f"{path} could not be erased ({error.strerror}): do it by hand, or again") from error
    return changed


def _erase(path: Path, left_of: Callable[[str], str | None]) -> bool:
    try:
        payload = path.read_text(encoding="utf-8")
    except (FileNotFoundError, UnicodeDecodeError):
        return False
    left = left_of(payload)
    if left is None:
        path.unlink(missing_ok=True)
        path.with_suffix(_REASON).unlink(missing_ok=True)
    elif left != payload:
        _write(path, left)
    return left != payload


def _send(path: Path, accept: Callable[[str, datetime], object]) -> bool | None:
    """Whether a run has been accepted, or refused; None if another process has sent it."""
    try:
        since = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        accept(path.read_text(encoding="utf-8"), since)
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        _refuse(path, "InvalidRun: the file holds no text: it was changed or damaged")
        return False
    except Permanent as error:
        _refuse(path, f"{error.code}: {error}")
        return False
    path.unlink(missing_ok=True)
    return True


def _refuse(path: Path, reason: str) -> None:
    folder = path.parent / _REFUSED
    folder.mkdir(exist_ok=True, mode=0o700)
    _write(folder / f"{path.stem}{_REASON}", f"{clock.now().isoformat()} {reason}\n")
    path.replace(folder / path.name)
    _LOG.error("spool run=%s refused: %s", path.stem, reason)


def _folder(settings: Settings) -> Path:
    return settings.data_dir.expanduser() / _FOLDER


def _write(path: Path, text: str) -> None:
    """Write a file that nobody else may read, whole or not at all; on the disk when this returns."""
    descriptor, unfinished = tempfile.mkstemp(prefix=f".{path.stem}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(unfinished).replace(path)
    except BaseException:
        Path(unfinished).unlink(missing_ok=True)
        raise
    _sync(path.parent)


def _age(path: Path) -> tuple[int, str]:
    try:
        return path.stat().st_mtime_ns, path.name
    except OSError:
        return 0, path.name


def _sync(folder: Path) -> None:
    """Make the file's name as durable as its content."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
