"""Log lines: `event key=value …` on the standard logger `daybook`, which the application's own set-up governs."""

from __future__ import annotations

import logging
from typing import Final

_ROOT: Final = "daybook"


def logger(module: str) -> logging.Logger:
    """The logger of one of our modules. Lines carry ids and counts, never what anybody said."""
    return logging.getLogger(f"{_ROOT}.{module}")


def write_to_stderr(level: str) -> None:
    """Show our lines on standard error, for processes that are ours: workers, beat, commands."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    root = logging.getLogger(_ROOT)
    root.handlers[:] = [handler]
    root.propagate = False  # Celery gives the root logger a handler too: each line would stand twice
    root.setLevel(level)
