"""The Procfile: which processes Daybook is made of, and the command of each."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from shared.contract.errors import Misconfigured

NAME: Final = "Procfile"
_LINE: Final = re.compile(r"([A-Za-z0-9_-]+):\s*(\S.*)")
_HERE: Final = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One process."""

    name: str
    command: tuple[str, ...]

    def node(self, host: str) -> str | None:
        """The name that its Celery worker answers by on `host`; None for a process that is no worker."""
        if "worker" not in self.command or "--hostname" not in self.command[:-1]:
            return None
        return self.command[self.command.index("--hostname") + 1].replace("%h", host)


def parse(text: str) -> tuple[Entry, ...]:
    """The processes of a Procfile, in its order. Blank lines and lines that begin with # are passed over.

    Raises:
        Misconfigured: a line is not `name: command`, its quotes are not closed, or a name comes twice.
    """
    found: dict[str, Entry] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        entry = _entry(number, line)
        if entry.name in found:
            raise Misconfigured(f"line {number} of the Procfile: {entry.name!r} is there twice; give it another name")
        found[entry.name] = entry
    if not found:
        raise Misconfigured("the Procfile names no process")
    return tuple(found.values())


def read() -> tuple[Entry, ...]:
    """The processes of this installation."""
    return parse(_path().read_text(encoding="utf-8"))


def home(data_dir: Path) -> Path:
    """Where the processes are started: in a clone its root, where their packages are found; else the data folder."""
    root = _HERE.parent
    return root if (root / NAME).is_file() else data_dir


def _path() -> Path:
    for place in (_HERE.parent, _HERE):
        if (place / NAME).is_file():
            return place / NAME
    raise Misconfigured(f"there is no Procfile in {_HERE.parent} or {_HERE}: install Daybook again, or clone it whole")


def _entry(number: int, line: str) -> Entry:
    match = _LINE.fullmatch(line.strip())
    try:
        command = shlex.split(match[2]) if match else []
    except ValueError as error:
        raise Misconfigured(f"line {number} of the Procfile: {error}") from error
    if not match or not command:
        raise Misconfigured(f"line {number} of the Procfile is not `name: command`: {line.strip()[:80]!r}")
    return Entry(name=match[1], command=tuple(command))
