"""Statements of things: where they are, where an event is held, when they are due, what they cost. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from shared.contract.candidates import Change
from shared.language.statements.dates import Bound
from shared.language.statements.phrases import phrase_at
from shared.language.statements.saying import Said
from shared.language.statements.stated import FAIR, Statement
from shared.language.statements.subjects import About
from shared.language.statements.wording import statement
from shared.language.statements.words import EVENTS, GOODS, PETS, word_set

_ON: Final = word_set("in on under behind inside beneath above beside below at underneath")
_HOLDERS: Final = word_set("""
    drawer drawers cupboard shelf box garage shed attic loft teapot jar pot tin bag wallet glovebox boot trunk kitchen
    hall hallway wardrobe closet desk safe cabinet basement cellar bedroom bathroom hook mat doormat flowerpot plantpot
    bin basket folder envelope tray rack sideboard dresser porch greenhouse bookcase bookshelf mantelpiece mug vase
    bucket toolbox rucksack backpack handbag suitcase briefcase bed sofa stairs pantry larder utility locker filing
    study lounge door gate brick stone planter tub crate case freezer fridge counter table windowsill letterbox
    mailbox pocket compartment sink cubby study office spot birdhouse hatch
""")
_NOT_KEPT: Final = word_set("""
    cat dog problem issue bug error file code answer question point idea team meeting way thing key-point dinner lunch
    food cake pie bread chicken roast milk light smoke water man woman guy kids child baby person weather mess noise
    trouble focus book-club function variable class value data test
""")
_PRICED: Final = word_set(
    "rent fee fees price cost bill membership subscription mortgage ticket tickets insurance premium"
)
_RISES: Final = word_set("go rise increase be put raise bring up drop fall come")
_AMOUNT: Final = re.compile(
    r"(?:to|is|are|costs?|at|of) (?:now )?(?P<amount>[£$€\u20b9]\s?\d[\d,.]*(?:k\b)?"
    r"|\d[\d,.]*\s?(?:pounds|quid|euros?|dollars"
    r"|rupees|bucks))",
    re.IGNORECASE,
)


def whereabouts(said: Said, who: str) -> Iterator[Statement]:
    """What a clause says of a thing, the speaker's or one that is spoken of."""
    if said.doubted or said.modal or said.over or said.negated:
        return
    yield from _gone(said, who)
    if said.past:
        return
    if said.subject.about in {About.OWN, About.THING} and said.subject.words:
        yield from _kept(said, who)
        yield from _held(said, who)
        yield from _due(said, who)
    yield from _priced(said, who)


def _gone(said: Said, who: str) -> Iterator[Statement]:
    """`my bike got stolen on Tuesday`, `our van was written off`."""
    head = said.subject.words.lower().split()[-1:]
    words = " ".join(token.norm for token in said.tokens[said.subject.next : said.subject.next + 5])
    if said.subject.about is About.OWN and head and head[0] in GOODS and _TAKEN.search(words):
        yield statement(said, who, "owns", said.subject.words, change=Change.ENDED, confidence=FAIR)


_TAKEN: Final = re.compile(
    r"^(?:was|were|got|has been|have been|'s been) (?:just )?"
    r"(?:stolen|nicked|written off|totalled|totaled|scrapped|sold)"
)


def thing_of(said: Said, who: str) -> str:
    """How a thing is claimed of: `mira's passport`, `the spare key`."""
    words = said.subject.words
    if said.subject.about is About.OWN:
        return f"{who}'s {words}"
    return words if words[:1].isupper() and "'s " in words.replace("\u2019", "'") else f"the {words}"


def _bare(said: Said) -> Said:
    return replace(said, whens=(), borrowed=())


def _kept(said: Said, who: str) -> Iterator[Statement]:
    """`the spare key is in the teapot on the top shelf`, `my passport lives in the desk drawer`."""
    head = said.subject.words.lower().split()[-1]
    at = said.at + (said.after in {"kept", "stored", "hidden", "now", "still"})
    kept = said.verb in {"be", "live", "keep", "store", "hide", "hang", "sit", "stay", "go"}
    if not kept or said.word(at) not in _ON or head in _NOT_KEPT | PETS | EVENTS or said.subject.relation:
        return
    phrase = phrase_at(said.tokens, at + 1, said.text, said.times)
    if phrase is None or not ({token.norm for token in phrase.tokens} & _HOLDERS):
        return
    place = said.text[said.tokens[at + 1].start : said.clause.end].strip(" ,.!")
    place = re.split(r",| in case\b| because\b| so\b| but\b| btw\b| if\b", place)[0].strip()
    where = re.sub(r"\bmy\b", f"{who}'s", place)
    thing = thing_of(said, who)
    if said.word(at) not in {"in", "on", "at", "inside"}:
        where = f"{said.word(at)} {where}"
    text = f"{_capital(thing)} is {'' if where.startswith(said.word(at)) else said.word(at) + ' '}{where}."
    shown = where if where.startswith(said.word(at)) else re.sub(r"^(?:the|a|an) ", "", where)
    yield statement(_bare(said), thing, "located_in", shown, text=text, confidence=FAIR)


def _held(said: Said, who: str) -> Iterator[Statement]:
    """`the barbecue is on the 26th, at my sister Tess's place`, `book club is at my house`."""
    words = said.subject.words.lower().split()
    if said.verb not in {"be", "take"} or not set(words) & EVENTS:
        return
    for at in range(said.at, len(said.tokens) - 1):
        if said.tokens[at].norm not in {"at", "in"} or any(s <= said.tokens[at].start < e for s, e in said.times):
            continue
        place = _place(said, at + 1, who)
        if place:
            thing = thing_of(said, who)
            text = f"{_capital(thing)} is at {place}."
            yield statement(_bare(said), thing, "located_in", place, text=text, confidence=FAIR)
            return


def _place(said: Said, at: int, who: str) -> str:
    words = said.text[said.tokens[at].start : said.clause.end]
    if own := re.match(r"(?:my|our) ((?:\w+ )?[\w\u2019']+ (?:place|house|flat)|house|place|flat)\b", words):
        name = re.search(r"[A-Z]\w+['\u2019]s (?:place|house|flat)$", own[1])
        return name.group() if name else f"{who}'s {own[1]}"
    if named := re.match(r"[A-Z]\w+['\u2019]s(?: (?:place|house|flat))?\b", words):
        return named.group()
    phrase = phrase_at(said.tokens, at, said.text, said.times)
    return phrase.shown if phrase is not None and phrase.is_name and phrase.head.pos != "NUM" else ""


def _due(said: Said, who: str) -> Iterator[Statement]:
    """`the invoices are due on 15 May`, `my tax return is due by Friday`."""
    ahead = [when for when in said.own_whens if when.bound is not Bound.SINCE and when.day]
    if said.verb != "be" or said.after != "due" or not ahead or "baby" in said.subject.words.lower():
        return
    thing, when = thing_of(said, who), ahead[0]
    day = when.written.partition(" ")[2]
    yield statement(
        _bare(said), thing, "deadline", day, text=f"{_capital(thing)} is due {when.written}.", confidence=FAIR
    )


def _priced(said: Said, who: str) -> Iterator[Statement]:
    """`the rent goes up to £950 in May`, `the landlord is putting the rent up to £1,950 from 1 March`."""
    if said.verb not in _RISES | {"cost"}:
        return
    amount = _AMOUNT.search(said.text[said.tokens[max(0, said.at - 1)].start : said.clause.end])
    named = [said.subject.words.lower()] if said.subject.about in {About.OWN, About.THING} else []
    phrase = phrase_at(said.tokens, said.at + (said.after == "up"), said.text, said.times)
    named += [phrase.words] if (phrase is not None and phrase.article == "the") or (phrase and phrase.owner) else []
    priced = next((words for words in named if words.split() and words.split()[-1] in _PRICED), "")
    if not amount or not priced or (said.verb == "be" and not said.going_on and said.after != "up"):
        return
    own = said.subject.about is About.OWN and priced == said.subject.words.lower()
    thing = f"{who}'s {priced}" if own else f"the {priced}"
    since = next((when.days.first for when in said.own_whens if when.bound is not Bound.UNTIL), None)
    told = statement(_bare(said), thing, "price", amount["amount"], text=f"{_capital(thing)} is {amount['amount']}.")
    yield replace(told, since=since, confidence=FAIR)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:] if words.startswith("the ") else words
