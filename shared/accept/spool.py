"""The spool: runs that could not be accepted, kept on this machine's disk until they can.

For callers that asked for it. A file is a run, cleaned and scrubbed, written whole or not at all, and is removed when
the run is in the inbox. Sending one twice has one effect, so any number of processes may send at once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO

from shared import clock
from shared.contract.errors import Permanent
from shared.log import logger

if TYPE_CHECKING:
    from uuid import UUID

    from shared.settings import Settings

_LOG: Final = logger(__name__)
_FOLDER: Final = "spool"
_REFUSED: Final = "refused"
_SUFFIX: Final = ".json"


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
        OSError: the disk did not take it.
    """
    folder = _folder(settings)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / f"{inbox_id}{_SUFFIX}"
    unfinished = folder / f".{inbox_id}.{os.getpid()}"
    with _private(unfinished) as file:
        file.write(payload)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)
    _sync(folder)
    return path


def waiting(settings: Settings) -> list[Path]:
    """The files of runs to be sent, the oldest first."""
    return sorted(_folder(settings).glob(f"*{_SUFFIX}"), key=_age)


def send(settings: Settings, accept: Callable[[str], object]) -> Sent:
    """Have each kept run accepted, and take it off the disk.

    Raises:
        Retryable: what `accept` raised where none can be accepted now; those not sent stay.
    """
    accepted = refused = 0
    for path, payload in _payloads(settings):
        try:
            accept(payload)
        except Permanent as error:
            refused += 1
            _refuse(path, f"{error.code}: {error}")
            continue
        path.unlink(missing_ok=True)
        accepted += 1
    if accepted or refused:
        _LOG.info("spool accepted=%d refused=%d", accepted, refused)
    return Sent(accepted=accepted, refused=refused, left=len(waiting(settings)))


def _payloads(settings: Settings) -> Iterator[tuple[Path, str]]:
    for path in waiting(settings):
        try:
            yield path, path.read_text(encoding="utf-8")
        except FileNotFoundError:
            continue  # another process has sent it


def _refuse(path: Path, reason: str) -> None:
    folder = path.parent / _REFUSED
    folder.mkdir(exist_ok=True, mode=0o700)
    with _private(folder / f"{path.stem}.reason") as file:
        file.write(f"{clock.now().isoformat()} {reason}\n")
    path.replace(folder / path.name)
    _LOG.error("spool run=%s refused: %s", path.stem, reason)


def _folder(settings: Settings) -> Path:
    return settings.data_dir.expanduser() / _FOLDER


def _private(path: Path) -> TextIO:
    """A file to be written that nobody else may read."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8")


def _age(path: Path) -> tuple[int, str]:
    try:
        return path.stat().st_mtime_ns, path.name
    except FileNotFoundError:
        return 0, path.name


def _sync(folder: Path) -> None:
    """Make the file's name as durable as its content."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
