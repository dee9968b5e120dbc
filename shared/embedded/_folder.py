"""Where everything lies.

In the data folder (`DAYBOOK_DATA_DIR`): `lock`, `leases/`, `keep`. In the servers' home, which is the data folder too
unless we are root: `passwords.json`, `postgres/`, `postgres.conf`, `postgres.log`, `valkey/`, `valkey.conf`,
`valkey.log`, `valkey.lock`.

As root the servers run as an unprivileged user, who often cannot reach root's own folders. No permission of a folder
that is not ours is ever changed, so their home is then `/var/lib/daybook/<name>`, one for each data folder: owned by
root, so that nothing root writes there can be led astray by a link, and only the two folders of data belong to the
unprivileged user.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from shared.contract.errors import Misconfigured
from shared.embedded._account import Account, account
from shared.settings import Settings

ROOT_BASES: Final = (Path("/var/lib/daybook"), Path("/var/tmp/daybook"))  # noqa: S108 - its owner is checked
"""Where root keeps the servers' homes: the first that can be written."""
_UNQUOTABLE: Final = frozenset('"$`\\\n')
_OTHERS_MAY_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """A data folder, the home of its servers, and whom they run as."""

    data: Path
    home: Path
    account: Account

    @property
    def lock(self) -> Path:
        """Held by whoever starts, stops or counts."""
        return self.data / "lock"

    @property
    def leases(self) -> Path:
        """One file for each use of the servers."""
        return self.data / "leases"

    @property
    def keep(self) -> Path:
        """Exists while the servers are not to be stopped by the last."""
        return self.data / "keep"

    def data_of(self, server: str) -> Path:
        """The folder of a server's data."""
        return self.home / server

    def log_of(self, server: str) -> Path:
        """The file a server logs to."""
        return self.home / f"{server}.log"

    def conf_of(self, server: str) -> Path:
        """The file a server is configured by, its port among the rest."""
        return self.home / f"{server}.conf"


def folder(settings: Settings) -> Folder:
    """The data folder that `settings` name; nothing is made yet.

    Raises:
        Misconfigured: its path cannot be handed to a server.
    """
    data = settings.data_dir.expanduser().resolve()
    if _UNQUOTABLE & set(str(data)):
        msg = f"DAYBOOK_DATA_DIR {str(data)!r} holds a quote, a $, a backslash or a line break; choose another path"
        raise Misconfigured(msg)
    who = account()
    return Folder(data=data, home=_home(data) if who.dropped else data, account=who)


def make(place: Folder) -> None:
    """Make the folders that are missing.

    Raises:
        Misconfigured: one cannot be made, or belongs to somebody else.
    """
    _make(place.data, mode=0o700, parents=True)
    _make(place.leases, mode=0o700)
    if place.account.dropped:
        for path in (place.home.parent, place.home):
            _make(path, mode=0o755)
            _refuse_if(bool(path.stat().st_mode & _OTHERS_MAY_WRITE), path)


def base() -> Path:
    """Where root keeps what an unprivileged user must reach."""
    return next((path for path in ROOT_BASES if os.access(path.parent, os.W_OK)), ROOT_BASES[-1])


def write(path: Path, text: str, *, mode: int, owner: Account | None = None) -> None:
    """Replace the file by `text`, whole or not at all, also if the machine stops; readers never see half of it."""
    fresh = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        if owner is not None and owner.dropped:
            os.fchown(descriptor, owner.uid, owner.gid)
        os.fchmod(descriptor, mode)
        file.write(text)
        file.flush()
        os.fsync(descriptor)
    fresh.replace(path)


def hand_over(path: Path, owner: Account) -> None:
    """Make the folder at `path`, 0700, for the user that the servers run as."""
    path.mkdir(mode=0o700)
    if owner.dropped:
        os.chown(path, owner.uid, owner.gid)


def _home(data: Path) -> Path:
    name = f"{data.name}-{hashlib.sha256(os.fsencode(data)).hexdigest()[:12]}"
    return next((path / name for path in ROOT_BASES if (path / name).exists()), base() / name)


def _make(path: Path, *, mode: int, parents: bool = False) -> None:
    try:
        if not path.is_dir():
            path.mkdir(mode=mode, parents=parents, exist_ok=True)
            path.chmod(mode)  # the umask may have taken more away than the servers' user can spare
        owner = path.stat().st_uid
    except OSError as error:
        msg = (
            f"the folder {path} cannot be made: {error.strerror or error}; set DAYBOOK_DATA_DIR to a folder that this "
            "user may write to, or DAYBOOK_DATABASE_URL and DAYBOOK_REDIS_URL to servers of yours"
        )
        raise Misconfigured(msg) from error
    # A folder of root's is fine for anybody who may write there: root could read everything anyway.
    _refuse_if(owner not in {0, os.geteuid()}, path)


def _refuse_if(foreign: bool, path: Path) -> None:  # noqa: FBT001 - reads as a sentence where it is called
    if not foreign:
        return
    found = path.stat()
    msg = (
        f"the folder {path} is of user {found.st_uid}, mode {stat.S_IMODE(found.st_mode):o}, and this process runs as "
        f"user {os.geteuid()}: others could change what lies there. "
        "Run as its owner, or set DAYBOOK_DATA_DIR to another folder"
    )
    raise Misconfigured(msg)
