"""Loads a model of sentence-transformers: torch made ready, in a forked process too, and errors put in words."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from shared.contract.errors import Misconfigured

_forked_with_torch: list[int] = []


def _note_fork() -> None:
    if "torch" in sys.modules:
        _forked_with_torch.append(os.getpid())


os.register_at_fork(after_in_child=_note_fork)


def sentence_transformers(threads: int) -> Any:
    """The library, with torch on so many threads."""
    # Written, not read: OpenMP takes its policy from the environment alone, when torch first loads it. Without it,
    # threads that wait keep their cores: four times slower where cores are shared. An operator's own policy stays.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    library = importlib.import_module("sentence_transformers")
    # OpenMP in a child waits for the parent's threads for ever; with one thread it never looks for them.
    importlib.import_module("torch").set_num_threads(1 if _forked_with_torch else threads)
    return library


@contextmanager
def loading(kind: str, name: str) -> Iterator[None]:
    """Load a model within, of the kind and name that an error shall state, without a progress bar.

    Raises:
        Misconfigured: it cannot be loaded.
    """
    with _no_progress_bars():
        try:
            yield
        except _errors() as error:
            raise _cannot_load(kind, name, error) from error


def _errors() -> tuple[type[Exception], ...]:
    damaged: type[Exception] = importlib.import_module("safetensors").SafetensorError
    return (OSError, ValueError, ImportError, RuntimeError, damaged)


def _cannot_load(kind: str, name: str, error: Exception) -> Misconfigured:
    reason = (str(error).splitlines() or [type(error).__name__])[0]
    return Misconfigured(
        f"the {kind} {name!r} cannot be loaded: {reason}. Models are read from this machine only, never "
        f"downloaded: give a folder that holds one, or fetch it once with `hf download {name}`",
        model=name,
    )


@contextmanager
def _no_progress_bars() -> Iterator[None]:
    """Keep the loader from drawing on the terminal of whoever asked."""
    bars = importlib.import_module("transformers.utils.logging")
    shown = bars.is_progress_bar_enabled()
    bars.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            bars.enable_progress_bar()
