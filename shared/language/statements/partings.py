"""Statements that something is theirs no longer: an animal, a thing, a tool, a second job. Pure.

By the form of a whole sentence: `We had to put Bello down`, `I gave up the piano`, `dropped Redis for Valkey`. Each
says of one claim that it is over; where nobody has made that claim, it says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from shared.contract.candidates import Change
from shared.language.statements.clauses import Clause
from shared.language.statements.couples import ended_on
from shared.language.statements.medicines import is_named_medicine
from shared.language.statements.moods import Mood
from shared.language.statements.revisions import sentence_of
from shared.language.statements.stated import FAIR, Statement
from shared.language.statements.talk import Message
from shared.language.statements.words import INSTRUMENTS_AND_GAMES, LANGUAGES, MANY, PETS, SAME_PET, THINGS

_NAME: Final = r"(?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+)?"
_KINDS: Final = "|".join(sorted(PETS - MANY.keys(), key=len, reverse=True))
_ANIMAL: Final = (
    rf"(?:(?:my|our|the) (?:[a-z]+ ){{0,2}}?(?P<kind>{_KINDS})(?:,? (?P<called>{_NAME}))?|(?P<name>{_NAME}))"
)
_THING: Final = rf"(?:my|our) (?:[a-z]+ ){{0,2}}?(?P<thing>{'|'.join(sorted(THINGS, key=len, reverse=True))})"
_WE: Final = r"(?:i|we)(?:'ve| have)?(?: just| finally| sadly| recently| already)?"
_LEAD: Final = (
    r"(?:(?:sadly|unfortunately|yesterday|today|last \w+|and|so|well|update|news|ok|btw|oh)[,:]? |"
    r"(?:on|in|this|two|three|a few|a) [\w ]{2,20}, )*"
)
_BEHIND: Final = (
    r"(?:,? (?:yesterday|today|tonight|last|this|on|in|at|because|after|as|when|recently|now|sadly|for good|back|since"
    r"|instead|too|and|by|(?:a|two|three|four|five|a few|a couple of|\d+) (?:days?|weeks?|months?|years?) ago)\b.*)?"
)
_SOMEBODY: Final = rf"(?:my|our|a|the|{_NAME})"
_DOWN: Final = r"(?:put (?:down(?! as an?\b)|to sleep)|euthani[sz]ed)"
_PET_GONE: Final = tuple(
    re.compile(rf"{_LEAD}{form}{_BEHIND}", re.IGNORECASE)
    for form in (
        rf"{_WE} (?:had to |have to )?put {_ANIMAL} (?:down|to sleep)",
        rf"{_WE} (?:had to have |have had |had ){_ANIMAL} {_DOWN}",
        rf"{_ANIMAL} (?:was|were|has been|had to be|got) (?:{_DOWN}|run over|killed)",
        rf"{_WE} (?:(?:had to )?give|gave|given) away {_ANIMAL}",
        rf"{_WE} (?:(?:had to )?give|gave|given) {_ANIMAL} (?:away|up(?: for adoption)?|to {_SOMEBODY}\b.*)",
        rf"{_WE} (?:rehomed|sold|gave up) {_ANIMAL}",
    )
)
_ONE_OF_SEVERAL: Final = re.compile(
    rf"{_LEAD}one of (?:my|our) (?P<several>{'|'.join(sorted((each for each in MANY if MANY[each] in PETS), key=len))})"
    rf" (?:has |had |sadly |just )*(?:died|passed away|was run over|had to be {_DOWN}|was {_DOWN}){_BEHIND}",
    re.IGNORECASE,
)
_THING_GONE: Final = tuple(
    re.compile(rf"{_LEAD}{_WE} (?:gave|given) {form}{_BEHIND}", re.IGNORECASE)
    for form in (rf"away {_THING}", rf"{_THING} (?:away|to {_SOMEBODY}\b.*)")
)
_TOOL: Final = r"(?-i:[A-Z])[\w.+#'-]*(?: (?-i:[A-Z\d])[\w.+#'-]*)?|[a-z]{6,20}"
_EXCHANGED: Final = re.compile(
    rf"{_LEAD}{_WE} (?P<verb>dropped|ditched|abandoned|scrapped|replaced|swapped(?: out)?) (?P<old>{_TOOL})"
    rf" (?:for|with|by|in favou?r of) (?P<new>{_TOOL}){_BEHIND}",
    re.IGNORECASE,
)
_SECOND_JOB: Final = re.compile(
    rf"{_LEAD}{_WE} (?:quit|left|gave up|lost|resigned from|stopped) my (?:second|other|side) (?:job|gig|hustle)"
    rf"(?: (?:at|with) (?P<at>{_NAME}))?{_BEHIND}",
    re.IGNORECASE,
)
_DROPPED: Final = re.compile(
    rf"{_LEAD}{_WE} (?:quit|gave up|stopped|dropped)(?: doing| playing| going to| learning)? (?:the |my )?"
    rf"(?P<what>[a-z][\w-]+(?: [a-z][\w-]+)?|(?-i:[A-Z])[a-z]+){_BEHIND}",
    re.IGNORECASE,
)


def partings(clauses: Sequence[Clause], message: Message) -> Iterator[Statement]:
    """What a sentence says is gone or over; its time is that of the sentence, where it has one that lies behind."""
    if any(clause.mood is not Mood.SAID for clause in clauses):
        return
    words = sentence_of(clauses, message.text)
    start, end = clauses[0].start, clauses[-1].end
    when = next((when for when in message.behind if start <= when.start < end), None)
    for found in _gone(words, message):
        dated = found.change is Change.ENDED and when is not None
        yield replace(found, start=start, end=end, until=ended_on(when, message.said_on) if dated and when else None)


def _gone(words: str, message: Message) -> Iterator[Statement]:
    for forms, read in _FORMS:
        for form in forms:
            if found := form.fullmatch(words):
                yield from read(found, message)
                return


def _over(who: str, predicate: str, what: str, text: str, change: Change = Change.ENDED) -> Statement:
    return Statement(
        subject=who, predicate=predicate, object=what, text=text, start=0, end=0, change=change, confidence=FAIR
    )


def _pet(found: re.Match[str], message: Message) -> Iterator[Statement]:
    who, kind = message.speaker, (found["kind"] or "").lower()
    name = found["called"] or found["name"]
    called = f" called {name}" if name and kind else ""
    text = f"{who} no longer has {f'a {kind}{called}' if kind else name}."
    yield _over(who, "pet", name or SAME_PET.get(kind, kind), text)


def _one_of_several(found: re.Match[str], message: Message) -> Iterator[Statement]:
    """How many are left is not said: that there are as many as before is over."""
    who, several = message.speaker, found["several"].lower()
    yield _over(who, "pet", several, f"One of {who}'s {several} has died.")


def _thing(found: re.Match[str], message: Message) -> Iterator[Statement]:
    who, thing = message.speaker, found["thing"].lower()
    yield _over(who, "owns", thing, f"{who} gave away their {thing}.")


def _exchanged(found: re.Match[str], message: Message) -> Iterator[Statement]:
    """What was used is used no more; what has its place is told of a medicine, and of what was put in its place."""
    who, old, new = message.speaker, found["old"], found["new"]
    if is_named_medicine(old) or is_named_medicine(new):
        yield _over(who, "takes", old, f"{who} no longer takes {old}.")
        yield _over(who, "takes", new, f"{who} takes {new}.", Change.HOLDS)
        return
    if not (old[0].isupper() and new[0].isupper()):
        return
    text = f"{who} exchanged {old} for {new}."
    yield _over(who, "uses", old, text)
    for before in (f"use {old}", f"go with {old}"):
        yield _over(who, "decided", before, text)
    if found.group().lower().split()[0].startswith("we") or found["verb"].lower().startswith(("replaced", "swapped")):
        yield _over(who, "uses", new, f"{who} uses {new}.", Change.HOLDS)


def _second_job(found: re.Match[str], message: Message) -> Iterator[Statement]:
    who, at = message.speaker, found["at"]
    stated = [*message.talk.stated.get(who, []), *message.found]
    held = [each.object for each in stated if each.predicate == "second_job" and each.subject == who]
    for employer in [at] if at else held:
        yield _over(who, "second_job", employer, f"{who} no longer has a second job at {employer}.")


def _given_up(found: re.Match[str], message: Message) -> Iterator[Statement]:
    who, what = message.speaker, found["what"]
    if what.lower() in LANGUAGES | INSTRUMENTS_AND_GAMES:
        yield _over(who, "learns" if what.lower() in LANGUAGES else "plays", what, f"{who} gave up {what}.")


_Read = Callable[[re.Match[str], Message], Iterator[Statement]]
_FORMS: Final[tuple[tuple[tuple[re.Pattern[str], ...], _Read], ...]] = (
    (_PET_GONE, _pet),
    ((_ONE_OF_SEVERAL,), _one_of_several),
    (_THING_GONE, _thing),
    ((_EXCHANGED,), _exchanged),
    ((_SECOND_JOB,), _second_job),
    ((_DROPPED,), _given_up),
)
"""What a whole sentence may be, and how it is read; the first that it is decides."""
