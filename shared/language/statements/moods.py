"""Whether a clause asserts anything: questions, conditions, guesses and what others say do not. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from shared.language.statements.tagged import Token
from shared.language.statements.words import word_set


class Mood(StrEnum):
    """Whether a clause asserts."""

    SAID = "said"
    ASKED = "asked"
    UNREAL = "unreal"
    """A condition, or what would follow from one."""
    REPORTED = "reported"
    """What somebody else says or thinks."""
    DOUBTED = "doubted"
    """What its speaker only thinks, hopes or guesses."""
    ASIDE = "aside"
    """A clause of time or a relative one: what it says hangs on another."""


IF: Final = frozenset({"if", "unless", "suppose", "supposing", "assuming", "whether", "imagine", "provided", "pretend"})
ASIDES: Final = frozenset(
    {
        "when",
        "while",
        "whenever",
        "where",
        "wherever",
        "before",
        "after",
        "until",
        "once",
        "till",
        "who",
        "which",
        "whose",
    }
    | {"that", "what", "why", "how", "than", "whatever", "whom", "like", "whereas"}
)
_WH: Final = frozenset({"what", "where", "when", "who", "whom", "whose", "which", "why", "how", "what's", "whats"})
ASKING_AUX: Final = frozenset(
    {"do", "does", "did", "can", "could", "would", "will", "should", "shall", "is", "are", "am", "was", "were", "have"}
    | {"has", "had", "might", "may", "ca", "wo"}
)
_POLITE: Final = re.compile(
    r"\bif (?:it|that) (?:helps|matters|counts|'s relevant)|\bif you(?:'re| are) (?:curious|wondering|interested)"
    r"|\bin case\b|\bif you must know|\bif i remember|\bif anyone(?:'s| is) (?:asking|wondering)|\bas if\b"
    r"|\bif you want to know|\bif (?:i|you|we|anyone) (?:ever |should )?(?:forgets?|asks?|needs? (?:it|them)"
    r"|loses? (?:it|mine))"
    r"|\bif you ask me\b|\bif i'm honest\b|\bif you didn't know\b",
    re.IGNORECASE,
)
_OTHERS_HOLD: Final = (
    r"(?:think|say|claim|believe|told|tell|hear|heard|assume|insist|reckon|suppose|guess|seem|appear|imagine|figure|swear)"
    r"(?:s|d|ed)?"
)
_SAID_BEHIND: Final = re.compile(
    r", ?(?:says|said|claims|claimed|according to|sings|sang|wrote|writes) (?!i\b|so\b|it\b|that\b)[\w' -]+$"
    r"|^(?:perhaps|maybe|apparently|supposedly|allegedly|possibly|hypothetically|technically|metaphorically)\b"
    r"|^(?:officially|on paper|in theory|theoretically|for (?:tax|legal|insurance)"
    r" (?:purposes|reasons))\b,? (?:i|we|my)\b"
    r"|^(?:soon|eventually|some ?days?),? (?:i|we) (?:live|work|have|own|speak|eat|drink|study|am a)\b"
    r"|\bone (?:day|week|month|moment|minute|year)\b.*\bthe next\b"
    r"|\bif you (?:ask|asked|believe|listen to) (?:my|his|her|the|our|them|him|everyone|anyone else|(?-i:[A-Z]))"
    r"|\b(?:(?:wrote|said|put|typed|claimed|ticked|posted)(?: down)?|told \w+) (?:that )?(?:i|we)\b.*\b(?:by (?:mistake"
    r"|accident)|accidentally|in error|mistakenly|wrongly)\b"
    r"|\b(?:accidentally|mistakenly|wrongly) (?:(?:wrote|said|put|typed|claimed|ticked|posted)(?: down)?|told \w+)"
    r" (?:that )?(?:i|we)\b"
    r"|\b(?:told|tell|tells) .*\b(?:to get (?:rid|out) of|to avoid|to shut"
    r"|so (?:that )?(?:he|she|they)(?:'d| would|'ll)"
    r"|so (?:that )?(?:i|we|he|she|they) (?:could|would|wouldn't|couldn't|(?:didn't|don't|wouldn't) have to)"
    r"|as an excuse)\b"
    r"|\b(?:metaphorically|figuratively|so to speak|as it were|as they say|in theory|ironically|on paper|apparently"
    r"|allegedly|supposedly|in (?:his|her|my|their|your) dreams?"
    r"|(?:i|we) (?:think|guess|believe|suppose|reckon|assume)|maybe|perhaps|probably|or something)$"
    r"|\b(?:sure|know|certain|say|tell|idea|unclear|clue|wonder)\b[^.!?;,]*\bwhether\b"
    rf"|\bor so\b[^.!?;,]*\b{_OTHERS_HOLD}\b|[,\u2014-] ?(?:or )?at least\b[^.!?;]*\b{_OTHERS_HOLD}(?: so| it)?$"
    rf"|, ?(?:or )?(?:that's|that is|it's) what\b[^.!?;]*\b{_OTHERS_HOLD}$",
    re.IGNORECASE,
)
"""What makes a sentence somebody else's, behind it, or no more than a figure of speech or a rumour."""
SAYING: Final = word_set("""
    saying thinking telling claiming insisting say says said think thinks thought believe believes believed
    claim claims claimed insist insists insisted tell tells told reckon reckons assume assumes assumed guess
    guesses guessed suspect suspects suspected hope hopes hoped wish wishes wished suppose bet swear swears
    figure imagine imagines joke joked jokes heard hear hears write writes wrote know knows knew feel feels
    felt worry worried accuse accused argue argued convinced remember remembers mention mentioned mentions
    realise realised realize realized notice noticed found discover discovered learned learnt forgot admit
    admitted confirm confirmed decided promise pretend pretends pretended wonder wondering wonders note mind
    forget aware
""")
_FIRM: Final = word_set("""
    said told say tell mention mentioned realise realised realize realized notice noticed found discover
    discovered learned learnt forgot admit admitted confirm confirmed decided know promise swear remember
    write wrote note mind forget aware
""")
"""Whoever says so of themselves asserts it."""
_MEDICAL: Final = word_set("""
    doctor gp dentist nurse specialist optician consultant dietitian allergist dermatologist cardiologist neurologist
    psychiatrist pharmacist paediatrician pediatrician
""")


def asks(part: Sequence[Token]) -> bool:
    """Whether a clause begins as a question does."""
    words = [token for token in part[:6] if token.pos != "INTJ" and token.norm not in _BEFORE_A_QUESTION]
    if not words:
        return False
    first, second = words[0].norm, words[1].norm if len(words) > 1 else ""
    if first in _WH:
        return (
            first == "how"
            or second in ASKING_AUX
            or second in {"about", "if", "'s", "s", "'re"}
            or (
                len(words) > 2 and words[2].norm in ASKING_AUX and words[1].pos in {"NOUN", "ADJ", "ADV"}  # noqa: PLR2004
            )
        )
    if first in {"any", "anybody", "anyone", "anything"}:
        return second in _SOUGHT
    if first in {"any", "please", "kindly"} or first in ASKING_AUX:
        return second in _ASKED or (second in {"not", "n't"} and len(words) > 2 and words[2].norm in _ASKED)  # noqa: PLR2004
    return False


_BEFORE_A_QUESTION: Final = frozenset(
    {",", "so", "and", "but", "ok", "okay", "hey", "hi", "hello", "well", "also", "or", "then", "please"}
)
_SOUGHT: Final = word_set("""
    ideas idea tips tip suggestions suggestion recommendations recommendation advice recs thoughts chance good
    nice decent cheap recipes recipe books restaurants places way ways here else know
""")
_ASKED: Final = word_set("i we you he she they it there my our this that the your anyone anybody")


def is_unreal(parts: Sequence[tuple[str, Sequence[Token]]], written: str) -> bool:
    """Whether a sentence says what would be, by its conditions; `if it helps` is none."""
    if _SAID_BEHIND.search(written):
        return True
    if _POLITE.search(written):
        return False
    return any(led_by in IF or (part and part[0].norm in IF) for led_by, part in parts)


_LED_TO_DOUBT: Final = IF | {"run on", "that"}
_DOUBTING: Final = word_set(
    "doubt doubts doubted doubting unsure uncertain doubtful unlikely unclear unconvinced dunno"
)
_CERTAIN: Final = word_set("sure certain positive convinced confident clear true persuaded")
_DENIED: Final = word_set("not n't nt never no hardly isnt wasnt aint")
_NEAR: Final = 3


_BEGINS_DENIED: Final = re.compile(
    r"(?:(?:and|but|so|well|ok|oh|honestly|sadly|actually|sorry)[, ]+)*"
    r"(?:neither\b(?! here\b)|either\b(?! way\b).*\bor\b"
    r"|not (?:(?:so|too|really|entirely|quite|at all|very) )?(?:sure|certain|convinced|clear|true)\b(?! ?,)"
    r"|(?:no (?:way|chance|idea)|not a chance|unlikely|unsure|doubtful|i doubt)\b(?! ?,))",
    re.IGNORECASE,
)
"""Of one of two nobody can tell which, and of neither it is not so."""
_WHICH: Final = re.compile(r"not sure if i (?:mentioned|said|told)", re.IGNORECASE)


def is_in_doubt(written: str) -> bool:
    """Whether a clause says by its first words that what follows is not so, or may not be."""
    return _BEGINS_DENIED.match(written) is not None and _WHICH.match(written) is None


def _doubts(before: Sequence[Token]) -> bool:
    """Whether a clause ends on a doubt of what follows: `I doubt`, `I'm not at all sure`, and not `I don't doubt`."""
    norms = [token.norm for token in before]
    denied = bool(_DENIED & set(norms))
    last = set(norms[-_NEAR:])
    return bool(last & (_CERTAIN if denied else _DOUBTING))


def mood_of(led_by: str, before: Sequence[Token]) -> Mood:
    """What the clause before makes of this one."""
    if led_by in _LED_TO_DOUBT and _doubts(before):
        return Mood.DOUBTED
    if led_by == "nor":
        return Mood.DOUBTED
    saying = next((token for token in reversed(before[-4:]) if token.norm in SAYING), None)
    if saying is not None and any(token.norm in {"and", "but"} and token.start > saying.start for token in before):
        saying = None
    if saying is not None and (led_by in SAYING or led_by in {"that", "run on", ",", "how", ":", "and"}):
        if led_by == "and":
            return Mood.SAID
        return _of_what_is_said(saying, before)
    if led_by in ASIDES:
        return Mood.ASIDE
    return Mood.SAID


def _of_what_is_said(saying: Token, before: Sequence[Token]) -> Mood:
    words = [token.norm for token in before]
    if {"never", "not", "n't", "nt"} & set(words) and saying.norm in {
        "say",
        "said",
        "told",
        "tell",
        "mention",
        "mentioned",
    }:
        return Mood.DOUBTED
    subject = words[: words.index(saying.norm)]
    if saying.norm == "know" and subject[-2:] in (["so", "you"], ["as", "you"], ["should", "know"], ["you", "should"]):
        return Mood.SAID
    if {"i", "we"} & set(subject) and not {"he", "she", "they", "you"} & set(subject):
        return Mood.SAID if saying.norm in _FIRM else Mood.DOUBTED
    if not subject and saying.norm in _FIRM:
        return Mood.SAID
    if saying.norm in {"note", "mind", "remember", "forget", "aware"} and not {"he", "she", "they", "you"} & set(
        subject
    ):
        return Mood.SAID
    found = saying.norm in _FIRM | {"says", "confirms"} and bool(_MEDICAL & set(subject[-1:]))
    return Mood.SAID if found else Mood.REPORTED
