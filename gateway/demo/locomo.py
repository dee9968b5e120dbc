"""Reads the first conversation of a LoCoMo file (Maharana et al. 2024) as a demonstration's corpus.

A small reader for a file as it is published: evidence strings that name no turn are passed over, and so are questions
that are left without any. Measurements read it otherwise, with reviewed repairs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final

from pydantic import BaseModel, TypeAdapter

from gateway.demo.corpus import Corpus, Message, Question, Session
from shared.contract.errors import InvalidInput

_SESSION: Final = re.compile(r"session_([1-9]\d*)")
_DATE: Final = "%I:%M %p on %d %B, %Y"
_ADVERSARIAL: Final = 5
"""The category of questions that are put so as to be answered wrongly; their evidence is about something else."""


class _Turn(BaseModel):
    speaker: str
    dia_id: str
    text: str
    blip_caption: str | None = None


class _Question(BaseModel):
    question: str
    category: int
    evidence: list[str] = []
    answer: str | int | float | None = None


class _Conversation(BaseModel):
    sample_id: str
    conversation: dict[str, Any]
    qa: list[_Question]


_FILE: Final = TypeAdapter(list[_Conversation])
_TURNS: Final = TypeAdapter(list[_Turn])


def corpus_of(found: list[Any], *, questions: int) -> Corpus:
    """The first conversation, with `questions` of its questions, taken at even distances.

    Raises:
        ValidationError: it is no LoCoMo file.
        InvalidInput: it holds no conversation, or a session has no readable date.
    """
    raw = next(iter(_FILE.validate_python(found[:1])), None)
    if raw is None:
        raise InvalidInput("the list is empty: a LoCoMo file holds at least one conversation")
    sessions = tuple(_session(raw, name) for name in _names(raw.conversation) if raw.conversation[name])
    known = {message.id for session in sessions for message in session.messages}
    people = tuple(str(raw.conversation.get(name) or name) for name in ("speaker_a", "speaker_b"))
    return Corpus(
        title=f"{raw.sample_id}: {' and '.join(people)}",
        room=raw.sample_id,
        participants=people,
        sessions=sessions,
        questions=_spread(_questions(raw, known, people), questions),
    )


def _names(conversation: dict[str, Any]) -> list[str]:
    """Names of the sessions there are, in order; the file dates more than it holds."""
    found = [(int(match[1]), key) for key in conversation if (match := _SESSION.fullmatch(key))]
    return [key for _, key in sorted(found)]


def _session(raw: _Conversation, name: str) -> Session:
    at = _date(raw, name)
    turns = _TURNS.validate_python(raw.conversation[name])
    messages = tuple(
        Message(id=turn.dia_id, speaker=turn.speaker, at=at, text=text) for turn in turns if (text := _text(turn))
    )
    return Session(id=name, started_at=at, messages=messages)


def _text(turn: _Turn) -> str:
    caption = f"[shares a photo: {turn.blip_caption}]" if turn.blip_caption else ""
    return f"{turn.text.strip()} {caption}".strip()


def _date(raw: _Conversation, session: str) -> datetime:
    written = raw.conversation.get(f"{session}_date_time")
    try:
        return datetime.strptime(str(written), _DATE).replace(tzinfo=UTC)
    except ValueError as error:
        msg = f"{raw.sample_id}: {session} is dated {written!r}, not like '1:56 pm on 8 May, 2023'"
        raise InvalidInput(msg) from error


def _questions(raw: _Conversation, known: set[str], people: Sequence[str]) -> list[Question]:
    found = []
    for one in raw.qa:
        evidence = tuple(each for each in one.evidence if each in known)
        if evidence and one.category != _ADVERSARIAL:
            asker = next((person for person in people if person not in one.question), people[0])
            answer = "" if one.answer is None else str(one.answer)
            found.append(Question(query=one.question, asked_by=asker, evidence=evidence, answer=answer))
    return found


def _spread(questions: list[Question], most: int) -> tuple[Question, ...]:
    if len(questions) <= most:
        return tuple(questions)
    return tuple(questions[place * len(questions) // most] for place in range(most))
