"""Statements that two people are a couple no longer: parted, divorced, widowed. Pure.

By the form of a whole sentence, as in `partings`. What ends is that they are together, by the name of the other one or
by what they were (`my wife`), and that they are married or engaged; and nobody is taken for a partner by the way in a
sentence that says they have parted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Final

from shared.contract.candidates import Change
from shared.language.statements.clauses import Clause
from shared.language.statements.dates import Bound, When
from shared.language.statements.dying import is_figure_of_dying
from shared.language.statements.moods import Mood
from shared.language.statements.revisions import sentence_of
from shared.language.statements.saying import Said
from shared.language.statements.stated import FAIR, Statement
from shared.language.statements.talk import Message

_NAME: Final = r"(?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+)?"
_LEAD: Final = (
    r"(?:(?:sadly|unfortunately|yesterday|today|last \w+|and|so|well|update|news|ok|btw|oh)[,:]? |"
    r"(?:on|in|this|two|three|a few|a) [\w ]{2,20}, )*"
)
_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_DAY: Final = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_COUNT: Final = r"(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|a few|several|a couple of|\d+)"
_WHEN: Final = (
    r"(?:yesterday|today|recently|last (?:night|week|weekend|month|year|summer|winter|spring|autumn|fall|christmas"
    rf"|\w+day|{_MONTH})|this (?:week|month|year|morning|spring|summer|autumn|winter)"
    rf"|(?:back )?in (?:early |late |mid-?)?(?:{_MONTH}|\d{{4}}|the (?:spring|summer|autumn|fall|winter))(?: \d{{4}})?"
    rf"|on (?:{_DAY}|the \d|\d|{_MONTH} \d)[\w ]*"
    r"|(?:at|over|before|after|around) (?:christmas|easter|new year\S*|the (?:end|start|beginning) of [\w ]+)"
    rf"|{_COUNT} (?:days?|weeks?|months?|years?) (?:ago|back)|since [\w ]{{3,20}})"
)
_WHY: Final = r"(?:because|after|as|when|while|so|and|but|now|for good|amicably|sadly|too|over|by mutual)\b.*"
_BEHIND: Final = rf"(?:,? {_WHEN})?(?:,? {_WHY})?"
_LEFT_BEHIND: Final = (
    rf"(?:,? (?:for good|for (?:another|someone|somebody|some|a|an|her|his|my)\b [\w ']+))?(?:,? {_WHEN})?"
    r"(?:,? (?:because|after|and|so)\b.*)?"
)
"""Not `left me a note`, `left me at the station`."""
_KIND: Final = r"(?:wife|husband|spouse|partner|girlfriend|boyfriend|fianc[eé]e?|hubby|gf|bf)"
_MATE: Final = rf"(?:my (?:long-term |former |then )?(?P<mate>{_KIND})(?:,? (?P<called>{_NAME}),?)?|(?P<name>{_NAME}))"
_OWN_MATE: Final = rf"my (?P<mate>{_KIND})(?:,? (?P<called>{_NAME}),?)?"
_I: Final = r"i(?:'ve| have)?(?: just| finally| recently)?"
_HOW: Final = r"(?P<how>(?:got(?:ten)? |been )?(?:divorced|separated)|split(?: up)?|broke(?:n)? up|parted(?: ways)?)"
_APART: Final = (
    rf"(?:(?:have |'ve |are |'re )?(?:just |finally |recently |now |both )?(?:{_HOW}|decided to (?:split up|part ways"
    r"|separate|break up)|called it (?:quits|a day)|ended (?:it|things)|broke off (?:our|the) engagement)"
    r"|(?:are|'re) no longer (?:together|a couple)|(?:are not|aren't) (?:together|a couple)(?: any ?more| any longer)?)"
)
_ENDED_WITH: Final = r"(?:broke(?:n)? up|split(?: up)?|ended (?:it|things)|called it (?:quits|off)) with"
_LOST: Final = r"(?:has |had |'s )?(?:just |sadly |suddenly )*(?:died|passed(?: away| on)|is dead|was killed)"
_TO_AN_ILLNESS: Final = r"(?: (?:to|from|of) (?:an? )?[\w -]{3,25}?)?"
_PARTED: Final = tuple(
    re.compile(f"{_LEAD}{form}", re.IGNORECASE)
    for form in (
        rf"{_MATE} and i {_APART}{_BEHIND}",
        rf"{_I} (?:got(?:ten)? )?(?P<how>divorced|separated) from {_MATE}{_BEHIND}",
        rf"{_I} (?P<how>divorced|left|walked out on|dumped) {_OWN_MATE}{_LEFT_BEHIND}",
        rf"{_I} (?P<how>divorced|dumped|{_ENDED_WITH}|split from) {_MATE}{_BEHIND}",
        rf"{_MATE} (?:has |just |finally |recently )*(?P<how>left|walked out on|dumped|divorced) me{_LEFT_BEHIND}",
        rf"{_MATE} (?:has |just |finally |recently )*(?:{_ENDED_WITH}|split from) me{_BEHIND}",
        rf"(?P<name>{_NAME}) (?:is|'s) (?:now )?my ex(?:[ -](?P<ex>{_KIND}))?(?: now)?",
        rf"we(?:'ve| have)?(?: just| finally)? (?P<how>(?:got(?:ten)? )?divorced){_BEHIND}",
    )
)
_DIED: Final = tuple(
    re.compile(f"{_LEAD}{form}", re.IGNORECASE)
    for form in (
        rf"{_OWN_MATE} {_LOST}{_TO_AN_ILLNESS}{_BEHIND}",
        rf"{_I} lost {_OWN_MATE}{_TO_AN_ILLNESS}{_BEHIND}",
    )
)
_WIDOWED: Final = re.compile(rf"{_LEAD}i(?:'m| am) (?:now )?a (?P<how>widow|widower)(?: now)?{_BEHIND}", re.IGNORECASE)
_SPOUSE: Final = frozenset({"wife", "husband", "spouse", "hubby"})
_SHORT: Final = {"hubby": "husband", "gf": "girlfriend", "bf": "boyfriend"}
_NOT_LATELY: Final = timedelta(days=366)
"""Whoever parted longer ago may have somebody else by now: only whom they name is surely not theirs."""


def couples(clauses: Sequence[Clause], message: Message) -> Iterator[Statement]:
    """What a sentence says of a couple that is none any more, as of when it says."""
    moods = {clause.mood for clause in clauses}
    if clauses[0].mood is not Mood.SAID or moods - {Mood.SAID, Mood.ASIDE}:
        return
    words = sentence_of(clauses, message.text)
    start, end = clauses[0].start, clauses[-1].end
    when = next((when for when in message.behind if start <= when.start < end), None)
    on = ended_on(when, message.said_on) if when else None
    for found in _told(words, message.speaker):
        if found.object.islower() and _is_long_ago(on, message.said_on):
            continue
        yield replace(_as_of(found, on, when), start=start, end=end)


def _as_of(found: Statement, on: date | None, when: When | None) -> Statement:
    if found.change is Change.ENDED or when is None:
        return replace(found, until=on)
    return replace(found, since=on, text=f"{found.text.rstrip('.')} since {when.written.partition(' ')[2]}.")


def ended_on(when: When, said_on: date | None) -> date:
    """The day by which something was over that ended in a span of days: its last, or the day on which it was told.

    Of a month in which it was so at first, the first day would be too early.
    """
    return min(when.days.last, said_on) if said_on and when.days.first <= said_on else when.days.last


def ended_by(found: Statement, said: Said, said_on: date | None) -> Statement:
    """What a clause in the past says is over in a month or a year, as of its last day (see `ended_on`)."""
    parted = found.predicate == "marital_status" and found.object in _WITHOUT and said.verb == "get"
    at = found.until if found.change is Change.ENDED else found.since if parted else None
    if at is None or said.future or not (said.past or said.perfect or said.passive):
        return found
    when = next((each for each in said.own_whens if each.days.first == at and each.bound is Bound.AT), None)
    if when is None:
        return found
    on = ended_on(when, said_on)
    return replace(found, since=on) if parted else replace(found, until=on)


def settled(found: Sequence[Statement], written: str, said_on: date | None) -> list[Statement]:
    """What a sentence states, with nobody for a partner by the way where it says that they parted.

    Whoever is single, divorced or widowed has no partner, or no spouse, any more.
    """
    parted = _SPLIT.search(written) is not None
    # Whom somebody married on a day is told for itself: `we divorced in 2019, and I married Eva in 2022`.
    by_the_way = [
        each for each in found if each.predicate == "partner" and each.change is Change.HOLDS and not each.since
    ]
    kept = [each for each in found if not (parted and each in by_the_way)]
    kept += [
        replace(each, predicate="partner", change=Change.ENDED, since=None)
        for each in kept
        if each.predicate == "former_partner" and each.change is Change.HOLDS and each.object[:1].isupper()
    ]
    for each in list(kept):
        kind = _WITHOUT.get(each.object, "") if each.predicate == "marital_status" else ""
        told = any(other.predicate == "partner" and other.subject == each.subject for other in kept)
        if kind and each.change is Change.HOLDS and not told and not _is_long_ago(each.since, said_on):
            kept.append(
                replace(each, predicate="partner", object=kind, change=Change.ENDED, since=None, until=each.since)
            )
    return kept


_WITHOUT: Final = {"single": "partner", "divorced": "spouse", "widowed": "spouse", "separated": ""}
_SPLIT: Final = re.compile(
    r"\b(?:(?:broke|broken|split|breaking|splitting) up|parted ways|called it quits|split from|dumped (?:me|my)"
    r"|(?:left|leaving) me(?=[\s.!,]*$| for (?:another|some|good|an?\b|her\b|his\b|my\b))"
    r"|(?<!getting )(?<!be )(?:divorced|separated)"
    r"|no longer together|(?:not|n't) together|walked out on|(?:ended|broke) (?:it|things|off))\b",
    re.IGNORECASE,
)


def _is_long_ago(on: date | None, said_on: date | None) -> bool:
    return on is not None and said_on is not None and said_on - on > _NOT_LATELY


def _told(words: str, who: str) -> Iterator[Statement]:
    for form in _PARTED:
        if found := form.fullmatch(words):
            yield from _apart(found, who)
            return
    for form in _DIED:
        if (found := form.fullmatch(words)) and not is_figure_of_dying(words):
            yield from _dead(found, who)
            return
    if found := _WIDOWED.fullmatch(words):
        yield _of(who, "marital_status", "widowed", f"{who} is a {found['how'].lower()}.", Change.HOLDS)


def _of(who: str, predicate: str, what: str, text: str, change: Change = Change.ENDED) -> Statement:
    return Statement(
        subject=who, predicate=predicate, object=what, text=text, start=0, end=0, change=change, confidence=FAIR
    )


def _whom(found: re.Match[str]) -> tuple[str, str]:
    """What the other one was, and their name, as far as the sentence gives them."""
    groups = found.groupdict()
    mate = (groups.get("mate") or "").lower()
    return _SHORT.get(mate, mate), groups.get("called") or groups.get("name") or ""


def _apart(found: re.Match[str], who: str) -> Iterator[Statement]:
    mate, name = _whom(found)
    # A sentence shares a word with what it rests on, or it is not believed.
    told = f"{who} no longer has a {mate}." if mate else f"{who} is divorced."
    text = f"{name} is no longer {who}'s partner." if name else told
    yield _of(who, "partner", name or mate or "spouse", text)
    if name or mate.startswith("fianc"):
        yield _of(who, "marital_status", f"engaged to {name}" if name else "engaged", text)
    if (found.groupdict().get("ex") or "").lower() in _SPOUSE:
        yield _of(who, "marital_status", f"married to {name}", text)
    how = (found.groupdict().get("how") or "").lower()
    if how.endswith(("divorced", "separated")):
        status = how.split()[-1]
        yield _of(who, "marital_status", status, f"{who} is {status}.", Change.HOLDS)


def _dead(found: re.Match[str], who: str) -> Iterator[Statement]:
    mate, name = _whom(found)
    text = f"{name} has died." if name else f"{who}'s {mate} has died."
    yield _of(who, "partner", name or mate, text)
    if mate in _SPOUSE or mate.startswith("fianc"):
        yield _of(who, "marital_status", "married" if mate in _SPOUSE else "engaged", text)
