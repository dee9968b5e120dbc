"""What a sentence takes away from what it says: `but not any more`, `I lie and say`, `, not.`, `once`, `only`. Pure.

By the words of the whole sentence, as what takes away mostly stands in a clause of its own. What is not surely taken
back by them is left out, too: a claim that its own sentence doubts is worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from typing import Final

from shared.contract.candidates import Change
from shared.language.statements.saying import Said, lasts
from shared.language.statements.stated import Statement
from shared.language.statements.wording import sentence
from shared.language.statements.words import word_set
from shared.language.times.words import COUNTS

_UNTRUE: Final = re.compile(
    r"(?:,|\s[-\u2013]|\u2014|\.\.\.|\u2026)\s*not[\s.!]*$"
    r"|\b(?:i|we)(?: (?:just|always|often|usually|sometimes|once|even|simply|have to|had to|used to))?"
    r" (?:lie|lied|fib|fibbed|bluff|bluffed|pretend|pretended)(?! (?:down|in|on|awake|still|low|flat|here|there)\b)"
    r"|\b(?:for|in) (?:the|this|our|my) (?:[\w&-]+ )?(?:game|campaign|role-?play|larp|sketch|skit|scenario|simulation"
    r"|improv|exercise)[\s.!]*$"
    r"|,? (?:er+m?|um+|uh+m?|uhm),? \S+(?: \S+){0,2}[\s.!]*$",
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
    r"|before|in the past|at (?:one|some) point|for a (?:bit|time|while|short time)|back then|formerly|previously)\b",
    re.IGNORECASE,
)
_FOR_YEARS: Final = re.compile(
    rf"(?<!first )(?<!last )\b(?:\d+|{'|'.join(COUNTS[1:])}|many|a few|several) (?:years?|months?|decades?)\b"
    r"(?! ago| old| of\b)|\bfor (?:years|ages|decades|a long time)\b",
    re.IGNORECASE,
)
"""`been a nurse nine years`."""
_STATES: Final = word_set("""
    diet marital_status has_condition lives_in works_at job likes dislikes plays drinks eats uses studies_at avoids
    takes habit allergic_to second_job
""")
_HABITS: Final = word_set("eats drinks plays habit likes takes uses")
_ONLY: Final = re.compile(
    r"\b(?:only|solely|exclusively|purely|strictly)\b[^.!?;]{0,40}?\b(?:when|if|on|at|in|with|during|after|before|because"
    r"|for|while|as a|to)\b"
    r"|\bbut (?:only|just|mostly not|rarely|never) ",
    re.IGNORECASE,
)
_UP_TO_THE_STOP: Final = re.compile(r"[^.!?\n]*")
_OF_ANOTHER_LIKE_IT: Final = ("same ", "the same ", "different ", "another ")
_DATED: Final = word_set("lives_in marital_status owns pet diet visited achieved partner")


def is_reserved(found: Statement, said: Said, said_on: date | None) -> bool:
    """Whether a clause takes away from what was read from it, so that it is not to be claimed."""
    if found.change is not Change.HOLDS:
        return False
    if found.predicate in _STATES and _was_at_some_time(said):
        return True
    behind = _UP_TO_THE_STOP.match(said.text, said.clause.start)
    if found.predicate in _HABITS and behind and _ONLY.search(behind.group()):
        return True
    if found.predicate in _DATED and said.past and found.since and said_on and found.since > said_on:
        return True
    return found.object.lower().startswith(_OF_ANOTHER_LIKE_IT)


def _was_at_some_time(said: Said) -> bool:
    """`I've been vegan once`, `have liked jazz in the past`: no word on today."""
    if not said.perfect or said.over:
        return False
    if _ONE_TIME.search(said.text[said.clause.start : said.clause.end]) and not said.going_on:
        return True
    is_state = said.verb in {"be", "like", "love", "enjoy", "adore", "hate", "dislike"}
    return is_state and not (lasts(said) or _FOR_YEARS.search(said.text, said.clause.start, said.clause.end))
