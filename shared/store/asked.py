"""Questions that stand: two kinds of derivation in the stream of whom they are about, so they go when it is erased."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from shared import clock
from shared.contract.errors import InvalidInput, NotFound
from shared.contract.events import EventClass, NewEvent
from shared.language.text import is_blank, normalise
from shared.store import ledger
from shared.store.db import Session

ASKED: Final = "standing_question"
ANSWERED: Final = "standing_question_ended"
"""The kinds of the two events; the second is caused by the first."""
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
    ended = {event.caused_by for event in ledger.derived(session, ANSWERED, None)}
    return [
        Standing(number=event.sequence, question=event.payload["question"], since=event.recorded_at)
        for event in ledger.derived(session, ASKED, None)
        if event.payload is not None and event.sequence not in ended
    ]


def ask(session: Session, question: str) -> Standing:
    """Have a question stand from now on; one in the same words stands already, and is given back.

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
    event = NewEvent(event_class=EventClass.DERIVATION, kind=ASKED, payload={"question": text})
    (written,), end = ledger.append(session, head, [event])
    ledger.advance(session, end)
    return Standing(number=written.sequence, question=text, since=clock.now())


def take_back(session: Session, number: int) -> Standing:
    """Have a question stand no more; its answer goes with the next pass.

    Raises:
        NotFound: none of that number stands.
    """
    head = ledger.lock(session, session.owner)
    found = next((each for each in standing(session) if each.number == number), None)
    if found is None:
        raise NotFound(f"no question {number} stands; `daybook reflect --list` shows those that do", question=number)
    event = NewEvent(event_class=EventClass.DERIVATION, kind=ANSWERED, payload={}, caused_by=number)
    ledger.advance(session, ledger.append(session, head, [event])[1])
    return found
