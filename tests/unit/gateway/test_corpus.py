from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gateway.demo.corpus import SHIPPED
from gateway.demo.files import read
from shared.contract.errors import InvalidInput


def _own() -> dict[str, Any]:
    message = {"id": "m1", "speaker": "mira", "at": "2026-01-01T10:00:00+00:00", "text": "I keep two beehives."}
    return {
        "title": "bees",
        "room": "garden",
        "participants": ["mira", "oz"],
        "sessions": [{"id": "s1", "started_at": "2026-01-01T10:00:00+00:00", "messages": [message]}],
        "questions": [{"query": "How many beehives?", "asked_by": "oz", "evidence": ["m1"], "answer": "two"}],
    }


def _locomo() -> list[dict[str, Any]]:
    turns = [
        {"speaker": "Ana", "dia_id": "D1:1", "text": "I ran ten miles."},
        {"speaker": "Ben", "dia_id": "D1:2", "text": "Look!", "blip_caption": "a red bicycle"},
        {"speaker": "Ben", "dia_id": "D1:3", "text": " "},
    ]
    conversation = {
        "speaker_a": "Ana",
        "speaker_b": "Ben",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": turns,
        "session_10_date_time": "2:00 pm on 9 May, 2023",
        "session_10": [],
        "session_2_date_time": "3:00 pm on 10 May, 2023",
    }
    questions = [
        {"question": f"What did Ana do ({number})?", "category": 4, "evidence": ["D1:1"], "answer": 10}
        for number in range(20)
    ]
    questions += [
        {"question": "Trick?", "category": 5, "evidence": ["D1:1"]},
        {"question": "No evidence?", "category": 1, "evidence": ["D9:9"], "answer": "x"},
    ]
    return [{"sample_id": "conv-1", "conversation": conversation, "qa": questions}]


def _file(tmp_path: Path, content: object) -> Path:
    path = tmp_path / "input.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def test_the_shipped_conversation_is_long_and_asks_something_that_it_does_not_answer() -> None:
    corpus = read(SHIPPED, questions=10)
    assert corpus.messages >= 400
    assert len(corpus.sessions) >= 20
    assert len(corpus.participants) >= 3
    assert len(corpus.questions) == 10
    assert any(not question.evidence for question in corpus.questions)


def test_a_file_of_our_own_kind_is_read(tmp_path: Path) -> None:
    corpus = read(_file(tmp_path, _own()), questions=10)
    assert corpus.messages == 1
    assert corpus.questions[0].evidence == ("m1",)


def test_a_locomo_file_is_read_with_captions_dates_and_the_other_one_asking(tmp_path: Path) -> None:
    corpus = read(_file(tmp_path, _locomo()), questions=5)
    (session,) = corpus.sessions
    assert [message.text for message in session.messages] == [
        "I ran ten miles.",
        "Look! [shares a photo: a red bicycle]",
    ]
    assert session.started_at.isoformat() == "2023-05-08T13:56:00+00:00"
    assert corpus.participants == ("Ana", "Ben")
    assert {question.asked_by for question in corpus.questions} == {"Ben"}


def test_of_a_locomo_files_questions_as_many_as_asked_for_are_spread_over_all_that_can_be_answered(
    tmp_path: Path,
) -> None:
    corpus = read(_file(tmp_path, _locomo()), questions=5)
    assert [question.query for question in corpus.questions] == [
        f"What did Ana do ({number})?" for number in (0, 4, 8, 12, 16)
    ]
    assert len(read(_file(tmp_path, _locomo()), questions=100).questions) == 20


def _with(changes: dict[str, Any]) -> dict[str, Any]:
    return _own() | changes


SESSION: dict[str, Any] = _own()["sessions"][0]
QUESTION: dict[str, Any] = _own()["questions"][0]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "cannot be read as JSON"),
        ("not json", "cannot be read as JSON"),
        ("{}", "title"),
        ("3", "is not a conversation"),
        ([], "empty"),
        ([1], "LoCoMo"),
        ([{"sample_id": "x"}], "conversation"),
        (_with({"sessions": []}), "sessions"),
        (_with({"questions": []}), "questions"),
        (_with({"sessions": [SESSION, SESSION]}), "'m1'"),
        (_with({"questions": [QUESTION | {"asked_by": "eve"}]}), "'eve'"),
        (_with({"questions": [QUESTION | {"evidence": ["m9"]}]}), "'m9'"),
        (_with({"sessions": [SESSION | {"started_at": "2026-01-01T10:00:00"}]}), "timezone"),
        (_with({"more": 1}), "more"),
    ],
)
def test_a_file_that_is_neither_is_refused_with_the_reason(tmp_path: Path, content: object, says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        read(_file(tmp_path, content), questions=10)


def test_a_locomo_session_without_a_readable_date_is_refused(tmp_path: Path) -> None:
    found = _locomo()
    found[0]["conversation"]["session_1_date_time"] = "yesterday"
    with pytest.raises(InvalidInput, match="session_1 is dated 'yesterday'"):
        read(_file(tmp_path, found), questions=10)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"gone\.json"):
        read(tmp_path / "gone.json", questions=10)
