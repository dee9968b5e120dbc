"""Whether what somebody moved to may be a place to live in: no tool, no shop, no drink, no kind of music. Pure.

`I moved from A to B` says of no two names what they are: what is known for something else is no home, and neither is
what is moved to from there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from shared.language.statements.phrases import Phrase, phrase_at
from shared.language.statements.saying import Said
from shared.language.statements.stated import Statement
from shared.language.statements.tools import TOOLS
from shared.language.statements.words import (
    DIETS,
    FIELDS,
    FOODS_DRUNK,
    INSTRUMENTS_AND_GAMES,
    SUBSTANCES,
    TRADES,
    word_set,
)

_FIRMS: Final = word_set("""
    aldi lidl tesco ikea asda sainsbury sainsbury's waitrose morrisons carrefour walmart costco spar rewe edeka zara
    microsoft amazon apple meta facebook nvidia intel ibm oracle sap siemens bosch bmw audi volkswagen toyota
    tesla fiat samsung sony nokia ericsson philips deloitte kpmg pwc accenture uber stripe shopify starbucks mcdonald's
    vodafone telekom verizon hsbc barclays revolut monzo n26
""")
_STYLES: Final = word_set("""
    jazz blues rock pop metal punk folk techno house opera hip-hop rap reggae soul funk disco country classical
    yoga pilates running swimming climbing cycling poetry fiction painting photography
""")
_FARE: Final = word_set("food diet diets milk chocolate bread cheese oats snacks cigars vaping vapes patches tofu")
_OTHER: Final = (
    TOOLS | _FIRMS | _STYLES | _FARE | FOODS_DRUNK | SUBSTANCES | INSTRUMENTS_AND_GAMES | DIETS | TRADES | FIELDS
)
_ABSTRACT: Final = ("ment", "ism", "tion", "sion", "ness", "ship", "ity", "ics", "ware")
_LEADS: Final = frozenset({"to", "into", "from"})
_HELD_AS_OTHER: Final = word_set("""
    uses works_at second_job drinks eats plays takes likes prefers learns bank insurer broadband supplier
    studies_at owns
""")
_HELD_AS_PLACES: Final = word_set("lives_in hometown birthplace visited travels_to")


def only_homes(found: Sequence[Statement], said: Said, earlier: Sequence[Statement]) -> list[Statement]:
    """What a clause states, without a home that is none, as far as it is one that somebody moves to or away from.

    `earlier` is what its speaker stated before: what is a tool or an employer of theirs is no home.
    """
    if said.verb not in {"move", "relocate"}:
        return list(found)
    ends = list(_ends_of(said))
    elsewhere = said.word(said.at) == "on" or any(_is_other(phrase, earlier) for phrase in ends)
    unlike = {phrase.text for phrase in ends if not _may_be_home(phrase, said)}
    return [each for each in found if each.predicate != "lives_in" or not (elsewhere or each.object in unlike)]


def _may_be_home(phrase: Phrase, said: Said) -> bool:
    """A name, or what is typed like one where nothing has a capital: `moved to leeds`, no `I moved to night shifts`."""
    if phrase.text[:1].isupper():
        return True
    if phrase.tokens[-1].norm.endswith(_ABSTRACT):
        return False
    small = said.text[said.clause.start : said.clause.end].islower()
    return small or all(token.pos == "PROPN" for token in phrase.tokens)


def _is_other(phrase: Phrase, earlier: Sequence[Statement]) -> bool:
    if phrase.words in _OTHER or phrase.tokens[-1].norm in _OTHER:
        return True
    held = {each.predicate for each in earlier if each.object.lower() == phrase.words}
    return bool(held & _HELD_AS_OTHER) and not held & _HELD_AS_PLACES


def _ends_of(said: Said) -> Iterator[Phrase]:
    """What stands behind `from` and `to`, bare of an article."""
    for at in range(said.at, len(said.tokens)):
        if said.tokens[at].text == ",":
            return
        phrase = phrase_at(said.tokens, at + 1, said.text, said.times) if said.word(at) in _LEADS else None
        if phrase is not None and not phrase.article and not phrase.owner:
            yield phrase
