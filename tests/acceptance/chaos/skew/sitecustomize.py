"""Imported by Python before anything else: moves the clock of this process, as if the machine's were wrong.

Whatever reads the time through `time.time` or `datetime.now` is deceived, Celery and Daybook alike; Postgres is not.
"""

from __future__ import annotations

import datetime as dt
import os
import time
from typing import Any, Final

_AHEAD_S: Final = float(os.environ.get("CHAOS_CLOCK_AHEAD_S", "0"))
_true_time = time.time
_True = dt.datetime


class _Meta(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, _True)

    def __subclasscheck__(cls, other: type) -> bool:
        return issubclass(other, _True)


class _Moved(_True, metaclass=_Meta):
    @classmethod
    def now(cls, tz: dt.tzinfo | None = None) -> Any:
        return _True.now(tz) + dt.timedelta(seconds=_AHEAD_S)

    @classmethod
    def utcnow(cls) -> Any:
        return _True.fromtimestamp(time.time(), dt.UTC).replace(tzinfo=None)


_Moved.__name__ = _Moved.__qualname__ = "datetime"
_Moved.__module__ = "datetime"
dt.datetime = _Moved  # type: ignore[misc]
time.time = lambda: _true_time() + _AHEAD_S
