"""The passwords of the embedded servers: random, made once, kept where only we can read them."""

from __future__ import annotations

import json
import secrets
from dataclasses import asdict, dataclass
from typing import Final

from shared.contract.errors import Misconfigured
from shared.embedded._folder import Folder, write

_BYTES: Final = 24


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Passwords:
    """Hexadecimal, so that they need no quoting in a URL, in SQL or in a configuration file."""

    owner: str
    login: str
    broker: str


def passwords(place: Folder) -> Passwords:
    """The passwords of this data folder, made if it has none yet. The caller holds the folder's lock.

    Raises:
        Misconfigured: the file has been lost or damaged while the data it opens is still there.
    """
    file = place.home / "passwords.json"
    try:
        return Passwords(**json.loads(file.read_text(encoding="utf-8")))
    except FileNotFoundError as error:
        if place.data_of("postgres").exists():
            msg = f"{file} is gone, so the database beside it cannot be opened: restore it, or move {file.parent} away"
            raise Misconfigured(msg) from error
    except (ValueError, TypeError) as error:
        msg = f"{file} is damaged, so the database beside it cannot be opened: restore it, or move {file.parent} away"
        raise Misconfigured(msg) from error
    fresh = Passwords(**{name: secrets.token_hex(_BYTES) for name in ("owner", "login", "broker")})
    write(file, json.dumps(asdict(fresh)), mode=0o600)
    return fresh
