"""Statements of allergies, conditions and medicines. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from shared.language.statements.dates import Bound
from shared.language.statements.diets import VAGUE, behind_degrees, hyphenated_at, noun_behind
from shared.language.statements.medicines import sounds_like_medicine
from shared.language.statements.phrases import Phrase, phrase_at, phrases_at
from shared.language.statements.routines import AGAIN
from shared.language.statements.saying import Said
from shared.language.statements.stated import FAIR, SURE, Statement
from shared.language.statements.subjects import About
from shared.language.statements.wording import statement
from shared.language.statements.words import CONDITION_PHRASES, CONDITIONS, INTOLERANCES, STATES, word_set

_OF_ALLERGIES: Final = word_set("severe bad mild serious slight deadly nasty -")
"""What an allergy is like, and not to what it is."""
_DISEASES: Final = ("disease", "syndrome", "disorder")


def health(said: Said, who: str) -> Iterator[Statement]:
    """What a clause says of somebody's health."""
    if not said.asserts or said.future or said.subject.about in {About.OWN, About.THING}:
        return
    if said.verb == "be" and not (said.negated and not said.never):
        yield from _being(said, who)
    elif said.verb in {"have", "suffer", "get"}:
        yield from _having(said, who)
    elif said.verb == "diagnose" and said.passive and said.after == "with":
        for phrase in phrases_at(said.tokens, said.at + 1, said.text, said.times):
            yield statement(said, who, "has_condition", phrase.text)
    elif said.verb == "take" and not said.past and not said.negated:
        yield from _taking(said, who)


def _being(said: Said, who: str) -> Iterator[Statement]:
    if said.past and not (said.over or said.never):
        return
    at = behind_degrees(said)
    word = said.word(at)
    if word == "allergic":
        yield from _allergic(said, who, at + 1)
    elif word in {"intolerant", "sensitive"} or (word in INTOLERANCES and said.word(at + 1) in {"intolerant", "-"}):
        yield from _intolerant(said, who, at)
    elif {hyphenated_at(said, at), word} & STATES and not noun_behind(said, at + 1):
        yield from _in_a_state(said, who, at)


def _allergic(said: Said, who: str, at: int) -> Iterator[Statement]:
    if said.word(at) not in {"to", "against"}:
        return
    for phrase in phrases_at(said.tokens, at + 1, said.text, said.times):
        if phrase.head.norm not in VAGUE and not phrase.owner:
            yield statement(said, who, "allergic_to", phrase.text)


def _intolerant(said: Said, who: str, at: int) -> Iterator[Statement]:
    if said.word(at) in INTOLERANCES:
        yield statement(said, who, "intolerant_to", said.tokens[at].text)
    elif said.word(at + 1) == "to":
        for phrase in phrases_at(said.tokens, at + 2, said.text, said.times):
            if said.word(at) == "intolerant" or phrase.head.norm in INTOLERANCES:
                yield statement(said, who, "intolerant_to", phrase.text)


def _in_a_state(said: Said, who: str, at: int) -> Iterator[Statement]:
    """`I'm deaf in one ear`. A date beside it is of something else (`pregnant, due in July`), unless it says since."""
    if said.word(at) in {"blind", "deaf"} and said.word(at + 1) in {"to", "with"}:
        return
    end = said.tokens[at].end
    if said.word(at + 1) == "-":
        end = said.tokens[at + 2].end
    elif hyphenated_at(said, at) in STATES and said.word(at + 1) and hyphenated_at(said, at) != said.word(at):
        end = said.tokens[at + 1].end
    if said.word(at + 1) == "in" and (phrase := phrase_at(said.tokens, at + 2, said.text, said.times)):
        end = phrase.tokens[-1].end
    words = said.text[said.tokens[at].start : end]
    lasting = replace(said, whens=[when for when in said.whens if when.bound is Bound.SINCE])
    since = next((f" {when.written}" for when in lasting.own_whens), "")
    text = f"{who} is {'no longer ' if said.over else ''}{words}{since}."
    yield statement(lasting, who, "has_condition", words, text=text)


def _having(said: Said, who: str) -> Iterator[Statement]:
    """`I have a peanut allergy`, `I've had the cough for three days`, `I suffer from migraines`."""
    if said.negated or (said.past and not said.over and not (said.verb == "have" and said.perfect)):
        return
    at = said.at + (said.verb == "suffer" and said.after == "from")
    for phrase in phrases_at(said.tokens, at, said.text, said.times):
        if phrase.head.norm in {"allergy", "allergies", "intolerance"}:
            yield from _of_what(said, who, phrase)
        elif _is_condition(said, phrase, suffered=at > said.at):
            sure = SURE if phrase.head.norm in CONDITIONS else FAIR
            yield statement(said, who, "has_condition", phrase.text, confidence=sure, shown=phrase.shown)


def _is_condition(said: Said, phrase: Phrase, *, suffered: bool) -> bool:
    """What is got is one only as something that recurs: `I get migraines`."""
    named = phrase.words.endswith((*_DISEASES, *CONDITION_PHRASES))
    is_one = phrase.head.norm in CONDITIONS or suffered or named
    return is_one and (said.verb != "get" or (phrase.head.tag == "NNS" and not said.past))


def _of_what(said: Said, who: str, phrase: Phrase) -> Iterator[Statement]:
    """To what an allergy is: `peanut allergy`, `an allergy to peanuts`."""
    predicate = "intolerant_to" if phrase.head.norm == "intolerance" else "allergic_to"
    words = [token.text for token in phrase.tokens[:-1] if token.norm not in _OF_ALLERGIES]
    if words:
        yield statement(said, who, predicate, " ".join(words))
    elif said.word(phrase.next) == "to":
        for what in phrases_at(said.tokens, phrase.next + 1, said.text, said.times):
            yield statement(said, who, predicate, what.text)


def _taking(said: Said, who: str) -> Iterator[Statement]:
    for phrase in phrases_at(said.tokens, said.at, said.text, said.times):
        if not phrase.owner and sounds_like_medicine(phrase):
            often = AGAIN.search(said.text, phrase.tokens[-1].end, said.clause.end)
            shown = f"{phrase.text} {often.group().lower()}" if often else phrase.text
            yield statement(said, who, "takes", phrase.text, shown=shown)
