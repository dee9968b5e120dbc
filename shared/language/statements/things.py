"""Statements of a thing that has one value of its kind, and of whatever a speaker asks to have remembered. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from shared.language.statements.phrases import phrase_at
from shared.language.statements.saying import Said
from shared.language.statements.stated import FAIR, Statement
from shared.language.statements.subjects import About
from shared.language.statements.wording import in_third_person, statement

_KINDS: Final = {
    "code": "code",
    "pin": "code",
    "price": "price",
    "cost": "price",
    "rent": "price",
    "deadline": "deadline",
    "budget": "budget",
}
_SAVE: Final = re.compile(
    r"^\W*(?:and |also |please |pls |ok |hey )*(?:remember|note|keep in mind|bear in mind|don'?t forget|save"
    r")\b(?! to\b)",
    re.IGNORECASE,
)
_MOST_WORDS: Final = 24


def things(said: Said, who: str) -> Iterator[Statement]:
    """`the gate code is 4521`."""
    if (
        said.subject.about not in {About.OWN, About.THING}
        or said.verb != "be"
        or said.negated
        or said.past
        or not said.asserts
    ):
        return
    named, _, of = said.subject.words.partition(" of the ")
    words = named.lower().split()
    kind = _KINDS.get(words[-1], "") if words else ""
    what = said.text[said.rest[0].start : said.clause.end].split(",")[0].strip() if said.rest else ""
    if not kind or not any(sign.isdigit() for sign in what) or len(what.split()) > 4:  # noqa: PLR2004 - a value, no clause
        return
    what = re.sub(r" (?:from|since|as of|starting|for) .*$", "", what)
    if kind == "deadline" and said.own_whens:
        what = said.own_whens[0].written.partition(" ")[2]
    whose = f"{who}'s" if said.subject.about is About.OWN else "the"
    thing = f"{whose} {said.subject.words}" if not of else f"the {' '.join([of, *named.split()[:-1]])}"
    yield statement(
        said,
        thing,
        kind,
        what.removeprefix("now ").strip(),
        confidence=FAIR,
        text=f"{whose[:1].upper()}{whose[1:]} {said.subject.words} is {what}.",
    )


def asks_to_remember(sentence: str) -> bool:
    """Whether a sentence begins by asking that the rest be remembered."""
    return _SAVE.match(sentence) is not None


def to_remember(said: Said, who: str) -> Iterator[Statement]:
    """Whatever a clause says, because its speaker asks to have it remembered."""
    tokens = said.tokens
    if said.subject.about is About.NOBODY or len(tokens) > _MOST_WORDS or said.doubted:
        return
    start = 0
    while (
        start < said.subject.next
        and tokens[start].norm not in {"the", "my", "our", "i", "we"}
        and tokens[start].text[0].islower()
    ):
        start += 1
    start = start if start < said.subject.next else max(0, said.subject.next - 1)
    what = in_third_person(said, tokens[start:])
    if phrase_at(tokens, said.subject.next, said.text) is not None or said.rest:
        yield statement(said, who, "note", what, confidence=FAIR, text=f"{who} wants remembered that {what}.")
