"""What is denied, or disliked, of a circumstance alone: `not allergic to nuts when they're roasted`. Pure.

A denial that goes on behind what it denies denies what it goes on with: who no longer works at Nokia full time works
there, and who is not vegan because of the animals is vegan. So is a dislike: who hates Berlin in August may love it.
When it was over (`in May`), that it is for good, and why (`because my knee hurts`) take nothing away.
"""

from __future__ import annotations

import re
from typing import Final

from shared.contract.candidates import Change
from shared.language.statements.days import MONTH
from shared.language.statements.saying import Said
from shared.language.statements.stated import Statement

_DISLIKES: Final = frozenset({"dislikes", "avoids"})
_SEASON: Final = r"(?:spring|summer|autumn|winter|fall)"
_WHEN_IT_ENDED: Final = (
    rf"(?:in|since|from|by|as of|on|until|till) (?:(?:early|mid|late|this|last|next) )?(?:{MONTH}|{_SEASON}|the \d|\d"
    r"|\w+day\b(?!s))|at all\b|after all\b|at the (?:moment|end of)|in (?:years|ages|months|weeks|the (?:end|meantime))"
    r"|for (?:good|ever|years|ages|months|a long time|(?:\d+|two|three|four|five|six|seven|eight|nine|ten|many|several)"
    r" (?:years|months|weeks))\b|when (?:i|we) (?:moved|left|was|were|got|had|became|turned)\b"
)
_LIMITS: Final = (
    r"when|whenever|if|unless|while|in|at|with|without|for|on|during|before|after|that|which|who|whose|out of|from"
    r"|just|only|purely|to|every|each|full[- ]?time|part[- ]?time|type|so much|as much|as often|as an?|alone|together"
    r"|sometimes|occasionally|now and then|right now|today|tonight"
)
_BEHIND: Final = re.compile(rf"\s*(?:any ?more|any longer)?\s*(?!{_WHEN_IT_ENDED})(?:{_LIMITS})\b", re.IGNORECASE)
_SOMETIMES: Final = re.compile(rf"\s*in (?:{MONTH}|{_SEASON})\b", re.IGNORECASE)
_REASON: Final = re.compile(r"\s*(?:any ?more|any longer)?\s*because\b", re.IGNORECASE)
_DENIES: Final = re.compile(
    r"\b(?:not|\w+n['\u2019]t|never|no longer|any ?more|any longer|stopped|quit)\b", re.IGNORECASE
)
_OVER: Final = re.compile(r"\b(?:no longer|any ?more|any longer|stopped|quit|gave up)\b", re.IGNORECASE)
_OTHER_REASON: Final = re.compile(r"\bbut (?:because|for|out of|as)\b", re.IGNORECASE)
_BETWEEN: Final = re.compile(
    r"\b(?:late|early|alone|nights?|overtime|full[- ]?time|part[- ]?time|remotely|together|much|often|every|only|just"
    r"|weekends?|from home|with)\b",
    re.IGNORECASE,
)
_FOR_NOW: Final = re.compile(r"^\W*(?:tonight|today|right now|this (?:morning|evening|week))\b", re.IGNORECASE)
_ONLY_THEN: Final = re.compile(r"\s*(?:when|whenever|if|unless|sometimes|only)\b", re.IGNORECASE)
_STOP: Final = re.compile(r"[.!?\n;]|$")


def is_of_a_circumstance(found: Statement, said: Said) -> bool:
    """Whether a denial, a dislike or a liking is of a circumstance, so that it says nothing of the thing itself."""
    words = said.text[said.clause.start : _STOP.search(said.text, said.clause.end).start()]  # type: ignore[union-attr]
    at = words.casefold().rfind(found.object.split()[-1].casefold()) if found.object.split() else -1
    if at < 0:
        return False
    before, behind = words[:at], words[at + len(found.object.split()[-1]) :]
    if found.change is not Change.HOLDS:
        return _DENIES.search(words) is not None and _is_limited(before, behind)
    if found.predicate in _DISLIKES:
        sometimes = found.predicate == "dislikes" and _SOMETIMES.match(behind)
        return bool(_FOR_NOW.search(before) or _BEHIND.match(behind) or sometimes)
    return found.predicate == "likes" and _ONLY_THEN.match(behind) is not None


def _is_limited(before: str, behind: str) -> bool:
    """Whether what is denied is limited by what stands around it."""
    if _BEHIND.match(behind) or _BETWEEN.search(before):
        return True
    if not _REASON.match(behind):
        return False
    return _OTHER_REASON.search(behind) is not None or _OVER.search(before + behind) is None
