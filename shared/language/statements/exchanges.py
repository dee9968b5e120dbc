"""Statements of what somebody switched to, and switched back to: a tool, a drink, a medicine, an employer. Pure.

What is switched says of what kind it is: `switched seats from 12A to 14C` and `switched my dog's food` are of nothing
that somebody uses. Where nothing says so, it must be written like a tool, or be a drink or a medicine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from shared.contract.candidates import Change
from shared.language.ordinary import MONTHS, WEEKDAYS
from shared.language.statements.clauses import Clause
from shared.language.statements.medicines import is_named_medicine
from shared.language.statements.moods import Mood
from shared.language.statements.phrases import Phrase, phrase_at
from shared.language.statements.revisions import sentence_of
from shared.language.statements.saying import Said
from shared.language.statements.stated import FAIR, Statement
from shared.language.statements.subjects import About
from shared.language.statements.talk import Message
from shared.language.statements.tastes import TOO_VAGUE
from shared.language.statements.tools import TOOLS
from shared.language.statements.wording import sentence, statement
from shared.language.statements.words import FOODS_DRUNK, LANGUAGES, word_set

_SWITCHED: Final = {
    "uses": """
        phone phones mobile laptop computer pc editor browser database db os provider providers app apps software system
        systems tool tools framework carrier distro desktop stack client engine ide shell library email hosting service
        keyboard calendar
    """,
    "works_at": "job jobs employer employers company companies",
    "bank": "bank banks",
    "takes": "medication medications meds medicine medicines pill pills antidepressant antidepressants drug drugs",
    "doctor": "doctor doctors gp gps",
    "dentist": "dentist dentists",
    "therapist": "therapist therapists",
}
_PREDICATE_OF: Final = {word: predicate for predicate, words in _SWITCHED.items() for word in words.split()}
"""By what is switched, what is claimed of the two that it is switched from and to."""
_CHANGED: Final = re.compile(
    r"(?:(?:so|and|well|ok|update)[,:]? )*(?:i|we)(?:'ve| have)?(?: just| recently| finally)?"
    r" (?:changed|switched|swapped) (?:my |our )?(?P<kind>doctor|gp|dentist|therapist)s?"
    r"(?:,? (?:and |so )?(?:now |my new one is |the new one is |it's |it is |i'm with |i am with |i see |to ){1,2}"
    r"(?:now )?(?P<new>(?:(?:dr|prof|mr|mrs|ms)\.? )?(?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+)?)(?: now)?)?",
    re.IGNORECASE,
)
_LEADS: Final = word_set("from to over back across completely entirely fully recently again now already finally")
_FOR_A_WHILE: Final = re.compile(
    r"\b(?:for (?:lent|ramadan|now|today|tonight|(?:the|a|an|one|two|three|a few|this|that|my|our) (?:[\w-]+ )?(?:days?"
    r"|weeks?|weekends?|months?|summer|winter|moment|time|bit|while|project|trip|course|test|season|game|match|call|meeting"
    r"|exam|flight|night|evening|morning))|temporarily|this (?:week|weekend|month)|today|tonight|while|during)\b",
    re.IGNORECASE,
)
_TO_THE_STOP: Final = re.compile(r"[^.!?\n]*")
_PHONES: Final = {"android": ("iPhone", "iOS"), "iphone": ("Android",), "ios": ("Android",)}
"""Of these one is used at a time: who is back at one has left the other."""
_EXCHANGED: Final = frozenset({"uses", "drinks", "takes", "eats"})
_SWITCHES: Final = re.compile(r"\b(?:switch|swap|chang|migrat)", re.IGNORECASE)


def switched(said: Said, who: str) -> Iterator[Statement]:
    """`I switched from vim to helix`, `switched our database to Postgres`; what is back in use ends its contrary."""
    kind = _kind_of(said)
    written = _TO_THE_STOP.match(said.text, said.clause.start)
    if kind is None or said.after in {"me", "us"} or (written and _FOR_A_WHILE.search(written.group())):
        return
    named = list(_named(said, kind))
    last = next((phrase.text for lead, phrase, _ in reversed(named) if lead == "to"), "")
    for lead, phrase, predicate in named:
        over = lead == "from" or phrase.text != last
        if not (over and phrase.text == last):
            change = Change.ENDED if over else Change.HOLDS
            yield statement(said, who, predicate, phrase.text, change=change)


def _named(said: Said, kind: str) -> Iterator[tuple[str, Phrase, str]]:
    """Each thing behind `from` or `to`, in order, with its predicate."""
    of_medicine = any(is_named_medicine(token.norm) for token in said.tokens[said.at :])
    for at in range(said.at, len(said.tokens)):
        lead = said.word(at)
        phrase = phrase_at(said.tokens, at + 1, said.text, said.times) if lead in {"from", "to"} else None
        if phrase is None or phrase.owner:
            continue
        predicate = kind or _predicate_of(phrase, of_medicine=of_medicine)
        if predicate and _fits(phrase, predicate):
            yield lead, phrase, predicate


def changed(clauses: Sequence[Clause], message: Message) -> Iterator[Statement]:
    """`I changed doctors`, `we switched dentists, now it's Dr Lund`: whoever it was before is it no longer.

    When that was is not asked: what was long ago would end who has come since.
    """
    if any(clause.mood is not Mood.SAID for clause in clauses):
        return
    found = _CHANGED.fullmatch(sentence_of(clauses, message.text))
    if found is None:
        return
    who, kind = message.speaker, {"gp": "doctor"}.get(found["kind"].lower(), found["kind"].lower())
    new, change = (found["new"], Change.HOLDS) if found["new"] else (kind, Change.ENDED)
    text = f"{new} is {who}'s {kind}." if found["new"] else f"{who} changed {kind}s."
    yield Statement(
        subject=who, predicate=kind, object=new, text=text, change=change, confidence=FAIR,
        start=clauses[0].start, end=clauses[-1].end,
    )  # fmt: skip


def _kind_of(said: Said) -> str | None:
    """The predicate of what is switched; empty where nothing is named, None where it is of nothing that is claimed."""
    lead = said.rest[0] if said.rest else None
    if lead is None:
        return None
    if lead.norm in _LEADS | {"everything", "all"} or lead.norm.endswith("ly"):
        return ""
    thing = phrase_at(said.tokens, said.at, said.text, said.times)
    if thing is None or thing.owner not in {"", "my", "our"} or thing.article not in {"", "the"}:
        return None
    if any(token.norm in {"'s", "'", "of"} for token in thing.tokens):
        return None
    return _PREDICATE_OF.get(thing.head.norm)


def _predicate_of(phrase: Phrase, *, of_medicine: bool) -> str:
    """Of what is only named, by how it is written; empty where it may be anything: `from law to medicine`."""
    if phrase.head.norm in FOODS_DRUNK:
        return "drinks"
    if of_medicine:
        return "takes"
    known = phrase.words in TOOLS or phrase.head.norm in TOOLS
    return "uses" if known or phrase.is_name else ""


def _fits(phrase: Phrase, predicate: str) -> bool:
    if phrase.head.norm in TOO_VAGUE | WEEKDAYS | MONTHS or phrase.text[0].isdigit():
        return False
    if predicate in {"works_at", "bank", "doctor", "dentist", "therapist"}:
        return phrase.is_name
    return predicate != "uses" or phrase.words not in LANGUAGES


def back_again(said: Said, found: Sequence[Statement], message: Message) -> list[Statement]:
    """What a clause states, with the end of what is left by going back: `tried Tidal, but I'm back on Spotify`."""
    to = _went_back_to(said)
    if not to:
        return list(found)
    earlier = [*message.talk.stated.get(message.speaker, []), *message.found]
    left = next((each for each in reversed(earlier) if _was_put_in_place(each, to, earlier, message)), None)
    if left is None:
        return [*found, *_back_at_a_phone(said, to, found, message.speaker)]
    who = message.speaker
    told = sentence(left.predicate, who, to, Change.HOLDS)
    again = [replace(left, object=to, text=told, since=None, confidence=FAIR)]
    kept = [each for each in found if each.object.casefold() != left.object.casefold()]
    if any(each.object.casefold() == to.casefold() for each in kept):
        again = []
    _take_back(left, to, message)
    told = f"{who} went back to {to}."
    ended = replace(left, change=Change.ENDED, text=told, since=None, until=None, confidence=FAIR)
    start, end = said.clause.start, said.clause.end
    return [*kept, *(replace(each, start=start, end=end) for each in (*again, ended))]


def _back_at_a_phone(said: Said, to: str, found: Sequence[Statement], who: str) -> Iterator[Statement]:
    others = _PHONES.get(to.lower(), ())
    if others and not any(each.object == to for each in found):
        yield statement(said, who, "uses", to, change=Change.HOLDS, confidence=FAIR)
    for other in others:
        again = f"{who} went back to {to}."
        yield statement(said, who, "uses", other, change=Change.ENDED, text=again, confidence=FAIR)


def _went_back_to(said: Said) -> str:
    """What somebody went back to; empty where they did not."""
    done = (said.past or said.perfect or (said.verb == "be" and not said.negated)) and said.asserts and not said.over
    mine = said.subject.about in {About.SELF, About.US, About.NOBODY}
    at = said.at + (said.after == "back")
    if not done or not mine or not (at > said.at or said.verb == "return") or said.word(at) not in {"to", "on"}:
        return ""
    phrase = phrase_at(said.tokens, at + 1, said.text, said.times)
    return phrase.text if phrase is not None and not phrase.owner else ""


def _was_put_in_place(each: Statement, to: str, earlier: Sequence[Statement], message: Message) -> bool:
    """Whether it is what something was exchanged for, and that something is what is gone back to, or is not named."""
    if each.change is not Change.HOLDS or each.predicate not in _EXCHANGED or each.object.casefold() == to.casefold():
        return False
    beside = [
        other.object.casefold()
        for other in earlier
        if other.change is Change.ENDED
        and (other.predicate, other.start, other.end) == (each.predicate, each.start, each.end)
    ]
    if beside:
        return to.casefold() in beside
    return each in message.found and _SWITCHES.search(message.text[each.start : each.end]) is not None


def _take_back(left: Statement, to: str, message: Message) -> None:
    """Of one message only what it comes to is kept, and not what it went through."""
    passed = [
        each
        for each in message.found
        if each.predicate == left.predicate
        and (each == left or (each.change is Change.ENDED and each.object.casefold() == to.casefold()))
    ]
    message.found[:] = [each for each in message.found if each not in passed]
    message.talk.taken_back += passed
