"""profile, from the command line: what is held now and then, how it came about, and the view built anew."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from gateway import Daybook
from gateway.cli import FAILED, OK, WRONG_INPUT, run
from shared.contract.errors import NotFound
from shared.contract.scope import Scope
from shared.settings import Settings
from shared.store.jobs import begin
from shared.testing import RecordingBell, ScriptedExtractor
from warmpath._door import Door
from warmpath._stages import STAGES
from warmpath._work import Services, perform

MIRA = Scope(tenant_id="acme", user_id="mira")
SCOPE = ["--tenant", "acme", "--user", "mira"]
CLAIMS = {
    "I live in Oslo": ("mira", "lives_in", "Oslo"),
    "I moved to Porto": ("mira", "lives_in", "Porto"),
    "I work at Kestrel": ("mira", "works_at", "Kestrel"),
    "Tove lives in Graz": ("Tove", "lives_in", "Graz"),
}


@pytest.fixture
def told(services: Services, reading: Settings) -> Door:
    """What Mira said on four days, the last of them in a room."""
    script = {words: [{"text": f"{words}.", "claim": claim}] for words, claim in CLAIMS.items()}
    ready = replace(services, settings=reading, rules=lambda: ScriptedExtractor(script))
    for day, words in enumerate(CLAIMS, 1):
        message = {"role": "user", "speaker": "mira", "text": f"{words}.", "ts": f"2026-01-{day:02}T12:00:00+00:00"}
        room = {"room": "kitchen", "participants": ["mira"]} if words.startswith("Tove") else {}
        Door(ready).observe(MIRA, [message], run_id=f"run-{day}", **room)
        bell = ready.bell
        assert isinstance(bell, RecordingBell)
        while bell.rung:
            stage, work = bell.rung.pop(0)
            perform(ready, stage, STAGES[stage], work)
    return Door(ready)


def said(capsys: pytest.CaptureFixture[str], *words: str, code: int = OK) -> str:
    assert run(["profile", *words]) == code, capsys.readouterr().err
    return capsys.readouterr().out


def document(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    return json.loads(said(capsys, *words, "--json"))


def held(found: Any) -> dict[tuple[str, str], list[Any]]:
    return {
        (block["subject"], field["name"]): [value["value"] for value in field["values"]]
        for block in found["blocks"]
        for field in block["fields"]
    }


@pytest.mark.usefixtures("told")
def test_a_profile_shows_what_is_so_now_and_what_was_so_then(capsys: pytest.CaptureFixture[str]) -> None:
    shown = said(capsys, *SCOPE)
    for word in (
        "places of mira (version",
        "Porto",
        "2 Jan 2026",
        "Kestrel",
        "places of Tove, room:kitchen",
        "3 blocks",
    ):
        assert word in shown
    assert "Oslo" not in shown
    now = {("mira", "lives_in"): ["Porto"], ("mira", "works_at"): ["Kestrel"], ("Tove", "lives_in"): ["Graz"]}
    assert held(document(capsys, *SCOPE)) == now
    assert held(document(capsys, *SCOPE, "--as-of", "2026-01-01T18:00+00:00")) == {("mira", "lives_in"): ["Oslo"]}
    assert held(document(capsys, *SCOPE, "--known-at", "2025-01-01")) == {}
    said(capsys, "--tenant", "acme", "--user", "nobody", code=WRONG_INPUT)


@pytest.mark.usefixtures("told")
def test_each_value_cites_and_each_block_says_its_version_and_how_far_the_view_goes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = document(capsys, *SCOPE)
    (places,) = [each for each in found["blocks"] if (each["subject"], each["topic"]) == ("mira", "places")]
    (value,) = places["fields"][0]["values"]
    assert value["evidence"][0]["sequence"] > 0
    assert {"memory_id", "confidence", "trust", "since", "until"} <= value.keys()
    assert places["text"] == "mira, places\n- lives_in: Porto (since 2026-01-02)"
    assert places["version"] == 2
    assert found["built_to"] == {"mira": 0, "room:kitchen": 0}
    assert document(capsys, "--tenant", "acme", "--rebuild")["outcome"] == "done"
    again = document(capsys, *SCOPE)
    assert again["blocks"] == found["blocks"]
    assert again["built_to"]["mira"] > 0


@pytest.mark.usefixtures("told")
def test_the_history_of_a_block_and_of_a_field_is_shown_version_by_version(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, *SCOPE, "--history", "home")["versions"]
    values = [[[value["value"] for value in field["values"]] for field in each["fields"]] for each in found]
    assert values == [[["Oslo"]], [["Oslo", "Porto"]], [["Graz"]]]
    assert found[1]["fields"][0]["values"][0]["until"].startswith("2026-01-02")
    block = found[0]["block_id"]
    assert document(capsys, *SCOPE, "--history", block)["versions"] == found[:2]
    assert document(capsys, *SCOPE, "--history", block[:8], "--newest", "1")["versions"] == found[1:2]
    shown = said(capsys, *SCOPE, "--history", "lives_in")
    for word in ("places of mira", "Oslo", "Porto", "2 Jan 2026"):
        assert word in shown
    for named in ("income", "deadbeef", "?"):
        said(capsys, *SCOPE, "--history", named, code=WRONG_INPUT)
    with Daybook() as daybook, pytest.raises(NotFound, match="daybook profile"):
        daybook.profile_history(Scope(tenant_id="acme", user_id="oskar"), block)


@pytest.mark.parametrize(
    "words",
    [
        ["--tenant", "acme"],
        [*SCOPE, "--rebuild"],
        ["--tenant", "nobody", "--rebuild"],
        [*SCOPE, "--history", "job", "--as-of", "2026-01-01"],
    ],
)
@pytest.mark.usefixtures("told")
def test_what_does_not_go_together_is_wrong_input(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, *words, code=WRONG_INPUT)


@pytest.mark.usefixtures("told")
def test_a_rebuilding_that_somebody_else_is_at_is_not_done_twice(
    services: Services, capsys: pytest.CaptureFixture[str]
) -> None:
    begin(services.database, "acme", "profile", lease=timedelta(minutes=1), attempts=3)
    assert "skipped" in said(capsys, "--tenant", "acme", "--rebuild", code=FAILED)
