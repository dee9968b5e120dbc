"""Where somebody travels to, as a clause says it. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from shared.language.statements.dates import When
from shared.language.statements.identity import place_of
from shared.language.statements.phrases import Phrase, in_times, phrase_at
from shared.language.statements.saying import Said
from shared.language.statements.stated import Statement
from shared.language.statements.verbs import LEMMAS
from shared.language.statements.wording import statement
from shared.language.statements.words import word_set

GOING: Final = frozenset({"go", "fly", "travel", "head", "drive", "sail", "cycle", "return"})
_NO_JOURNEY: Final = word_set("""
    bed work school gym shop shops store doctor dentist party bathroom office supermarket sleep point end next
""")
_CROSSINGS: Final = word_set("ferry flight flights train trains bus coach crossing eurostar sleeper tickets")


def destinations(said: Said) -> list[tuple[str, int]]:
    """The places behind a verb of going, each with where its words begin: `to Oslo on Friday and then to Bergen`."""
    found: list[tuple[str, int]] = []
    first = destination(said)
    if not first:
        return found
    tokens = said.tokens
    at = next((at for at in range(said.at, len(tokens)) if tokens[at].text == first.split()[0]), said.at)
    found.append((first, tokens[at].start))
    for further in range(at + 1, len(tokens)):
        if tokens[further].norm in {"with", "without", "from", "for"}:
            break
        joined = tokens[further - 1].norm in {"and", "then", "to", "&"} or tokens[further - 1].text == ","
        led = {token.norm for token in tokens[max(at, further - 3) : further]} & {"and", "then", "&"}
        if not (joined and led) or in_times(tokens[further], said.times):
            continue
        phrase = phrase_at(tokens, further, said.text, said.times)
        if phrase is not None and phrase.is_name and not phrase.owner and not phrase.article:
            found.append((place_of(said, phrase), tokens[further].start))
    return found


def destination(said: Said) -> str:
    """The place behind a verb of going; empty where there is none that one travels to."""
    at = said.at
    while at < len(said.tokens) and said.tokens[at].norm in {"back", "down", "up", "over", "out", "home", "off"}:
        at += 1
    if said.verb != "visit":
        if at >= len(said.tokens) or said.tokens[at].norm != "to":
            return ""
        at += 1
    phrase = phrase_at(said.tokens, at, said.text, said.times)
    if (
        phrase is None
        or phrase.owner
        or phrase.head.norm in _NO_JOURNEY
        or not (phrase.is_name or phrase.head.pos == "PROPN" or not phrase.article)
    ):
        return ""
    return place_of(said, phrase) if phrase.head.norm not in LEMMAS else ""


def crossing(said: Said, who: str, booked: Phrase, when: When) -> Iterator[Statement]:
    """`booked the ferry to Islay for 12 January`: who books that travels there."""
    if said.verb != "book" or booked.head.norm not in _CROSSINGS or said.word(booked.next) != "to":
        return
    place = phrase_at(said.tokens, booked.next + 1, said.text, said.times)
    if place is not None and place.is_name:
        yield statement(said, who, "travels_to", place.text, text=f"{who} travels to {place.text} {when.written}.")
