"""What the parts of a record are checked for when it is made. Each check raises InvalidInput."""

from __future__ import annotations

from datetime import datetime
from typing import NoReturn

from shared.contract.errors import InvalidInput


def refuse(name: str, value: object, advice: str) -> NoReturn:
    """Say that a value is not acceptable and what to do."""
    msg = f"{name} {value!r} is not acceptable: {advice}"
    raise InvalidInput(msg, field=name)


def text(name: str, value: object) -> None:
    """That it is a string and not blank."""
    if not isinstance(value, str):
        refuse(name, type(value).__name__, "pass a string")
    if not value.strip():
        refuse(name, value[:40], "it is blank")


def at_least(name: str, value: int, least: int) -> None:
    """That it is not below `least`."""
    if value < least:
        refuse(name, value, f"it counts from {least}")


def share(name: str, value: float) -> None:
    """That it lies in 0..1."""
    # Written so that NaN is refused too.
    if not 0.0 <= value <= 1.0:
        refuse(name, value, "it lies between 0 and 1")


def aware(name: str, value: datetime | None) -> None:
    """That it has a time zone, where there is a time."""
    if value is not None and value.utcoffset() is None:
        refuse(name, value.isoformat(), "it has no time zone")


def ordered(first_name: str, first: datetime | None, second_name: str, second: datetime | None) -> None:
    """That the second time is not before the first, where there are both."""
    if first is not None and second is not None and second < first:
        refuse(second_name, second.isoformat(), f"it lies before {first_name} {first.isoformat()}")
