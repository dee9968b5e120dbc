"""How long a candidate is likely to matter, told by its words, for English. Pure."""

from __future__ import annotations

import re
from typing import Final

from shared.belief.rules.case import Case
from shared.belief.rules.wording import tidy
from shared.contract.candidates import Change
from shared.contract.records import EpistemicType, Kind

_NOW: Final = (
    r"(?:(?:right |just )?now|currently|at the moment|today|tonight|again|still|just|already|very|so|really|too)"
)
_IS: Final = rf"(?:\b(?:am|is|are|feels?|feeling|was|were)|'(?:m|s|re)) (?:{_NOW} )*+"
_ARTICLE: Final = r"(?:the|an?|his|her|my|their)"
_STATE: Final = (
    r"(?:tired|sleepy|hungry|thirsty|cold|hot|bored|busy|late|awake|exhausted|starving|running late|in a hurry|ready|"
    r"back|home|here|online|offline|away|afk|driving|cooking|eating|typing|walking|waiting|showering|shopping|commuting)"
)
_AT_THIS_MOMENT: Final = re.compile(
    rf"{_IS}{_STATE}(?: {_NOW})*+(?:$|,| (?:from|after|because|and) )"
    rf"|{_IS}on {_ARTICLE} (?:\w+ )?(?:bus|train|tram|plane|way|phone|call|break|subway|metro|toilet)\b"
    rf"|{_IS}in {_ARTICLE} (?:\w+ )?(?:meeting|call|queue|line|traffic|taxi|shower|car|lobby)\b"
    rf"|{_IS}having (?:{_ARTICLE} )?(?:breakfast|lunch|dinner|coffee|tea|snack|shower|nap)\b"
    rf"|{_IS}about to (?:go|leave|eat|sleep|start|call|board)\b|{_IS}waiting for {_ARTICLE} \w+"
    rf"|{_IS}(?:watching|listening to|reading)\b[^.!?]{{0,60}}\b(?:right now|at the moment)\b"
    r"|\b(?:brb|be right back|gotta go|needs? a (?:break|minute|second|coffee)|is typing)\b"
)
"""What is over when the conversation is."""
_PASSING: Final = re.compile(
    rf"{_IS}(?:sick|ill|unwell|sad|happy|stressed(?: out)?|nervous|excited|anxious|angry|upset|annoyed|frustrated|"
    r"worried|confused|overwhelmed|relieved|lonely|hungover|jet-?lagged)\b"
    rf"|\b(?:has|have|had|got|caught) (?:{_NOW} )*+(?:an? )?(?:\w+ )?(?:cold|cough|headache|fever|flu|hangover|"
    r"sore throat|stomach ache|runny nose)\b"
    r"|\b(?:slept|sleeping) (?:badly|poorly)\b"
    r"|\b(?:had|having) a (?:bad|good|long|rough|hard|great) (?:day|night|week|morning)\b"
)
"""What is over in some days, unless it is said again."""
_THIS_TASK: Final = (
    r"(?:one|file|message|answer|reply|conversation|chat|task|question|session|email|example|exercise|test|function|"
    r"paragraph)"
)
_FOR_THIS_TASK: Final = re.compile(
    rf"\b(?:just this once|this time only|(?:for|in) this {_THIS_TASK}|for (?:now|the moment))\b"
)
_LASTS: Final = frozenset({EpistemicType.PREFERENCE, EpistemicType.OPINION})
MOMENT, PASSING, TOLD, CLAIMED, KEPT = 0.0, 0.3, 0.6, 0.8, 1.0


def durability(case: Case) -> float:
    """0..1: 0 over at once, 0.3 in days, 0.6 a sentence, 0.8 a claim, 1 a way of doing things or what is dated."""
    if is_of_moment(case) or is_for_task(case):
        return MOMENT
    if is_passing(case):
        return PASSING
    told = case.candidate
    if told.kind is Kind.PROCEDURAL or told.since or told.until or told.change is not Change.HOLDS:
        return KEPT
    return CLAIMED if told.claim else TOLD


def is_of_moment(case: Case) -> bool:
    """It is over when the conversation is."""
    return _may_pass(case) and bool(_AT_THIS_MOMENT.search(tidy(case.candidate.text)))


def is_for_task(case: Case) -> bool:
    """It is wanted for what is being done and no further."""
    return not case.is_summary and bool(_FOR_THIS_TASK.search(tidy(case.candidate.text)))


def is_passing(case: Case) -> bool:
    """It is over in some days, unless it is said again."""
    return _may_pass(case) and bool(_PASSING.search(tidy(case.candidate.text)))


def _may_pass(case: Case) -> bool:
    """What ended, never was, has a date, or is a wish or a way of doing things is no state that passes."""
    told = case.candidate
    if told.kind is Kind.PROCEDURAL or told.epistemic_type in _LASTS or case.is_summary:
        return False
    return told.change is Change.HOLDS and told.since is None and told.until is None
