"""Statements of where somebody lives. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from shared.contract.candidates import Change
from shared.language.statements.identity import is_one_of_several, place_of
from shared.language.statements.phrases import Phrase, phrase_at
from shared.language.statements.saying import Said, lasts
from shared.language.statements.stated import Statement
from shared.language.statements.subjects import About
from shared.language.statements.wording import statement
from shared.language.statements.words import word_set

_IN: Final = frozenset({"in", "at", "near", "outside", "on", "by", "around"})
_NEAR: Final = frozenset({"near"})
"""What lies there is not where one lives."""
_TO: Final = frozenset({"to", "into"})
_AWAY: Final = frozenset({"from", "out", "away"})
_NO_PLACE: Final = word_set("""
    fear hope peace past moment house flat apartment studio dorm basement attic bed room place home building
    condo harmony poverty denial pain present shadow world team project management data role position
    department people work office school hospital couch sofa van hotel hostel tent street floor time way mode
    end edge border couple group company firm job class section topic subject question point step version tool
    app system cloud server
""")
_KINDS_OF_PLACE: Final = word_set("village town city suburb suburbs countryside island neighbourhood neighborhood")


def places(said: Said, who: str) -> Iterator[Statement]:
    """What a clause says of where somebody lives; a move to come is a plan and none of these."""
    if not said.asserts or said.subject.about in {About.OWN, About.THING} or said.future:
        return
    if (
        said.verb in {"live", "reside", "settle"}
        or (said.verb == "be" and said.after in {"based", "living"})
        or said.verb == "base"
    ):
        yield from _living(said, who)
    elif said.verb == "rent":
        yield from _renting(said, who)
    elif said.verb == "be" and said.over and said.after == "in" and (place := _place(said, said.at + 1)):
        if said.tokens[said.at + 1].text[0].isupper():
            yield statement(said, who, "lives_in", place, change=Change.ENDED)
    elif said.verb in {"move", "relocate"}:
        yield from _moving(said, who)


def _living(said: Said, who: str) -> Iterator[Statement]:
    if said.verb == "be":
        said = said.moved()
    at = said.at
    if said.after == "with":
        at = next((place for place in range(at, len(said.tokens)) if said.word(place) == "in"), len(said.tokens))
    while (
        at < len(said.tokens)
        and (said.tokens[at].norm in _FILLING or said.tokens[at].pos == "ADV" or said.tokens[at].text == ",")
        and said.tokens[at].norm not in _IN
    ):
        at += 1
    near = {"in", "near"} if said.verb == "settle" else _IN | {"out"}
    if at >= len(said.tokens) or said.tokens[at].norm not in near:
        return
    is_near = said.tokens[at].norm in _NEAR
    at += 2 if said.tokens[at].norm == "out" else 1
    place = "" if is_near else _place(said, at)
    if not place or place.startswith(("a ", "an ")):
        # `a village in Cornwall` is told by the name behind it.
        place = _place_behind(said, at) or place
    if not place or not lasts(said):
        return
    if said.negated and not said.never:
        return
    if (said.past and said.verb != "settle" and not said.over and not said.never) or (said.past and said.verb == "be"):
        return
    yield statement(said, who, "lives_in", place)


def _renting(said: Said, who: str) -> Iterator[Statement]:
    """`we rent a flat in Lille`: where one rents for good one lives."""
    phrase = phrase_at(said.tokens, said.at, said.text, said.times)
    if phrase is None or phrase.article != "a" or phrase.head.norm not in _DWELLINGS or said.word(phrase.next) != "in":
        return
    place = phrase_at(said.tokens, phrase.next + 1, said.text, said.times)
    lasting = not (said.past or said.negated or said.perfect or said.own_whens or said.over)
    ends = place is not None and place.next >= len(said.tokens)
    if lasting and ends and place is not None and place.is_name:
        yield statement(said, who, "lives_in", place_of(said, place))


_DWELLINGS: Final = frozenset({"flat", "apartment", "studio", "room", "bedsit"})


def _place_behind(said: Said, at: int) -> str:
    """`near the sea in Cornwall`: the place behind what is none."""
    for further in range(at, min(at + 7, len(said.tokens) - 1)):
        if said.tokens[further].text == "," or said.tokens[further].pos in {"VERB", "AUX"}:
            return ""
        if said.tokens[further].norm == "in" and (place := _place(said, further + 1)):
            return place
    return ""


_FILLING: Final = frozenset(
    {"right", "just", "up", "down", "over", "alone", "full-time", "permanently", "here", "back"}
)


def _place(said: Said, at: int) -> str:
    """A place that one can live in, from its phrase; empty where it is none."""
    phrase = phrase_at(said.tokens, at, said.text, said.times)
    if phrase is None or phrase.owner or phrase.head.norm in _NO_PLACE or is_one_of_several(said, phrase):
        return ""
    if phrase.head.norm in _KINDS_OF_PLACE and said.word(phrase.next) in {"called", "named", "of"}:
        named = phrase_at(said.tokens, phrase.next + 1, said.text, said.times)
        return named.text if named and named.is_name else ""
    if not _may_be_place(phrase):
        return ""
    return phrase.shown if _is_unnamed(phrase) else place_of(said, phrase)


def _is_unnamed(phrase: Phrase) -> bool:
    return bool(phrase.article) and phrase.text.islower() and phrase.head.norm in _KINDS_OF_PLACE


def _may_be_place(phrase: Phrase) -> bool:
    if phrase.tokens[0].norm == "be" or phrase.head.pos == "NUM" or phrase.head.norm in {"it", "there", "here", "one"}:
        return False
    if phrase.is_name or not phrase.article:
        return phrase.head.pos != "PRON"
    named = {"netherlands", "us", "uk", "usa", "uae", "philippines", "states", "bahamas", "north", "south"}
    return phrase.head.norm in (_KINDS_OF_PLACE | named if phrase.article == "the" else _KINDS_OF_PLACE)


def _moving(said: Said, who: str) -> Iterator[Statement]:
    """`moved from Porto to Lisbon`, `moved out of Leeds`, `have relocated to Oslo`."""
    if said.negated or (said.going_on and not said.past) or not (said.past or said.perfect):
        return
    if (
        said.rest
        and said.rest[0].pos in {"DET", "NOUN", "PROPN", "PRON", "NUM", "ADJ"}
        and said.rest[0].norm not in {"back", "home"}
    ):
        return
    for at in range(said.at, len(said.tokens)):
        norm = said.tokens[at].norm
        if said.tokens[at].text == "," or said.tokens[at].pos == "VERB":
            return
        if norm in _TO:
            if place := _place(said, at + 1):
                yield statement(said, who, "lives_in", place)
        elif norm in _AWAY and (place := _place(said, at + 1 + (said.word(at + 1) in {"of", "from"}))):
            to = any(token.norm in _TO for token in said.tokens[at:])
            goes_on = any(token.norm in _TO for token in said.tokens[said.at : at])
            if to or goes_on or norm in {"out", "away"}:
                yield statement(said, who, "lives_in", place, change=Change.ENDED)
        elif norm in {"abroad", "because", "when", "for"}:
            return
