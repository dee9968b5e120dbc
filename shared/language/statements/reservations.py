"""What a sentence takes away from what it says: `but not any more`, `I lie and say`, `, not.`, `once`, `only`. Pure.

By the words of the whole sentence, as what takes away mostly stands in a clause of its own. What is not surely taken
back by them is left out, too: a claim that its own sentence doubts is worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import date, timedelta
from typing import Final

from shared.contract.candidates import Change
from shared.language.statements.dates import Bound
from shared.language.statements.saying import Said
from shared.language.statements.stated import Statement
from shared.language.statements.wording import sentence
from shared.language.statements.words import word_set

_UNTRUE: Final = re.compile(
    r"(?:,|\s[-\u2013]|\u2014|\.\.\.|\u2026)\s*not[\s.!]*$"
    r"|\b(?:i|we)(?: (?:just|always|often|usually|sometimes|once|even|simply|have to|had to|used to))?"
    r" (?:lie|lied|fib|fibbed|bluff|bluffed|pretend|pretended)(?! (?:down|in|on|awake|still|low|flat|here|there)\b)"
    r"|\b(?:my name|call me|i(?:'m| am) called|i go by)\b.*\b(?:for|in) (?:the|this|our|my) (?:[\w&-]+ )?(?:game"
    r"|campaign|role-?play|larp|sketch|skit|play|scenario|simulation|improv|exercise)[\s.!]*$"
    r"|(?:,|\s[-\u2013]|\u2014|\.\.\.|\u2026)\s*(?-i:er+m?|um+|uh+m?),? \S+(?: \S+){0,2}[\s.!]*$",
    re.IGNORECASE,
)
"""Behind or beside what was never so, or was put otherwise at once in a way that cannot be told."""
_NO_LONGER: Final = re.compile(
    r"(?:,| -| \u2013|\u2014| \()\s*(?:but|though|although|just|well|only|and)?,? ?(?:not|no longer)"
    r"(?: (?:any ?more|any longer|now|these days|nowadays|currently|at the moment|since \w+))*[\s.!)]*$"
    r"|\b(?:but|though|although) (?:not (?:any ?more|any longer|now|these days|nowadays)|no longer|now i don't"
    r"|i don't any ?more)[\s.!)]*$",
    re.IGNORECASE,
)
_NOT_ALONE: Final = re.compile(r"(?:,|\s[-\u2013]|\u2014)\s*not[\s.!]*$", re.IGNORECASE)


def without_reserved(written: str, found: Iterable[Statement]) -> list[Statement]:
    """What is left of what a sentence states: nothing of what it takes back, and an end of what it says is over."""
    kept = list(found)
    holding = [each for each in kept if each.change is Change.HOLDS]
    if not holding:
        return kept
    if _NO_LONGER.search(written) and not _NOT_ALONE.search(written):
        others = [each for each in kept if each.change is not Change.HOLDS]
        return others + ([_ended(holding[0])] if len(holding) == 1 else [])
    if _UNTRUE.search(written):
        return [each for each in kept if each.change is not Change.HOLDS]
    return [each for each in kept if each.change is not Change.HOLDS or not _is_ended(each, kept)]


def _ended(held: Statement) -> Statement:
    told = sentence(held.predicate, held.subject, held.object, Change.ENDED)
    return replace(held, change=Change.ENDED, text=told, since=None, until=None)


def _is_ended(held: Statement, beside: Iterable[Statement]) -> bool:
    """`I gave away my cat Tom`: that Tom is their cat is over by the same words."""
    of = (held.subject, held.predicate, held.object.casefold())
    return any(
        each.change is Change.ENDED and (each.subject, each.predicate, each.object.casefold()) == of for each in beside
    )


_ONE_TIME: Final = re.compile(
    r"\b(?:once(?! (?:a|an|every|per)\b)|twice(?! (?:a|an|every|per)\b)"
    r"|(?:two|three|four|five|several|many|a few|a couple of|\d+) times(?! (?:a|an|every|per)\b)"
    r"|before|in the past|at (?:one|some) point|back then|formerly|previously)\b",
    re.IGNORECASE,
)
_ONCE_BEHIND: Final = re.compile(r"\s+once\s*(?:[.!,;\n]|$)", re.IGNORECASE)
"""Which may be taken for the beginning of another clause."""
_STATES: Final = word_set("""
    diet marital_status lives_in works_at job likes dislikes plays drinks eats uses studies_at takes habit second_job
""")
_HABITS: Final = word_set("eats drinks plays habit likes takes uses")
_ONLY: Final = re.compile(
    r"(?<!\bmy )(?<!\bour )(?<!\bthe )(?<!\bhis )(?<!\bher )(?<!\ban )\b(?:only|solely|exclusively|purely)\b"
    r"[^.!?;,]{0,40}?\b(?:when|if|while|at (?!all\b|least\b))",
    re.IGNORECASE,
)
_BUT_ONLY: Final = re.compile(r"[ ,\u2014-]*but (?:only|rarely|mostly not|just (?:on|at|in|when)) ", re.IGNORECASE)
_BUT: Final = re.compile(r"\bbut (?:only|rarely|mostly not|just (?:on|at|in|when)) ", re.IGNORECASE)
_UP_TO_THE_STOP: Final = re.compile(r"[^.!?\n]*")
_OF_ANOTHER_LIKE_IT: Final = ("same ", "the same ", "different ")
_DATED: Final = word_set("lives_in marital_status visited")
_PLACED: Final = word_set("lives_in works_at studies_at hometown")


def is_reserved(found: Statement, said: Said, said_on: date | None) -> bool:
    """Whether a clause takes away from what was read from it, so that it is not to be claimed."""
    if found.change is not Change.HOLDS:
        return False
    if found.predicate in _STATES and (_was_at_some_time(said) or _was_before(said)):
        return True
    if found.predicate in _HABITS and _is_only_then(said):
        return True
    if found.predicate in _DATED and said.past and found.since and said_on and found.since > said_on:
        return True
    if found.predicate == "lives_in" and _IN_PART.search(said.text, said.clause.start, said.clause.end):
        return True
    return found.predicate in _PLACED and found.object.lower().startswith(_OF_ANOTHER_LIKE_IT)


_IN_PART: Final = re.compile(
    r"\b(?:(?:half|part|some|a third|a quarter) (?:of )?(?:the|each|every) (?:year|month|week|time)|part[- ]time)\b",
    re.IGNORECASE,
)
"""Where one lives in part is not where one lives."""
_EARLIER: Final = re.compile(
    r"\b(?:since (?!now\b|today\b)|ever since\b|as a (?:child|kid|baby|toddler|teen|teenager|student|boy|girl)"
    r"|when (?:i|we|he|she|they) (?:was|were)\b|in (?:my|our|his|her) (?:[a-z]+ )?(?:teens|twenties|thirties|forties"
    r"|fifties|sixties|youth|childhood)|in the (?:early |mid |late )?(?:['\u2019]?\d0s|(?:19|20)\d0s|sixties|seventies"
    r"|eighties|nineties|noughties)|(?:years|ages|decades|months|long) ago|a (?:long time|while) (?:ago|back)|way back"
    r"|back (?:in|then)|all (?:my|his|her|our) life)\b",
    re.IGNORECASE,
)
_LASTING: Final = _STATES | word_set(
    "has_condition allergic_to avoids owns pet partner child sibling friend manager speaks name preferred_name learns"
)


def began_earlier(found: Statement, said: Said) -> bool:
    """Whether it has been so for longer than its words give a day for: `since I was 12`, `moved there in the 90s`."""
    if found.change is not Change.HOLDS or found.since or found.until or found.predicate not in _LASTING:
        return False
    behind = _UP_TO_THE_STOP.match(said.text, said.clause.start)
    return behind is not None and _EARLIER.search(behind.group()) is not None


def is_of_then(found: Statement, said: Said, said_on: date | None) -> bool:
    """Whether it tells of long ago and of nothing after it: `joined Nokia in 2003`, `moved to York as a child`."""
    if found.change is not Change.HOLDS or found.predicate not in _LASTING:
        return False
    words = _UP_TO_THE_STOP.match(said.text, said.clause.start)
    if not said.past or said.perfect or said.going_on or (words and _TO_THIS_DAY.search(words.group())):
        return False
    if found.since is None:
        return began_earlier(found, said)
    at = any(when.days.first == found.since and when.bound is Bound.AT for when in said.own_whens)
    return at and said_on is not None and said_on - found.since > _NOT_LATELY


def of_its_time(found: Iterable[Statement], said_on: date | None) -> list[Statement]:
    """The same, told of then where it was over long ago."""
    return [replace(each, of_then=each.of_then or _is_over_long_ago(each, said_on)) for each in found]


def _is_over_long_ago(found: Statement, said_on: date | None) -> bool:
    """Whether it was over more than a year ago: `I was laid off in 2012` ends no job that began since."""
    until = found.until if found.change is Change.ENDED else None
    return until is not None and said_on is not None and said_on - until > _NOT_LATELY


_TO_THIS_DAY: Final = re.compile(
    r"\b(?:since|still|to this day|all (?:my|his|her|our) life|never left|stayed)\b", re.IGNORECASE
)
_NOT_LATELY: Final = timedelta(days=366)
"""What happened within a year is still so for most, and the last word where it was told later."""


def _is_only_then(said: Said) -> bool:
    """`I only drink tea at work`, `I like tea, but only in the morning`."""
    clause = said.clause
    words = said.text[clause.start : clause.end]
    return bool(_ONLY.search(words) or _BUT.search(words) or _BUT_ONLY.match(said.text, clause.end))


_BEFORE: Final = re.compile(r"\b(?:before|until|till) (?:i|we|he|she|they|[a-z]+ing)\b", re.IGNORECASE)


def _was_before(said: Said) -> bool:
    """`I have lived in Prague for ten years before moving to Brno`: no word on today."""
    behind = _UP_TO_THE_STOP.match(said.text, said.clause.start)
    since = said.text[: said.clause.end + len(" since")].endswith("since")
    return said.perfect and not since and behind is not None and _BEFORE.search(behind.group()) is not None


def _was_at_some_time(said: Said) -> bool:
    """`I've been vegan once`, `have liked jazz in the past`: no word on today."""
    if not said.perfect or said.over or said.begun or any(when.bound is Bound.SINCE for when in said.own_whens):
        return False
    behind = _ONCE_BEHIND.match(said.text, said.clause.end)
    words = said.text[said.clause.start : said.clause.end]
    return not said.going_on and (behind or _ONE_TIME.search(words)) is not None
