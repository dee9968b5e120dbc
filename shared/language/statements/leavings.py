"""Statements that what somebody told at another time is over: `I've left Turku for good`, `I got laid off`. Pure.

By the form of a whole sentence, as in `partings`, each with the claims that it ends. Which of them was ever made is not
asked: one that nobody has made is ended by nobody, and leaves nothing behind. `employer` and `school` stand for the one
there is, whatever it is called (`shared.belief.exactness`), and `home` for that of somebody who is known to no sentence
of the run: where to is not claimed, as a firm moves elsewhere, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from shared.contract.candidates import Change
from shared.language.statements.clauses import Clause
from shared.language.statements.couples import ended_on
from shared.language.statements.days import MONTH
from shared.language.statements.families import is_known
from shared.language.statements.moods import Mood
from shared.language.statements.revisions import sentence_of
from shared.language.statements.stated import FAIR, Statement
from shared.language.statements.talk import Message
from shared.language.statements.words import DIETS, FOODS_DRUNK

_NAMED: Final = (
    r"(?!(?:i|we|they|he|she|it|you|this|that|who|everyone)\b)(?-i:[A-Z])[\w&'-]+(?: (?!i\b)(?-i:[A-Z\d])[\w&'-]*)?"
)
_NAME: Final = rf"(?P<name>{_NAMED})"
_NEW: Final = rf"(?P<new>{_NAMED})"
_LEAD: Final = r"(?:(?:sadly|unfortunately|so|well|and|ok|btw|oh|update|news|turns out|it turns out)[,:]? (?:that )?)*"
_I: Final = r"(?:i|we)(?:'ve| have|'m| am)?(?: just| finally| sadly| recently| now)*"
_MONTHS: Final = (
    rf"(?:(?:early|mid|late)[ -])?(?:{MONTH}|spring|summer|autumn|winter|\w+day|week|month|year)(?: \d{{4}})?"
)
_WHEN: Final = (
    rf"(?:,? (?:now|today|yesterday|recently|last (?:night|{_MONTHS})|this (?:week|month|year|morning)"
    rf"|(?:back )?in (?:{_MONTHS}|\d{{4}})|(?:an?|one|two|three|a few|\d+) (?:days?|weeks?|months?|years?) ago))?"
)
_UNTIL: Final = rf"(?: until {_MONTHS})?"
_WHO_WORKED: Final = r"laid off|fired|let go|sacked|made redundant"
_ROLE: Final = r"(?:my )?(?:boss|manager|supervisor)"
_BODY: Final = r"(?:doctor|gp|dentist|therapist)"
_EMPLOYER: Final = r"(?:my|our|the) (?:company|employer|boss|manager|firm|work|job)"
_LET_GO: Final = r"let me go|laid me off|fired me|sacked me|made me redundant"
_ENDED: Final = (
    r"(?:(?:has |just )*(?:ended|expired|run out|ran out)|is over|(?:was|were)(?:n't| not) (?:renewed|extended))"
)
_DIETS: Final = "|".join(sorted(map(re.escape, DIETS), key=len, reverse=True))
_DRINKS: Final = "|".join(sorted(map(re.escape, FOODS_DRUNK), key=len, reverse=True))
_OTHERS: Final = (
    r"(?:aunt|uncle|mother|mum|mom|father|dad|parents|grand\w+|brother|sister|cousins?|in-laws|ex(?:-\w+)?|friends?"
    r"|neighbou?rs?|colleague|daughter|son)"
)
_TOOK: Final = r"(?:got|was|has been|were)(?: sadly)? (?:stolen|totall?ed|written off|scrapped)"


@dataclass(frozen=True, slots=True)
class _Form:
    """A whole sentence, and what it ends: `predicate object`, with the groups of the sentence in braces."""

    pattern: str
    ends: tuple[str, ...]
    text: str
    """What is told, of `who` and the groups."""
    change: Change = Change.ENDED
    whose: str = "{who}"
    """Of whom the claims are."""


_FORMS: Final = tuple(
    (re.compile(f"{_LEAD}{form.pattern}", re.IGNORECASE), form)
    for form in (
        _Form(
            rf"{_I} (?:left|moved away from) {_NAME},? for good{_WHEN}",
            ("works_at {name}", "lives_in {name}", "studies_at {name}"),
            "{who} left {name} for good.",
        ),
        _Form(rf"{_I} (?:left|quit) {_NAME}{_WHEN}", ("works_at {name}",), "{who} left {name}."),
        _Form(
            rf"{_I} (?:got |been |was |gotten )?(?P<how>{_WHO_WORKED}){_WHEN}",
            ("works_at employer",),
            "{who} was {how}.",
        ),
        _Form(
            rf"(?:they|{_EMPLOYER}) (?:has |have |'ve |just )*(?P<how>{_LET_GO}){_WHEN}",
            ("works_at employer",),
            "{who}'s employer let {who} go.",
        ),
        _Form(
            rf"my (?:contract|job|position) (?:at|with) {_NAME} {_ENDED}{_WHEN}",
            ("works_at {name}",),
            "{who} no longer works at {name}.",
        ),
        _Form(
            rf"my (?:work|job|employment) contract {_ENDED}{_WHEN}",
            ("works_at employer",),
            "{who}'s contract of work ended.",
        ),
        _Form(
            rf"{_I} (?:handed in|given in|gave in|put in|gave|given)(?: (?:my|our))?(?: [\w' ]{{3,12}})? notice"
            rf"(?: (?:at|to) (?:{_NAME}|work))?{_WHEN}",
            ("works_at {name|employer}",),
            "{who} gave notice.",
        ),
        _Form(
            rf"{_I} (?:changed|switched) (?:jobs|employers)(?:,| -| and)?(?: (?:i|we)(?:'m| am| are)? |'m )"
            rf"(?:now )?(?:working )?(?:work )?(?:at|for|with) {_NEW}{_WHEN}",
            ("works_at {new}",),
            "{who} changed jobs and works at {new}.",
            Change.HOLDS,
        ),
        _Form(rf"{_I} (?:changed|switched) (?:jobs|employers){_WHEN}", ("works_at employer",), "{who} changed jobs."),
        _Form(rf"{_I} (?:quit|resigned){_WHEN}", ("works_at employer",), "{who} quit."),
        _Form(
            rf"{_I} (?:stepped down|stood down|resigned) (?:as|from (?:being|my (?:role|post|job) as)) (?:an? |the )?"
            rf"(?P<role>[\w-]+(?: [\w-]+){{0,2}}?)(?: (?:at|of) {_NAME})?{_WHEN}",
            ("job {role}",),
            "{who} is no longer {role}.",
        ),
        _Form(
            rf"{_I} (?:outgrew|outgrown|grew out of|grown out of) (?:my|the) (?P<what>[a-z]+)"
            rf" (?:allergy|intolerance){_WHEN}",
            ("allergic_to {what}", "allergic_to {what}s", "intolerant_to {what}"),
            "{who} outgrew the {what} allergy.",
        ),
        _Form(
            rf"{_I} (?:quit|gave up|given up|dropped|stopped(?: doing)?) (?:the |my )?(?P<diet>{_DIETS})"
            rf"(?: diet)?{_WHEN}",
            ("diet {diet}",),
            "{who} quit {diet}.",
        ),
        _Form(
            rf"{_I} (?:quit|gave up|given up|stopped|cut out)(?: drinking)? (?P<drink>{_DRINKS}){_WHEN}",
            ("drinks {drink}",),
            "{who} gave up {drink}.",
        ),
        _Form(
            rf"{_NAME} (?:has |have |just )*(?P<how>{_LET_GO}){_WHEN}",
            ("works_at {name}",),
            "{name} no longer employs {who}: {name} let {who} go.",
        ),
        _Form(
            rf"{_NAME} (?:was my employer{_UNTIL}|(?:is not|isn't|is no longer) my employer(?: any ?more)?)",
            ("works_at {name}",),
            "{name} is no longer {who}'s employer.",
        ),
        _Form(rf"{_I} (?:lost|quit|gave up) my job{_WHEN}", ("works_at employer",), "{who} no longer has that job."),
        _Form(
            rf"{_NAME} (?:did not|didn't|has not|hasn't) (?:renew|renewed|extend|extended) my contract{_WHEN}",
            ("works_at {name}",),
            "{name} did not renew {who}'s contract.",
        ),
        _Form(rf"{_I} retired from {_NAME}{_WHEN}", ("works_at {name}",), "{who} retired from {name}."),
        _Form(rf"{_I} retired{_WHEN}", ("works_at employer",), "{who} retired."),
        _Form(rf"{_I} (?:gone|went|going) freelance{_WHEN}", ("works_at employer",), "{who} went freelance."),
        _Form(
            rf"{_NAME} (?:has |have |just |recently )*(?:moved|relocated) (?:over |back )?to {_NEW}{_WHEN}",
            ("lives_in home",),
            "{name} moved to {new}.",
            whose="{name}",
        ),
        _Form(
            rf"{_I} graduated(?: from {_NAME})?{_WHEN}",
            ("studies_at {name|school}", "job student"),
            "{who} graduated.",
        ),
        _Form(
            rf"{_NAME} (?:has |just )*retired{_WHEN}(?:,? and .+)?",
            ("manager {name}", "doctor {name}", "dentist {name}", "therapist {name}"),
            "{name} retired.",
        ),
        _Form(
            rf"{_NAME} (?:isn't|is not|is no longer) {_ROLE}(?: any ?more)?(?:,? .+)?",
            ("manager {name}",),
            "{name} is no longer {who}'s boss.",
        ),
        _Form(
            rf"{_NAME} (?:isn't|is not|is no longer) my (?P<body>{_BODY})(?: any ?more)?(?:,? .+)?",
            ("doctor {name}", "dentist {name}", "therapist {name}"),
            "{name} is no longer {who}'s {body}.",
        ),
        _Form(rf"{_NAME} and i are just friends(?: now)?", ("partner {name}",), "{name} is just a friend of {who}'s."),
        _Form(
            rf"{_NAME} and i (?:no longer talk|don't talk any ?more|(?:have )?fallen out|fell out"
            rf"|(?:are|'re) (?:no longer|not) friends(?: any ?more)?){_WHEN}",
            ("friend {name}",),
            "{who} and {name} are friends no longer.",
        ),
        _Form(
            rf"{_I} (?:got|gotten|are|'re) back together(?: again)?{_WHEN}",
            ("marital_status separated",),
            "{who} is back together with their partner.",
        ),
        _Form(
            rf"(?:i met someone[:,.;] )?{_NAME} is my (?:new )?(?:girl|boy)friend(?: now)?",
            ("marital_status single",),
            "{name} is {who}'s partner, who is single no more.",
        ),
        _Form(
            rf"{_NAME} (?:now lives|lives now|has gone to live) with (?:(?:my|our) (?:[a-z]+ )?{_OTHERS}|{_NAMED})",
            ("pet {name}",),
            "{name} no longer lives with {who}.",
        ),
        _Form(
            rf"{_I} found (?:{_NAME} a new home|a new home for (?P<other>{_NAMED})){_WHEN}",
            ("pet {name}{other}",),
            "{who} found a new home for {name}{other}.",
        ),
        _Form(
            rf"{_NAME} (?:is no longer with us|crossed the rainbow bridge{_WHEN})",
            ("pet {name}",),
            "{name} is no longer with {who}.",
        ),
        _Form(rf"(?:the|my|our) {_NAME} {_TOOK}{_WHEN}", ("owns {name}",), "{who}'s {name} is gone."),
        _Form(
            rf"{_I} traded (?:in )?(?:my|our|the) {_NAME} (?:in )?for an? {_NEW}{_WHEN}",
            ("owns {name}",),
            "{who} traded their {name} for another one.",
        ),
        _Form(
            rf"{_I} replaced (?:my|our|the) {_NAME} (?:with|by) an? {_NEW}{_WHEN}",
            ("owns {name}", "uses {name}"),
            "{who} replaced their {name}.",
        ),
        _Form(
            rf"{_I} (?:(?:dropped|ditched|abandoned|moved on from) {_NAME}(?: (?:for|to) {_NEW})?"
            rf"|(?:stopped|quit) using (?P<other>{_NAMED})){_WHEN}",
            ("uses {name}{other}",),
            "{who} no longer uses {name}{other}.",
        ),
        _Form(
            rf"{_I} drink(?:ing)?(?: (?:alcohol|wine|beer))? again(?: now)?",
            ("avoids alcohol",),
            "{who} drinks alcohol again.",
        ),
        _Form(
            r"(?:the|our|my) baby (?:was born|is here|has arrived|arrived)\b.*",
            ("has_condition pregnant",),
            "{who}'s baby was born.",
        ),
        _Form(
            r"(?:the|my) (?P<what>[a-z]+) allergy (?:was|turned out to be) (?:a misdiagnosis|wrong|a mistake)",
            ("allergic_to {what}",),
            "{who}'s {what} allergy was a misdiagnosis.",
            Change.NEVER,
        ),
    )
)  # fmt: skip
_FORMER_DIET: Final = re.compile(
    r"(?:as an? (?:former|ex)[ -](?P<diet>vegan|vegetarian),? i\b.*|i(?:'m| am) an? (?:former|ex)[ -](?P<other>vegan"
    r"|vegetarian)\b.*)",
    re.IGNORECASE,
)
_GROUP: Final = re.compile(r"\{(?P<name>\w+)(?:\|(?P<otherwise>\w+))?\}")


def leavings(clauses: Sequence[Clause], message: Message) -> Iterator[Statement]:
    """What a sentence says is over; its time is that of the sentence, where it has one that lies behind."""
    if any(clause.mood not in {Mood.SAID, Mood.ASIDE} for clause in clauses):
        return
    words = sentence_of(clauses, message.text)
    start, end = clauses[0].start, clauses[-1].end
    when = next((when for when in message.behind if start <= when.start < end), None)
    until = ended_on(when, message.said_on) if when else None
    for found in _told(words, message.speaker):
        if found.subject != message.speaker and is_known(found.subject, message):
            continue
        yield replace(found, start=start, end=end, until=until if found.change is Change.ENDED else None)


def _told(words: str, who: str) -> Iterator[Statement]:
    if former := _FORMER_DIET.fullmatch(words):
        diet = (former["diet"] or former["other"]).lower()
        yield _over(who, "diet", diet, f"{who} is a former {diet}.", Change.ENDED)
    for pattern, form in _FORMS:
        found = pattern.fullmatch(words)
        if found:
            given = {name: each or "" for name, each in found.groupdict().items()}
            for end in form.ends:
                predicate, _, what = _filled(end, given, who).partition(" ")
                whose = _filled(form.whose, given, who)
                yield _over(whose, predicate, what, _filled(form.text, given, who), form.change)
            return


def _filled(template: str, given: dict[str, str], who: str) -> str:
    values = {**given, "who": who}
    return _GROUP.sub(lambda group: values.get(group["name"], "") or group["otherwise"] or "", template)


def _over(who: str, predicate: str, what: str, text: str, change: Change) -> Statement:
    return Statement(
        subject=who, predicate=predicate, object=what, text=text, start=0, end=0, change=change, confidence=FAIR
    )
