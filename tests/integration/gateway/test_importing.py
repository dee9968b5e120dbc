"""import: other products' conversations become runs, once, however often and however far they are brought."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from gateway import Daybook
from gateway.cli import FAILED, OK, WRONG_INPUT, run
from gateway.importing import bringing
from gateway.importing.bringing import bring, read, time_rule
from gateway.importing.sources import sources
from shared.contract.errors import InboxFull, InvalidInput
from shared.contract.scope import Scope
from shared.settings import Settings
from shared.testing import HashEmbedder
from tests.unit.gateway.importing import samples

ME = ("--tenant", "acme", "--user", "mira")
MIRA = Scope(tenant_id="acme", user_id="mira")
SECRET = "sk-proj-" + "a1B2c3D4" * 6

Json = Callable[..., Any]


@pytest.fixture
def document(environment: Settings, embedder: HashEmbedder, capsys: pytest.CaptureFixture[str]) -> Json:
    """The one JSON document that a command writes."""

    def call(*arguments: str, code: int = OK) -> Any:
        assert run([*arguments, "--json"]) == code, capsys.readouterr().err
        return json.loads(capsys.readouterr().out)

    return call


def written(folder: Path, name: str, value: Any) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def said(owner: psycopg.Connection) -> list[tuple[str, str, str]]:
    query = """
        select event.run_id, event.origin, event_payload.payload::json ->> 'text'
        from event join event_payload using (tenant_id, stream, sequence)
        where event.event_class = 'evidence' order by event.stream, event.sequence
    """
    return owner.execute(query).fetchall()


def test_a_conversation_is_a_run_of_its_own_session_with_the_times_it_had(
    document: Json, owner: psycopg.Connection, tmp_path: Path
) -> None:
    path = written(tmp_path, "conversations.json", samples.claude())
    found = document("import", str(path), *ME, "--inline")["brought"]
    assert {name: found[name] for name in ("conversations", "runs", "messages", "repeated", "empty")} == {
        "conversations": 1, "runs": 1, "messages": 2, "repeated": 0, "empty": 0,
    }  # fmt: skip
    rows = owner.execute(
        "select run_id, session_id, occurred_at::text from event where event_class = 'evidence' order by 3"
    )
    assert rows.fetchall() == [
        ("claude:u-1", "claude:u-1", "2026-02-03 10:00:01+00"),
        ("claude:u-1", "claude:u-1", "2026-02-03 10:00:09+00"),
    ]
    with Daybook() as daybook:
        assert "I moved to Lund." in daybook.recall(MIRA, "Where did I move?").text


def test_the_same_export_again_changes_nothing_and_a_newer_one_adds_what_is_new(
    document: Json, owner: psycopg.Connection, tmp_path: Path
) -> None:
    export = samples.claude()
    path = written(tmp_path, "conversations.json", export)
    document("import", str(path), *ME, "--inline")
    before = said(owner)
    again = document("import", str(path), *ME, "--inline")["brought"]
    assert (again["runs"], again["repeated"], again["messages"]) == (0, 1, 0)
    assert said(owner) == before
    later = {"uuid": "c", "sender": "human", "text": "And now to Malmo.", "created_at": "2026-02-04T10:00:00Z"}
    export[0]["chat_messages"].append(later)
    written(tmp_path, "conversations.json", export)
    document("import", str(path), *ME, "--inline")
    assert [text for _, _, text in said(owner)] == [*(text for _, _, text in before), "And now to Malmo."]


def test_an_archive_and_a_folder_are_read_file_by_file_and_what_is_none_of_it_is_left_out(
    document: Json, tmp_path: Path
) -> None:
    archive = tmp_path / "export.zip"
    with zipfile.ZipFile(archive, "w") as files:
        files.writestr("conversations.json", json.dumps(samples.chatgpt()))
        files.writestr("user.json", json.dumps({"id": "user-1", "email": "mira@example.org"}))
        files.writestr("chat.html", "<html>")
    assert document("import", str(archive), *ME, "--dry-run")["survey"]["files"] == {"conversations.json": "chatgpt"}
    folder = tmp_path / "projects"
    lines = "\n".join(json.dumps(each) for each in samples.claude_code())
    written(folder, "bees/s-1.jsonl", lines)
    written(folder, "notes.md", "You: Hello.\n\nClaude: Hi.\n")
    written(folder, ".hidden/other.md", "You: Never.\n")
    written(folder, "README.md", "# How this was made\n")
    survey = document("import", str(folder), *ME, "--dry-run")["survey"]
    assert survey["files"] == {"bees/s-1.jsonl": "claude-code", "notes.md": "markdown"}
    assert (survey["conversations"], survey["messages"], survey["undated"]) == (2, 4, 2)


def test_a_look_changes_nothing(document: Json, owner: psycopg.Connection, tmp_path: Path) -> None:
    path = written(tmp_path, "conversations.json", samples.chatgpt())
    told = document("import", str(path), *ME, "--dry-run")
    assert (told["survey"]["conversations"], told["survey"]["messages"], told["price"]) == (2, 4, None)
    assert owner.execute("select count(*) from inbox").fetchone() == (0,)
    assert said(owner) == []


def test_only_what_was_said_since_then_is_brought(document: Json, tmp_path: Path) -> None:
    early = {**samples.claude()[0], "uuid": "early"}
    late = json.loads(json.dumps(early).replace("2026-02-03", "2026-05-03").replace('"early"', '"late"'))
    path = written(tmp_path, "conversations.json", [early, late])
    survey = document("import", str(path), *ME, "--since", "2026-03-01", "--dry-run")["survey"]
    assert (survey["conversations"], survey["first"][:10]) == (1, "2026-05-03")


def test_a_secret_is_cut_out_on_this_path_too(document: Json, owner: psycopg.Connection, tmp_path: Path) -> None:
    path = written(tmp_path, "chat.md", f"You: My key is {SECRET}, keep it.\n")
    assert document("import", str(path), *ME, "--inline")["brought"]["redacted"] == 1
    assert SECRET not in str(said(owner))


def test_memories_of_another_product_are_a_tools_word(
    document: Json, owner: psycopg.Connection, tmp_path: Path
) -> None:
    path = written(tmp_path, "mem0.json", samples.mem0())
    document("import", str(path), *ME, "--inline")
    assert {(run_id, origin) for run_id, origin, _ in said(owner)} == {("mem0:k-1", "tool"), ("mem0:k-2", "tool")}


def test_what_the_front_door_refuses_is_told_and_stops_nobody_else(
    document: Json, owner: psycopg.Connection, tmp_path: Path
) -> None:
    lines = [
        {"conversation": "good", "role": "user", "content": "One.", "id": "1"},
        {"conversation": "bad", "role": "wizard", "content": "Two.", "id": "2"},
        {"conversation": "fine", "role": "user", "content": "Three.", "id": "3"},
    ]
    path = written(tmp_path, "chat.jsonl", "\n".join(map(json.dumps, lines)))
    found = document("import", str(path), *ME, "--inline", code=FAILED)
    assert [each["what"] for each in found["refused"]] == ["jsonl:bad"]
    assert "role" in found["refused"][0]["reason"]
    assert {run_id for run_id, _, _ in said(owner)} == {"jsonl:good", "jsonl:fine"}


@pytest.mark.parametrize(
    ("name", "content", "wrong"),
    [
        ("empty.json", "", "nothing in a format that is known"),
        ("other.json", '{"a": 1}', "nothing in a format that is known"),
        ("broken.json", '[{"mapping": {"a": ', "cannot be read as chatgpt"),
        ("object.json", '{"conversations": [{"mapping": {}}]}', "there is no conversation in it"),
        ("odd.json", '[{"id": "a", "mapping": {"n": {"message": {"author": "x"}}}}]', "cannot be read as chatgpt"),
        (
            "odder.json",
            '[{"uuid": "a", "chat_messages": [], "b": {"chat_messages": 5}}, {"chat_messages": 5}]',
            "claude",
        ),
        ("broken.zip", "PK", "nothing in a format that is known"),
        ("list.md", "# Shopping", "nobody speaks"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(
    name: str, content: str, wrong: str, document: Json, owner: psycopg.Connection, tmp_path: Path
) -> None:
    path = written(tmp_path, name, content)
    assert wrong in document("import", str(path), *ME, "--inline", code=WRONG_INPUT)["error"]["message"]
    assert said(owner) == []


def test_a_path_that_leads_nowhere_is_refused(document: Json, tmp_path: Path) -> None:
    told = document("import", str(tmp_path / "none.zip"), *ME, code=WRONG_INPUT)
    assert "No such file" in told["error"]["message"]


def test_a_damaged_file_among_others_is_told_and_the_others_are_taken_in(
    document: Json, owner: psycopg.Connection, tmp_path: Path
) -> None:
    folder = tmp_path / "projects"
    written(folder, "a.jsonl", '{"content": "One."}\n{"content":')
    written(folder, "b.md", "You: Two.\n")
    look = document("import", str(folder), *ME, "--dry-run", code=FAILED)
    assert [each["what"] for each in look["refused"]] == ["a.jsonl"]
    found = document("import", str(folder), *ME, "--inline", code=FAILED)
    assert "line 2 is no JSON" in found["refused"][0]["reason"]
    assert {run_id for run_id, _, _ in said(owner)} == {"markdown:b"}


def test_a_model_that_costs_is_agreed_to_first(
    document: Json, owner: psycopg.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, "conversations.json", samples.chatgpt())
    monkeypatch.setattr(bringing, "price_of", lambda *_: bringing.Price(model="openai:x", calls=2, usd=0.5))
    assert run(["import", str(path), *ME]) == WRONG_INPUT
    assert owner.execute("select count(*) from inbox").fetchone() == (0,)
    assert document("import", str(path), *ME, "--dry-run")["price"] == {"model": "openai:x", "calls": 2, "usd": 0.5}
    assert document("import", str(path), *ME, "--yes")["brought"]["runs"] == 1


def test_a_full_inbox_is_waited_for(
    environment: Settings, embedder: HashEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = sources(written(tmp_path, "chat.md", "You: Hello.\n"))
    monkeypatch.setattr(bringing, "_PAUSE_S", 0.0)
    with Daybook() as daybook:
        tried: list[str] = []
        observe = daybook.observe

        def full_at_first(*given: Any, **more: Any) -> Any:
            tried.append(more["run_id"])
            if len(tried) < 3:
                raise InboxFull("full")
            return observe(*given, **more)

        monkeypatch.setattr(daybook, "observe", full_at_first)
        brought = bring(daybook, MIRA, read(found, time_rule(daybook.settings)))
        assert (brought.runs, len(tried)) == (1, 3)
        monkeypatch.setattr(bringing, "_PATIENCE_S", -1.0)
        tried.clear()
        with pytest.raises(InboxFull):
            bring(daybook, MIRA, read(found, time_rule(daybook.settings)))


def test_a_format_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="use one of chatgpt"):
        sources(written(tmp_path, "chat.md", "You: Hello.\n"), "word")
