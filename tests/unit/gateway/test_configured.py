"""Policies, gates and schemas that cannot be had: whoever starts says so at once, and starts nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from celery import signals

from gateway import Daybook, lifecycle
from gateway.cli import WRONG_INPUT, run
from shared.accept.configured import require_configured
from shared.contract.errors import Misconfigured
from shared.settings import Settings, load, settings, using

SCOPE = ["--tenant", "acme", "--user", "mira"]
TENANT = ["--tenant", "acme"]


@pytest.fixture
def wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of policies with a key mistyped."""
    path = tmp_path / "policies.toml"
    path.write_text("[prune]\npined = 0.5\n", encoding="utf-8")
    monkeypatch.setenv("DAYBOOK_POLICIES", str(path))
    monkeypatch.setenv("DAYBOOK_DATA_DIR", str(tmp_path / "data"))
    settings.cache_clear()
    return path


@pytest.mark.parametrize(
    "arguments",
    [
        ["prune", *TENANT, "--dry-run"],
        ["dedupe", *TENANT],
        ["consolidate", *TENANT, "--background"],
        ["evaluate", "memory", *TENANT],
        ["recall", "where?", *SCOPE],
        ["schedule"],
        ["batches", *TENANT],
        ["up"],
    ],
    ids=" ".join,
)
def test_every_command_says_at_once_what_is_wrong_and_where(
    arguments: list[str], wrong: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == WRONG_INPUT
    said = " ".join(capsys.readouterr().err.split())
    assert "DAYBOOK_POLICIES" in said
    assert "prune.pined: there is no such key" in said
    assert not (wrong.parent / "data").exists(), "nothing was started"


@pytest.mark.usefixtures("wrong")
def test_workers_and_beat_do_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    from coldpath import app as cold
    from schedules import app as beat
    from warmpath import app as warm

    assert beat.app is not None
    with pytest.raises(SystemExit):
        signals.beat_init.send(sender=None)
    for worker in (cold, warm):
        monkeypatch.setattr(worker, "write_to_stderr", lambda _level: None)
        with pytest.raises(Misconfigured, match="pined"):
            worker._check()


def test_an_application_that_opens_daybook_is_told_all_at_once(tmp_path: Path) -> None:
    given = load(policies=tmp_path / "nowhere.toml", schemas="no_such_module:SCHEMAS", data_dir=tmp_path / "data")
    with pytest.raises(Misconfigured) as told, Daybook(given):
        pass
    for each in ("DAYBOOK_POLICIES", "nowhere.toml", "No such file", "DAYBOOK_SCHEMAS", "no_such_module"):
        assert each in str(told.value)
    assert str(told.value).count("DAYBOOK_SCHEMAS") == 1


def test_servers_are_ended_whatever_is_written_down(wrong: Path) -> None:
    del wrong
    lifecycle.down(settings())


def test_what_fits_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "policies.toml"
    path.write_text("[prune]\npinned = 0.5\n", encoding="utf-8")
    fits: Settings = load(policies=path)
    with using(fits):
        require_configured(fits)
