"""Statements of what somebody does again and again: a verb in the present beside `on Tuesdays`. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from shared.language.statements.habits import is_exercise
from shared.language.statements.medicines import is_medicine
from shared.language.statements.phrases import phrase_at
from shared.language.statements.saying import Said
from shared.language.statements.stated import FAIR, Statement
from shared.language.statements.subjects import About
from shared.language.statements.verbs import third_person
from shared.language.statements.wording import in_third_person, statement
from shared.language.statements.words import word_set

_DAY: Final = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
AGAIN: Final = re.compile(
    rf"\b(?:(?:on |every )?(?:{_DAY}s|weekends|weekdays|weeknights)|at weekends|every (?:other |second |single )?"
    rf"(?:{_DAY}|day|morning|evening|afternoon|night|week|weekend|month|year|summer|winter|spring|autumn|christmas)"
    r"|(?:once|twice|thrice|(?:\d+|two|three|four|five|six|a few|several)(?:x| times)) (?:a|per|every) "
    r"(?:day|week|month|year|fortnight)|each (?:day|week|morning|evening|night|month)|most (?:days|mornings|evenings"
    r"|nights|weekends|sundays|saturdays)|in the (?:mornings|evenings|afternoons)|daily|weekly|monthly|fortnightly"
    r"|nightly)\b",
    re.IGNORECASE,
)
_STATES: Final = word_set("""
    drink eat use close open be have like love hate live need want think know feel believe see seem look hear understand
    remember mean hope
    wish expect trust care matter prefer own get say tell ask wonder forget miss start finish begin end leave plan join
    move turn try keep let feel suffer pay cost earn
""")
_ENDS: Final = frozenset({"because", "but", "so", "although", "though", "since", "and", "if", "when", "while"})
_MOST_WORDS: Final = 16
_PEOPLE: Final = frozenset({About.SELF, About.US, About.NAMED})


def routines(said: Said, who: str) -> Iterator[Statement]:
    """`I run three times a week`, `we practise on Tuesdays at St Mary's`, `my dad fishes every Sunday`."""
    plain = not (said.negated or said.over or said.past or said.future or said.perfect or said.passive)
    if not plain or said.subject.about not in _PEOPLE or said.doubted or said.modal:
        return
    bare = replace(said, whens=(), borrowed=())
    told_alone = len(said.rest) == 2  # noqa: PLR2004 - from home
    lasting = said.adverbs & {"still", "now", "always", "mostly"} or said.tokens[0].norm == "still"
    lasts = (told_alone or lasting) and not (said.own_whens or {"this", "today"} & {token.norm for token in said.rest})
    if said.verb == "work" and said.after == "from" and said.word(said.at + 1) == "home" and lasts:
        yield from _habit(bare, who, "work from home")
        return
    words = said.text[said.clause.start : said.clause.end]
    meal = said.verb == "have" and said.after in {"lunch", "dinner", "breakfast", "brunch", "supper", "tea", "coffee"}
    if said.going_on or said.verb == "play" or (said.verb in _STATES and not meal) or AGAIN.search(words) is None:
        return
    if is_exercise(said) or (said.rest and said.rest[0].norm in {"it", "that", "this", "you"}):
        return
    taken = phrase_at(said.tokens, said.at, said.text, said.times) if said.verb == "take" else None
    if taken is not None and is_medicine(taken):
        return
    doing = f"{said.verb} {_rest(bare)}".strip()
    before = said.text[said.clause.start : said.tokens[min(said.subject.next, len(said.tokens) - 1)].start]
    if AGAIN.search(doing) is None and (leading := AGAIN.search(before)):
        doing = f"{doing} {leading.group().lower()}"
    yield from _habit(bare, who, doing)


def _habit(said: Said, who: str, doing: str) -> Iterator[Statement]:
    verb, _, rest = doing.partition(" ")
    words = f"{who} {third_person(verb)} {rest}".strip()
    yield statement(said, who, "habit", doing, text=f"{words}.", confidence=FAIR)


def _rest(said: Said) -> str:
    taken = []
    for token in said.rest[:_MOST_WORDS]:
        goes_on = token.norm == "and" and AGAIN.match(said.text[token.end :].lstrip()) is not None
        if not goes_on and token.norm in _ENDS:
            break
        if token.text == "," and AGAIN.search(said.text[said.clause.start : token.start]):
            break
        taken.append(token)
    while taken and (taken[-1].pos in {"PUNCT", "INTJ"} or taken[-1].norm in {"lol", "too", "now"}):
        taken.pop()
    return in_third_person(said, taken)
