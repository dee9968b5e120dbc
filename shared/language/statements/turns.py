"""Statements whose second half says what the first is no longer: `used to be Queen, now it's Muse`. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from shared.contract.candidates import Change
from shared.language.statements.saying import Said
from shared.language.statements.stated import FAIR, SURE, Statement
from shared.language.statements.subjects import About
from shared.language.statements.talk import Message
from shared.language.statements.wording import sentence

_NAME: Final = r"(?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+){0,2}"
_NOT_BUT: Final = re.compile(
    rf"\b(?:my (?P<of>first |last |full |real )?name (?:is not|isn't|'s not)) (?P<old>{_NAME}),? ?"
    rf"(?:[,;:.\u2014-]+ )?(?:but |rather )?(?:it's |it is |my name is |my name's )?(?P<new>{_NAME})(?=\s*(?:[.!,]|$))",
    re.IGNORECASE,
)
_FAVOURITE: Final = re.compile(
    r"\b(?:my|our) (?:favou?rite|fave) (?P<of>[a-z]+(?: [a-z]+)?) used to be [^.!?]{2,40}?,? (?:but |and )?"
    r"(?:(?:now|nowadays|these days|lately)(?: it's| it is)|(?:it's|it is) now|(?:it's|it is)) "
    r"(?:now )?(?P<new>[^.!?,;]{2,40}?)(?: now| these days| instead)?(?=[.!,;]|$)",
    re.IGNORECASE,
)
_FAVOURITE_NOT: Final = re.compile(
    r"\b(?:my|our) (?:favou?rite|fave) (?P<of>[a-z]+(?: [a-z]+)?) (?:is not|isn't|is no longer) [^.!?,;]{2,40}?"
    r"(?: any ?more)?(?:[,;]| -| \u2014| but)+ (?:but )?(?:(?:it's|it is)(?: now)?|now it's|now it is) "
    r"(?P<new>[^.!?,;]{2,40}?)(?: now| these days| instead)?(?=[.!,;]|$)",
    re.IGNORECASE,
)
_TASTES: Final = {"like": "likes", "love": "likes", "enjoy": "likes", "adore": "likes", "hate": "dislikes"}
_THEM: Final = frozenset({"it", "them", "him", "her"})


def put_right_at_once(start: int, end: int, message: Message) -> Iterator[Statement]:
    """`My name isn't Karl, it's Carl`, `my favourite band used to be Queen, now it's Muse`."""
    words, who = message.text[start:end].replace("\u2019", "'"), message.speaker
    named = _NOT_BUT.search(words)
    if named is not None and (named["of"] or "").strip() != "last" and named["old"] != named["new"]:
        told = sentence("name", who, named["new"], Change.HOLDS)
        held = Statement(
            subject=who, predicate="name", object=named["new"], text=told, start=start, end=end, confidence=SURE
        )
        denied = sentence("name", who, named["old"], Change.NEVER)
        yield replace(held, object=named["old"], text=denied, change=Change.NEVER)
        yield held
    for found in (*_FAVOURITE.finditer(words), *_FAVOURITE_NOT.finditer(words)):
        predicate = f"favourite_{found['of'].lower().replace(' ', '_')}"
        yield Statement(
            subject=who, predicate=predicate, object=found["new"], start=start, end=end, is_preference=True,
            text=sentence(predicate, who, found["new"], Change.HOLDS), confidence=FAIR,
        )  # fmt: skip


def as_before(found: list[Statement], message: Message) -> list[Statement]:
    """What is exchanged as what it was said to be: `switched from Heron to Acme`, of one who works there."""
    gone = next((each for each in found if each.change is Change.ENDED and each.predicate in _EXCHANGED), None)
    if gone is None:
        return found
    earlier = [*message.talk.stated.get(message.speaker, []), *message.found]
    before = next((each for each in reversed(earlier) if _is_of(each, gone)), None)
    if before is None:
        return found
    return [_told_of(each, before.predicate) if each.predicate == gone.predicate else each for each in found]


_EXCHANGED: Final = frozenset({"uses", "lives_in"})
_USED_AS: Final = frozenset(
    {"uses", "lives_in", "works_at", "takes", "drinks", "eats", "studies_at", "plays", "learns"}
)


def _is_of(stated: Statement, gone: Statement) -> bool:
    of = (stated.subject, stated.object.casefold()) == (gone.subject, gone.object.casefold())
    return of and stated.change is Change.HOLDS and stated.predicate in _USED_AS


def _told_of(found: Statement, predicate: str) -> Statement:
    if predicate == found.predicate:
        return found
    text = sentence(predicate, found.subject, found.object, found.change)
    return replace(found, predicate=predicate, text=text)


def turned(said: Said, message: Message) -> Iterator[Statement]:
    """`I used to hate olives, now I love them`: the same thing, the other way round."""
    before = message.found[-1] if message.found else None
    predicate = _TASTES.get(said.verb, "")
    if before is None or not predicate or before.change is not Change.ENDED or before.predicate not in _TASTES.values():
        return
    plain = said.asserts and not (said.negated or said.over or said.past or said.future)
    alone = said.after in _THEM and all(token.norm in {"now", "too"} or token.pos == "PUNCT" for token in said.rest[1:])
    if plain and alone and said.subject.about in {About.SELF, About.US} and before.subject == message.speaker:
        told = sentence(predicate, before.subject, before.object, Change.HOLDS)
        yield replace(before, predicate=predicate, text=told, change=Change.HOLDS, until=None, end=said.clause.end)
