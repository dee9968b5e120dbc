"""Whom the servers run as."""

from __future__ import annotations

import os
import pwd
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from shared.contract.errors import Misconfigured, ServiceFailed

CANDIDATES: Final = ("daybook", "nobody")
"""Users that the servers run as when we are root, best first. Postgres refuses to run as root."""

# Nothing of the caller's environment reaches a server: a stray PGDATA, PGPORT or LC_MESSAGES would change what it does.
_ENVIRONMENT: Final = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A user of this machine."""

    name: str
    uid: int
    gid: int
    dropped: bool
    """Whether we are root and this is somebody else."""


def account() -> Account:
    """The user that the servers run as: this process's own, or an unprivileged one where that is root.

    Raises:
        Misconfigured: root, and the machine has none of `CANDIDATES`.
    """
    if os.geteuid() != 0:
        return Account(name=str(os.geteuid()), uid=os.geteuid(), gid=os.getegid(), dropped=False)
    for name in CANDIDATES:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(name=name, uid=entry.pw_uid, gid=entry.pw_gid, dropped=True)
    msg = (
        "Postgres does not run as root, and this machine has neither a user `daybook` nor `nobody` to run it as: "
        "add one (useradd --system daybook), run as another user, or set DAYBOOK_DATABASE_URL to a server of yours"
    )
    raise Misconfigured(msg)


def run(
    who: Account,
    command: Sequence[str | Path],
    *,
    log: Path,
    timeout_s: float,
    feed: bytes = b"",
    keep_fds: Sequence[int] = (),
) -> int:
    """Run `command` as `who` until it ends, and return its exit code.

    What it prints is appended to `log`, never to a pipe: a server that it leaves behind would hold the pipe open.
    `keep_fds` stay open in it and in what it starts.

    Raises:
        Misconfigured: the command cannot be run at all.
        ServiceFailed: it did not end in time; it has been killed.
    """
    options: dict[str, Any] = {"user": who.uid, "group": who.gid, "extra_groups": []} if who.dropped else {}
    options["input" if feed else "stdin"] = feed or subprocess.DEVNULL
    try:
        with log.open("ab") as out:
            return subprocess.run(  # noqa: S603 - no shell, and every word of the command is ours
                [str(word) for word in command],
                stdout=out,
                stderr=subprocess.STDOUT,
                cwd="/",  # where we stand may be out of that user's reach
                env=_ENVIRONMENT,
                umask=0o077,
                start_new_session=True,  # so that Ctrl-C at a terminal reaches us alone
                pass_fds=keep_fds,
                timeout=timeout_s,
                check=False,
                **options,
            ).returncode
    except subprocess.TimeoutExpired as error:
        msg = f"{command[0]} did not end within {timeout_s:g} s and was killed; see {log}"
        raise ServiceFailed(msg, log=str(log)) from error
    except (OSError, subprocess.SubprocessError) as error:
        msg = (
            f"{command[0]} cannot be run as user {who.name}: {error}; "
            "mend that, or set DAYBOOK_DATABASE_URL and DAYBOOK_REDIS_URL to servers of yours"
        )
        raise Misconfigured(msg) from error
