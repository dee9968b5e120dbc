"""Questions of our own writing on the demonstration's conversation, on which weights are fitted that shall be shipped.

Some put what was said of one person to another: of that the conversation holds nothing, however near it looks.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Final

from pydantic import BaseModel, TypeAdapter

from bench.corpus import Conversation, Corpus, Question, Turn
from bench.reading import read_json
from gateway.demo import corpus as demo

NAME: Final = "own questions"
FILE: Final = Path(__file__).with_name("own_questions.json")

ANOTHER_PERSON: Final = "another person"
"""Kind of what was said, and of somebody else."""
NEVER_SAID: Final = "never said"


class _OfPersons(BaseModel):
    ask: str
    who: dict[str, list[str]]
    not_: list[str]

    model_config = {"alias_generator": lambda name: name.rstrip("_")}


class _Questions(BaseModel):
    persons: list[_OfPersons]
    plain: dict[str, list[str]]
    never: list[str]


_FILE: Final = TypeAdapter(_Questions)
_CONVERSATION: Final = TypeAdapter(demo.Corpus)


def load() -> Corpus:
    """The conversation with our questions.

    Raises:
        InvalidInput: a file cannot be read as such.
    """
    said = read_json(demo.SHIPPED, _CONVERSATION)
    turns = tuple(
        Turn(id=each.id, session_id=session.id, speaker=each.speaker, at=each.at, text=each.text, role="user")
        for session in said.sessions
        for each in session.messages
    )
    session_of = {turn.id: turn.session_id for turn in turns}
    return Corpus(
        name=NAME,
        conversations=(Conversation(id=said.room, turns=turns, participants=said.participants),),
        questions=tuple(_questions(read_json(FILE, _FILE), said.room, session_of)),
        remarks=(),
    )


def _questions(raw: _Questions, room: str, session_of: dict[str, str]) -> Iterator[Question]:
    numbers = count()
    for query, kind, gold in _asked(raw):
        yield Question(
            id=f"own/{next(numbers)}",
            conversation_id=room,
            query=query,
            kind=kind,
            answer="",
            gold_turn_ids=tuple(gold),
            gold_session_ids=tuple(dict.fromkeys(session_of[each] for each in gold)),
            answerable=bool(gold),
        )


def _asked(raw: _Questions) -> Iterator[tuple[str, str, list[str]]]:
    for each in raw.persons:
        for who, gold in each.who.items():
            yield each.ask.format(who), "of a person", gold
        for who in each.not_:
            yield each.ask.format(who), ANOTHER_PERSON, []
    for query, gold in raw.plain.items():
        yield query, "plain", gold
    for query in raw.never:
        yield query, NEVER_SAID, []
