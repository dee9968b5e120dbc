"""LoCoMo (Maharana et al. 2024): long conversations of two friends, questions with gold turns."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel, JsonValue, TypeAdapter, ValidationError

from bench.corpus import Conversation, Corpus, Question, Remark, Turn, participants
from bench.locomo_evidence import repair
from bench.reading import read_json
from shared.contract.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

KINDS: Final[Mapping[int, str]] = {
    1: "multi-hop",
    2: "temporal",
    3: "open-domain",
    4: "single-hop",
    5: "adversarial",
}
"""The paper's names for the file's category numbers."""

UNANSWERABLE: Final = 5
_SESSION: Final = re.compile(r"session_([1-9]\d*)")
_DATE_FORMAT: Final = "%I:%M %p on %d %B, %Y"


class _RawTurn(BaseModel):
    speaker: str
    dia_id: str
    text: str
    blip_caption: str | None = None


class _RawQuestion(BaseModel):
    question: str
    category: int
    evidence: list[str] = []
    answer: str | int | float | None = None


class _RawConversation(BaseModel):
    sample_id: str
    conversation: dict[str, JsonValue]
    qa: list[_RawQuestion]


class _RawCorrection(BaseModel):
    question: str
    evidence: list[str]


_FILE: Final = TypeAdapter(list[_RawConversation])
_TURNS: Final = TypeAdapter(list[_RawTurn])
_CORRECTIONS: Final = TypeAdapter(dict[str, dict[int, _RawCorrection]])

_ByQuestion = dict[int, _RawCorrection]


def load(path: Path, corrections: Path | None = None) -> Corpus:
    """The conversations and questions of a LoCoMo file.

    A photo's caption is appended to its turn's text, for some answers stand only there. Evidence is
    mended by `locomo_evidence.RULES`; an answerable question that is left without any is left out.
    `corrections` is a file of evidence by conversation and question number that replaces the
    annotators' own. Questions of category 5 are not answerable; their evidence, if any, is kept.

    Raises:
        InvalidInput: a file cannot be read as such, an id stands for two turns, a session has no
            readable date, or a correction is for another question than the one with its number.
    """
    raw = read_json(path, _FILE)
    corrected = read_json(corrections, _CORRECTIONS) if corrections else {}
    conversations: list[Conversation] = []
    questions: list[Question] = []
    remarks: list[Remark] = []
    for one in raw:
        conversation = _conversation(one, remarks)
        conversations.append(conversation)
        questions += _questions(one, conversation, corrected.get(one.sample_id, {}), remarks)
    return Corpus(
        name="LoCoMo",
        conversations=tuple(conversations),
        questions=tuple(questions),
        remarks=tuple(remarks),
    )


def _conversation(raw: _RawConversation, remarks: list[Remark]) -> Conversation:
    turns: list[Turn] = []
    for number in _session_numbers(raw.conversation):
        turns += _session(raw, number, remarks)
    if len({turn.id for turn in turns}) < len(turns):
        msg = f"{raw.sample_id}: two turns bear the same dia_id; gold could not be told apart"
        raise InvalidInput(msg, conversation_id=raw.sample_id)
    return Conversation(id=raw.sample_id, turns=tuple(turns), participants=participants(turns))


def _session_numbers(conversation: Mapping[str, JsonValue]) -> list[int]:
    """Numbers of the sessions there are; the file dates more than it holds."""
    matches = (_SESSION.fullmatch(key) for key in conversation)
    return sorted(int(match[1]) for match in matches if match)


def _session(raw: _RawConversation, number: int, remarks: list[Remark]) -> Iterator[Turn]:
    session_id = f"session_{number}"
    at = _date(raw, session_id)
    for turn in _raw_turns(raw, session_id):
        text = _text(turn)
        if text:
            yield Turn(
                id=turn.dia_id,
                session_id=session_id,
                speaker=turn.speaker,
                at=at,
                text=text,
                role="user",
            )
        else:
            subject = f"{raw.sample_id}/{turn.dia_id}"
            remarks.append(Remark(kind="dropped", subject=subject, rule="blank turn"))


def _raw_turns(raw: _RawConversation, session_id: str) -> list[_RawTurn]:
    try:
        return _TURNS.validate_python(raw.conversation[session_id])
    except ValidationError as error:
        msg = f"{raw.sample_id}: {session_id} is not a list of turns with speaker, dia_id and text"
        raise InvalidInput(msg, conversation_id=raw.sample_id) from error


def _text(turn: _RawTurn) -> str:
    caption = f"[shares a photo: {turn.blip_caption}]" if turn.blip_caption else ""
    return f"{turn.text.strip()} {caption}".strip()


def _date(raw: _RawConversation, session_id: str) -> datetime:
    written = raw.conversation.get(f"{session_id}_date_time")
    try:
        return datetime.strptime(str(written), _DATE_FORMAT).replace(tzinfo=UTC)
    except ValueError as error:
        expected = "1:56 pm on 8 May, 2023"
        msg = f"{raw.sample_id}: {session_id} is dated {written!r}, not like {expected!r}"
        raise InvalidInput(msg, conversation_id=raw.sample_id) from error


def _questions(
    raw: _RawConversation,
    conversation: Conversation,
    corrected: _ByQuestion,
    remarks: list[Remark],
) -> Iterator[Question]:
    session_of = {turn.id: turn.session_id for turn in conversation.turns}
    for number, one in enumerate(raw.qa):
        question_id = f"{raw.sample_id}/{number}"
        evidence = _evidence(one, corrected.get(number), question_id, remarks)
        gold, notes = repair(evidence, session_of, question_id)
        remarks += notes
        if gold or one.category == UNANSWERABLE:
            yield _question(one, question_id, conversation.id, gold, session_of)
        else:
            remarks.append(Remark(kind="left out", subject=question_id, rule="no evidence"))


def _evidence(
    raw: _RawQuestion, correction: _RawCorrection | None, question_id: str, remarks: list[Remark]
) -> list[str]:
    if correction is None:
        return raw.evidence
    if correction.question != raw.question:
        msg = f"the correction for {question_id} asks {correction.question!r}, not {raw.question!r}"
        raise InvalidInput(msg, question_id=question_id)
    remarks.append(Remark(kind="repaired", subject=question_id, rule="corrected evidence"))
    return correction.evidence


def _question(
    raw: _RawQuestion,
    question_id: str,
    conversation_id: str,
    gold: Iterable[str],
    session_of: Mapping[str, str],
) -> Question:
    gold = tuple(gold)
    return Question(
        id=question_id,
        conversation_id=conversation_id,
        query=raw.question,
        kind=KINDS.get(raw.category, f"category {raw.category}"),
        answer="" if raw.answer is None else str(raw.answer),
        gold_turn_ids=gold,
        gold_session_ids=tuple(dict.fromkeys(session_of[turn_id] for turn_id in gold)),
        answerable=raw.category != UNANSWERABLE,
    )
