import subprocess
import sys

import pytest

from shared.belief.predicates import BUILT_IN
from warmpath import _prompt


def test_the_prompt_offers_every_predicate_that_is_known():
    for predicate in BUILT_IN.predicates.values():
        assert predicate.name in _prompt.system()
    assert "{{" not in _prompt.system()


def test_another_word_is_another_version(monkeypatch):
    before = _prompt.version()
    _prompt.version.cache_clear()
    monkeypatch.setattr(_prompt, "system", lambda _records: "other words")
    assert _prompt.version() != before
    _prompt.version.cache_clear()


@pytest.mark.parametrize(
    ("text", "echoed"),
    [
        ("You are a clerk, not a participant: you answer nobody", True),
        ("Leave out what nobody stated, and make up nothing: a record", True),
        ("YOU ARE A CLERK not a participant, you", True),
        ("You are a clerk, not a participant", False),
        ("Mira is a clerk at the bakery and answers everybody who calls", False),
    ],
)
def test_eight_words_in_a_row_are_an_echo(text, echoed):
    assert _prompt.echoes(text) is echoed


@pytest.mark.parametrize("module", ["warmpath._model_extractor", "shared.models.llm", "shared.store.allowance"])
def test_importing_loads_no_client_of_a_provider(module):
    names = ("pydantic_ai", "openai", "anthropic", "httpx2")
    script = f"import sys, {module}; print([each for each in {names} if each in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
