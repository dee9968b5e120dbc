"""Statements of work and study. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from shared.contract.candidates import Change
from shared.language.statements.phrases import Phrase, phrase_at
from shared.language.statements.retiring import between_jobs, is_between_jobs, retiring
from shared.language.statements.saying import Said, lasts
from shared.language.statements.stated import FAIR, Statement
from shared.language.statements.subjects import About
from shared.language.statements.verbs import third_person
from shared.language.statements.wording import statement
from shared.language.statements.words import FIELDS, JOBLESS, TRADES, word_set

NO_EMPLOYER: Final = word_set("""
    home night nights day days weekend weekends moment time times desk computer end project projects problem
    issue team people kids children night-shift shifts shift it them myself hours this that lot bit
    presentation report paper essay book novel garden house wood clay charity living money fun free long while
    years months pressure minute something someone anything everyone client clients customers python code
    table sofa couch bench counter breakfast tight deadline deadlines thing things remote remotely coffee tests exam
""")
SCHOOLS: Final = word_set("university college uni school academy institute polytechnic sixth-form")
_TRADE_ENDINGS: Final = (
    "ologist",
    "graphist",
    "ographer",
    "ician",
    "engineer",
    "manager",
    "developer",
    "teacher",
    "nurse",
    "driver",
    "worker",
    "keeper",
    "maker",
)
_DEGREES: Final = frozenset({"degree", "phd", "mba", "masters", "doctorate", "msc", "ba", "bsc", "diploma"})


def work(said: Said, who: str) -> Iterator[Statement]:
    """What a clause says of somebody's work or studies."""
    if not said.asserts or said.subject.about in {About.OWN, About.THING}:
        return
    handler = _HANDLERS.get(said.verb)
    if handler is None or (said.negated and not said.never):
        return
    words = said.text[said.clause.start : said.clause.end]
    own = said.subject.about in {About.SELF, About.US, About.NOBODY}
    beside = _BESIDE.search(words) or (own and ("also" in said.adverbs or _TOO.search(words)))
    for found in handler(said, who):
        yield _beside(found) if beside and found.predicate in {"works_at", "job"} else found


_BESIDE: Final = re.compile(
    r"\b(?:(?:second|third|another|additional|extra|side)[ -](?:[\w-]+ )?(?:jobs?|gigs?|roles?|positions?|hustle)"
    r"|on the side|in addition to|moonlight\w*|in (?:my|his|her) (?:spare|free) time)\b",
    re.IGNORECASE,
)
"""What makes it a job beside the one that somebody has, whose place it does not take."""


_TOO: Final = re.compile(r"\b(?:as well|in addition)\b|,? too$", re.IGNORECASE)
"""Of oneself; of another it says that they do as one does: `my wife works at Heron too`."""


def _beside(found: Statement) -> Statement:
    text = found.text.replace(" works ", " also works ", 1) if found.change is Change.HOLDS else found.text
    return replace(found, predicate="second_job", text=text)


def _working(said: Said, who: str) -> Iterator[Statement]:
    if said.future or not lasts(said) or (said.past and not (said.over or said.never or said.begun)):
        return
    yield from _positions(said, who, said.at)


def _positions(said: Said, who: str, at: int, change: Change | None = None) -> Iterator[Statement]:
    """The employer behind `at`, `for` or `with`, and the trade behind `as`, wherever they stand."""
    while at < len(said.tokens):
        norm = said.tokens[at].norm
        if (norm in {"at", "for"} or (norm == "with" and said.verb != "work")) and (place := employer_at(said, at + 1)):
            studies = said.verb in {"start", "begin"} and {token.norm for token in place.tokens} & SCHOOLS
            predicate = "studies_at" if studies else "works_at"
            yield statement(said, who, predicate, place.text, change=change, shown=place.shown)
            at = place.next
        elif norm == "as" and (trade := phrase_at(said.tokens, at + 1, said.text, said.times)) and _is_trade(trade):
            yield statement(said, who, "job", trade.text, change=change)
            at = trade.next
        elif norm == "in" and at == said.at and said.word(at + 1) in FIELDS and change is None:
            yield statement(
                said, who, "job", said.tokens[at + 1].text, text=f"{who} works in {said.tokens[at + 1].text}."
            )
            return
        elif norm in {"because", "so", "but", "to"} or _is_of_another(said, at):
            return
        else:
            at += 1


def _is_of_another(said: Said, at: int) -> bool:
    """Whether what follows is somebody else's trade or place: `with Tom, a nurse at the infirmary`."""
    with_whom = "with" in {said.after, said.word(said.at + 1)}
    return with_whom and said.tokens[at].text in {",", "("} and said.word(at + 1) in {"a", "an", "the", "my", "who"}


def employer_at(said: Said, at: int) -> Phrase | None:
    """Whom or what one works at, behind a preposition; None for `home`, `the moment` and the like."""
    phrase = phrase_at(said.tokens, at, said.text, said.times)
    if phrase is None or phrase.head.norm in NO_EMPLOYER or phrase.tokens[0].norm in NO_EMPLOYER:
        return None
    if phrase.owner or phrase.head.pos in {"NUM", "PRON", "ADV"}:
        return None
    return phrase


def _is_trade(phrase: Phrase) -> bool:
    head = phrase.head.norm
    if head in {"team", "part", "whole", "result", "rule", "kid", "child", "group"} or (
        phrase.article == "the" and not _known(phrase)
    ):
        return False
    return _known(phrase) or phrase.head.pos == "NOUN"


def _known(phrase: Phrase) -> bool:
    head = phrase.head.norm
    joined = phrase.words.replace(" ", "-")
    return head in TRADES or joined in TRADES or head.removesuffix("s") in TRADES or head.endswith(_TRADE_ENDINGS)


def _being(said: Said, who: str) -> Iterator[Statement]:
    """`I'm a nurse at St Mary's`, `I'm retired`, `I'm no longer a teacher`."""
    if is_between_jobs(said):
        yield from between_jobs(said, who)
        return
    if said.after in JOBLESS:
        if not said.past or said.over:
            yield statement(said, who, "job", said.after)
        return
    phrase = phrase_at(said.tokens, said.at, said.text, said.times)
    if (
        phrase is None
        or not _known(phrase)
        or phrase.owner
        or (said.past and not said.over)
        or (said.future and not said.own_whens)
    ):
        return
    if not phrase.article and not said.over and said.subject.about is not About.NOBODY and len(phrase.tokens) == 1:
        return
    if phrase.head.norm == "student":
        return
    yield statement(said, who, "job", phrase.text)
    if said.word(phrase.next) in {"at", "for", "with"} and (place := employer_at(said, phrase.next + 1)):
        yield statement(said, who, "works_at", place.text)


def _starting(said: Said, who: str) -> Iterator[Statement]:
    """`I start at the bakery on Monday`, `started my new job as a cook`, `joined Acme`, `got a job at Acme`."""
    if said.verb in {"join", "land", "get", "take", "accept", "have"}:
        yield from _given(said, who)
        return
    at = said.at
    if said.word(at) in {"a", "my", "the", "new", "job", "work"}:
        while at < len(said.tokens) and said.tokens[at].norm in {
            "a",
            "my",
            "the",
            "new",
            "job",
            "work",
            "role",
            "position",
        }:
            at += 1
        if said.tokens[at - 1].norm not in {"job", "work", "role", "position"}:
            return
    if said.word(at) in {"at", "as", "with"}:
        yield from _positions(said, who, at)


def _given(said: Said, who: str) -> Iterator[Statement]:
    if said.future and not said.own_whens:
        return
    if said.verb == "join":
        place = employer_at(said, said.at)
        if place and (said.past or said.perfect or said.own_whens) and place.is_name:
            yield statement(said, who, "works_at", place.text, confidence=FAIR)
            if said.word(place.next) == "as" and (
                trade := phrase_at(said.tokens, place.next + 1, said.text, said.times)
            ):
                yield statement(said, who, "job", trade.text, confidence=FAIR)
        return
    phrase = phrase_at(said.tokens, said.at, said.text, said.times)
    if phrase and phrase.head.norm in _DEGREES and phrase.article and said.verb == "have" and not said.past:
        subject = (
            phrase_at(said.tokens, phrase.next + 1, said.text, said.times) if said.word(phrase.next) == "in" else None
        )
        what = f"{phrase.text} in {subject.text}" if subject else phrase.text
        yield statement(said, who, "degree", what, text=f"{who} has {phrase.article} {what}.")
        return
    if (
        phrase
        and phrase.head.norm in {"job", "position", "role", "gig"}
        and (said.past or said.perfect or said.verb == "have")
    ):
        yield from _positions(said, who, phrase.next)


def _ending(said: Said, who: str) -> Iterator[Statement]:
    """`I quit my job at Acme`, `I left Acme in May`, `I got laid off from Acme`."""
    if said.future or not (said.past or said.perfect or said.passive or said.verb == "quit"):
        return
    phrase = phrase_at(said.tokens, said.at, said.text, said.times)
    if (
        said.verb == "leave"
        and phrase
        and phrase.is_name
        and not phrase.owner
        and said.subject.about in {About.SELF, About.US}
    ):
        if not any(
            token.norm in {"for", "to"} and token.start > phrase.head.end for token in said.tokens[phrase.next :]
        ):
            yield statement(said, who, "works_at", phrase.text, change=Change.ENDED, confidence=FAIR)
        return
    if (phrase and phrase.head.norm in {"job", "position", "role"}) or said.passive:
        at = phrase.next if phrase and not said.passive else said.at
        for place in range(at, len(said.tokens)):
            if said.tokens[place].norm in {"at", "from", "as", "with"} and said.tokens[place].norm != "as":
                if employer := employer_at(said, place + 1):
                    yield statement(said, who, "works_at", employer.text, change=Change.ENDED)
                return
    elif said.verb == "quit" and phrase and phrase.is_name:
        yield statement(said, who, "works_at", phrase.text, change=Change.ENDED, confidence=FAIR)


def _promoted(said: Said, who: str) -> Iterator[Statement]:
    to = said.after == "to"
    phrase = phrase_at(said.tokens, said.at + 1, said.text, said.times) if to else None
    if phrase and (said.past or said.perfect or said.passive):
        yield statement(said, who, "job", phrase.text)


def _hired(said: Said, who: str) -> Iterator[Statement]:
    if said.passive and said.after in {"by", "at", "as"}:
        if said.after == "by" and (place := employer_at(said, said.at + 1)):
            yield statement(said, who, "works_at", place.text, shown=place.shown)
        yield from _positions(said, who, said.at)


def _leading(said: Said, who: str) -> Iterator[Statement]:
    """`I head the logistics team at Rhenus`, `I run a small coffee shop`."""
    phrase = phrase_at(said.tokens, said.at, said.text, said.times)
    if phrase is None or said.past or said.future or said.going_on or phrase.owner:
        return
    if phrase.head.norm in _BUSINESSES and phrase.article in {"a", "an", "the"}:
        verb = f"no longer {third_person(said.verb)}" if said.over else third_person(said.verb)
        yield statement(said, who, "works_at", phrase.text, text=f"{who} {verb} {phrase.shown}.")
    elif said.word(phrase.next) == "at" and (place := employer_at(said, phrase.next + 1)) and place.is_name:
        yield statement(said, who, "works_at", place.text, shown=place.shown)


_BUSINESSES: Final = word_set("""
    shop bakery business company restaurant cafe café studio farm agency pub bar store salon startup practice
    firm nursery bookshop workshop hotel hostel guesthouse brewery charity gallery gym clinic garage
""")

_HANDLERS: Final = {
    "head": _leading,
    "run": _leading,
    "lead": _leading,
    "manage": _leading,
    "work": _working,
    "freelance": _working,
    "intern": _working,
    "be": _being,
    "start": _starting,
    "begin": _starting,
    "join": _starting,
    "land": _starting,
    "get": _starting,
    "take": _starting,
    "have": _starting,
    "quit": _ending,
    "leave": _ending,
    "lay": _ending,
    "fire": _ending,
    "lose": _ending,
    "resign": _ending,
    "retire": retiring,
    "promote": _promoted,
    "hire": _hired,
}
