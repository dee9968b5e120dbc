"""Statements of what somebody eats on principle, and of what they cannot or do not take. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from shared.contract.candidates import Change
from shared.language.statements.phrases import phrase_at, phrases_at
from shared.language.statements.saying import Said
from shared.language.statements.stated import FAIR, Statement
from shared.language.statements.subjects import About
from shared.language.statements.wording import statement
from shared.language.statements.words import DIETS, DRUGS, INTOLERANCES, SUBSTANCES, word_set

VAGUE: Final = word_set("""
    something anything it everything things stuff much lot all this that one people him her them you mornings
    work bullshit
""")
_BECOMING: Final = frozenset({"go", "turn", "become", "stay", "get"})
_NO_DIETS: Final = word_set("strict new special healthy balanced bad seafood see-food")
_DEGREES: Final = word_set("a an on very quite the fully strictly mostly practically")
_MAY_FOLLOW: Final = word_set("btw atm rn lol now too tho fyi cos bc obvs anymore")
"""What a tagger takes for a noun behind `I'm vegan`."""


def diets(said: Said, who: str) -> Iterator[Statement]:
    """What a clause says of somebody's diet, and of what they avoid."""
    if said.doubted or said.subject.about in {About.OWN, About.THING}:
        return
    if (
        said.modal == "can"
        and said.negated
        and said.verb in {"eat", "have", "drink", "take", "tolerate", "handle", "do"}
    ):
        yield from _cannot(said, who)
    if said.modal or said.future:
        return
    if said.verb == "be":
        yield from _being(said, who)
    elif said.verb in _BECOMING and said.after in DIETS and (said.past or said.perfect) and not said.negated:
        yield statement(said, who, "diet", said.after)
    elif said.verb == "follow" and not said.past and (diet := _on_a_diet(said, said.at)):
        yield statement(said, who, "diet", diet, text=f"{who} follows a {diet} diet.")
    elif said.verb == "avoid" and not said.past and not said.negated:
        yield from _avoiding(said, who)


def _cannot(said: Said, who: str) -> Iterator[Statement]:
    """`I can't eat walnuts`."""
    for phrase in phrases_at(said.tokens, said.at, said.text, said.times):
        if phrase.owner or phrase.head.norm in VAGUE or phrase.head.pos == "PRON":
            return
        if said.verb in {"handle", "do"} and phrase.head.norm not in SUBSTANCES:
            return
        if said.verb in {"have", "take"} and phrase.head.norm not in DRUGS | INTOLERANCES and phrase.article:
            return
        cannot = "can no longer" if said.over else "cannot"
        text = f"{who} {cannot} {said.verb} {phrase.text}."
        yield statement(said, who, "avoids", phrase.text, text=text, change=Change.HOLDS)


def _avoiding(said: Said, who: str) -> Iterator[Statement]:
    for phrase in phrases_at(said.tokens, said.at, said.text, said.times):
        if not phrase.owner and phrase.head.norm not in VAGUE and phrase.article != "the":
            yield statement(said, who, "avoids", phrase.text, is_preference=True)


def _being(said: Said, who: str) -> Iterator[Statement]:
    if said.past and not (said.over or said.never):
        return
    if said.after == "on" and (diet := _on_a_diet(said, said.at + 1)):
        over = said.negated or said.over
        text = f"{who} is {'no longer ' if over else ''}on a {diet} diet."
        yield statement(said, who, "diet", diet, text=text, change=Change.ENDED if over else Change.HOLDS)
    elif said.negated and not said.never:
        yield from _is_not(said, who)
    elif said.after == "off":
        yield from _off(said, who)
    else:
        yield from _is_on(said, who)


def _is_not(said: Said, who: str) -> Iterator[Statement]:
    """`I'm not vegan`: it is so no longer, or never was, which the words do not say; nothing has its place."""
    if said.after in DIETS and not said.past:
        text = f"{who} is not {said.after}."
        yield statement(said, who, "diet", said.after, change=Change.ENDED, text=text, confidence=FAIR)


def _off(said: Said, who: str) -> Iterator[Statement]:
    """`I'm off caffeine`."""
    phrase = phrase_at(said.tokens, said.at + 1, said.text, said.times)
    if phrase and not phrase.article and not phrase.owner and phrase.head.norm in SUBSTANCES:
        yield statement(said, who, "avoids", phrase.text, change=Change.HOLDS, text=f"{who} is off {phrase.text}.")


def _is_on(said: Said, who: str) -> Iterator[Statement]:
    at = behind_degrees(said)
    hyphenated = hyphenated_at(said, at)
    diet = hyphenated if hyphenated in DIETS else said.word(at)
    if diet in DIETS and not noun_behind(said, at + 1):
        yield statement(said, who, "diet", diet)


def _on_a_diet(said: Said, at: int) -> str:
    """Of `a keto diet` what it is called."""
    phrase = phrase_at(said.tokens, at, said.text, said.times)
    if phrase is None or phrase.head.norm != "diet" or phrase.tokens[0] is phrase.head or phrase.owner:
        return ""
    words = said.text[phrase.tokens[0].start : phrase.tokens[-2].end].lower()
    return "" if words in _NO_DIETS else words


def behind_degrees(said: Said) -> int:
    """Where what somebody is begins, behind `a`, `very` and the like."""
    at = said.at
    while at < len(said.tokens) - 1 and (said.word(at) in _DEGREES or said.word(at).endswith("ly")):
        at += 1
    return at


def hyphenated_at(said: Said, at: int) -> str:
    """The two words at a token as one, whether they are joined or not: `gluten free` is gluten-free."""
    words = [token.norm for token in said.tokens[at : at + 3]]
    return "-".join((words[0], words[2])) if words[1:2] == ["-"] and words[2:] else "-".join(words[:2])


def noun_behind(said: Said, at: int) -> bool:
    """`vegan food`, `single mother`: what is said is said of something else."""
    if at >= len(said.tokens):
        return False
    token = said.tokens[at]
    in_time = any(start <= token.start < end for start, end in said.times)
    return token.pos in {"NOUN", "PROPN"} and not in_time and token.norm not in _MAY_FOLLOW
