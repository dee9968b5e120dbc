"""Statements of what somebody studies, teaches and has learned. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from shared.language.statements.phrases import Phrase, phrase_at, phrases_at
from shared.language.statements.saying import Said
from shared.language.statements.stated import FAIR, Statement
from shared.language.statements.subjects import About
from shared.language.statements.wording import statement
from shared.language.statements.words import LANGUAGES, word_set
from shared.language.statements.work import NO_EMPLOYER, employer_at

_COURSES: Final = word_set("""
    phd masters master's master bachelor bachelor's degree mba msc ma bsc diploma course doctorate
    apprenticeship
""")
_SCHOOLS: Final = word_set("university college uni school academy institute polytechnic")


def _in_year(said: Said, who: str) -> Iterator[Statement]:
    """`I'm in third year civil engineering at Godavari Institute`."""
    words = " ".join(token.text for token in said.rest)
    found = _IN_YEAR.match(words)
    if found is None or said.past or said.over:
        return
    yield statement(said, who, "learns", found["what"])
    at = next((at for at in range(said.at, len(said.tokens)) if said.word(at) == "at"), len(said.tokens))
    if place := employer_at(said, at + 1):
        yield statement(said, who, "studies_at", place.text, shown=place.shown)


_IN_YEAR: Final = re.compile(
    r"^in (?:my |the )?(?:\d(?:st|nd|rd|th)|first|second|third|fourth|fifth|final|last) ?-? ?year(?: of)?(?: my| a)? ?"
    r"(?P<what>[a-z]+(?: [a-z]+)?)(?= at |$|,| and )",
    re.IGNORECASE,
)


def _student(said: Said, who: str) -> Iterator[Statement]:
    """`I'm a second year student at McGill`."""
    if said.after == "in":
        yield from _in_year(said, who)
        return
    phrase = phrase_at(said.tokens, said.at, said.text, said.times)
    if phrase is None or phrase.head.norm != "student" or phrase.owner or said.past or said.future or said.over:
        return
    field = " ".join(token.text for token in phrase.tokens[:-1] if token.norm not in _YEARS)
    yield statement(said, who, "job", phrase.text)
    if field and field.lower() not in {
        "phd",
        "grad",
        "graduate",
        "university",
        "college",
        "master's",
        "masters",
        "exchange",
        "full-time",
    }:
        yield statement(said, who, "learns", field, confidence=FAIR)
    at = phrase.next
    if said.word(at) == "in" and (subject := phrase_at(said.tokens, at + 1, said.text, said.times)):
        yield statement(said, who, "learns", subject.text)
        at = subject.next
    if said.word(at) == "at" and (place := employer_at(said, at + 1)):
        yield statement(said, who, "studies_at", place.text, shown=place.shown)


_YEARS: Final = word_set("first second third fourth final year - first-year second-year third-year final-year")


def _studying(said: Said, who: str) -> Iterator[Statement]:
    if said.future or (said.past and not (said.over or said.begun)):
        return
    for phrase in phrases_at(said.tokens, said.at, said.text, said.times):
        if said.verb == "learn" and not said.going_on and not said.begun and not said.over:
            return
        if (
            not phrase.owner
            and phrase.head.norm not in NO_EMPLOYER
            and phrase.head.norm not in {"hard", "abroad", "together"}
        ):
            yield statement(said, who, "learns", _named(phrase))
    if said.verb == "study":
        for at in range(said.at, len(said.tokens) - 1):
            if said.tokens[at].norm == "at" and (school := employer_at(said, at + 1)):
                yield statement(said, who, "studies_at", school.text)


def _named(phrase: Phrase) -> str:
    return phrase.text.capitalize() if phrase.words in LANGUAGES else phrase.text


def _doing(said: Said, who: str) -> Iterator[Statement]:
    """`I'm doing a masters in geology at Leeds`."""
    phrase = phrase_at(said.tokens, said.at, said.text, said.times)
    if phrase is None or phrase.head.norm not in _COURSES or not said.going_on or said.past:
        return
    for at in range(phrase.next, len(said.tokens) - 1):
        if said.tokens[at].norm == "in" and (subject := phrase_at(said.tokens, at + 1, said.text, said.times)):
            yield statement(said, who, "learns", subject.text)
        elif said.tokens[at].norm == "at" and (school := employer_at(said, at + 1)):
            yield statement(said, who, "studies_at", school.text)


def _teaching(said: Said, who: str) -> Iterator[Statement]:
    """`I teach yoga`."""
    phrase = phrase_at(said.tokens, said.at, said.text, said.times)
    if (
        phrase
        and not phrase.owner
        and not phrase.article
        and not said.past
        and not said.future
        and phrase.head.pos in {"NOUN", "PROPN"}
    ):
        no_longer = "no longer teaches" if said.over else "teaches"
        if phrase.head.norm not in NO_EMPLOYER | {"students", "classes", "lessons"}:
            yield statement(said, who, "job", f"{phrase.text} teacher", text=f"{who} {no_longer} {phrase.text}.")


def _attending(said: Said, who: str) -> Iterator[Statement]:
    """`I go to Leeds University`, `I graduated from MIT in 2019`."""
    if said.verb == "graduate":
        if said.after == "from" and (place := employer_at(said, said.at + 1)) and (said.past or said.perfect):
            yield statement(said, who, "graduated_from", place.text)
        return
    phrase = phrase_at(said.tokens, said.at + (said.after in {"to", "at"}), said.text, said.times)
    if (
        phrase
        and phrase.is_name
        and {token.norm for token in phrase.tokens} & _SCHOOLS
        and not said.past
        and not said.future
    ):
        yield statement(said, who, "studies_at", phrase.text)


_HANDLERS: Final = {
    "study": _studying,
    "learn": _studying,
    "major": _studying,
    "go": _attending,
    "attend": _attending,
    "graduate": _attending,
    "teach": _teaching,
    "do": _doing,
    "be": _student,
}


def studies(said: Said, who: str) -> Iterator[Statement]:
    """What a clause says of what somebody studies or teaches."""
    handler = _HANDLERS.get(said.verb)
    about_somebody = said.subject.about not in {About.OWN, About.THING}
    if handler is not None and said.asserts and about_somebody and not (said.negated and not said.never):
        yield from handler(said, who)
