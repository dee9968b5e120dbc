"""Statements that a plan, a job or a life is over: `cancelled my trip`, `left Acme for Bosch`, `Bello died`. Pure.

Each says of one claim that it is over or never comes to be; where nobody has made that claim, it says nothing. So one
that may be meant of two claims is made of both, in the same words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from shared.contract.candidates import Change
from shared.language.statements.dying import has_died
from shared.language.statements.identity import place_of
from shared.language.statements.journeys import GOING, destination
from shared.language.statements.phrases import Phrase, phrase_at
from shared.language.statements.saying import Said
from shared.language.statements.stated import FAIR, Statement
from shared.language.statements.subjects import About
from shared.language.statements.wording import in_third_person, statement
from shared.language.statements.words import EVENTS, word_set

JOURNEYS: Final = word_set("""
    trip trips flight flights holiday vacation journey visit weekend ferry train crossing tour cruise honeymoon tickets
    ticket booking getaway
""")
_AFTER_ALL: Final = re.compile(r"\b(?:after all|any ?more|any longer)\b", re.IGNORECASE)


def endings(said: Said, who: str) -> Iterator[Statement]:
    """What a clause says is over; `who` speaks."""
    about = said.subject.about
    if said.doubted or (said.modal and said.modal != "must"):
        return
    if about is About.NAMED:
        yield from _died(said, who)
    elif about in {About.SELF, About.US, About.NOBODY}:
        yield from _called_off(said, who)
        yield from _not_going(said, who)
        yield from _left_for(said, who)


def _timeless(said: Said) -> Said:
    return replace(said, whens=(), borrowed=())


def _died(said: Said, who: str) -> Iterator[Statement]:
    """`Bello died yesterday`: of an animal it ends that somebody has it; of a person, that they are a couple."""
    words = said.text[said.tokens[min(said.subject.next, len(said.tokens) - 1)].start : said.clause.end]
    if said.negated or said.future or said.modal or not has_died(words):
        return
    text = f"{said.subject.name} has died."
    for predicate in ("pet", "partner"):
        yield statement(said, who, predicate, said.subject.name, change=Change.ENDED, text=text)
    for status in ("married", "engaged"):
        whom = f"{status} to {said.subject.name}"
        yield statement(said, who, "marital_status", whom, change=Change.ENDED, text=text)


def _called_off(said: Said, who: str) -> Iterator[Statement]:
    """`I cancelled my trip to Rome`, `we called off the wedding`."""
    off = said.verb == "call" and "off" in {said.after, said.tokens[-1].norm}
    done = said.past or said.perfect or (said.verb == "cancel" and said.after in {"my", "our"})
    if not (said.verb == "cancel" or off) or said.negated or said.future or not done or said.passive:
        return
    thing = phrase_at(said.tokens, said.at + (said.after == "off"), said.text, said.times)
    if thing is None or not (thing.owner in {"my", "our"} or thing.article == "the") or said.own_whens:
        return
    if place := _place_of_journey(said, thing):
        yield from _no_journey(said, who, place, thing)
    elif thing.head.norm in EVENTS:
        words = _with_whom(said, thing)
        named = f"{who}'s {words}" if thing.owner else f"the {words}"
        word = "called off" if off else "cancelled"
        text = f"{named[:1].upper() + named[1:] if named.startswith('the ') else named} is {word}."
        yield statement(
            _timeless(said), named, "scheduled_for", "cancelled", change=Change.HOLDS, text=text, confidence=FAIR
        )


def _with_whom(said: Said, thing: Phrase) -> str:
    if said.word(thing.next) in {"with", "at", "to"} and (
        more := phrase_at(said.tokens, thing.next + 1, said.text, said.times)
    ):
        return f"{thing.text} {said.word(thing.next)} {more.shown}"
    return thing.text


def _place_of_journey(said: Said, thing: Phrase) -> str:
    if thing.head.norm not in JOURNEYS or said.word(thing.next) not in {"to", "in"}:
        return ""
    place = phrase_at(said.tokens, thing.next + 1, said.text, said.times)
    return place_of(said, place) if place is not None and place.is_name else ""


def _no_journey(said: Said, who: str, place: str, thing: Phrase | None) -> Iterator[Statement]:
    text = f"{who} does not travel to {place} after all."
    of = _timeless(said)
    yield statement(of, who, "travels_to", place, change=Change.NEVER, text=text)
    if thing is not None:
        yield statement(of, who, "plans", f"{thing.text} to {place}", change=Change.NEVER, text=text)


def _not_going(said: Said, who: str) -> Iterator[Statement]:
    """`we're not going to Spain after all`."""
    ahead = said.going_on or said.future
    gone_off = (said.negated or said.over) and _AFTER_ALL.search(said.text[said.clause.start : said.clause.end])
    if not (ahead and gone_off):
        return
    if said.verb in GOING | {"visit"} and (place := destination(said)):
        yield from _no_journey(said, who, re.split(r"\s+(?:after|any)", place)[0], None)
        return
    rest = [token for token in said.rest if token.start < said.clause.start + gone_off.start()]
    if rest and said.verb not in _STATES:
        what = f"{said.verb} {in_third_person(said, rest)}"
        yield statement(
            _timeless(said), who, "plans", what, change=Change.NEVER, text=f"{who} does not {what} after all."
        )


_STATES: Final = word_set("live work be have use take eat drink like love play study learn do smoke see feel")
"""Of these what is over is no plan."""


def _left_for(said: Said, who: str) -> Iterator[Statement]:
    """`I left Siemens in February for Bosch`: a job or a town, which the words do not say, and neither is held on."""
    if said.verb != "leave" or said.negated or said.future or not (said.past or said.perfect):
        return
    left = phrase_at(said.tokens, said.at, said.text, said.times)
    at = next((at for at in range(said.at, len(said.tokens)) if said.word(at) == "for"), len(said.tokens))
    new = phrase_at(said.tokens, at + 1, said.text, said.times)
    if left is None or new is None or left.owner or new.owner or not (left.is_name and new.is_name):
        return
    when = next((f" {when.written}" for when in said.own_whens), "")
    text = f"{who} left {left.text} for {new.text}{when}."
    for predicate in ("works_at", "lives_in"):
        yield statement(said, who, predicate, left.text, change=Change.ENDED, text=text, confidence=FAIR)
