"""wiki, from the command line: pages with their evidence, a folder of them, and what somebody writes in it."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest

from coldpath.erase import erase
from coldpath.forget import forget
from coldpath.quarantine import Source, lift, quarantine
from coldpath.replay import replay
from gateway.cli import FAILED, OK, WRONG_INPUT, run
from gateway.wiki import folder as folders
from shared.contract.scope import Scope
from shared.settings import Settings
from shared.testing import RecordingBell, ScriptedExtractor
from warmpath._door import Door
from warmpath._stages import STAGES
from warmpath._work import Services, perform

MIRA = Scope(tenant_id="acme", user_id="mira")
OSKAR = Scope(tenant_id="acme", user_id="oskar")
CLAIMS = {
    "I live in Oslo": ("mira", "lives_in", "Oslo"),
    "I moved to Porto": ("mira", "lives_in", "Porto"),
    "I work at Kestrel": ("mira", "works_at", "Kestrel"),
    "Tove lives in Graz": ("Tove", "lives_in", "Graz"),
    "Tove likes opera": ("Tove", "likes", "opera"),
}
NOTED = "from event where run_id like 'wiki-%' and event_class = 'evidence'"
HELD = ("I live in Oslo.", "I moved to Porto.", "I work at Kestrel.")


@dataclass(slots=True)
class World:
    """What is said, a folder, and the command."""

    services: Services
    owner: psycopg.Connection
    folder: Path
    capsys: pytest.CaptureFixture[str]
    days: int = 0

    def tell(self, *texts: str, scope: Scope = MIRA, **given: Any) -> None:
        for text in texts:
            self.days += 1
            message = {
                "role": "user",
                "speaker": scope.user_id,
                "text": text,
                "ts": f"2026-01-{self.days:02}T12:00:00Z",
            }
            Door(self.services).observe(scope, [message], run_id=f"run-{self.days}", **given)
        self.work_off()

    def work_off(self) -> None:
        bell = self.services.bell
        assert isinstance(bell, RecordingBell)
        while bell.rung:
            stage, work = bell.rung.pop(0)
            perform(self.services, stage, STAGES[stage], work)

    def do(self, *words: str, code: int = OK, user: str = "mira") -> str:
        """What the command prints; an error on one line."""
        self.capsys.readouterr()
        assert run(["wiki", *words, "--tenant", "acme", "--user", user]) == code, self.capsys.readouterr()
        found = self.capsys.readouterr()
        return found.out or " ".join(found.err.split())

    def export(self, code: int = OK) -> str:
        return self.do("export", str(self.folder), code=code)

    def found(self, code: int = FAILED) -> set[tuple[str, str]]:
        document = json.loads(self.do("lint", str(self.folder), "--json", code=code))
        return {(each["file"], each["code"]) for each in document["findings"]}

    def take_in(self) -> Any:
        found = json.loads(self.do("import", str(self.folder), "--json"))
        self.work_off()
        return found

    def page(self, name: str) -> str:
        return (self.folder / name).read_text()

    def change(self, name: str, old: str, new: str) -> None:
        text = self.page(name)
        assert old in text
        (self.folder / name).write_text(text.replace(old, new, 1))

    def files(self) -> dict[str, str]:
        return {each.name: each.read_text() for each in self.folder.iterdir() if each.is_file()}

    def memory_of(self, words: str) -> UUID:
        query = "select memory_id from memory where text like %s and epistemic_type = 'evidence' and closed_at is null"
        (found,) = self.owner.execute(query, [f"{words}%"]).fetchall()
        return UUID(str(found[0]))


@pytest.fixture
def world(
    services: Services,
    reading: Settings,
    owner: psycopg.Connection,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> World:
    owner.execute("select set_config('row_security', 'off', false)")
    script = {words: [{"text": f"{words}.", "claim": claim}] for words, claim in CLAIMS.items()}
    ready = replace(services, settings=reading, rules=lambda: ScriptedExtractor(script))
    made = World(ready, owner, tmp_path / "wiki", capsys)

    def observe(_: object, scope: Scope, messages: Any, *, run_id: str, inline: bool | None = None) -> Any:
        del inline
        return Door(ready).observe(scope, messages, run_id=run_id)

    monkeypatch.setattr("gateway.Daybook.observe", observe)
    return made


def test_a_page_shows_what_is_so_what_was_so_and_the_evidence(world: World) -> None:
    world.tell(*HELD)
    page = world.do("show", "Mira")
    assert "## [Places](topic-places.md)\n\n- I moved to Porto. (since 2026-01-02)[^1]" in page
    assert "## History\n\n- Until 2026-01-02: I live in Oslo. (from 2026-01-01)" in page
    assert ": event " in page
    assert "(2026-01-03) of mira; said by mira; from user, trust 4 of 4" in page
    assert "[mira](entity-mira.md): 3" in world.do("show")
    assert world.do("show", "nobody", code=WRONG_INPUT).startswith("error: 'nobody': no page is called so")
    assert json.loads(world.do("show", "entity-mira", "--json"))["file"] == "entity-mira.md"


def test_an_export_that_nothing_has_changed_writes_no_file_again(world: World) -> None:
    world.tell(*HELD)
    world.export()
    before = {each.name: each.stat().st_ino for each in world.folder.glob("*.md")}
    world.tell("Tove lives in Graz.", "Tove likes opera.")
    world.export()
    after = {each.name: each.stat().st_ino for each in world.folder.glob("*.md")}
    assert {name for name in before if after[name] != before[name]} == {"index.md", "log.md", "topic-places.md"}
    assert after.keys() - before.keys() == {"entity-tove.md", "topic-preferences.md"}
    assert world.found(OK) == set()
    assert "0 findings" in world.do("lint")


def test_export_and_import_without_a_change_change_nothing(world: World) -> None:
    world.tell(*HELD)
    world.export()
    before = world.files()
    assert world.take_in() == {"pages": [], "missing": []}
    world.export()
    assert world.files() == before
    assert world.owner.execute(f"select count(*) {NOTED}".encode()).fetchone() == (0,)


def test_what_is_forgotten_is_on_no_page_and_gone_with_the_next_export(world: World) -> None:
    world.tell(*HELD, "Tove lives in Graz.", "Tove likes opera.")
    world.export()
    for words in ("Tove lives in Graz", "Tove likes opera", "I live in Oslo"):
        forget(world.services.database, MIRA, world.memory_of(words))
    assert {"closed_claim"} == {code for _, code in world.found()}
    world.export()
    assert world.found(OK) == set()
    said = "".join(world.files().values())
    assert "Oslo" not in said
    assert "Graz" not in said
    assert not (world.folder / "entity-tove.md").exists()


def test_what_is_quarantined_is_on_no_page_until_that_is_lifted(world: World) -> None:
    world.tell(*HELD)
    quarantine(world.services.database, MIRA, Source(speaker="mira"))
    assert "Porto" not in world.do("show", "log")
    assert "Kestrel" not in world.do("show")
    lift(world.services.database, MIRA, Source(speaker="mira"))
    assert "Porto" in world.do("show", "mira")


def test_a_user_sees_rooms_and_nothing_of_another(world: World) -> None:
    world.tell(*HELD)
    world.tell("Tove lives in Graz.", "Tove likes opera.", scope=OSKAR, room="kitchen", participants=["mira", "oskar"])
    world.tell("I live in Oslo.", scope=OSKAR)
    assert r"of room\:kitchen; said by oskar" in world.do("show", "Tove")
    oskar = json.loads(world.do("show", "index", "--json", user="oskar"))["text"]
    assert "Tove" in oskar
    assert "topic-work" not in oskar
    world.export()
    assert "exported of user 'mira'" in world.do("export", str(world.folder), code=WRONG_INPUT, user="oskar")


def test_an_agent_sees_nothing_that_another_one_has_heard(world: World) -> None:
    world.tell(*HELD)
    world.tell("Tove lives in Graz.", "Tove likes opera.", scope=replace(MIRA, agent_id="coder"))
    assert "Graz" in world.do("show", "Tove", "--agent", "coder")
    assert "no page is called so" in world.do("show", "Tove", "--agent", "planner", code=WRONG_INPUT)
    assert "Porto" in world.do("show", "mira", "--agent", "planner")


def test_a_secret_written_in_a_page_is_removed_from_it(world: World) -> None:
    world.tell(*HELD)
    world.export()
    world.change("entity-mira.md", "## History", "- My password is hunter2secret!9 today.\n\n## History")
    world.take_in()
    world.export()
    assert "hunter2" not in "".join(world.files().values())
    assert r"- My password is \[redacted: password\]" in world.page("entity-mira.md")


def test_a_sentence_written_by_hand_is_evidence_stands_in_notes_and_is_believed(world: World) -> None:
    world.tell(*HELD)
    world.export()
    world.change("entity-mira.md", "- I work at Kestrel.", "- Tove likes opera.\n- I am <b>not</b> at Kestrel.")
    assert "changed by hand: entity-mira.md" in world.export(code=WRONG_INPUT)
    assert {("entity-mira.md", "changed_by_hand"), ("entity-mira.md", "uncited_sentence")} <= world.found()
    taken = world.take_in()["pages"]
    assert [(each["file"], each["added"]) for each in taken] == [("entity-mira.md", 2)]
    world.export()
    page = world.page("entity-mira.md")
    assert "## Notes\n\n- Tove likes opera.[^" in page
    assert "I work at Kestrel. (since 2026-01-03)[^" in page, "nothing is taken away by a page"
    assert "opera" in world.page("topic-preferences.md"), "it went the usual path and is believed"
    assert world.found(OK) == set()
    assert world.take_in()["pages"] == []
    (row,) = world.owner.execute(f"select distinct origin, actor_role, speaker {NOTED}".encode())
    assert row == ("user", "user", "mira")
    assert replay(world.services.database, "acme", MIRA.owner, verify=True).is_equal


def test_a_note_that_was_forgotten_is_on_no_page_until_it_is_written_again(world: World) -> None:
    world.tell(*HELD)
    world.export()
    world.change("entity-mira.md", "## History", "- Tove likes opera in June.\n\n## History")
    world.take_in()
    world.export()
    edited = world.page("entity-mira.md")
    forget(world.services.database, MIRA, world.memory_of("Tove likes opera in June"))
    world.export()
    assert "opera" not in "".join(world.files().values())
    (world.folder / "entity-mira.md").write_text(edited)
    assert world.take_in()["pages"][0]["added"] == 1
    world.export()
    assert "opera" in world.page("entity-mira.md")


def test_a_page_of_ones_own_stays_and_its_sentences_are_notes(world: World) -> None:
    world.tell(*HELD)
    world.export()
    own = "---\ntags: [a]\n---\n# Ideas\n\nTove likes opera.\n"
    (world.folder / "Ideas.md").write_text(own)
    (world.folder / "picture.png").write_bytes(b"\0")
    (world.folder / ".git").mkdir()
    assert {("Ideas.md", "changed_by_hand"), ("Ideas.md", "orphan")} <= world.found()
    world.take_in()
    world.export()
    assert world.page("Ideas.md") == own
    assert (world.folder / "picture.png").exists()
    assert (world.folder / ".git").is_dir()
    assert "# Ideas\n\n## Notes\n\n- Tove likes opera." in world.page("note-_49_deas.md")
    assert world.found(OK) == set()
    world.export()


def test_a_page_or_sentence_taken_away_deletes_nothing(world: World) -> None:
    world.tell(*HELD)
    world.export()
    before = world.files()
    (world.folder / "topic-work.md").unlink()
    world.change("entity-mira.md", "- I moved to Porto.", "")
    (world.folder / "entity-mira.md").write_text(
        "\n".join(line for line in before["entity-mira.md"].split("\n") if "I moved to Porto" not in line)
    )
    assert ("topic-work.md", "missing_page") in world.found()
    found = world.take_in()
    assert found["missing"] == ["topic-work.md"]
    assert [(each["added"], each["gone"]) for each in found["pages"]] == [(0, 1)]
    world.export()
    assert world.files() == before


def test_what_was_imported_and_is_on_its_way_holds_an_export_back(world: World) -> None:
    world.tell(*HELD)
    world.export()
    world.change("entity-mira.md", "## History", "- Tove likes opera.\n\n## History")
    world.do("import", str(world.folder))
    assert "entity-mira.md is on its way" in world.export(code=WRONG_INPUT)
    assert "- Tove likes opera." in world.page("entity-mira.md")
    world.work_off()
    world.export()
    assert "## Notes" in world.page("entity-mira.md")


def test_an_import_that_was_killed_before_it_was_written_down_is_the_same_run_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.tell(*HELD)
    world.export()
    world.change("entity-mira.md", "## History", "- Tove likes opera.\n\n## History")
    with monkeypatch.context() as patch:
        patch.setattr(folders.Folder, "note", _killed)
        with pytest.raises(KeyboardInterrupt):
            _import(world)
    world.take_in()
    world.export()
    assert world.page("entity-mira.md").count("Tove likes opera") == 1
    assert world.owner.execute(f"select count(*) {NOTED}".encode()).fetchone() == (1,)


@pytest.mark.parametrize("survives", [1, 2, 3])
def test_an_export_that_was_killed_is_gone_on_with(
    world: World, monkeypatch: pytest.MonkeyPatch, survives: int
) -> None:
    world.tell(*HELD)
    world.export()
    world.tell("Tove lives in Graz.", "Tove likes opera.")
    put: Callable[[Path, str], None] = folders._put
    written: list[Path] = []

    def dies(place: Path, text: str) -> None:
        if len(written) == survives:
            raise KeyboardInterrupt
        written.append(place)
        put(place, text)

    with monkeypatch.context() as patch:
        patch.setattr(folders, "_put", dies)
        assert run(["wiki", "export", str(world.folder), "--tenant", "acme", "--user", "mira"]) != OK
    assert world.take_in()["pages"] == [], "what we have written ourselves is nobody's edit"
    world.export()
    assert world.found(OK) == set()
    assert not list(world.folder.glob(".*.part"))


def test_a_folder_that_is_something_else_is_left_alone(world: World) -> None:
    world.tell(*HELD)
    world.folder.mkdir()
    (world.folder / "mine.txt").write_text("x")
    assert "something else than an export" in world.export(code=WRONG_INPUT)
    assert not [each for each in world.folder.parent.iterdir() if each.name.startswith(".")]
    assert "no folder that `daybook wiki export` wrote" in world.do("lint", str(world.folder), code=WRONG_INPUT)
    (world.folder / folders.MANIFEST).write_text("{}")
    assert "is damaged" in world.export(code=WRONG_INPUT)


def test_two_at_one_folder_do_not_meet_and_a_link_in_it_is_not_followed(world: World) -> None:
    world.tell(*HELD)
    world.export()
    secret = world.folder.parent / "secret.txt"
    secret.write_text("- a secret\n")
    (world.folder / "entity-mira.md").unlink()
    (world.folder / "entity-mira.md").symlink_to(secret)
    assert world.take_in()["pages"] == []
    descriptor = os.open(world.folder, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    assert "another process is at" in world.export(code=WRONG_INPUT)
    os.close(descriptor)
    world.export()
    assert secret.read_text() == "- a secret\n"


def test_a_run_that_calls_itself_a_page_names_no_file_outside(world: World) -> None:
    world.tell(*HELD)
    bad = [{"role": "user", "text": "I live in Oslo.", "id": f"wiki/{page}/1"} for page in ("..", "entity-A", "index")]
    Door(world.services).observe(MIRA, bad, run_id="wiki-evil")
    world.work_off()
    world.export()
    assert {path.suffix for path in world.folder.iterdir()} == {".md", ".json"}
    assert "## Notes" not in "".join(world.files().values())


def test_an_erased_user_has_no_page(world: World) -> None:
    world.tell(*HELD)
    world.export()
    world.change("entity-mira.md", "## History", "- Tove likes opera.\n\n## History")
    world.take_in()
    erase(world.services.database, MIRA)
    world.do("export", str(world.folder))
    assert set(world.files()) == {"index.md", "log.md", folders.MANIFEST}


def _killed(*_: object) -> None:
    raise KeyboardInterrupt


def _import(world: World) -> None:
    if run(["wiki", "import", str(world.folder), "--tenant", "acme", "--user", "mira"]) != OK:
        raise KeyboardInterrupt


def test_a_page_dates_what_was_said_by_the_speakers_day(world: World) -> None:
    for number, text in enumerate(HELD[1:]):
        message = {"role": "user", "speaker": "mira", "text": text, "ts": "2021-02-22T00:30:00+02:00"}
        Door(world.services).observe(MIRA, [message], run_id=f"early-{number}")
    world.work_off()
    shown = world.do("show", "mira")
    assert "(since 2021-02-22)" in shown
    assert "2021-02-21" not in shown
