"""A setting mistyped stops the program, be it in its name or in its value; what others set is left alone."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import get_args

import pytest

from gateway.doctor import judge_variables
from gateway.reports import Health
from shared.contract.errors import Misconfigured
from shared.settings import PROVIDERS, Settings, load, require_known, unknown_to_us


@pytest.mark.parametrize(
    ("mistyped", "meant"),
    [
        ("DAYBOOK_ASK_ABUOT", "DAYBOOK_ASK_ABOUT"),
        ("DAYBOOK_SENSITIVTY", "DAYBOOK_SENSITIVITY"),
        ("DAYBOOK_SENSITIVITIES", "DAYBOOK_SENSITIVITY"),
        ("DAYBOOK_DATABASEURL", "DAYBOOK_DATABASE_URL"),
        ("DAYBOOK_HELTH_PORT", "DAYBOOK_HEALTH_PORT"),
        ("DAYBOOK_RECALL_DEADLINE", "DAYBOOK_RECALL_DEADLINE_MS"),
        ("DAYBOOK_PORT_HEALTH", "DAYBOOK_HEALTH_PORT"),
        ("daybook_ask_abuot", "DAYBOOK_ASK_ABOUT"),
    ],
)
def test_a_name_mistyped_is_refused_with_the_nearest_one(
    mistyped: str, meant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(mistyped, "8000")
    with pytest.raises(Misconfigured, match=rf"{mistyped} \(did you mean {meant}\?\)"):
        load()


def test_all_names_mistyped_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYBOOK_HELTH_PORT", "1")
    monkeypatch.setenv("DAYBOOK_ASK_ABUOT", "preference")
    with pytest.raises(Misconfigured, match=r"DAYBOOK_ASK_ABUOT \(.*\), DAYBOOK_HELTH_PORT \("):
        load()


@pytest.mark.parametrize("name", ["DAYBOOK_ZZZ", "DAYBOOK_EXTRACTION_RETRIES", "DAYBOOK_EXTRACTION_DAILY_EUR"])
def test_another_versions_setting_stops_nothing_and_is_warned_of_once(
    name: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("shared.settings._WARNED_OF", set())
    monkeypatch.setenv(name, "its value")
    for _ in range(2):
        load()
    (line,) = caplog.messages
    assert name in line
    assert "its value" not in line
    assert unknown_to_us() == [name]
    found = judge_variables(unknown_to_us())
    assert (found.health, name in found.found) == (Health.WARN, True)
    assert judge_variables([]).health is Health.OK


def test_a_setting_of_an_earlier_version_is_refused_with_what_has_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYBOOK_GATES", "gates.toml")
    with pytest.raises(Misconfigured, match=r"\[\[gates\.rules\]\] in the file of DAYBOOK_POLICIES"):
        load()


def test_a_value_never_stands_in_the_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYBOOK_EXTRACTION_APIKEY", "sk-nobodys")
    with pytest.raises(Misconfigured) as caught:
        load()
    assert "sk-nobodys" not in str(caught.value)


def test_what_is_set_to_nothing_counts_as_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYBOOK_ASK_ABUOT", "")
    load()


def test_what_a_cluster_sets_for_a_service_is_nobodys_mistake() -> None:
    require_known(
        {
            "DAYBOOK_SERVICE_HOST": "10.0.0.1",
            "DAYBOOK_SERVICE_PORT": "5432",
            "DAYBOOK_SERVICE_PORT_HTTP": "80",
            "DAYBOOK_PORT": "tcp://10.0.0.1:5432",
            "DAYBOOK_PORT_5432_TCP": "tcp://10.0.0.1:5432",
            "DAYBOOK_PORT_5432_TCP_ADDR": "10.0.0.1",
            "DAYBOOK_REDIS_SERVICE_HOST": "10.0.0.2",
            "DAYBOOK_REDIS_PORT": "tcp://10.0.0.2:6379",
            "DAYBOOK_REDIS_PORT_6379_TCP_PROTO": "tcp",
            "OTHERS_ASK_ABOUT": "x",
        }
    )


def test_every_setting_is_known() -> None:
    require_known({f"DAYBOOK_{name.upper()}": "x" for name in Settings.model_fields})


def test_a_command_exits_with_2_and_says_what_was_meant() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "gateway.cli", "status"],
        env=os.environ | {"DAYBOOK_ASK_ABUOT": "preference"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "did you mean DAYBOOK_ASK_ABOUT?" in done.stderr


@pytest.mark.parametrize(
    "value", ["openai", "openai:", "opnai:gpt-5-mini", ":gpt", "gpt-5-mini", "test:x", "OpenAI:gpt"]
)
def test_a_model_of_no_provider_is_refused_when_it_is_read(value: str) -> None:
    with pytest.raises(Misconfigured, match="DAYBOOK_EXTRACTION_MODEL"):
        load(extraction_model=value)


def test_the_provider_that_was_meant_is_named() -> None:
    with pytest.raises(Misconfigured, match=r"did you mean openai\?"):
        load(extraction_model="opnai:gpt-5-mini")


@pytest.mark.parametrize("value", ["openai:gpt-5-mini", "anthropic:claude-haiku-4-5", "ollama:llama3:8b", "openai:a/b"])
def test_a_model_of_a_provider_is_taken(value: str) -> None:
    assert load(extraction_model=value).extraction_model == value


def test_all_providers_of_the_client_that_can_be_named_are_known() -> None:
    from pydantic_ai.models import KnownModelName

    names = {name.partition(":")[0] for name in get_args(KnownModelName.__value__)}
    assert {name for name in names if "/" not in name} - {"test"} <= set(PROVIDERS)


def test_each_provider_is_one_of_the_clients() -> None:
    from pydantic_ai.providers import infer_provider_class

    for name in PROVIDERS:
        try:
            infer_provider_class(name)
        except ImportError:
            continue  # it needs a package more, so it is known


@pytest.mark.parametrize("value", ["foo", "fetures", "Off", "none", "ms-marco"])
def test_a_reranker_that_is_none_is_refused_when_it_is_read(value: str) -> None:
    with pytest.raises(Misconfigured, match="DAYBOOK_RERANKER"):
        load(reranker=value)


@pytest.mark.parametrize("value", ["features", "off", "cross-encoder/ms-marco-MiniLM-L6-v2", "/models/mine", "tests"])
def test_a_reranker_by_name_or_path_is_taken(value: str) -> None:
    assert load(reranker=value).reranker == value
