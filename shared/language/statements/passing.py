"""Where somebody works or lives only for now, or only at times, which is no employer and no home of theirs. Pure."""

from __future__ import annotations

import re
from typing import Final

from shared.contract.candidates import Change
from shared.language.statements.days import MONTH
from shared.language.statements.objects import has_the
from shared.language.statements.saying import Said
from shared.language.statements.stated import Statement
from shared.language.statements.words import word_set

_DAYS: Final = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_AT_TIMES: Final = re.compile(
    rf"\b(?:on|at|over|during) (?:the )?(?:weekends?|{_DAYS})\b(?! ?(?:to|through|until|till|-|\u2013))"
    rf"|\b(?:every|each) (?:other )?(?:weekend|{_DAYS})\b|\bin the evenings\b",
    re.IGNORECASE,
)
_THESE_DAYS: Final = re.compile(
    r"\b(?:today|tonight|this (?:morning|afternoon|evening|week|weekend|month)"
    r"|for the (?:day|night|evening|weekend|week))\b",
    re.IGNORECASE,
)
_AND: Final = re.compile(r"\b(?:and|but)\b", re.IGNORECASE)
_BEGUN: Final = re.compile(r"\b(?:since|as of|from|start\w*|began|newly|again)\b", re.IGNORECASE)
"""Whoever works somewhere as of this week goes on with it."""
_NOW: Final = re.compile(r"\b(?:right now|at the moment|for now|just now)\b", re.IGNORECASE)
_SEASON: Final = r"(?:winters?|summers?|springs?|springtime|autumns?|fall)"
_FOR_A_WHILE: Final = re.compile(
    r"\b(?:temporarily|for the time being|for now|for the (?:summer|winter|season|semester|term|holidays?)"
    rf"|(?:in|during|over) (?:the )?{_SEASON}(?! (?:of )?\d)"
    rf"|(?:at|on|over|during) (?:the )?(?:weekends?|holidays|term|{_DAYS}))\b",
    re.IGNORECASE,
)
_UNTIL: Final = re.compile(
    rf"\b(?:un)?till? (?:(?:early|mid|late|the|next|about)[ -])*(?:{MONTH}|{_SEASON}|\d|end|week|month|year|i|we)\b",
    re.IGNORECASE,
)
"""With `I'm living`; who lives somewhere, at least until June, does so today."""
_GARMENTS: Final = word_set("""
    jeans leggings trainers sneakers pyjamas pajamas hoodies sweatpants joggers boots shorts dresses skirts sandals
    slippers heels tracksuits sweaters jumpers black denim fleece flip-flops crocs
""")
_TIERS: Final = word_set("premium pro plus enterprise platinum basic beta prime standard gold business")
_OF_TIERS: Final = word_set("plan tier account subscription version edition")


def is_workplace_for_now(found: Statement, said: Said) -> bool:
    """`working at the airport right now`, `at the Berlin office this month`, `at Bosch on Fridays`."""
    words = _AND.split(said.text[said.clause.start : said.clause.end])[0]
    if said.verb != "work" or _BEGUN.search(words):
        return False
    if _AT_TIMES.search(words) or _THESE_DAYS.search(words):
        return True
    common = found.object.islower() or has_the(found, said)
    return said.going_on and common and _NOW.search(words) is not None


def is_home_for_now(found: Statement, said: Said) -> bool:
    """`live in Spain in winter`, `living there till June`, `moved to Premium`, and `I live in jeans`."""
    if found.change is not Change.HOLDS:
        return False
    words = found.object.lower().split()
    if said.verb in {"move", "relocate"}:
        return words[-1] in _OF_TIERS or (len(words) == 1 and words[0] in _TIERS)
    if words[-1] in _GARMENTS:
        return True
    behind = said.text[said.clause.start : said.clause.end]
    if said.past or said.perfect:
        return False
    return _FOR_A_WHILE.search(behind) is not None or (said.going_on and _UNTIL.search(behind) is not None)


def is_for_these_days(said: Said) -> bool:
    """`I'm single this weekend`: for as long as somebody is away."""
    words = said.text[said.clause.start : said.clause.end]
    return _THESE_DAYS.search(words) is not None and _BEGUN.search(words) is None
