"""What else is said of the same subject behind a comma: `I'm Lena, 34, from Graz, living in Leeds`. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from shared.language.statements.saying import Said, with_ending
from shared.language.statements.subjects import About
from shared.language.statements.verbs import LEMMAS
from shared.language.statements.words import DIETS, NATIONS, STATES

_BEGINS: Final = (
    frozenset({"from", "based", "allergic", "into", "fluent", "married", "single", "born", "lactose"})
    | DIETS
    | NATIONS
    | STATES
)
_DOING: Final = frozenset({"living", "working", "studying", "learning", "teaching"})
_LEADS: Final = frozenset(
    {
        "originally",
        "currently",
        "now",
        "also",
        "still",
        "but",
        "and",
        "actually",
        "mostly",
        "tho",
        "though",
        "just",
        "so",
    }
)
_PRESENT: Final = frozenset(
    {"be", "live", "work", "like", "love", "have", "hate", "enjoy", "study", "move", "prefer", "eat", "drink"}
)


def complements(said: Said) -> Iterator[Said]:
    """The further readings of a clause, each as if it stood behind its subject by itself."""
    if (
        said.subject.about not in {About.SELF, About.US, About.NAMED, About.RELATED}
        or said.verb not in _PRESENT
        or said.doubted
        or said.modal
    ):
        return
    tokens = said.tokens
    for at in range(said.at, len(tokens) - 1):
        if tokens[at].text != "," and tokens[at].norm != "so" and not (tokens[at].norm == "and" and said.verb == "be"):
            continue
        begin = at + 1
        while begin < len(tokens) - 1 and tokens[begin].norm in _LEADS:
            begin += 1
        if begin >= len(tokens):
            return
        if found := _reading(said, begin):
            yield found


def _reading(said: Said, at: int) -> Said | None:  # noqa: PLR0911 - one answer for each way to go on
    token = said.tokens[at]
    following = said.tokens[at + 1].norm if at + 1 < len(said.tokens) else ""
    plain = replace(
        said,
        verb="be",
        at=at,
        negated=False,
        never=False,
        over=False,
        used_to=False,
        past=False,
        perfect=False,
        future=False,
        going_on=False,
        begun=False,
    )
    if (token.norm in _DOING and following in {"in", "at", "as", "for", "near"}) or (
        token.norm in {"studying", "learning", "teaching"} and following
    ):
        return replace(plain, verb=LEMMAS[token.norm], at=at + 1, going_on=True)
    if token.norm == "not" and following in {"a", "into", "an", "much", "really", "big"} | DIETS:
        return with_ending(replace(plain, at=at + 1, negated=True))
    if token.norm == "no" and following == "longer":
        return replace(plain, at=at + 2, over=True)
    if token.norm == "new" and following == "job":
        return replace(plain, verb="have", at=at)
    if token.norm in _BEGINS and not (said.past and said.verb == "be"):
        return plain
    if said.verb == "be" and not said.past and (token.text.isdecimal() or token.norm in {"a", "an"}):
        return plain
    return None
