"""Statements that a diet, a move or a wedding is off: `I eat meat again`, `The move to Lund fell through`. Pure.

By the form of a whole sentence, as in `partings`; where nobody has made the claim that ends, it says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from shared.contract.candidates import Change
from shared.language.statements.clauses import Clause
from shared.language.statements.couples import ended_on
from shared.language.statements.moods import Mood
from shared.language.statements.revisions import sentence_of
from shared.language.statements.stated import FAIR, Statement
from shared.language.statements.talk import Message

_NAME: Final = r"(?P<name>(?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+)?)"
_EATS_AGAIN: Final = re.compile(
    r"(?:so |well,? )?i(?:'m| am)?(?: now)? (?:eat|eating) (?P<what>meat|chicken|beef|pork|fish|eggs|dairy|cheese)"
    r" again(?: now| these days)?",
    re.IGNORECASE,
)
_IS_OFF: Final = r"(?:is|was|has been|'s) (?:off|cancell?ed|called off)|fell through|(?:isn't|is not) happening"
_MOVE_OFF: Final = re.compile(rf"(?:the|my|our) move to {_NAME} (?:{_IS_OFF})", re.IGNORECASE)
_WEDDING_OFF: Final = re.compile(
    rf"(?:we|i)(?:'ve| have)? (?:called off|cancell?ed|broke off|broken off|ended)"
    rf" (?:the|our|my) (?:wedding|engagement)"
    rf"|(?:the|our|my) (?:wedding|engagement) (?:{_IS_OFF})",
    re.IGNORECASE,
)
_NO_VEGAN: Final = ("vegan", "plant-based")
_NO_MEAT: Final = (*_NO_VEGAN, "vegetarian")
_OF_ANIMALS: Final = frozenset({"eggs", "dairy", "cheese"})


def quitting(clauses: Sequence[Clause], message: Message) -> Iterator[Statement]:
    """What a sentence says is over or off; its time is that of the sentence, where it has one that lies behind."""
    if any(clause.mood is not Mood.SAID for clause in clauses):
        return
    words = sentence_of(clauses, message.text)
    start, end = clauses[0].start, clauses[-1].end
    when = next((when for when in message.behind if start <= when.start < end), None)
    until = ended_on(when, message.said_on) if when else None
    for found in _told(words, message):
        dated = until if found.change is Change.ENDED else None
        yield replace(found, start=start, end=end, until=dated)


def _told(words: str, message: Message) -> Iterator[Statement]:
    who = message.speaker
    held = [
        each
        for each in [*message.talk.stated.get(who, []), *message.found]
        if each.subject == who and each.change is Change.HOLDS
    ]
    if found := _EATS_AGAIN.fullmatch(words):
        for diet in _NO_VEGAN if found["what"].lower() in _OF_ANIMALS else _NO_MEAT:
            yield _of(who, "diet", diet, f"{who} eats {found['what'].lower()} again.")
    elif found := _MOVE_OFF.fullmatch(words):
        text = f"{who} does not move to {found['name']} after all."
        yield _of(who, "plans", f"move to {found['name']}", text, Change.NEVER)
    elif _WEDDING_OFF.fullmatch(words):
        # A sentence shares a word with what it rests on, or it is not believed.
        event = "engagement" if "engagement" in words.lower() else "wedding"
        yield _of(who, "marital_status", "engaged", f"The {event} is off: {who} is no longer engaged.")
        for each in held:
            if each.predicate == "plans" and each.object.startswith(("get married", "marry")):
                yield _of(who, "plans", each.object, f"{who} called off the wedding.", Change.NEVER)


def _of(who: str, predicate: str, what: str, text: str, change: Change = Change.ENDED) -> Statement:
    return Statement(
        subject=who, predicate=predicate, object=what, text=text, start=0, end=0, change=change, confidence=FAIR
    )
