"""Statements of what somebody has to do, aims at, and is or is not able to do. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from shared.contract.candidates import Change
from shared.language.statements.clauses import Clause
from shared.language.statements.saying import Said
from shared.language.statements.stated import FAIR, Statement
from shared.language.statements.subjects import About
from shared.language.statements.tagged import Token
from shared.language.statements.verbs import LEMMAS
from shared.language.statements.wording import in_third_person, statement
from shared.language.statements.words import word_set

_ERRANDS: Final = word_set("""
    ring call phone book buy drive order email send pay fix clean cook bake collect return post renew cancel water
    feed walk print hand submit file register apply schedule arrange pack paint mow replace repair confirm text visit
    invite tell ask bring take fetch pick drop finish write update chase sign hoover tidy wash iron charge invoice
    review prepare sort mend sell get do make deliver mail do
""")
_LOOSE: Final = word_set("get do make take tell ask sort write finish tell")
"""They need a thing of their own, `do the invoices`: `do that` and `make sure` say nothing that lasts."""
_DATED: Final = frozenset(LEMMAS.values()) - word_set(
    "be have know go get live like love hate want need stop start say"
)
"""What one has to do by a day is a task, whatever it is."""
_MADE: Final = word_set("write prepare make do review finish draw update print")
"""What somebody has to do in this way they may be about to ask for: a task only by its day."""
_POINTING: Final = word_set(
    "it this that them these those there you your him her something anything everything what how"
)
_ABLE: Final = word_set("""
    swim drive cook sew knit ski code dance sing juggle type whistle weld skate surf ride play draw paint bake sail
    climb speak read fly row crochet program snowboard
""")
_AIMS: Final = word_set("goal aim target resolution ambition objective")
_AIMING: Final = word_set("aim train save")
_TRIED: Final = word_set("quit lose learn save run cut finish become reach read write stop give improve pass eat drink")
_MOST_WORDS: Final = 18
_FEWEST: Final = 2


def duties(said: Said, who: str) -> Iterator[Statement]:
    """`I must buy more chairs`, `I need to renew my passport by Friday`, `we have to call the bank`."""
    if said.subject.about not in {About.SELF, About.US, About.RELATED, About.NAMED} or said.negated or said.doubted:
        return
    must = (said.modal == "must" and not said.past) or (said.modal in {"should", "ought"} and bool(said.own_whens))
    needs = said.verb == "need" and said.after == "to" and not said.modal and not said.past
    if not must and not needs:
        return
    at = said.at + 1 if needs else said.at
    verb = LEMMAS.get(said.word(at), said.tokens[at].lemma if at < len(said.tokens) else "") if needs else said.verb
    rest = _rest(said, at + needs)
    if verb not in _MADE or said.own_whens:
        yield from _task(said, who, verb, rest)


def promised(said: Said, who: str) -> Iterator[Statement]:
    """`I'll do the invoices`, said among several: that one takes it on."""
    if (
        said.subject.about in {About.SELF, About.US}
        and said.future
        and not said.own_whens
        and not (said.negated or said.doubted or said.modal)
    ):
        yield from _task(said, who, said.verb, _rest(said, said.at))


def _task(said: Said, who: str, verb: str, rest: list[Token]) -> Iterator[Statement]:
    known = verb in _ERRANDS or (bool(said.own_whens) and verb in _DATED)
    if not known or not rest or _points(rest):
        return
    if verb in _LOOSE and not any(token.pos in {"NOUN", "PROPN"} for token in rest):
        return
    what = f"{verb} {in_third_person(said, rest)}"
    yield statement(_timeless(said), who, "task", what, text=f"{who} has to {what}.", confidence=FAIR)


def _points(rest: list[Token]) -> bool:
    """Whether what is to be done is only pointed at: `do it`, `ring her`, and not `order her shoes`."""
    behind = rest[1].pos if len(rest) > 1 else ""
    owned = rest[0].norm in {"her", "his", "their", "your", "that", "this"} and behind in {"NOUN", "ADJ", "PROPN"}
    return (
        (rest[0].norm in _POINTING and not owned)
        or rest[-1].norm == "time"
        or any(token.norm in {"you", "it", "what", "how"} for token in rest)
    )


def _timeless(said: Said) -> Said:
    """The same without its times, which stand in the words of what is to be done."""
    return replace(said, whens=(), borrowed=())


def _rest(said: Said, at: int) -> list[Token]:
    taken: list[Token] = []
    for token in said.tokens[at : at + _MOST_WORDS]:
        if token.norm in {"because", "but", "since", "so", "although", "if", "unless"}:
            break
        taken.append(token)
    while taken and (taken[-1].pos in {"PUNCT", "CCONJ", "INTJ"} or taken[-1].norm in {"lol", "then", "too", "x"}):
        taken.pop()
    return taken


_REMIND: Final = re.compile(
    r"^(?:(?:and|also|oh|ok|okay|please|pls|plz|btw|hey|so|can you|could you|would you|will you)[, ]+)*"
    r"(?:remind me(?: again)?(?: (?:at|on|in) [\w: ]{1,20}?| tomorrow| tonight| later)? (?P<to>to|about|that)"
    r"|don'?t let me forget(?: (?P<to2>to|about|that))?|i (?:mustn'?t|can'?t) forget (?P<to3>to))\s+(?P<what>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_LONGEST: Final = 120
_NOT_TOLD: Final = re.compile(
    r"\b(?:him|them|it|this one|that one)\b|\bher(?= (?:on|at|by|to|in|about|for|when|tomorrow|tonight|back)\b|$)",
    re.IGNORECASE,
)
"""Whoever reads that later does not know whom or what it means."""


def reminders(clause: Clause, who: str, text: str) -> Iterator[Statement]:
    """`remind me to call the vet on Friday`."""
    found = _REMIND.match(" ".join(text[clause.start : clause.end].replace("\u2019", "'").split()))
    if found is None:
        return
    what = re.sub(r"\bmy\b", "their", found["what"].strip(" .!?,"))
    what = re.sub(r"[ ,]+(?:please|pls|thanks|thx|ta|lol|haha|ok)$", "", what, flags=re.IGNORECASE)
    if len(what.split()) < _FEWEST or len(what) > _LONGEST or what.lower().split()[0] in _POINTING:
        return
    if _NOT_TOLD.search(what):
        return
    about = "" if (found["to"] or found["to2"] or found["to3"] or "to").lower() == "to" else "remember "
    yield Statement(
        subject=who, predicate="task", object=f"{about}{what}", text=f"{who} has to {about}{what}.", start=clause.start,
        end=clause.end, confidence=FAIR,
    )  # fmt: skip


def goals(said: Said, who: str) -> Iterator[Statement]:
    """`my goal is to finish under two hours`, `I'm training for a marathon`, `aiming to save 5,000`."""
    if said.doubted or said.modal or said.negated or said.past or said.over:
        return
    about, what = said.subject.about, ""
    if about is About.OWN and said.verb == "be":
        if set(said.subject.words.lower().split()) & _AIMS and said.rest:
            what = in_third_person(said, _rest(said, said.at + (said.after == "to")))
    elif about in {About.SELF, About.US} and said.going_on:
        if said.verb in _AIMING and said.after in {"to", "for", "up"}:
            prefix = f"{said.verb} " if said.verb != "aim" else ""
            what = prefix + in_third_person(said, _rest(said, said.at + (said.verb == "aim")))
        elif said.verb == "try" and said.after == "to" and said.word(said.at + 1) in _TRIED:
            what = in_third_person(said, _rest(said, said.at + 1))
    if len(what.split()) >= _FEWEST and not set(what.lower().split()) & {"it", "that", "you", "working"}:
        yield statement(_timeless(said), who, "goal", what, text=f"{who}'s goal is {what}.", confidence=FAIR)


def skills(said: Said, who: str) -> Iterator[Statement]:
    """`I can't swim`, `my son can juggle`, `I never learned to drive`, `I know how to weld`."""
    if said.doubted or said.future or said.own_whens or said.subject.about in {About.OWN, About.THING, About.NOBODY}:
        return
    verb, at, never = _able_to(said)
    rest = _rest(said, at)
    if verb not in _ABLE or (verb == "read" and (not rest or rest[0].norm not in _READ)):
        return
    if rest and rest[0].text == ",":
        rest = []
    while rest and (rest[-1].pos == "ADV" or rest[-1].norm in {"all", "to", "save", "at"}):
        rest.pop()
    if len(rest) > _MOST_OF_A_SKILL or any(_is_once(token) for token in rest):
        return
    what = " ".join(filter(None, (verb, in_third_person(said, rest).split(",")[0])))
    change = Change.NEVER if never else Change.HOLDS
    text = f"{who} {'cannot' if never else 'can'} {what}."
    yield statement(said, who, "skill", what, change=change, text=text, confidence=FAIR)


def _is_once(token: Token) -> bool:
    """What makes it one time that one can do something, and no skill: `the file`, `you`, `two`."""
    return token.norm in _POINTING or token.norm in {"the", "my", "our"} or token.pos in {"PRON", "NUM"}


def _able_to(said: Said) -> tuple[str, int, bool]:
    """What a clause says that one is able to do, where its words go on, and whether that is denied."""
    if said.modal == "can" and not said.past and not said.over:
        return said.verb, said.at, said.negated
    knows = said.verb == "know" or (said.verb == "learn" and said.never)
    at = said.at + (said.after == "how")
    if not knows or said.modal or said.word(at) != "to":
        return "", said.at, False
    return LEMMAS.get(said.word(at + 1), ""), at + 2, said.negated or said.never


_MOST_OF_A_SKILL: Final = 4
_READ: Final = word_set("music braille maps hebrew arabic mandarin cyrillic sheet latin greek")
