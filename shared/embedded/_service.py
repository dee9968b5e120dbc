"""What is known of one server."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """An embedded server, running or not."""

    name: str
    """`postgres` or `valkey`."""
    running: bool
    pid: int | None
    port: int | None
    """On 127.0.0.1; None while it is not running."""
    folder: Path
    """Its data."""
    log: Path
    since: datetime | None
