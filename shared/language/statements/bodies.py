"""Statements of a part of somebody's body that is not well: `my knee is dodgy`, `I broke my wrist`. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from shared.language.statements.phrases import phrase_at
from shared.language.statements.saying import Said
from shared.language.statements.stated import FAIR, Statement
from shared.language.statements.subjects import About
from shared.language.statements.wording import a_or_an, statement
from shared.language.statements.words import word_set

_PARTS: Final = word_set("""
    back knee knees hip hips shoulder shoulders wrist wrists ankle ankles neck foot feet elbow elbows arm leg hand
    finger thumb toe rib ribs collarbone hamstring achilles calf heart kidney kidneys hearing eyesight jaw spine
""")
_UNWELL: Final = word_set(
    "bad dodgy broken sprained sore torn dislocated fractured weak stiff injured slipped frozen ropey knackered"
)
_INJURED: Final = {
    "break": "broken", "sprain": "sprained", "tear": "torn", "fracture": "fractured", "dislocate": "dislocated",
    "injure": "injured", "twist": "twisted",
}  # fmt: skip
_FARTHEST: Final = 60
"""Characters between what hurts and the words that say since when."""


def bodies(said: Said, who: str) -> Iterator[Statement]:
    """What a clause says of a part of the body."""
    if said.doubted or said.modal or said.future or said.negated:
        return
    if said.subject.about in {About.OWN, About.THING} and not said.past:
        yield from _of_a_part(said, who)
    elif said.subject.about in {About.SELF, About.RELATED, About.NAMED}:
        yield from _of_somebody(said, who)


def _of_a_part(said: Said, who: str) -> Iterator[Statement]:
    """`my knee is dodgy`, `knee's dodgy since March`, `my wrist is sprained`."""
    part = said.subject.words.lower()
    mine = said.subject.about is About.OWN or said.tokens[0].norm not in {"the", "his", "her", "their"}
    if not mine or part.split()[-1:] == [] or part.split()[-1] not in _PARTS:
        return
    if said.verb == "be" and said.after in _UNWELL:
        yield _unwell(_since(said), who, f"{said.after} {part}")
    elif said.passive and said.verb in _INJURED:
        yield _unwell(said, who, f"{_INJURED[said.verb]} {part}")


def _of_somebody(said: Said, who: str) -> Iterator[Statement]:
    """`I broke my wrist`, `I have a bad back`."""
    unwell = [token.norm for token in said.rest[:3]]
    if said.verb == "have" and not said.past and unwell[:1] == ["a"] and unwell[1:2] and unwell[1] in _UNWELL:
        if unwell[2:] and unwell[2] in _PARTS:
            yield _unwell(said, who, " ".join(unwell[1:]))
        return
    phrase = phrase_at(said.tokens, said.at, said.text, said.times)
    injured = said.verb in _INJURED and (said.past or said.perfect)
    if injured and phrase is not None and phrase.owner and phrase.head.norm in _PARTS:
        yield _unwell(said, who, f"{_INJURED[said.verb]} {phrase.text}")


def _since(said: Said) -> Said:
    """With the time of `since I came off my bike in March`, which is a clause of its own."""
    behind = said.text[said.clause.end : said.clause.end + _FARTHEST]
    if said.own_whens or not behind.strip().lower().startswith("since"):
        return said
    near = [when for when in said.whens if said.clause.end <= when.start <= said.clause.end + _FARTHEST]
    return replace(said, borrowed=near[:1])


def _unwell(said: Said, who: str, what: str) -> Statement:
    since = next((f" since {when.written.partition(' ')[2]}" for when in said.own_whens), "")
    return statement(said, who, "has_condition", what, text=f"{who} has {a_or_an(what)}{since}.", confidence=FAIR)
