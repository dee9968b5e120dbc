"""The file a server writes its log to."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from shared.embedded._account import Account

MOST_BYTES: Final = 10_000_000
"""A log that has grown longer is set aside, as `<name>.1`, when its server starts."""


def prepare(log: Path, owner: Account) -> int:
    """Make sure there is a log that `owner` can write to, and return where it ends now."""
    if size(log) > MOST_BYTES:
        log.replace(log.with_name(f"{log.name}.1"))
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        if owner.dropped:
            os.fchown(descriptor, owner.uid, owner.gid)
    finally:
        os.close(descriptor)
    return size(log)


def size(log: Path) -> int:
    """Where the log ends now, in bytes."""
    return log.stat().st_size if log.exists() else 0


def since(log: Path, offset: int) -> str:
    """What has been written to the log since `offset`."""
    try:
        with log.open("rb") as file:
            file.seek(offset)
            return file.read().decode("utf-8", errors="replace")
    except FileNotFoundError:
        return ""
