"""Statements of what is to come: appointments, journeys, intentions, and when a thing takes place. Pure.

Only what has a date, or is called a plan, is one. A thing's date is claimed of the thing: another takes its place.
"""

# Above 300 lines: each kind of plan has its patterns beside the function that reads them.

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from shared.contract.candidates import Change
from shared.language.statements.dates import Bound, When
from shared.language.statements.journeys import GOING, crossing, destination, destinations
from shared.language.statements.phrases import phrase_at
from shared.language.statements.saying import Said
from shared.language.statements.stated import FAIR, SURE, Statement
from shared.language.statements.subjects import About
from shared.language.statements.verbs import LEMMAS
from shared.language.statements.whom import named
from shared.language.statements.wording import a_or_an, in_third_person, statement
from shared.language.statements.words import EVENTS, MOVED, word_set

_MOST_BETWEEN: Final = 2
_MOST_OF_A_PLACE: Final = 5
_LEADING_TO_A_DATE: Final = word_set("on for at now actually set , the in scheduled")
_LONGEST: Final = 90
_POINTING: Final = word_set("it this that them these those there you your")


def plans(said: Said, who: str) -> Iterator[Statement]:
    """What a clause says of what is to come."""
    settled = said.perfect and said.verb in {"book", *MOVED}
    if said.doubted or ((said.modal or said.perfect) and not settled):
        return
    about = said.subject.about
    if about in {About.OWN, About.THING} or (
        about is About.RELATED and said.subject.relation in EVENTS and said.verb == "be"
    ):
        yield from _takes_place(said, who)
    elif not said.over and about in {About.SELF, About.US, About.NAMED, About.RELATED}:
        yield from _intended(said, named(said.subject, who) or who)


def _dated(said: Said) -> list[When]:
    """The days ahead that a clause names, without those it denies."""
    return [when for when in said.own_whens if when.bound is not Bound.SINCE and not _is_denied(said, when)]


def _is_denied(said: Said, when: When) -> bool:
    before = [token.norm for token in said.tokens if token.start < when.start][-2:]
    inside = [token.norm for token in said.tokens if when.start <= token.start < when.end][:1]
    return "not" in before[-2:] or inside == ["not"]


def _takes_place(said: Said, who: str) -> Iterator[Statement]:
    """`the open day is on the 14th`, `my dentist appointment has been moved to Friday`."""
    words = said.subject.words.lower()
    head = words.split()[-1] if words else ""
    is_event = bool({head, *words.split(" of ")[0].split()} & EVENTS) or _is_on_a_day(said)
    if not is_event or said.over or words.startswith("last "):
        return
    thing = (
        f"{who}'s {said.subject.words}"
        if said.subject.about in {About.OWN, About.RELATED}
        else said.subject.words
        if said.subject.words[:1].isupper() and "'s " in said.subject.words.replace("\u2019", "'")
        else f"the {said.subject.words}"
    )
    off = said.verb == "be" and said.after == "off" and said.word(said.at + 1) in _OFF_FOR_GOOD
    if (
        off
        or (said.verb == "be" and said.after in {"cancelled", "canceled"})
        or (said.verb == "cancel" and said.passive)
    ):
        word = "off" if off else "cancelled"
        for predicate in ("status", "scheduled_for"):
            yield statement(said, thing, predicate, "cancelled", text=f"{_capital(thing)} is {word}.")
        return
    moved = said.verb in MOVED and (said.passive or said.perfect)
    if said.verb in MOVED and not said.negated and not moved and not said.past and (hour := _HOUR.search(_after(said))):
        yield from _retimed(said, thing, hour["hour"])
        return
    if said.negated or (said.past and not moved) or not (said.verb in {"be", "take", "start", "begin"} or moved):
        return
    told = [when for when in _dated(said) if when.day or said.verb == "be" or (moved and when.bound is Bound.AT)]
    if not told:
        if moved and said.verb in {"postpone", "delay"}:
            yield _undated(said, thing, "postponed", "postponed", Change.HOLDS)
        return
    if said.verb == "be" and not _is_time_next(said, told[0]):
        return
    yield from dated(said, thing, told[-1] if moved else told[0])


_OFF_FOR_GOOD: Final = frozenset({"", ",", "and", "because", "since", "as", "so", "now", "again", "after", "for"})
"""Not `off to a good start`."""


def _is_on_a_day(said: Said) -> bool:
    """`the pitch is on Thursday`: what is on a day takes place then, whatever it is called."""
    on = said.after in {"on", "now"} and said.verb == "be" and not said.subject.relation and not said.past
    head = (said.subject.words.lower().split() or ["it"])[-1]
    return on and head not in _NOT_HELD and any(when.day for when in said.own_whens)


_NOT_HELD: Final = word_set("day days birthday anniversary focus emphasis bill ball rota blame it work")
_HOUR: Final = re.compile(
    r"\bto (?P<hour>\d{1,2}(?:[.:]\d\d)(?:\s?[ap]m)?|\d{1,2}\s?[ap]m|\d{1,2} o'?clock|noon)(?!\w)", re.IGNORECASE
)


def _after(said: Said) -> str:
    return said.text[said.tokens[said.at - 1].start : said.clause.end]


def _retimed(said: Said, thing: str, hour: str) -> Iterator[Statement]:
    """`standup moves to 9.30 from Monday`: another hour, from a day on."""
    told = statement(
        replace(said, whens=(), borrowed=()), thing, "scheduled_for", hour, text=f"{_capital(thing)} is at {hour}."
    )
    since = next((when.days.first for when in said.own_whens), None)
    yield replace(told, since=since, confidence=FAIR)


def _is_time_next(said: Said, when: When) -> bool:
    """Whether the date is what the thing is, and not when something else of it is so."""
    between = [token for token in said.rest if token.start < when.start]
    if between and between[0].norm == "at" and len(between) <= _MOST_OF_A_PLACE:
        return all(token.pos in {"ADP", "DET", "PRON", "NOUN", "PROPN", "PART"} for token in between)
    return len(between) <= _MOST_BETWEEN and all(token.norm in _LEADING_TO_A_DATE for token in between)


def dated(said: Said, thing: str, when: When) -> Iterator[Statement]:
    """That a thing takes place on a day; and that it does not on those that the clause denies."""
    day = when.written.partition(" ")[2]
    yield _undated(said, thing, day, when.written.replace("until ", "on "), Change.HOLDS)
    for other in said.own_whens:
        if _is_denied(said, other) and other.day:
            yield _undated(said, thing, other.written.partition(" ")[2], other.written, Change.NEVER)


def _undated(said: Said, thing: str, day: str, written: str, change: Change) -> Statement:
    hour = _hour_of(said) if change is Change.HOLDS else ""
    text = f"{_capital(thing)} is {'not ' if change is Change.NEVER else ''}{written}{hour}."
    return statement(
        replace(said, whens=(), borrowed=()), thing, "scheduled_for", day, change=change, text=text, confidence=FAIR
    )


_CLOCK: Final = r"(?:\d{1,2}(?:[.:]\d\d)?(?:\s?(?:[ap]\.?m\b|o'?clock\b))?|noon\b|midnight\b)"
_AT_HOUR: Final = re.compile(
    rf"(?:\b(?:at|from)\s+|@\s?)(?P<at>{_CLOCK}(?:\s?(?:to|-|\u2013)\s?{_CLOCK})?"
    r"(?: in the (?:morning|afternoon|evening))?)"
    r"(?![\w:%]|\.\d|\s+(?-i:[A-Z]))"
    rf"|\b(?P<bare>\d{{1,2}}(?:[.:]\d\d)?\s?[ap]m(?:\s?(?:to|-|\u2013)\s?\d{{1,2}}(?:[.:]\d\d)?\s?[ap]m)?)\b",
    re.IGNORECASE,
)


def _hour_of(said: Said) -> str:
    """The hour that a clause gives beside a day, in its own words; none where it gives two and nothing was moved."""
    found = [match["at"] or match["bare"] for match in _AT_HOUR.finditer(said.text, said.clause.start, said.clause.end)]
    if not found or (len(found) > 1 and said.verb not in MOVED):
        return ""
    if said.verb in MOVED:
        return f" at {_RANGE.split(found[-1])[-1].strip()}"
    return f" {'from' if _RANGE.search(found[-1]) else 'at'} {found[-1]}"


_RANGE: Final = re.compile(r"\bto\b|[-\u2013]")


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:] if words.startswith("the ") else words


def _intended(said: Said, who: str) -> Iterator[Statement]:
    told = _dated(said)
    if said.verb in {"have", "book"} and not said.negated and not (said.past and said.verb != "book"):
        yield from _appointments(said, who, told)
    elif said.verb == "be" and said.after in {"off", "away", "abroad"} and told and not said.negated and not said.past:
        yield from _away(said, who, told[0])
    elif said.verb == "plan" and not said.negated and not said.past:
        yield from _planned(said, who)
    elif (
        said.negated
        or said.past
        or (
            told
            and said.verb in MOVED
            and (thing := phrase_at(said.tokens, said.at, said.text, said.times))
            and thing.head.norm in EVENTS
        )
    ):
        return
    elif told and _is_ahead(said) and not _is_done_to_speaker(said):
        yield from _going(said, who, told)


def _away(said: Said, who: str, when: When) -> Iterator[Statement]:
    """`I'm off 12-16 May, walking the coast path`, `we're off to Oslo on Friday`."""
    if said.word(said.at + 1) == "to" and (place := destination(said)):
        yield statement(said, who, "travels_to", place, text=f"{who} travels to {place} {when.written}.")
        return
    words = [token for token in said.rest if not any(start <= token.start < end for start, end in said.times)]
    what = in_third_person(said, words)
    if len(words) > 2 and words[1].text == "," and words[2].tag == "VBG":  # noqa: PLR2004 - off, walking
        yield statement(said, who, "plans", f"be {what}", text=f"{who} is {what} {when.written}.", confidence=FAIR)


def _is_done_to_speaker(said: Said) -> bool:
    """`nan's giving me her car`: more the speaker's news than another's plan."""
    return said.subject.about in {About.RELATED, About.NAMED} and bool(
        {"me", "us"} & {token.norm for token in said.rest}
    )


def _is_ahead(said: Said) -> bool:
    """Whether the tense looks forward: `will`, `going to`, or `I'm flying on Friday`."""
    if said.verb == "turn" or (
        said.verb
        in {"live", "like", "love", "hate", "be", "know", "see", "think", "work", "hope", "train", "aim", "try", "save"}
        and not said.future
    ):
        return False
    return said.future or said.going_on or said.verb in {"start", "leave", "begin", "fly", "finish", "return", "move"}


def _appointments(said: Said, who: str, told: list[When]) -> Iterator[Statement]:
    phrase = phrase_at(said.tokens, said.at, said.text, said.times)
    theirs = {"his", "her", "their"} if said.subject.about in {About.RELATED, About.NAMED} else set()
    if phrase is None or phrase.owner not in {"", "my", "our"} | theirs or not told:
        return
    if there := list(crossing(said, who, phrase, told[0])):
        yield from there
    elif phrase.head.norm in EVENTS:
        yield from dated(said, f"{who}'s {_with_whom(said, phrase.next, phrase.text)}", told[0])


def _with_whom(said: Said, at: int, words: str) -> str:
    """`meeting with Dr Rao`, `appointment at the dentist`, `flight to Oslo`."""
    if at < len(said.tokens) and said.tokens[at].norm in {"with", "to", "at", "for"}:
        more = phrase_at(said.tokens, at + 1, said.text, said.times)
        if more and said.tokens[at].norm != "at":
            return f"{words} {said.tokens[at].norm} {more.shown}"
        if more and more.head.norm not in {"noon", "midnight", "am", "pm"} and more.head.pos != "NUM":
            return f"{words} at {'the ' if more.article == 'the' else ''}{more.text}"
    return words


def _planned(said: Said, who: str) -> Iterator[Statement]:
    """`planning to learn Welsh`, `planning a trip to Japan in May`."""
    at = said.at
    if at < len(said.tokens) and said.tokens[at].norm in {"to", "on"} and at + 1 < len(said.tokens):
        what = _bare(said, at + 1)
        if what and said.tokens[at + 1].norm in LEMMAS:
            yield _plan(said, who, what)
    elif (phrase := phrase_at(said.tokens, at, said.text, said.times)) and phrase.article in {"a", "an", "our"}:
        yield _plan(said, who, _with_whom(said, phrase.next, phrase.text))


def _going(said: Said, who: str, told: list[When]) -> Iterator[Statement]:
    if said.verb in GOING | {"visit"} and (places := destinations(said)):
        for place, start in places:
            when = next((when for when in told if when.start > start and len(places) > 1), told[0])
            text = f"{who} travels to {place} {when.written}{_hour_of(said)}."
            of = said if len(places) == 1 else replace(said, whens=[when], borrowed=())
            yield statement(of, who, "travels_to", place, text=text)
        return
    if said.verb == "be" or (said.verb in {"start", "begin", "join"} and said.after in {"at", "as"}):
        return
    what = f"{said.verb} {_bare(said, said.at)}".strip()
    if said.rest and what == said.verb and said.verb not in {"marry", "graduate", "retire", "move"}:
        return
    if len(what.split()) > 1 or said.verb in {"marry", "graduate", "retire", "move"}:
        yield _plan(said, who, what)


def _bare(said: Said, at: int) -> str:
    """The words from a token on, without times, in the third person, no longer than a plan is."""
    taken = []
    for token in said.tokens[at:]:
        if any(start <= token.start < end for start, end in said.times):
            continue
        if token.text == "," or token.norm in {"because", "but", "so", "which", "if", "unless"}:
            break
        taken.append(token)
    if {token.norm for token in taken} & _POINTING:
        return ""
    while taken and (taken[-1].pos in {"ADP", "PUNCT", "CCONJ"} or taken[-1].norm in {"now", "too"}):
        taken.pop()
    return in_third_person(said, taken)[:_LONGEST]


def _plan(said: Said, who: str, what: str) -> Statement:
    when = next((f" {when.written}" for when in said.own_whens), "")
    to = "" if said.verb == "plan" and what.split(maxsplit=1)[0] not in LEMMAS else "to "
    shown = f"to {what}" if to else a_or_an(what)
    return statement(said, who, "plans", what, text=f"{who} plans {shown}{when}.", confidence=SURE if when else FAIR)
