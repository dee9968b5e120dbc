"""Statements of the animals and things that are somebody's. Pure."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from shared.contract.candidates import Change
from shared.language.statements.called import name_at
from shared.language.statements.dying import is_figure_of_dying
from shared.language.statements.kinship import owned_relation, relation_of
from shared.language.statements.phrases import Phrase, phrase_at, phrases_at
from shared.language.statements.relations import names_behind, related
from shared.language.statements.saying import Said
from shared.language.statements.stated import FAIR, Statement
from shared.language.statements.subjects import About
from shared.language.statements.wording import a_or_an, statement, with_article
from shared.language.statements.words import (
    MANY,
    PETS,
    THINGS,
    VEHICLES,
    predicate_of,
    word_set,
)

_GETTING: Final = frozenset({"get", "buy", "adopt", "rescue", "foster"})
_LOSING: Final = frozenset({"sell", "lose", "bury", "rehome", "give", "ditch", "replace"})


def _died(said: Said, who: str) -> Iterator[Statement]:
    words = said.text[said.clause.start : said.clause.end]
    if (said.verb == "pass" and said.after != "away") or is_figure_of_dying(words):
        return
    relation = said.subject.relation
    if relation in PETS:
        what = said.subject.name or relation
        yield statement(
            said,
            who,
            "pet",
            what,
            change=Change.ENDED,
            text="" if not said.subject.name else f"{who}'s {relation} {what} died.",
        )


def _having(said: Said, who: str) -> Iterator[Statement]:
    """`I have a sister called Ana`, `two cats, Mo and Zo`, `a dog`."""
    if said.past and not said.over:
        return
    if said.future or said.going_on:
        return
    for phrase in phrases_at(said.tokens, said.at, said.text, said.times):
        if phrase.owner:
            continue
        kept = _up_to_relation(said, phrase)
        relation = relation_of(kept.head.norm)
        if relation and relation != "partner":
            yield from _one_or_more(said, who, kept, relation)
        elif (
            phrase.head.norm in THINGS
            and (phrase.article != "the" or said.verb == "own")
            and not _goes_on(said, phrase)
        ):
            what = _plain(said, phrase)
            yield statement(said, who, "owns", what.text, shown=with_article(what, phrase))


def _lacking(said: Said, who: str) -> Iterator[Statement]:
    """`I don't have a cat`, `a car`, `a girlfriend any more`: who has been said to have one has none."""
    mine = said.subject.about in {About.SELF, About.US}
    if not mine or said.past or said.perfect or said.future or said.used_to:
        return
    for phrase in phrases_at(said.tokens, said.at, said.text, said.times):
        behind = said.tokens[phrase.next : phrase.next + 1]
        if phrase.owner or phrase.article not in {"a", "an", "any"} or (behind and behind[0].norm not in _AND_NO_MORE):
            return
        kind = relation_of(phrase.head.norm)
        predicate = "pet" if kind in PETS else "owns" if phrase.head.norm in THINGS else predicate_of(kind)
        # `I don't have a husband, I have a wife` says nothing of whom one has.
        said_so = predicate == "partner" if said.over else predicate in {"pet", "owns"}
        if said_so and len(phrase.tokens) == 1:
            text = f"{who} does not have {a_or_an(phrase.text)}."
            what = kind if predicate == "partner" else phrase.text
            yield statement(said, who, predicate, what, change=Change.ENDED, text=text, confidence=FAIR)


_AND_NO_MORE: Final = word_set(", and but or so because now either & any anymore")


def _up_to_relation(said: Said, phrase: Phrase) -> Phrase:
    """`two kids leo and mia`, typed without capitals: the names are no part of the kids."""
    for at, token in enumerate(phrase.tokens[:-1], 1):
        if relation_of(token.norm) and phrase.tokens[at].pos == "PROPN":
            kept = phrase.tokens[:at]
            return replace(
                phrase,
                text=said.text[kept[0].start : kept[-1].end],
                tokens=kept,
                next=phrase.next - len(phrase.tokens) + at,
            )
    return phrase


def _plain(said: Said, phrase: Phrase) -> Phrase:
    """Without what is said of a thing as it is now: `a new dog` is a dog."""
    tokens = phrase.tokens
    while len(tokens) > 1 and tokens[0].norm in _PASSING:
        tokens = tokens[1:]
    return replace(phrase, text=said.text[tokens[0].start : tokens[-1].end], tokens=tokens)


_PASSING: Final = frozenset({"new", "little", "big", "lovely", "old", "cute", "second", "-", "hand", "used", "brand"})


def _goes_on(said: Said, phrase: Phrase) -> bool:
    """`a car to sell`, `a house viewing`."""
    behind = said.tokens[phrase.next : phrase.next + 1]
    return bool(behind) and behind[0].norm in {"to", "that", "which"}


def _one_or_more(said: Said, who: str, phrase: Phrase, relation: str) -> Iterator[Statement]:
    names = names_behind(said, phrase)
    animal = relation in PETS
    predicate = predicate_of(relation)
    for name in names:
        change = Change.ENDED if said.over else None
        if animal:
            kind = a_or_an(phrase.text if phrase.head.norm not in MANY else relation)
            yield statement(said, who, predicate, name, text=f"{who} has {kind} called {name}.", change=change)
        else:
            yield related(said, who, relation, name, change=change)
    if not names and (animal or relation in _COUNTED) and not _goes_on(said, phrase):
        what = _plain(said, phrase).text
        words = f"{who} {'no longer has' if said.over else 'has'} {a_or_an(what)}."
        yield statement(said, who, predicate, what, text="" if animal else words)


_COUNTED: Final = frozenset({"child", "son", "daughter", "sister", "brother", "sibling", "twin", "grandchild"})


def _got(said: Said, who: str) -> Iterator[Statement]:
    """`adopted a greyhound yesterday`, `bought a house in Leeds`."""
    if not (said.past or said.perfect) or said.negated:
        return
    phrase = phrase_at(said.tokens, said.at, said.text, said.times)
    if phrase is None or phrase.owner:
        return
    kind = relation_of(phrase.head.norm)
    if kind in PETS:
        names = names_behind(said, phrase)
        for name in names:
            yield statement(said, who, "pet", name, text=f"{who} has {a_or_an(phrase.text)} called {name}.")
        if not names:
            yield _acquired(said, who, "pet", _plain(said, phrase))
    elif phrase.head.norm in THINGS and phrase.article in {"a", "an", "another", "the"} and said.verb != "rescue":
        yield _acquired(said, who, "owns", _plain(said, phrase))


def _acquired(said: Said, who: str, predicate: str, phrase: Phrase) -> Statement:
    """That somebody has it, told as it was got: `Mira adopted a greyhound on 2031-05-23`."""
    past = {"get": "got", "buy": "bought", "adopt": "adopted", "rescue": "rescued", "foster": "fostered"}[said.verb]
    when = next((f" {when.written}" for when in said.own_whens), "")
    return statement(said, who, predicate, phrase.text, text=f"{who} {past} {with_article(phrase, phrase)}{when}.")


def _lost(said: Said, who: str) -> Iterator[Statement]:
    if not (said.past or said.perfect) or said.negated:
        return
    at = said.at + (said.after in {"up", "away"})
    phrase = phrase_at(said.tokens, at, said.text, said.times)
    if said.verb in {"lose", "bury", "rehome"}:
        yield from _pet_lost(said, who, at)
        return
    if phrase is None or phrase.owner not in {"my", "our"} or phrase.head.norm not in THINGS | PETS:
        return
    if said.verb in {"sell", "ditch"} or (said.verb == "give" and at > said.at):
        yield statement(said, who, "owns" if phrase.head.norm in THINGS else "pet", phrase.text, change=Change.ENDED)


def _pet_lost(said: Said, who: str, at: int) -> Iterator[Statement]:
    """`we lost our lovely dog Bramble on Tuesday`: it has died, or is no longer with them."""
    found = owned_relation(said.tokens, at + 1) if said.word(at) in {"my", "our"} else None
    if found is None or found.relation not in PETS or said.word(found.next) in {"'s", "in", "at", "for"}:
        return
    name = name_at(said.tokens, found.next)
    what = said.text[name[0].start : name[-1].end] if name else found.relation
    text = f"{who} no longer has a {found.relation}{f' called {what}' if name else ''}."
    yield statement(said, who, "pet", what, change=Change.ENDED, text=text)


def _driving(said: Said, who: str) -> Iterator[Statement]:
    phrase = phrase_at(said.tokens, said.at, said.text, said.times)
    if phrase is None or phrase.article not in {"a", "an"} or said.going_on or not _is_vehicle(phrase):
        return
    text = f"{who} {'no longer ' if said.over else ''}drives {phrase.shown}."
    yield statement(said, who, "owns", phrase.text, confidence=FAIR, text=text)


def _is_vehicle(phrase: Phrase) -> bool:
    """A kind of one, or a make."""
    return phrase.head.norm in VEHICLES or phrase.head.text[0].isupper() or phrase.tokens[0].text[0].isupper()


def belongings(said: Said, who: str) -> Iterator[Statement]:
    """What a clause says of animals, things and children that are somebody's; `who` speaks."""
    about = said.subject.about
    if said.verb in {"have", "own"} and (said.negated or said.over) and not said.never and said.asserts:
        yield from _lacking(said, who)
    if not said.asserts or (said.negated and not said.never) or about in {About.OWN, About.THING, About.THEY}:
        return
    if about is About.RELATED and said.verb in {"die", "pass"} and (said.past or said.perfect):
        yield from _died(said, who)
        return
    whose = who if about in {About.SELF, About.US, About.NOBODY} else said.subject.name
    if not whose:
        return
    if said.verb in {"have", "own"}:
        yield from _having(said, whose)
    elif said.verb in _GETTING:
        yield from _got(said, whose)
    elif said.verb in _LOSING:
        yield from _lost(said, whose)
    elif said.verb in {"drive", "ride"} and not said.past and not said.future:
        yield from _driving(said, whose)
