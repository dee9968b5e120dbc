"""The LoCoMo loader on files written here, with the slips of the published one."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from bench import locomo
from bench.corpus import count_remarks
from shared.contract.errors import InvalidInput

if TYPE_CHECKING:
    from pathlib import Path

    from bench.corpus import Corpus

NOON = "12:05 pm on 3 June, 2021"


def turn(turn_id: str, text: str = "The kettle is on.", **more: Any) -> dict[str, Any]:
    return {"speaker": "Ines", "dia_id": turn_id, "text": text, **more}


def question(*evidence: str, **more: Any) -> dict[str, Any]:
    asked = {"question": "What is on?", "answer": "kettle", "category": 4}
    return {**asked, "evidence": list(evidence), **more}


def conversation(*questions: dict[str, Any], **more: Any) -> dict[str, Any]:
    said = {
        "speaker_a": "Ines",
        "speaker_b": "Tom",
        "session_1": [turn("D1:1"), {**turn("D1:2"), "speaker": "Tom"}],
        "session_1_date_time": NOON,
        "session_2": [turn("D2:1")],
        "session_2_date_time": "1:56 am on 14 July, 2021",
        "session_3_date_time": "9:00 am on 15 July, 2021",
    }
    return {"sample_id": "c", "conversation": {**said, **more}, "qa": list(questions)}


def load(folder: Path, *conversations: dict[str, Any], corrections: Any = None) -> Corpus:
    data, corrected = folder / "data.json", folder / "corrections.json"
    data.write_text(json.dumps(conversations))
    corrected.write_text(json.dumps(corrections))
    return locomo.load(data, corrected if corrections is not None else None)


def test_turns_come_in_order_with_session_speaker_and_date(tmp_path: Path) -> None:
    loaded = load(tmp_path, conversation()).conversations[0]
    assert [(turn.id, turn.session_id, turn.speaker) for turn in loaded.turns] == [
        ("D1:1", "session_1", "Ines"),
        ("D1:2", "session_1", "Tom"),
        ("D2:1", "session_2", "Ines"),
    ]
    assert loaded.turns[0].at == datetime(2021, 6, 3, 12, 5, tzinfo=UTC)
    assert loaded.turns[2].at == datetime(2021, 7, 14, 1, 56, tzinfo=UTC)
    assert loaded.participants == ("Ines", "Tom")


def test_the_tenth_session_comes_after_the_second(tmp_path: Path) -> None:
    tenth = {"session_10": [turn("D10:1")], "session_10_date_time": NOON}
    loaded = load(tmp_path, conversation(**tenth)).conversations[0]
    assert [turn.id for turn in loaded.turns] == ["D1:1", "D1:2", "D2:1", "D10:1"]


def test_a_photo_is_part_of_what_was_said(tmp_path: Path) -> None:
    photo = turn("D2:1", "Look!", blip_caption="a red kite over dunes")
    loaded = load(tmp_path, conversation(session_2=[photo])).conversations[0]
    assert loaded.turns[-1].text == "Look! [shares a photo: a red kite over dunes]"


def test_a_photo_without_words_is_a_turn(tmp_path: Path) -> None:
    photo = turn("D2:1", "", blip_caption="a red kite")
    loaded = load(tmp_path, conversation(session_2=[photo])).conversations[0]
    assert loaded.turns[-1].text == "[shares a photo: a red kite]"


def test_a_blank_turn_is_dropped_and_reported(tmp_path: Path) -> None:
    corpus = load(tmp_path, conversation(session_2=[turn("D2:1", " \n")]))
    assert [turn.id for turn in corpus.conversations[0].turns] == ["D1:1", "D1:2"]
    assert count_remarks(corpus.remarks) == [("dropped: blank turn", 1)]


def test_a_question_has_its_kind_and_gold(tmp_path: Path) -> None:
    asked = question("D2:1", "D1:2", "D2:1", category=2)
    (only,) = load(tmp_path, conversation(asked)).questions
    assert (only.id, only.conversation_id, only.kind) == ("c/0", "c", "temporal")
    assert only.gold_turn_ids == ("D2:1", "D1:2")
    assert only.gold_session_ids == ("session_2", "session_1")
    assert only.answerable


def test_a_number_as_answer_becomes_text(tmp_path: Path) -> None:
    (only,) = load(tmp_path, conversation(question("D1:1", answer=2019))).questions
    assert only.answer == "2019"


def test_an_adversarial_question_is_not_answerable_and_stays_without_evidence(
    tmp_path: Path,
) -> None:
    asked = question(category=5)
    del asked["answer"]
    (only,) = load(tmp_path, conversation(asked)).questions
    assert (only.answerable, only.answer, only.gold_turn_ids) == (False, "", ())


def test_a_question_without_evidence_is_left_out_and_the_others_keep_their_numbers(
    tmp_path: Path,
) -> None:
    corpus = load(tmp_path, conversation(question("D"), question("D1:1")))
    assert [one.id for one in corpus.questions] == ["c/1"]
    assert count_remarks(corpus.remarks) == [
        ("dropped: evidence is not an id", 1),
        ("left out: no evidence", 1),
    ]


def test_corrected_evidence_takes_the_place_of_the_annotators(tmp_path: Path) -> None:
    corrections = {"c": {"1": {"question": "What is on?", "evidence": ["D2:1"]}}}
    asked = conversation(question("D1:1"), question("D1:2"))
    corpus = load(tmp_path, asked, corrections=corrections)
    assert [one.gold_turn_ids for one in corpus.questions] == [("D1:1",), ("D2:1",)]
    assert count_remarks(corpus.remarks) == [("repaired: corrected evidence", 1)]


def test_a_correction_of_another_question_is_refused(tmp_path: Path) -> None:
    corrections = {"c": {"0": {"question": "Who is in?", "evidence": ["D2:1"]}}}
    with pytest.raises(InvalidInput, match="Who is in"):
        load(tmp_path, conversation(question("D1:1")), corrections=corrections)


def test_an_id_that_stands_for_two_turns_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="same dia_id"):
        load(tmp_path, conversation(session_2=[turn("D1:1")]))


@pytest.mark.parametrize("written", [None, "3 June 2021"])
def test_a_session_without_a_readable_date_is_refused(tmp_path: Path, written: str | None) -> None:
    with pytest.raises(InvalidInput, match="session_2 is dated"):
        load(tmp_path, conversation(session_2_date_time=written))


def test_a_session_that_is_no_list_of_turns_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="session_2 is not a list of turns"):
        load(tmp_path, conversation(session_2="later"))
