"""What every data set becomes: conversations, questions about them, and what the loader mended."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

Role = Literal["user", "assistant"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message of a conversation."""

    id: str  # unique within its conversation
    session_id: str
    speaker: str
    at: datetime  # aware, UTC; the data sets date sessions, so the turns of one share it
    text: str  # never blank
    role: Role  # people talking to each other are all `user`


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """Everything one memory is given before it is asked."""

    id: str  # unique within its corpus
    turns: tuple[Turn, ...]  # sessions by date, the turns of a session as they were said
    participants: tuple[str, ...]  # the speakers, in order of appearance


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question about one conversation, with the turns that hold its answer."""

    id: str  # unique within its corpus
    conversation_id: str
    query: str
    kind: str  # the data set's own kind of question, in words
    answer: str  # as text, also where the data set has a number; empty where there is none
    gold_turn_ids: tuple[str, ...]  # distinct, in the data set's order; never empty if answerable
    gold_session_ids: tuple[str, ...]  # the sessions that hold the answer; distinct
    answerable: bool  # where not, the right verdict is `unknown`: leave it out of recall figures
    asked_at: datetime | None = None  # aware, UTC; None where the data set does not say


RemarkKind = Literal["repaired", "dropped", "left out"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """One thing a loader did to the data, so that a figure can be read with it."""

    kind: RemarkKind  # `dropped` is a turn or an id; `left out` is a whole question
    subject: str  # id of the question or session
    rule: str
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """A data set as loaded."""

    name: str
    conversations: tuple[Conversation, ...]
    questions: tuple[Question, ...]
    remarks: tuple[Remark, ...]


def count_remarks(remarks: Iterable[Remark]) -> list[tuple[str, int]]:
    """What was mended and left out, as (`kind: rule`, how often), in order of first appearance."""
    return list(Counter(f"{remark.kind}: {remark.rule}" for remark in remarks).items())


def spread(corpus: Corpus, count: int) -> Corpus:
    """The corpus with `count` of its questions, evenly from first to last, so that every kind has its share."""
    total = len(corpus.questions)
    count = min(count, total)
    return replace(corpus, questions=tuple(corpus.questions[number * total // count] for number in range(count)))


def first(corpus: Corpus, count: int) -> Corpus:
    """The corpus with its first `count` conversations, and the questions about them."""
    kept = corpus.conversations[:count]
    ids = {conversation.id for conversation in kept}
    questions = tuple(each for each in corpus.questions if each.conversation_id in ids)
    return replace(corpus, conversations=kept, questions=questions)


def participants(turns: Iterable[Turn]) -> tuple[str, ...]:
    """The distinct speakers of the turns, in order of appearance."""
    return tuple(dict.fromkeys(turn.speaker for turn in turns))
