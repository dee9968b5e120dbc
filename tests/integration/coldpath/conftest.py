"""Settings by which jobs ask a scripted model, and days that go by."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import timedelta
from typing import Any

import pytest
from pydantic import SecretStr

from shared import clock
from shared.settings import Settings
from tests.model_reading import KEY
from tests.scripted_llm import ScriptedLlm, scripted

Configured = Callable[..., Settings]
Days = Callable[[int], None]


@pytest.fixture
def configured(environment: Settings) -> Iterator[Configured]:
    """Settings that name a model which answers so, for whatever job may ask one; a script, or its server."""
    with ExitStack() as servers:

        def make(*script: Any, **settings: Any) -> Settings:
            given = script[0] if script and isinstance(script[0], ScriptedLlm) else None
            server = given or servers.enter_context(scripted(*script))
            named = {
                "extraction_model": "openai:scripted",
                "extraction_base_url": server.address,
                "consolidation_by_model": True,
                "anticipation_by_model": True,
                "reflection_by_model": True,
                "supersede_by_model": True,
                "anticipate_most": 20,
            }
            return environment.model_copy(update={**named, "extraction_api_key": SecretStr(KEY), **settings})

        yield make


@pytest.fixture
def days(monkeypatch: pytest.MonkeyPatch) -> Days:
    """Lets some days go by from the first."""
    first = clock.now()

    def go(number: int) -> None:
        monkeypatch.setattr("shared.clock.now", lambda: first + timedelta(days=number))

    return go
