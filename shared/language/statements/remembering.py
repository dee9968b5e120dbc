"""Who and what a message spoke of last, which later words lean on: `her name is Biscuit`, `she works nights`. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from shared.contract.candidates import Change
from shared.language.statements.called import name_at
from shared.language.statements.clauses import Clause
from shared.language.statements.phrases import phrase_at
from shared.language.statements.saying import Said
from shared.language.statements.stated import LOW, Statement
from shared.language.statements.subjects import About
from shared.language.statements.talk import Message, Talk
from shared.language.statements.whom import named
from shared.language.statements.words import PETS, RELATIONS


def name_of_animal(said: Said, message: Message) -> Iterator[Statement]:
    """`her name is Biscuit`, of the animal that was just spoken of."""
    phrase = phrase_at(said.tokens, said.at, said.text, said.times)
    if phrase is not None and len(phrase.tokens) <= 2 and not phrase.article:  # noqa: PLR2004 - words of a name
        yield _called(message, phrase.text, said.clause.end)


def remember_whom(said: Said, found: Sequence[Statement], message: Message) -> None:
    """Who or what `they` are from here on."""
    about = said.subject.about
    if about is About.RELATED and said.subject.relation not in PETS:
        people = [each.object for each in found if each.predicate in PEOPLE and each.subject == message.speaker]
        message.last = people[0] if people else named(said.subject, message.speaker)
    elif about is About.NAMED:
        message.last = said.subject.name
    elif about in {About.SELF, About.US}:
        told = [each.object for each in found if each.predicate in PEOPLE and each.change is Change.HOLDS]
        message.last = told[0] if len(told) == 1 else message.last
    animals = [each for each in found if each.predicate == "pet" and each.object[:1].islower()]
    if animals:
        message.animal = animals[0].object


PEOPLE: Final = (
    frozenset({"partner", "sibling", "child", "mother", "father", "friend", "colleague", "relative", "manager"})
    | RELATIONS
)
"""Predicates whose object is somebody of theirs."""


def name_alone(clauses: Sequence[Clause], message: Message) -> Iterator[Statement]:
    """`We've got a kitten now! Biscuit.`: a name by itself, of the animal that was just spoken of."""
    tokens = [token for clause in clauses for token in clause.tokens]
    if not message.animal or not 0 < len(tokens) <= 2 or not all(token.text.istitle() for token in tokens):  # noqa: PLR2004 - words of a name
        return
    if len(name_at(tokens, 0)) != len(tokens) and tokens[0].pos not in {"PROPN", "NOUN"}:
        return
    yield _called(message, message.text[tokens[0].start : tokens[-1].end], tokens[-1].end)


def _called(message: Message, name: str, end: int) -> Statement:
    """That the animal has this name, in place of that there is one; citing all up to there."""
    who, animal = message.speaker, message.animal
    unnamed = [each for each in message.found if each.predicate == "pet" and each.object == animal]
    message.found[:] = [each for each in message.found if each not in unnamed]
    message.animal = ""
    text = f"{who} has a {animal} called {name}."
    since = unnamed[0].since if unnamed else None
    return Statement(
        subject=who, predicate="pet", object=name, text=text, start=0, end=end, confidence=LOW, since=since
    )


_HE: Final = frozenset(
    {
        "husband",
        "brother",
        "son",
        "father",
        "dad",
        "boyfriend",
        "grandfather",
        "grandson",
        "uncle",
        "nephew",
        "son-in-law",
    }
)
_SHE: Final = frozenset(
    {"wife", "sister", "daughter", "mother", "mum", "girlfriend", "grandmother", "granddaughter", "aunt", "niece"}
    | {"daughter-in-law"}
)
_HE_OR_SHE: Final = re.compile(r"\b(he|she)\b", re.IGNORECASE)


def only_one_named(talk: Talk, speaker: str, text: str) -> str:
    """Whom `she` means in a message that names nobody: the one that its speaker named before, where it is one."""
    named = talk.named.get(speaker, {})
    said = {word.lower() for word in _HE_OR_SHE.findall(text)}
    if len(named) != 1 or len(said) != 1 or len(talk.people) > 1:
        return ""
    name, relation = next(iter(named.items()))
    return name if relation in (_HE if said == {"he"} else _SHE) else ""
