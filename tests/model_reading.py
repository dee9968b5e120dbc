"""Runs as a model is shown them, what it might answer, and an extractor that asks a scripted server or a real one."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import SecretStr

from shared.belief.predicates import BUILT_IN, claim_of
from shared.contract.candidates import Line, Neighbour
from shared.contract.events import Role
from shared.contract.trust import Origin
from shared.models.llm import connect
from shared.models.port import Endpoint, Price
from tests.scripted_llm import ScriptedLlm
from warmpath._model_extractor import ModelExtractor

SAID_AT = datetime(2031, 5, 22, 9, 30, tzinfo=UTC)
"""A Thursday."""
KEY = "sk-a-key-that-nobody-may-see"


def line(
    text: str,
    sequence: int = 1,
    *,
    speaker: str = "Mira",
    role: Role = Role.USER,
    origin: Origin | None = None,
    said_at: datetime | None = SAID_AT,
) -> Line:
    """A line of a run; the assistant's own words unless it says otherwise."""
    return Line(
        sequence=sequence,
        text=text,
        speaker=speaker,
        role=role,
        origin=origin or Origin(role.value),
        said_at=said_at,
        zone=(said_at.tzinfo if said_at else None) or UTC,
    )


def bot(text: str, sequence: int, speaker: str = "assistant") -> Line:
    return line(text, sequence, speaker=speaker, role=Role.ASSISTANT)


def entry(text: str = "Mira keeps two beehives.", **fields: Any) -> dict[str, Any]:
    """An entry of an answer, complete."""
    return {
        "text": text,
        "lines": [1],
        "type": "fact",
        "about": "Mira",
        "predicate": None,
        "object": None,
        "change": "holds",
        "replaces": None,
        "since": None,
        "until": None,
        "confidence": 0.9,
        "language": "en",
    } | fields


def facts(*entries: Mapping[str, Any]) -> str:
    """An answer."""
    return json.dumps({"facts": list(entries)}, ensure_ascii=False)


def memory(text: str, subject: str = "Mira", predicate: str = "lives_in", obj: str = "Lisbon") -> Neighbour:
    return Neighbour(text=text, claim=claim_of(subject, predicate, obj, BUILT_IN), valid_from=None)


def asking(server: ScriptedLlm, *, window_tokens: int = 6_000, price: Price | None = None) -> ModelExtractor:
    """An extractor that asks a scripted server."""
    endpoint = Endpoint(name="openai:scripted", base_url=server.address, api_key=SecretStr(KEY), price=price)
    return ModelExtractor(model=connect(endpoint), window_tokens=window_tokens, output_tokens=1_000)


def asking_a_real_model() -> ModelExtractor:
    """An extractor that asks the model of REAL_MODEL (with REAL_MODEL_KEY, REAL_MODEL_URL), or a skipped test."""
    name = os.environ.get("REAL_MODEL")
    if not name:
        pytest.skip("no real model is configured: set REAL_MODEL to provider:model, and REAL_MODEL_KEY or _URL")
    key, url = os.environ.get("REAL_MODEL_KEY"), os.environ.get("REAL_MODEL_URL")
    endpoint = Endpoint(name=name, base_url=url, api_key=SecretStr(key) if key else None)
    return ModelExtractor(model=connect(endpoint), window_tokens=12_000, output_tokens=4_096)


def lines_shown(words: str) -> list[dict[str, Any]]:
    """The lines in what a model was shown, read back."""
    _, _, shown = words.partition("LINES\n")
    return [json.loads(each) for each in shown.split("\n")]
