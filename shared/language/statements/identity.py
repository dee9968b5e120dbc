"""Statements of who somebody is: name, age, birthday, origin, languages, and what of theirs has one value. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from shared.language.statements.called import name_at
from shared.language.statements.phrases import Phrase, in_times, phrase_at, phrases_at
from shared.language.statements.saying import Said
from shared.language.statements.stated import FAIR, SURE, Statement
from shared.language.statements.subjects import About
from shared.language.statements.wording import statement
from shared.language.statements.words import DIETS, LANGUAGES, NATIONS, STATES, TRADES, word_set
from shared.language.times.words import COUNTS

_GREETED: Final = re.compile(r"\b(?:hi|hiya|hello|hey|morning|evening|greetings)\b[^.?\n]{0,25}$", re.IGNORECASE)
_TENS: Final = {
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
}
_TEENS: Final = ("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
_OLDEST: Final = 120
_MOST_WORDS_OF_A_NAME: Final = 2
_YEARS: Final = re.compile(r"^(?:years?|yrs?)(?: |-)?old|^(?:yo|y/o|y\.o\.)\b")


def identity(said: Said, who: str) -> Iterator[Statement]:
    """What a clause says of who somebody is."""
    if not said.asserts or said.subject.about in {About.OWN, About.THING}:
        return
    if said.verb == "be":
        yield from _being(said, who)
    elif said.verb in {"turn", "bear"} or (said.verb == "go" and said.after == "by"):
        yield from _turning(said, who)
    elif said.verb in {"come", "grow"}:
        yield from _from(said, who)
    elif said.verb == "change" and (said.past or said.perfect) and not said.negated:
        yield from _renamed(said, who)
    elif said.verb == "speak" and not said.negated and not said.past and not said.going_on:
        yield from _speaking(said, who, said.at)


def _speaking(said: Said, who: str, at: int) -> Iterator[Statement]:
    for phrase in phrases_at(said.tokens, at, said.text, said.times):
        if (language := phrase.words.split()[-1]) in LANGUAGES:
            yield statement(said, who, "speaks", language.capitalize())


def _being(said: Said, who: str) -> Iterator[Statement]:
    if said.negated and not said.never:
        return
    years = None if said.past else _years(said)
    if years and not (said.future and not said.own_whens):
        yield _aged(said, who, years)
        yield from _born_on(said, who)
    elif said.after == "from" and said.subject.about is not About.NOBODY:
        yield from _place(said.moved(), who, "hometown", _FROM)
    elif said.after == "born":
        yield from _born(said.moved(), who)
    elif said.after in {"called", "named"} and said.subject.about is not About.RELATED:
        if name := name_of(said, said.at + 1):
            yield statement(said, who, "name", name)
    elif said.after == "fluent":
        yield from _speaking(said, who, said.at + 2)
    elif said.after in NATIONS and not said.past:
        yield from _nationality(said, who)
    else:
        yield from _introduced(said, who)


def _born_on(said: Said, who: str) -> Iterator[Statement]:
    """`I'll be 79 on the 20th`, `I turn 40 on 3 May`: a birthday."""
    day = next((when.day for when in said.own_whens if when.day), None)
    if day is not None and (said.future or said.verb == "turn") and not said.past:
        yield timeless(said, who, "birthday", f"{day.day} {day:%B}")


def _nationality(said: Said, who: str) -> Iterator[Statement]:
    following = said.tokens[said.at + 1 : said.at + 2]
    if not following or following[0].pos not in {"NOUN", "PROPN"} or following[0].norm in TRADES:
        yield statement(said, who, "nationality", said.tokens[said.at].text.capitalize())


def _years(said: Said) -> int | None:
    """An age in digits or words, where nothing behind it makes it a number of something else."""
    number, length = number_at(said, said.at)
    if number is None or not 0 < number <= _OLDEST:
        return None
    rest = said.text[said.tokens[said.at + length - 1].end : said.clause.end].strip().lower()
    if (
        not rest
        or rest[0] in ",;("
        or _YEARS.match(rest)
        or re.match(r"^(?:you know|now|btw|lol|already|and|but|today|yesterday|this|next|in|on|last)\b", rest)
    ):
        return number
    return None


def _aged(said: Said, who: str, years: int) -> Statement:
    """An age, in the words it was told in."""
    _, length = number_at(said, said.at)
    return statement(
        said,
        who,
        "age",
        str(years),
        shown=said.text[said.tokens[said.at].start : said.tokens[said.at + length - 1].end],
    )


def number_at(said: Said, at: int) -> tuple[int | None, int]:
    """A whole number at a token, and how many tokens it takes."""
    words = [token.norm for token in said.tokens[at : at + 3]]
    if not words:
        return None, 0
    if words[0].isdecimal():
        return int(words[0]), 1
    compound = "".join(words).replace("-", "") if "-" in words else words[0].replace("-", "")
    for ten, value in _TENS.items():
        if words[0] == ten or compound.startswith(ten):
            unit = compound.removeprefix(ten) or (words[1] if len(words) > 1 and words[1] in COUNTS[1:10] else "")
            length = 3 if "-" in words[1:2] else 2 if unit and unit == (words[1:2] or [""])[0] else 1
            return value + (COUNTS.index(unit) if unit in COUNTS else 0), length
    if words[0] in _TEENS:
        return 13 + _TEENS.index(words[0]), 1
    return (COUNTS.index(words[0]), 1) if words[0] in COUNTS else (None, 0)


def _turning(said: Said, who: str) -> Iterator[Statement]:
    if said.verb == "turn" and not said.negated and (years := _years(said)):
        yield _aged(said, who, years)
        yield from _born_on(said, who)
    elif said.verb == "bear" and not said.negated:
        yield from _born(said, who)
    elif said.verb == "go" and (name := name_of(said, said.at + 1)):
        yield statement(said, who, "preferred_name", name, is_preference=True)


def _renamed(said: Said, who: str) -> Iterator[Statement]:
    """`I changed my name to Anna Smith`, `I've changed my surname to Berg`."""
    to = next((at for at in range(said.at, min(said.at + 4, len(said.tokens))) if said.word(at) == "to"), said.at)
    thing = " ".join(token.norm for token in said.tokens[said.at : to])
    predicate = _RENAMED.get(thing.removeprefix("my "))
    if predicate and thing.startswith("my ") and (name := name_of(said, to + 1)):
        yield statement(said, who, predicate, name)


_RENAMED: Final = {
    "name": "name", "full name": "name", "first name": "name", "legal name": "name", "surname": "surname",
    "last name": "surname", "family name": "surname",
}  # fmt: skip


def _born(said: Said, who: str) -> Iterator[Statement]:
    if said.after == "and":
        said = said.moved(2)
    for when in said.own_whens[:1]:
        if day := when.day:
            written = said.text[when.start : when.end]
            with_year = f" {day.year}" if re.search(r"\d{4}", written) else ""
            yield timeless(said, who, "birthday", f"{day.day} {day:%B}{with_year}")
        elif re.search(r"\d{4}", said.text[when.start : when.end]):
            year = when.written.partition(" ")[2]
            yield replace(timeless(said, who, "birthday", year), text=f"{who} was born in {year}.")
    for at, token in enumerate(said.tokens[said.at : said.at + 8], said.at):
        if token.norm == "in" and not in_times(token, said.times):
            yield from _place(replace(said, at=at + 1), who, "birthplace", _FROM)
            return


def _from(said: Said, who: str) -> Iterator[Statement]:
    if said.negated or said.going_on:
        return
    if said.verb == "come" and said.after == "from" and not said.past and not said.perfect:
        yield from _place(said.moved(), who, "hometown", _FROM)
    if said.verb == "grow" and said.after == "up" and said.word(said.at + 1) in {"in", "near", "on"}:
        yield from _place(said.moved(2), who, "hometown", _FROM)


_FROM: Final = word_set("home work school town family background farm house place past future middle bed hospital")
"""Where one comes from without being from there."""


def _place(said: Said, who: str, predicate: str, no_place: frozenset[str]) -> Iterator[Statement]:
    phrase = phrase_at(said.tokens, said.at, said.text, said.times)
    if phrase is None or is_one_of_several(said, phrase):
        return
    if not phrase.owner and phrase.head.norm not in no_place and (not phrase.article or phrase.is_name):
        yield timeless(said, who, predicate, place_of(said, phrase))


def place_of(said: Said, phrase: Phrase) -> str:
    """A place with what it lies in: `Austin, Texas`; with its article where that is part of the name."""
    text = phrase.text
    at = phrase.next
    if at + 1 < len(said.tokens) and said.tokens[at].text == "," and said.tokens[at + 1].text[0].isupper():
        wider = phrase_at(said.tokens, at + 1, said.text, said.times)
        if wider and wider.is_name:
            text = f"{text}, {wider.text}"
    return f"the {text}" if phrase.article == "the" and phrase.is_name else text


def is_one_of_several(said: Said, phrase: Phrase) -> bool:
    """`Gouda, Delft and Leiden`, `Paris and London`: of one place nobody could say which."""
    at, listed = phrase.next, phrase.is_name
    while listed and at + 1 < len(said.tokens) and said.tokens[at].text == ",":
        further = phrase_at(said.tokens, at + 1, said.text, said.times)
        if further is None or not further.is_name:
            return False
        at = further.next
    if not listed or said.word(at) not in {"and", "or", "&"}:
        return False
    last = phrase_at(said.tokens, at + 1, said.text, said.times)
    behind = said.tokens[last.next] if last and last.next < len(said.tokens) else None
    return last is not None and last.is_name and (behind is None or behind.pos not in {"VERB", "AUX"})


def timeless(said: Said, who: str, predicate: str, what: str, confidence: float = SURE) -> Statement:
    """Of what does not begin: the times of the clause are part of it."""
    bare = statement(said, who, predicate, what, confidence=confidence)
    again = statement_without_times(said, who, predicate, what, confidence)
    return again if bare.since or bare.until else bare


def statement_without_times(said: Said, who: str, predicate: str, what: str, confidence: float = SURE) -> Statement:
    """A statement that leaves the times of its clause alone."""
    return statement(replace(said, whens=(), borrowed=()), who, predicate, what, confidence=confidence)


def name_of(said: Said, at: int) -> str:
    """The name at a token; without capitals, the one word that ends the clause."""
    if found := name_at(said.tokens, at, _people(said, at)):
        return " ".join(said.text[found[0].start : found[-1].end].split())
    return ""


def _people(said: Said, at: int) -> frozenset[str]:
    """What must be a name by its place, however it is written: a word alone, or two, at the end of a clause."""
    rest = said.tokens[at:]
    words = [token for token in rest if token.text not in {",", "'", '"'}]
    ends = len(words) <= _MOST_WORDS_OF_A_NAME or said.word(at + 1) in {",", "and", "but", "btw"}
    return (
        frozenset({rest[0].norm})
        if rest and ends and rest[0].text.isalpha() and rest[0].norm not in _NO_NAMES
        else frozenset()
    )


_NO_NAMES: Final = word_set("not a an the my your what that this it in on for with to of mud different up off out")


def _introduced(said: Said, who: str) -> Iterator[Statement]:
    """`Hi, I'm Max`."""
    if said.subject.about is not About.SELF or said.past or not _GREETED.search(said.text[: said.tokens[0].end + 1]):
        return
    if said.after in STATES | DIETS | NATIONS | TRADES:
        return
    found = name_at(
        said.tokens,
        said.at,
        _people(said, said.at) if said.tokens[said.at : said.at + 1] and said.tokens[said.at].pos == "PROPN" else (),
    )
    behind = said.tokens[said.at + len(found) : said.at + len(found) + 1]
    if found and (not behind or behind[0].text == "," or behind[0].norm in {"and", "from", "by"}):
        yield statement(said, who, "name", said.text[found[0].start : found[-1].end], confidence=FAIR)
        if behind and behind[0].norm == "from":
            yield from _place(said.moved(len(found) + 1), who, "hometown", _FROM)
