"""LongMemEval (Wu et al. 2024): a user's many chats with an assistant, one question a history."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel, TypeAdapter

from bench.corpus import Conversation, Corpus, Question, Remark, Role, Turn, participants
from bench.reading import read_json
from shared.contract.errors import InvalidInput

if TYPE_CHECKING:
    from pathlib import Path

NAME: Final = "LongMemEval"
UNANSWERABLE_SUFFIX: Final = "_abs"
_DATE_FORMAT: Final = "%Y/%m/%d (%a) %H:%M"


class _RawTurn(BaseModel):
    role: Role
    content: str
    has_answer: bool = False


class _RawQuestion(BaseModel):
    question_id: str
    question_type: str
    question: str
    question_date: str
    answer: str | int | float
    answer_session_ids: list[str]
    haystack_dates: list[str]
    haystack_session_ids: list[str]
    haystack_sessions: list[list[_RawTurn]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Session:
    id: str
    at: datetime
    turns: list[_RawTurn]
    repeats: bool  # an earlier session bears the same id in the file


_FILE: Final = TypeAdapter(list[_RawQuestion])


def load(path: Path) -> Corpus:
    """The histories and questions of a LongMemEval file, gzipped or not.

    Sessions are put in order of date. A session whose id repeats is kept as said again, under
    `<id>#2`, and is never gold: the earliest is. Turn ids are `<session id>:<position>`. A question
    whose id ends in `_abs` is not answerable and has no gold; an answerable one without a turn
    that holds the answer is left out. The speaker is the role.

    Raises:
        InvalidInput: the file cannot be read as such, a date is unreadable, or the lists of a
            history differ in length.
    """
    conversations: list[Conversation] = []
    questions: list[Question] = []
    remarks: list[Remark] = []
    for raw in read_json(path, _FILE):
        sessions = _sessions(raw, remarks)
        turns = [turn for session in sessions for turn in _turns(session, raw, remarks)]
        conversations.append(Conversation(id=raw.question_id, turns=tuple(turns), participants=participants(turns)))
        question = _question(raw, sessions)
        if question.gold_turn_ids or not question.answerable:
            questions.append(question)
        else:
            remarks.append(Remark(kind="left out", subject=raw.question_id, rule="no evidence"))
    return Corpus(
        name=NAME,
        conversations=tuple(conversations),
        questions=tuple(questions),
        remarks=tuple(remarks),
    )


def _sessions(raw: _RawQuestion, remarks: list[Remark]) -> list[_Session]:
    lists = (raw.haystack_dates, raw.haystack_session_ids, raw.haystack_sessions)
    sizes = [len(one) for one in lists]
    if len(set(sizes)) > 1:
        msg = f"{raw.question_id}: dates, ids and sessions differ in number: {sizes}"
        raise InvalidInput(msg, question_id=raw.question_id)
    dated = [(_date(written, raw), session_id, turns) for written, session_id, turns in zip(*lists, strict=True)]
    dated.sort(key=lambda session: session[0])
    return _numbered(dated, raw, remarks)


def _numbered(
    dated: list[tuple[datetime, str, list[_RawTurn]]], raw: _RawQuestion, remarks: list[Remark]
) -> list[_Session]:
    seen: Counter[str] = Counter()
    sessions = []
    for at, session_id, turns in dated:
        seen[session_id] += 1
        repeats = seen[session_id] > 1
        unique_id = f"{session_id}#{seen[session_id]}" if repeats else session_id
        if repeats:
            subject = f"{raw.question_id}/{unique_id}"
            remarks.append(Remark(kind="repaired", subject=subject, rule="session id repeats"))
        sessions.append(_Session(id=unique_id, at=at, turns=turns, repeats=repeats))
    return sessions


def _turns(session: _Session, raw: _RawQuestion, remarks: list[Remark]) -> list[Turn]:
    turns = []
    for position, one in enumerate(session.turns):
        turn_id = _turn_id(session, position)
        if one.content.strip():
            turns.append(
                Turn(
                    id=turn_id,
                    session_id=session.id,
                    speaker=one.role,
                    at=session.at,
                    text=one.content.strip(),
                    role=one.role,
                )
            )
        else:
            subject = f"{raw.question_id}/{turn_id}"
            remarks.append(Remark(kind="dropped", subject=subject, rule="blank turn"))
    return turns


def _question(raw: _RawQuestion, sessions: list[_Session]) -> Question:
    answerable = not raw.question_id.endswith(UNANSWERABLE_SUFFIX)
    present = {session.id for session in sessions}
    gold_sessions = [one for one in dict.fromkeys(raw.answer_session_ids) if one in present]
    return Question(
        id=raw.question_id,
        conversation_id=raw.question_id,
        query=raw.question,
        kind=raw.question_type,
        answer=str(raw.answer),
        gold_turn_ids=_gold_turns(sessions) if answerable else (),
        gold_session_ids=tuple(gold_sessions) if answerable else (),
        answerable=answerable,
        asked_at=_date(raw.question_date, raw),
    )


def _gold_turns(sessions: list[_Session]) -> tuple[str, ...]:
    return tuple(
        _turn_id(session, position)
        for session in sessions
        if not session.repeats
        for position, turn in enumerate(session.turns)
        if turn.has_answer and turn.content.strip()
    )


def _turn_id(session: _Session, position: int) -> str:
    return f"{session.id}:{position}"


def _date(written: str, raw: _RawQuestion) -> datetime:
    try:
        return datetime.strptime(written, _DATE_FORMAT).replace(tzinfo=UTC)
    except ValueError as error:
        msg = f"{raw.question_id}: {written!r} is not a date like '2023/05/20 (Sat) 02:21'"
        raise InvalidInput(msg, question_id=raw.question_id) from error
