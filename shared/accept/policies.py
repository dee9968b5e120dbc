"""The policies of an installation: one file of TOML, read when they are needed, so that a change takes no restart."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

from pydantic import ValidationError

from shared.contract.errors import Misconfigured
from shared.contract.policies import Policies

if TYPE_CHECKING:
    from pathlib import Path

    from shared.settings import Settings

_SETTING = "DAYBOOK_POLICIES"


def policies(settings: Settings) -> Policies:
    """What the settings name, or what holds without.

    Raises:
        Misconfigured: the file cannot be read, or says what cannot be done; the message says where and what.
    """
    path = settings.policies
    if path is None:
        return Policies()
    try:
        return Policies.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise _wrong(path, f"it cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise _wrong(path, f"it is no TOML: {error}") from error
    except ValidationError as error:
        said = "; ".join(map(_said, error.errors()))
        raise _wrong(path, f"{said}; docs/operations.md has an example of each") from error


def _wrong(path: Path, what: str) -> Misconfigured:
    return Misconfigured(f"{_SETTING}: {path}: {what}", setting=_SETTING)


def _said(error: object) -> str:
    told = dict(error)  # type: ignore[call-overload]
    where = ".".join(map(str, told["loc"]))
    if told["type"] == "extra_forbidden":
        return f"{where}: there is no such key; mend its name, or take it out"
    what = str(told["msg"]).removeprefix("Value error, ")
    given = "" if isinstance(told["input"], dict) else f", not {told['input']!r}"
    return f"{where}: {what}{given}"
