"""What says too little to be of use once the conversation is over; by words, for English. Pure."""

from __future__ import annotations

import re
from typing import Final

from shared.belief.rules.case import Case
from shared.belief.rules.wording import content
from shared.contract.candidates import Change

ENOUGH_WORDS: Final = 3
"""Words that say something, from which on a sentence is as specific as it need be."""
_DONE_TO_NOTHING: Final = """
    like love enjoy hate dislike want need have get go come do make take give think know feel say tell talk see use try
    work start begin stop keep put let find look seem mean interest interested prefer plan hope wish happen become
"""
_NO_THINGS: Final = """
    stuff thing something anything everything nothing someone somebody anyone everyone everybody people person guy
    somewhere anywhere place way kind sort type lot bit bunch various several many much certain particular general usual
    normal same other another different topic matter issue subject item detail information conversation message
"""
_OF_NOTHING: Final = """
    good bad nice great fine okay cool interesting important special really very quite pretty often sometimes usually
    always probably maybe generally currently also still already soon later recently time day moment
"""
LITTLE: Final = frozenset(
    term
    for group in (_DONE_TO_NOTHING, _NO_THINGS, _OF_NOTHING)
    for word in group.split()
    for term in (*content(word), word)
)
"""What is done without what it is done to, things that are none, and how they are: nobody can be told by these."""
_PRONOUN_OF_PERSON: Final = re.compile(
    r"^(?:he|she|they|him|her|them|his|hers|their)(?:['\u2019]\w+)?\s", re.IGNORECASE
)
_PRONOUN_OF_THING: Final = re.compile(r"^(?:it|this|that|these|those)(?:['\u2019]\w+)?\s", re.IGNORECASE)
_PRONOUNS: Final = frozenset(
    ("he", "she", "they", "it", "this", "that", "these", "those", "him", "her", "them", "someone", "somebody")
)
_SOME: Final = r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|some|several|a few|a couple of)"
_UNIT: Final = r"(?:minutes?|hours?|days?|weeks?|months?|years?)"
_WEEKDAY: Final = r"(?:[Mm]on|[Tt]ues|[Ww]ednes|[Tt]hurs|[Ff]ri|[Ss]atur|[Ss]un)day"
_SPELL: Final = rf"(?:{_WEEKDAY}|week|weekend|month|year|night|morning|evening|spring|summer|autumn|fall|winter)"
_BARE: Final = re.compile(
    r"(?<![\"'\u201c\u2018\w])(?:"
    rf"yesterday|today|tonight|tomorrow|the day (?:before yesterday|after tomorrow)|the other day|this afternoon"
    rf"|(?:last|next|this) {_SPELL}|{_SOME} {_UNIT} ago|in {_SOME} {_UNIT}"
    r")(?!\w)"
)
"""Days that are none once the day of the message is forgotten. A title has capitals, and a quotation its marks."""
_MONTH: Final = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
_DATE: Final = re.compile(
    r"\b\d{4}\b|\b\d{1,2}[./]\d{1,2}\b"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH}|\b{_MONTH}[a-z]* \d{{1,2}}\b",
    re.IGNORECASE,
)


def telling(case: Case) -> frozenset[str]:
    """The words of a candidate that say something: not who it is about, nor words of little meaning."""
    return case.content - LITTLE


def specificity(case: Case) -> float:
    """0..1: how many words it has that say something, of `ENOUGH_WORDS`."""
    return min(1.0, len(telling(case)) / ENOUGH_WORDS)


def says_nothing(case: Case) -> bool:
    """Beside who it is about there is no name, number or thing in it."""
    return not telling(case)


def is_of_pronoun(case: Case) -> bool:
    """Nobody knows who it is about: its subject is a pronoun."""
    claim, text = case.candidate.claim, case.candidate.text.lstrip()
    if case.is_summary:
        return False
    if claim is not None and len(case.subject) == 1 and case.subject[0] in _PRONOUNS:
        return True
    if _PRONOUN_OF_PERSON.match(text):
        return not any(name[:1] == case.words[:1] for name in case.names)
    return bool(_PRONOUN_OF_THING.match(text)) and not case.names and not re.search(r"\d", text) and claim is None


def is_of_bare_day(case: Case) -> bool:
    """It speaks of a day that only the day of the message tells, and gives no date. A summary quotes."""
    if case.is_summary:
        return False
    text = case.candidate.text
    start = text[:1].lower() + text[1:]
    return bool(_BARE.search(start)) and not _DATE.search(text) and case.candidate.change is not Change.NEVER
