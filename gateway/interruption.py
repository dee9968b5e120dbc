"""Ctrl-C, SIGTERM and a closed terminal: each ends a command the same way, through its `finally` blocks."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

_ENDING: Final = (signal.SIGTERM, signal.SIGHUP)
_ALL: Final = (signal.SIGINT, *_ENDING)


@contextmanager
def interruptible() -> Iterator[None]:
    """Have SIGTERM and SIGHUP raise SystemExit within the block; what was set before is set again at its end.

    Outside the main thread, which alone hears signals, this does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in _ALL}
    for number in _ENDING:
        signal.signal(number, _leave)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def ignore_interruptions() -> None:
    """Let nobody disturb what comes until `interruptible` ends: for tidying up, which takes a bounded time."""
    if threading.current_thread() is threading.main_thread():
        for number in _ALL:
            signal.signal(number, signal.SIG_IGN)


def _leave(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
