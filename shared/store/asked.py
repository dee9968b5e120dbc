"""Questions that stand: two kinds of derivation in the stream of whom they are about, so they go when it is erased."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from shared import clock
from shared.contract.errors import InvalidInput, NotFound
from shared.contract.events import (
    REFLECTION,
    REFLECTION_ANSWER,
    STANDING_QUESTION,
    STANDING_QUESTION_ENDED,
    Event,
    EventClass,
    NewEvent,
)
from shared.language.text import is_blank, normalise
from shared.store import ledger
from shared.store.db import Session
from shared.store.ledger import Head

LONGEST_CHARS: Final = 300
MOST: Final = 100
"""Of one stream: each is answered anew whenever anything happens in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A question that stands."""

    number: int
    """The sequence of its event, by which it is taken back."""
    question: str
    since: datetime
    """By our clock."""


def standing(session: Session) -> list[Standing]:
    """The questions that stand in the owner's stream, in order."""
    ended = {event.caused_by for event in ledger.derived(session, STANDING_QUESTION_ENDED, None)}
    return [
        Standing(number=event.sequence, question=event.payload["question"], since=event.recorded_at)
        for event in ledger.derived(session, STANDING_QUESTION, None)
        if event.payload is not None and event.sequence not in ended
    ]


def ask(session: Session, question: str) -> Standing:
    """Have a question stand from now on; one in the same words stands already, and is given back.

    The caller has taken the secrets out of it.

    Raises:
        InvalidInput: it is blank or too long, or too many stand.
    """
    text = " ".join(normalise(question)[0].split())
    if is_blank(text) or len(text) > LONGEST_CHARS:
        raise InvalidInput(
            f"a standing question has 1 to {LONGEST_CHARS} characters, not {len(text)}", field="question"
        )
    head = ledger.lock(session, session.owner)
    there = standing(session)
    same = next((each for each in there if each.question == text), None)
    if same is not None:
        return same
    if len(there) >= MOST:
        raise InvalidInput(f"{MOST} questions stand already; take one back with --remove", field="question")
    event = NewEvent(event_class=EventClass.DERIVATION, kind=STANDING_QUESTION, payload={"question": text})
    (written,), head = ledger.append(session, head, [event])
    ledger.advance(session, head)
    return Standing(number=written.sequence, question=text, since=clock.now())


def take_back(session: Session, number: int) -> Standing:
    """Have a question stand no more, and erase its words; its answer goes with the next pass. For the eraser.

    Raises:
        NotFound: none of that number stands.
    """
    head = ledger.lock(session, session.owner)
    found = next((each for each in standing(session) if each.number == number), None)
    if found is None:
        raise NotFound(f"no question {number} stands; `daybook reflect --list` shows those that do", question=number)
    ledger.advance(session, end(session, head, [number]))
    return found


def end(session: Session, head: Head, numbers: Collection[int]) -> Head:
    """Have questions stand no more, and erase their words, with what a model answered to them.

    For the eraser, who holds the stream's lock.
    """
    gone = [*numbers, *answers_to(session, numbers)]
    events = [
        NewEvent(event_class=EventClass.DERIVATION, kind=STANDING_QUESTION_ENDED, payload={}, caused_by=sequence)
        for sequence in gone
    ]
    _, head = ledger.append(session, head, events)
    ledger.erase_payloads(session, session.owner, gone)
    return head


def answers_to(session: Session, numbers: Collection[int]) -> list[int]:
    """What a model answered to some questions that stand, by the sequence of the answer."""
    if not numbers:
        return []
    asked = {
        event.sequence
        for event in ledger.derived(session, REFLECTION, None)
        if (event.payload or {}).get("question") in numbers
    }
    found = ledger.derived(session, REFLECTION_ANSWER, None) if asked else []
    return [event.sequence for event in found if event.caused_by in asked and event.payload is not None]


def quoting(session: Session, evidence: Iterable[Event]) -> list[int]:
    """The questions that stand, by number, that have in them what a message says, word for word, or are in it."""
    said = [_plain(str((event.payload or {}).get("text", ""))) for event in evidence]
    questions = [(each.number, _plain(each.question)) for each in standing(session)]
    return [number for number, asked in questions if any(text and (asked in text or text in asked) for text in said)]


def _plain(text: str) -> str:
    return " ".join(normalise(text)[0].split()).casefold().rstrip(".!?")
