"""Statements of what of somebody has one value: a birthday, a favourite, a phone number. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from shared.contract.candidates import Change
from shared.language.statements.clauses import Clause
from shared.language.statements.identity import name_of, timeless
from shared.language.statements.phrases import phrase_at
from shared.language.statements.saying import Said
from shared.language.statements.stated import FAIR, SURE, Statement
from shared.language.statements.subjects import About
from shared.language.statements.wording import sentence, statement
from shared.language.statements.words import predicate_of, word_set

ATTRIBUTES: Final = word_set("""
    email phone address timezone bus seat locker major degree team club nationality job title hobby username
    bank insurer broadband plate landline surname postcode sunsign gp-surgery surgery pharmacy gym shift blood-type
    supplier carrier browser handle commute editor salary weight height birthplace hometown pronouns website religion
    passion
""")
"""What somebody has one of; of it is claimed what it is."""
_ATTRIBUTE_PHRASES: Final = {
    "star sign": "star_sign",
    "zodiac sign": "star_sign",
    "blood type": "blood_type",
    "shoe size": "shoe_size",
    "time zone": "timezone",
    "phone number": "phone",
    "email address": "email",
    "native language": "speaks",
    "mother tongue": "speaks",
    "first language": "speaks",
    "dietary restriction": "diet",
    "wifi name": "wifi_name",
    "flight number": "flight_number",
    "email": "email",
    "job title": "job",
    "desk number": "desk_number",
    "locker number": "locker",
    "ring size": "ring_size",
    "phone": "phone",
    "number": "phone",
    "mobile number": "phone",
    "cell number": "phone",
    "license plate": "license_plate",
    "gate code": "code",
    "licence plate": "license_plate",
    "number plate": "license_plate",
    "keyboard layout": "keyboard_layout",
    "passport number": "passport_number",
    "energy supplier": "supplier",
    "hat size": "hat_size",
    "dress size": "clothing_size",
    "shirt size": "clothing_size",
    "working hours": "working_hours",
    "blood group": "blood_type",
    "insulin pump": "insulin_pump",
    "operating system": "uses",
    "membership number": "membership_number",
    "library card number": "library_card_number",
    "frame number": "frame_number",
    "middle name": "middle_name",
    "maiden name": "maiden_name",
}
_FEWEST_DIGITS: Final = 6
"""Of a telephone; `my number is 7` is on a shirt."""
_NUMBERED: Final = frozenset({"number", "phone"})
_DEVICES: Final = frozenset({"phone", "mobile", "cell"})
_WITHHELD: Final = re.compile(
    r"(?:none|nobody|no ?one(?:'s)?|nobody's|nothing|not|unknown|undecided|my own|your guess"
    r"|a (?:secret|mystery|surprise|tie|toss-up)|secret|private|confidential|personal|hard to|too (?:many|hard|long)"
    r"|up to you|anyone's guess)\b",
    re.IGNORECASE,
)
"""What is said in place of a value."""
_SHORT: Final = frozenset(
    {
        "keyboard_layout",
        "working_hours",
        "passport_number",
        "clothing_size",
        "hat_size",
        "blood_type",
        "star_sign",
        "shoe_size",
        "timezone",
        "flight_number",
    }
)
_FAVOURITE: Final = re.compile(
    r"^(?:all[- ]time |new |current |absolute )*(?:favou?rite|fave|fav)\b\s*(.*)$", re.IGNORECASE
)


def attributes(said: Said, who: str) -> Iterator[Statement]:
    """`My favourite colour is green`, `my wife's name is Ana`, `my birthday is 3 May`."""
    if (
        (said.subject.about is not About.OWN and not _is_bare_plate(said))
        or said.verb != "be"
        or not said.asserts
        or said.going_on
        or said.future
    ):
        return
    words = said.subject.words.lower().replace("\u2019", "'").removeprefix("new ").removeprefix("current ")
    found = _FAVOURITE.match(words)
    if said.negated and not said.over and not found:
        return
    if words == "name" or (
        words.endswith(("first name", "full name", "name's", "last name", "surname")) and not said.subject.relation
    ):
        yield from _own_name(said, who, words)
    elif said.subject.relation and words.endswith("name"):
        yield from _name_of_other(said, who)
    elif words.endswith("birthday"):
        yield from _birthday(said, who)
    elif found:
        yield from _favourite(said, who, found[1])
    elif not said.past:
        yield from _attribute(said, who, words)


def _is_bare_plate(said: Said) -> bool:
    """`License plate is KLM 4471`: of the speaker, though nothing says so."""
    named = _ATTRIBUTE_PHRASES.get(said.subject.words.lower(), "")
    return (
        named.endswith(("_plate", "_number"))
        and said.subject.about is About.THING
        and said.tokens[0].norm not in {"the", "his", "her", "their"}
    )


def _own_name(said: Said, who: str, words: str) -> Iterator[Statement]:
    if name := _name_or_rest(said):
        yield statement(said, who, "surname" if words in {"last name", "surname"} else "name", name)


def _name_or_rest(said: Said) -> str:
    """The name that follows, or all that does, where it is no longer than a name may be."""
    rest = said.rest
    taken = [token for token in rest[:4] if token.text[0].isupper()] if rest and rest[0].text[0].isupper() else []
    if taken and all(token.text[0].isupper() for token in rest[: len(taken)]):
        return said.text[taken[0].start : taken[-1].end]
    return name_of(said, said.at)


def _name_of_other(said: Said, who: str) -> Iterator[Statement]:
    """Of a relation: who it is. Of a pet likewise."""
    relation = said.subject.relation
    if name := _name_or_rest(said):
        yield statement(said, who, predicate_of(relation), name, text=f"{name} is {who}'s {relation}.", confidence=SURE)


def _birthday(said: Said, who: str) -> Iterator[Statement]:
    whose = f"{who}'s {said.subject.said_as}" if said.subject.relation else who
    for when in said.own_whens:
        if day := when.day:
            written = said.text[when.start : when.end]
            with_year = f" {day.year}" if re.search(r"\d{4}", written) else ""
            yield timeless(said, whose, "birthday", f"{day.day} {day:%B}{with_year}")


def _favourite(said: Said, who: str, noun: str) -> Iterator[Statement]:
    phrase = phrase_at(said.tokens, said.at, said.text, said.times)
    if phrase is None or not noun.strip() or said.past or phrase.owner:
        return
    if _WITHHELD.match(said.text, said.tokens[said.at].start):
        return
    behind = said.tokens[phrase.next : phrase.next + 1]
    if noun.endswith((" ever",)) or (behind and behind[0].norm == "that"):
        return
    noun = re.sub(r"\s+(?:of all time|ever|at the moment|these days)$", "", noun)
    predicate = "favourite_" + re.sub(r"\W+", "_", noun.strip()).strip("_")
    what = f"the {phrase.text}" if phrase.article == "the" and phrase.is_name else phrase.text
    change = Change.ENDED if said.over or said.negated else None
    yield statement(said, who, predicate, what, is_preference=True, change=change)


def _attribute(said: Said, who: str, words: str) -> Iterator[Statement]:
    predicate = _ATTRIBUTE_PHRASES.get(words, words if words in ATTRIBUTES else "")
    if not predicate or said.subject.relation:
        return
    rest = said.text[said.tokens[said.at].start : said.clause.end] if said.rest else ""
    if _WITHHELD.match(rest):
        return
    if words in _DEVICES and (model := _model(said)):
        yield statement(said, who, "uses", model)
        return
    if predicate in {
        "email",
        "phone",
        "address",
        "pronouns",
        "website",
        "bus",
        "code",
        "username",
        "handle",
        "license_plate",
        "frame_number",
    }:
        what = (
            " ".join(re.split(r",? (?:now|but|and|so|not|since|in case|if|btw)\b|, ", rest)[0].split())
            .removeprefix("the ")
            .strip(" .,")
        )
        telling = any(sign.isdigit() or sign in "@/" for sign in what) or predicate in {"username", "handle", "address"}
        few = sum(map(str.isdigit, what)) < _FEWEST_DIGITS
        telling = telling and not (few and words in _NUMBERED)
    elif predicate in _SHORT and len(re.split(r" so\b|,", rest)[0].split()) <= 4:  # noqa: PLR2004 - words of one value
        what, telling = re.split(r" so\b|,", rest)[0].strip(" .,").removeprefix("a ").removesuffix(" now"), bool(rest)
    else:
        phrase = phrase_at(said.tokens, said.at, said.text, said.times)
        what, telling = (phrase.text, phrase.head.pos in {"NOUN", "PROPN", "NUM"}) if phrase else ("", False)
    if what and telling and len(what) <= 80:  # noqa: PLR2004 - characters of one value
        yield statement(said, who, predicate, what)


def _model(said: Said) -> str:
    """`A Pixel 7`, which a telephone is, and no number to call."""
    phrase = phrase_at(said.tokens, said.at, said.text, said.times)
    named = phrase is not None and phrase.article in {"a", "an"} and any(sign.isupper() for sign in phrase.text)
    return phrase.text if phrase is not None and named else ""


_TURNED: Final = re.compile(
    r"^(?:so |and |but |well |yes |honestly |actually |also |,)*\s*(?P<what>[\w' -]{2,40}?) (?:is|are) (?:my|our) "
    r"(?:new |all-time |absolute )*(?:favou?rite|fave) (?P<noun>[a-z]+(?: [a-z]+)?)(?: ever| of all time| now| tho)?$",
    re.IGNORECASE,
)
_POINTING: Final = frozenset({"this", "that", "it", "which", "what", "these", "those", "he", "she", "they", "not"})


def favourite_turned(clause: Clause, who: str, text: str) -> Iterator[Statement]:
    """`Lisbon is my favourite city`."""
    found = _TURNED.match(" ".join(text[clause.start : clause.end].split()))
    if found is None or found["what"].lower().split()[0] in _POINTING:
        return
    predicate, what = f"favourite_{found['noun'].lower().replace(' ', '_')}", found["what"]
    yield Statement(
        subject=who,
        predicate=predicate,
        object=what,
        text=sentence(predicate, who, what, Change.HOLDS),
        start=clause.start,
        end=clause.end,
        is_preference=True,
        confidence=FAIR,
    )
