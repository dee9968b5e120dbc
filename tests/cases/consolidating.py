"""A stream that is worth a model's while, and a model that takes its time over it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from shared.settings import settings
from tests.cases.adapter import Words, said
from tests.scripted_llm import Drip, Entry, ScriptedLlm, scripted

COLOURS = ["grey", "red", "green", "blue", "black", "white", "brown", "pink", "golden", "silver", "purple", "orange"]
HABIT = "Often takes the early train to Leeds."


def fill(words: Words, tenant: str, user: str, *, until: int = 12) -> None:
    """Enough, in a session each, that a model is asked."""
    for number, colour in enumerate(COLOURS[:until], 1):
        text = f"I took the early train to Leeds with the {colour} umbrella."
        messages = [said(text, f"m{number}", ts=f"2025-05-{number:02}T09:00Z")]
        words.ingest(tenant, user, f"run-{number}", messages)


def answer(*entries: tuple[str, list[int]], sort: str = "preference") -> str:
    facts = [{"type": sort, "text": text, "lines": numbers} for text, numbers in entries]
    return json.dumps({"facts": facts})


def slowly(text: str, *, every_s: float = 0.02) -> Drip:
    """An answer that takes a quarter of a minute to come, as it is some six hundred bytes long."""
    return Drip(text=text, every_s=every_s)


@contextmanager
def asking(monkeypatch: pytest.MonkeyPatch, *script: Entry | str) -> Iterator[ScriptedLlm]:
    """Every process that is started from now on has a model that answers so."""
    with scripted(*script) as server:
        model = {
            "DAYBOOK_EXTRACTION_MODEL": "openai:scripted",
            "DAYBOOK_EXTRACTION_BASE_URL": server.address,
            "DAYBOOK_EXTRACTION_API_KEY": "sk-nobodys",
            "DAYBOOK_CONSOLIDATION_BY_MODEL": "true",
        }
        for name, value in model.items():
            monkeypatch.setenv(name, value)
        settings.cache_clear()
        yield server
        for name in model:
            monkeypatch.delenv(name)
        settings.cache_clear()


def until_asked(server: ScriptedLlm) -> Callable[[], bool]:
    return lambda: len(server.requests) > 0


def variables(**more: Any) -> dict[str, str]:
    """The settings of the model, for a process that is given its own."""
    named = ("DAYBOOK_EXTRACTION_", "DAYBOOK_CONSOLIDATION_")
    return {name: value for name, value in os.environ.items() if name.startswith(named)} | more
