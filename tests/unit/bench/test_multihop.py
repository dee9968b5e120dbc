"""HotpotQA and MuSiQue files as they are, with their quirks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench.corpus import Corpus, Remark
from bench.multihop import AT, READER, load
from shared.contract.errors import InvalidInput

HOTPOT: dict[str, Any] = {
    "_id": "q1",
    "type": "bridge",
    "level": "hard",
    "question": " Which fjord is Quint's lighthouse at? ",
    "answer": "Varanger",
    "supporting_facts": [["Zelda Quint", 0], ["Vardo", 1], ["Vardo", 7]],
    "context": [
        ["Zelda Quint", ["Zelda Quint keeps the lighthouse of Vardo.", " She has a dog."]],
        ["Vardo", ["Vardo is a town.", " It lies at the Varanger fjord."]],
        ["Elm Court", ["Elm Court is a house."]],
    ],
}
MUSIQUE: dict[str, Any] = {
    "id": "3hop1__1_2_3",
    "question": "Where does the dog sleep?",
    "answer": "in the boat",
    "answer_aliases": [],
    "answerable": True,
    "question_decomposition": [],
    "paragraphs": [
        {"idx": 0, "title": "Vardo", "paragraph_text": "Vardo is a town.", "is_supporting": False},
        {"idx": 1, "title": "Vardo", "paragraph_text": "Vardo is a boat, too.", "is_supporting": True},
        {"idx": 2, "title": "Boats", "paragraph_text": "Dogs sleep in boats.", "is_supporting": True},
    ],
}


def loaded(folder: Path, *questions: dict[str, Any]) -> Corpus:
    path = folder / "set.json"
    path.write_text(json.dumps(questions))
    return load(path)


def test_sentences_of_hotpot_are_joined_and_each_passage_is_a_session_of_its_own(tmp_path: Path) -> None:
    corpus = loaded(tmp_path, HOTPOT)
    (conversation,) = corpus.conversations
    assert (corpus.name, conversation.participants) == ("HotpotQA", (READER,))
    first = conversation.turns[0]
    assert first.text == "Zelda Quint\nZelda Quint keeps the lighthouse of Vardo. She has a dog."
    assert (first.id, first.session_id, first.at, first.role) == ("passage-1", "passage-1", AT, "user")
    assert len({turn.session_id for turn in conversation.turns}) == 3


def test_what_supports_a_hotpot_question_are_passages_each_once(tmp_path: Path) -> None:
    (question,) = loaded(tmp_path, HOTPOT).questions
    assert question.query == "Which fjord is Quint's lighthouse at?"
    assert (question.kind, question.gold_turn_ids) == ("bridge", ("passage-1", "passage-2"))
    assert question.gold_session_ids == question.gold_turn_ids


def test_passages_of_two_questions_are_one_memory_and_the_same_passage_is_one(tmp_path: Path) -> None:
    corpus = loaded(tmp_path, HOTPOT, HOTPOT | {"_id": "q2", "context": [*HOTPOT["context"], ["Oak", ["An oak."]]]})
    assert [turn.id for turn in corpus.conversations[0].turns] == [f"passage-{n}" for n in range(1, 5)]
    assert {question.conversation_id for question in corpus.questions} == {corpus.conversations[0].id}


def test_the_same_title_with_another_text_is_another_passage(tmp_path: Path) -> None:
    corpus = loaded(tmp_path, MUSIQUE)
    assert corpus.name == "MuSiQue"
    assert len(corpus.conversations[0].turns) == 3
    (question,) = corpus.questions
    assert (question.kind, question.gold_turn_ids) == ("3 hops", ("passage-2", "passage-3"))


def test_a_support_that_is_not_there_and_a_blank_passage_are_dropped_and_told_of(tmp_path: Path) -> None:
    facts = [*HOTPOT["supporting_facts"], ["Nowhere", 0]]
    corpus = loaded(tmp_path, HOTPOT | {"supporting_facts": facts, "context": [*HOTPOT["context"], ["Blank", [" "]]]})
    assert corpus.remarks == (
        Remark(kind="dropped", subject="q1", rule="blank passage", detail="Blank"),
        Remark(kind="dropped", subject="q1", rule="supporting passage is not there", detail="Nowhere"),
    )
    assert len(corpus.questions[0].gold_turn_ids) == 2


def test_a_question_that_nothing_supports_is_left_out_and_one_that_has_no_answer_has_no_gold(tmp_path: Path) -> None:
    unsupported = [each | {"is_supporting": False} for each in MUSIQUE["paragraphs"]]
    corpus = loaded(tmp_path, MUSIQUE | {"paragraphs": unsupported}, MUSIQUE | {"id": "2hop__4", "answerable": False})
    (question,) = corpus.questions
    assert (question.id, question.answerable, question.gold_turn_ids) == ("2hop__4", False, ())
    assert [remark.rule for remark in corpus.remarks] == ["no evidence"]


@pytest.mark.parametrize("content", ["{}", "[{}]", "[1]", "nothing"])
def test_another_file_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(content)
    with pytest.raises(InvalidInput, match="is not the data set"):
        load(path)
