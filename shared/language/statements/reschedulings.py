"""Statements that a journey or an appointment is off, or on another day: `moved my Tokyo flight to 9 March`. Pure.

By the form of a whole sentence, as in `partings`. The plan that was held is taken back, since its day never comes; and
the new one is claimed where the sentence gives its day.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from shared.contract.candidates import Change
from shared.language.statements.clauses import Clause
from shared.language.statements.dates import When
from shared.language.statements.endings import JOURNEYS
from shared.language.statements.moods import Mood
from shared.language.statements.revisions import sentence_of
from shared.language.statements.stated import FAIR, Statement
from shared.language.statements.talk import Message
from shared.language.statements.words import EVENTS

_NAME: Final = r"(?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+)?"
_LEAD: Final = (
    r"(?:(?:sadly|unfortunately|yesterday|today|so|well|update|news|ok|btw|oh|but|and|change of plans?)[,:]? )*"
)
_THING: Final = "|".join(sorted(JOURNEYS, key=len, reverse=True))
_EVENT: Final = "|".join(sorted(EVENTS - JOURNEYS, key=len, reverse=True))
_WE: Final = r"(?:i|we)(?:'ve| have)?(?: just| finally| sadly| now| already)*(?: had to| have to)?"
_WE_ARE: Final = r"(?:i'm|i am|we're|we are)"
_JOURNEY: Final = (
    rf"(?:my|our|the) (?:[a-z-]+ )?(?:(?P<place>{_NAME}) (?P<thing>{_THING})"
    rf"|(?P<thing2>{_THING}) (?:to|in) (?P<place2>{_NAME}))"
)
_IS: Final = r"(?:is|are|was|were|has been|have been|had to be|got|'s)(?: been)?(?: sadly| now| just| all)*"
_BEHIND: Final = r"(?:,? (?:again|after all|for good|too|because|as|since|due to|so|and|until further notice)\b.*)?"
_OFF: Final = tuple(
    re.compile(f"{_LEAD}{form}{_BEHIND}", re.IGNORECASE)
    for form in (
        rf"{_JOURNEY} {_IS} (?:off|cancell?ed|called off|scrapped)",
        rf"{_JOURNEY} (?:(?:is not|isn't|'s not) happening|(?:will not|won't) happen|fell through)",
        rf"{_WE} (?:cancel(?:l?ed)?|call(?:ed)? off|scrap(?:ped)?) {_JOURNEY}",
        rf"{_WE} call(?:ed)? {_JOURNEY} off",
        rf"{_WE_ARE} not (?:doing|going on|taking|making) {_JOURNEY} (?:after all|any ?more|any longer)",
        rf"{_WE_ARE} no longer (?:doing|going on|taking|making) {_JOURNEY}",
    )
)
_MOVED: Final = (
    r"(?:move|reschedule|push|postpone|shift|change|delay|put off|rebook)(?:e?d)?(?: back| forward| off)?"
    r"|(?:bring|brought) forward|put off"
)
_TO: Final = r"(?: back| forward)?(?: from [\w ,]+?)? (?:to|for|on|until|till|by) .+"
_PUT_OFF: Final = tuple(
    re.compile(f"{_LEAD}{form}{_BEHIND}", re.IGNORECASE)
    for form in (
        rf"{_JOURNEY} {_IS} (?:postponed|delayed|put off|pushed back|on hold)",
        rf"{_WE} (?:postponed?|put off|delay(?:ed)?) {_JOURNEY}",
    )
)
_ON_ANOTHER_DAY: Final = tuple(
    re.compile(f"{_LEAD}{form}", re.IGNORECASE)
    for form in (
        rf"{_JOURNEY} {_IS} (?:{_MOVED}){_TO}",
        rf"{_JOURNEY} (?:is|are|will be) now (?:on|in) .+",
        rf"{_WE} (?:{_MOVED}) {_JOURNEY}{_TO}",
    )
)
_NOT_THEN: Final = re.compile(
    rf"{_LEAD}{_WE_ARE} not (?:flying|going|travelling|driving) to (?P<place>{_NAME}) (?:on|in) .+? but (?:on|in) .+",
    re.IGNORECASE,
)
_OWN_EVENT: Final = re.compile(
    rf"{_LEAD}{_WE} (?:{_MOVED}) (?P<whose>my|our|the) (?P<what>(?:[\w'-]+ )?(?:{_EVENT})"
    rf"(?: (?:with|at) [\w'. -]{{2,30}}?)?){_TO}",
    re.IGNORECASE,
)


def reschedulings(clauses: Sequence[Clause], message: Message) -> Iterator[Statement]:
    """What a sentence says of a plan that is not carried out, or not on the day that it was for."""
    if any(clause.mood is not Mood.SAID for clause in clauses):
        return
    words = sentence_of(clauses, message.text)
    start, end = clauses[0].start, clauses[-1].end
    whens = [when for when in message.whens if start <= when.start < end]
    for found in _told(words, whens, message.speaker):
        yield replace(found, start=start, end=end)


def _told(words: str, whens: Sequence[When], who: str) -> Iterator[Statement]:
    for form in _ON_ANOTHER_DAY if whens else ():
        if found := form.fullmatch(words):
            yield from _moved(found, whens[-1], who)
            return
    if (found := _NOT_THEN.fullmatch(words)) and len(whens) > 1:
        yield from _not_then(found["place"], whens, who)
        return
    if (event := _OWN_EVENT.fullmatch(words)) and whens:
        yield from _event(event, whens[-1], who)
        return
    for form in _OFF:
        if (found := form.fullmatch(words)) and not whens:
            yield from _off(found, who, f"{who} does not travel to {_place(found)} after all.")
            return
    for form in _PUT_OFF:
        if found := form.fullmatch(words):
            yield from _off(found, who, f"{who}'s {_thing(found)} to {_place(found)} is postponed.")
            return


def _place(found: re.Match[str]) -> str:
    groups = found.groupdict()
    return groups.get("place") or groups.get("place2") or ""


def _thing(found: re.Match[str]) -> str:
    groups = found.groupdict()
    return (groups.get("thing") or groups.get("thing2") or "trip").lower()


def _of(who: str, predicate: str, what: str, text: str, change: Change) -> Statement:
    return Statement(
        subject=who, predicate=predicate, object=what, text=text, start=0, end=0, change=change, confidence=FAIR
    )


def _off(found: re.Match[str], who: str, text: str) -> Iterator[Statement]:
    yield _of(who, "travels_to", _place(found), text, Change.NEVER)
    yield _of(who, "plans", f"{_thing(found)} to {_place(found)}", text, Change.NEVER)


def _moved(found: re.Match[str], when: When, who: str) -> Iterator[Statement]:
    """The old day is taken back, and the journey has the new one, in the same words: it is one piece of news."""
    place, thing = _place(found), _thing(found)
    words = f"{thing} to {place}" if found["thing2"] else f"{place} {thing}"
    text = f"{who}'s {words} is {'on' if when.day else 'in'} {when.written.partition(' ')[2]}."
    yield from _off(found, who, text)
    yield _of(f"{who}'s {words}", "scheduled_for", when.written.partition(" ")[2], text, Change.HOLDS)


def _not_then(place: str, whens: Sequence[When], who: str) -> Iterator[Statement]:
    """Of what one message says of one thing the words give the order: `does not travel` comes before `travels`."""
    old, new = whens[0], whens[-1]
    yield _of(who, "travels_to", place, f"{who} does not travel to {place} {old.written}.", Change.NEVER)
    told = _of(who, "travels_to", place, f"{who} travels to {place} {new.written}.", Change.HOLDS)
    yield replace(told, since=new.days.first)


def _event(found: re.Match[str], when: When, who: str) -> Iterator[Statement]:
    """Of `the Elkem interview` it cannot be told whether it is known as theirs; of `the meeting`, which one it is."""
    what, day = found["what"], when.written.partition(" ")[2]
    is_theirs = found["whose"].lower() != "the"
    if not is_theirs and " " not in what:
        return
    text = f"{f'{who}{_S}' if is_theirs else 'The'} {what} is {'on' if when.day else 'in'} {day}."
    for thing in (f"{who}{_S} {what}",) if is_theirs else (f"{who}{_S} {what}", f"the {what}"):
        yield _of(thing, "scheduled_for", day, text, Change.HOLDS)


_S: Final = "'s"
