"""The LongMemEval loader on files written here, with the quirks of the published one."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from bench import longmemeval
from bench.corpus import count_remarks
from shared.contract.errors import InvalidInput

if TYPE_CHECKING:
    from pathlib import Path

    from bench.corpus import Corpus

EARLY, LATE = "2023/05/20 (Sat) 02:21", "2023/06/01 (Thu) 23:05"
ASKED = "2023/06/02 (Fri) 10:00"


def said(role: str, content: str, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


def history(**more: Any) -> dict[str, Any]:
    """Two sessions, the later one first; the user's turn of the earlier one holds the answer."""
    return {
        "question_id": "q1",
        "question_type": "temporal-reasoning",
        "question": "When did I plant the beans?",
        "question_date": ASKED,
        "answer": "in May",
        "answer_session_ids": ["beans"],
        "haystack_dates": [LATE, EARLY],
        "haystack_session_ids": ["other", "beans"],
        "haystack_sessions": [
            [said("user", "Hello"), said("assistant", "Hello to you")],
            [said("user", "I planted beans", has_answer=True), said("assistant", "Well done")],
        ],
        **more,
    }


def load(folder: Path, *histories: dict[str, Any]) -> Corpus:
    path = folder / "data.json.gz"
    path.write_bytes(gzip.compress(json.dumps(histories).encode()))
    return longmemeval.load(path)


def test_sessions_are_put_in_order_of_date(tmp_path: Path) -> None:
    (only,) = load(tmp_path, history()).conversations
    assert [turn.id for turn in only.turns] == ["beans:0", "beans:1", "other:0", "other:1"]
    assert only.turns[0].at == datetime(2023, 5, 20, 2, 21, tzinfo=UTC)


def test_the_speaker_is_the_role(tmp_path: Path) -> None:
    (only,) = load(tmp_path, history()).conversations
    assert [(turn.speaker, turn.role) for turn in only.turns[:2]] == [
        ("user", "user"),
        ("assistant", "assistant"),
    ]
    assert only.participants == ("user", "assistant")


def test_gold_is_the_turn_that_has_the_answer_and_its_session(tmp_path: Path) -> None:
    (only,) = load(tmp_path, history()).questions
    assert only.gold_turn_ids == ("beans:0",)
    assert only.gold_session_ids == ("beans",)
    assert (only.answerable, only.kind, only.answer) == (True, "temporal-reasoning", "in May")
    assert only.asked_at == datetime(2023, 6, 2, 10, 0, tzinfo=UTC)


def test_a_session_said_again_gets_its_own_id_and_only_the_first_is_gold(tmp_path: Path) -> None:
    beans = history()["haystack_sessions"][1]
    corpus = load(tmp_path, history(haystack_session_ids=["beans", "beans"], haystack_sessions=[beans, beans]))
    turns = corpus.conversations[0].turns
    assert [turn.id for turn in turns] == ["beans:0", "beans:1", "beans#2:0", "beans#2:1"]
    assert corpus.questions[0].gold_turn_ids == ("beans:0",)
    assert corpus.questions[0].gold_session_ids == ("beans",)
    assert count_remarks(corpus.remarks) == [("repaired: session id repeats", 1)]


def test_a_question_marked_abs_is_not_answerable_and_has_no_gold(tmp_path: Path) -> None:
    (only,) = load(tmp_path, history(question_id="q1_abs")).questions
    assert (only.answerable, only.gold_turn_ids, only.gold_session_ids) == (False, (), ())


def test_an_answerable_question_without_a_gold_turn_is_left_out(tmp_path: Path) -> None:
    sessions = [[said("user", "Hello")], [said("user", "I planted beans")]]
    corpus = load(tmp_path, history(haystack_sessions=sessions))
    assert corpus.questions == ()
    assert count_remarks(corpus.remarks) == [("left out: no evidence", 1)]


def test_a_blank_turn_is_dropped_and_the_others_keep_their_positions(tmp_path: Path) -> None:
    sessions = history()["haystack_sessions"]
    sessions[1].insert(0, said("assistant", ""))
    corpus = load(tmp_path, history(haystack_sessions=sessions))
    assert [turn.id for turn in corpus.conversations[0].turns[:2]] == ["beans:1", "beans:2"]
    assert corpus.questions[0].gold_turn_ids == ("beans:1",)
    assert count_remarks(corpus.remarks) == [("dropped: blank turn", 1)]


def test_a_number_as_answer_becomes_text(tmp_path: Path) -> None:
    assert load(tmp_path, history(answer=3)).questions[0].answer == "3"


def test_an_unzipped_file_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "data.json"
    path.write_text(json.dumps([history()]))
    assert len(longmemeval.load(path).questions) == 1


def test_lists_of_different_length_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"q1: .*\[1, 2, 2\]"):
        load(tmp_path, history(haystack_dates=[LATE]))


@pytest.mark.parametrize("place", ["question_date", "haystack_dates"])
def test_an_unreadable_date_is_refused(tmp_path: Path, place: str) -> None:
    written = "20 May 2023"
    value = written if place == "question_date" else [written, EARLY]
    with pytest.raises(InvalidInput, match="20 May 2023"):
        load(tmp_path, history(**{place: value}))


def test_a_file_of_another_shape_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "notes.json"
    path.write_text('{"a": 1}')
    with pytest.raises(InvalidInput, match=r"notes\.json is not the data set"):
        longmemeval.load(path)


def test_a_file_that_is_not_there_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"cannot read .*gone\.json"):
        longmemeval.load(tmp_path / "gone.json")


def test_a_damaged_archive_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "data.json.gz"
    path.write_bytes(gzip.compress(b"[]")[:-6])
    with pytest.raises(InvalidInput, match="cannot read"):
        longmemeval.load(path)
