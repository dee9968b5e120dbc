"""What other verbs say of somebody, by the table of `verb_frames`; what is exchanged, prescribed and denied. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from shared.contract.candidates import Change
from shared.language.statements.medicines import is_medicine
from shared.language.statements.phrases import Phrase, phrase_at, phrases_at
from shared.language.statements.saying import Said
from shared.language.statements.stated import FAIR, Statement
from shared.language.statements.subjects import About
from shared.language.statements.verb_frames import FRAMES, Frame, is_goods
from shared.language.statements.wording import statement, with_article
from shared.language.statements.words import (
    CONDITION_PHRASES,
    EVENTS,
    GOODS,
    INSTRUMENTS_AND_GAMES,
    LASTING_CONDITIONS,
    STATES,
    word_set,
)

_PEOPLE: Final = frozenset({About.SELF, About.US, About.NAMED, About.RELATED, About.THEY})
_PUT: Final = {"put": ("on", Change.HOLDS), "start": ("on", Change.HOLDS), "move": ("onto", Change.HOLDS)} | {
    "take": ("off", Change.ENDED), "prescribe": ("", Change.HOLDS),
    "get": ("on", Change.HOLDS), "have": ("on", Change.HOLDS),
}  # fmt: skip
"""What a doctor does to somebody, with the word behind `me`."""
_ADVERBS: Final = word_set("just finally also recently already only even actually")


def frames(said: Said, who: str) -> Iterator[Statement]:
    """What the verbs of the table say in a clause about somebody."""
    done_to = said.passive and said.verb != "prescribe"
    if said.subject.about not in _PEOPLE or not said.asserts or said.future or done_to:
        return
    yield from _denied(said, who)
    yield from _exchanged(said, who)
    if said.negated or said.never:
        return
    unnamed = said.subject.about is About.RELATED and not said.subject.name
    for frame in FRAMES:
        if unnamed and frame.predicate == "owns":
            continue
        if frame.verb == said.verb and _happens(said, frame) and (at := _behind(said, frame.behind)) is not None:
            found = list(_of_frame(said, who, frame, at))
            yield from found
            if found:
                return


def _exchanged(said: Said, who: str) -> Iterator[Statement]:
    """`swapped my iPhone for a Pixel`, `moved my notes to Joplin`: what is got; what goes is a frame of its own."""
    if not (said.past or said.perfect) or said.negated:
        return
    word = {"swap": "for", "trade": "for", "exchange": "for", "replace": "with", "move": "to", "migrate": "to"}.get(
        said.verb
    )
    thing = phrase_at(said.tokens, said.at + (said.verb == "trade" and said.after == "in"), said.text, said.times)
    moved = said.verb in {"move", "migrate"}
    if thing is None or said.word(thing.next) != word:
        return
    if thing.owner not in {"my", "our"} and (thing.article != "the" or moved) and thing.head.norm != "everything":
        return
    got = phrase_at(said.tokens, thing.next + 1, said.text, said.times)
    if got is None or got.owner:
        return
    if moved and got.is_name and not got.article and thing.head.norm not in GOODS | _NO_DATA:
        yield statement(said, who, "uses", got.text, confidence=FAIR)
    elif not moved and is_goods(got):
        what = _without_adjectives(said, got)
        yield statement(
            said, who, "owns", what.text, confidence=FAIR, text=f"{who} got {with_article(what, got)}{_when(said)}."
        )


_NO_DATA: Final = EVENTS | word_set("family office team business kids desk company mum dad parents flight ticket trip")


def _happens(said: Said, frame: Frame) -> bool:
    if frame.done:
        return (said.past or said.perfect) and not said.over and not (said.going_on or said.used_to)
    if said.over and said.verb == "take":
        return True
    return not said.past and not (said.perfect and said.verb not in {"have", "be"})


def _behind(said: Said, words: tuple[str, ...]) -> int | None:
    """Where the object stands behind these words; None where they do not follow."""
    at = said.at
    for word in words:
        while said.word(at) in _ADVERBS:
            at += 1
        if said.word(at) != word:
            return None
        at += 1
    return at


def _of_frame(said: Said, who: str, frame: Frame, at: int) -> Iterator[Statement]:
    listed = phrases_at(said.tokens, at, said.text, said.times)[:3]
    if frame.predicate == "plays" and not listed and said.word(at) in INSTRUMENTS_AND_GAMES:
        yield statement(said, who, "plays", said.word(at), confidence=FAIR)
        return
    for phrase in listed if frame.predicate in {"takes", "plays", "visited"} else listed[:1]:
        if not frame.fits(phrase) or (frame.verb == "go" and not _long_ago(said)):
            return
        by_name_only = frame.predicate == "owns" and frame.change is Change.HOLDS and phrase.head.norm not in GOODS
        if by_name_only and frame.verb != "own" and not said.own_whens:
            return
        what = _without_adjectives(said, phrase) if frame.predicate == "owns" else phrase
        change = Change.ENDED if said.over else frame.change
        rest = said.text[phrase.tokens[0].start : said.clause.end].strip(" ,.")
        shown = {"who": who, "a": with_article(what, phrase), "rest": _up_to_time(said, phrase, rest)}
        text = f"{frame.says.format(**shown)}{_when(said)}." if frame.says else ""
        of = said if frame.predicate not in {"achieved", "visited"} else replace(said, whens=(), borrowed=())
        named = shown["rest"] if frame.predicate == "achieved" else what.text
        says = shown["a"] if frame.predicate == "owns" else ""
        yield statement(of, who, frame.predicate, named, change=change, confidence=FAIR, text=text, shown=says)


def _long_ago(said: Said) -> bool:
    """`went to Japan in 2028` is a journey, `went to Tesco yesterday` an errand."""
    return any(not when.day for when in said.own_whens)


def _when(said: Said) -> str:
    return next((f" {when.written}" for when in said.own_whens), "")


def _up_to_time(said: Said, phrase: Phrase, rest: str) -> str:
    starts = [when.start for when in said.own_whens if when.start > phrase.tokens[0].start]
    if starts:
        rest = said.text[phrase.tokens[0].start : min(starts)].strip(" ,.")
    return f"{phrase.article} {rest}".strip() if phrase.article in {"a", "an", "the"} else rest


def _without_adjectives(said: Said, phrase: Phrase) -> Phrase:
    """A thing without what is said of it for the moment: `a new second-hand camera` is a camera."""
    tokens = phrase.tokens
    while len(tokens) > 1 and (tokens[0].norm in _PASSING or tokens[0].text == "-"):
        tokens = tokens[1:]
    return replace(phrase, text=said.text[tokens[0].start : tokens[-1].end], tokens=tokens)


_PASSING: Final = word_set("new old little big lovely cute second hand used brand nice cheap shiny spare massive")


def treated(said: Said, who: str) -> Iterator[Statement]:
    """`my doctor took me off lisinopril and put me on losartan`: of the speaker, whoever does it."""
    if said.negated or said.future or said.modal or said.doubted:
        return
    if said.verb in {"switch", "change", "move"} and said.after in {"me", "us"} and (said.past or said.perfect):
        yield from _switched(said, who)
    if said.verb not in _PUT:
        return
    word, change = _PUT[said.verb]
    at = said.at + (said.after in {"me", "us"})
    passive = said.passive and said.subject.about is About.SELF
    if not (at > said.at or passive) or not (said.past or said.perfect or passive):
        return
    if word and said.word(at) not in {word, "onto"}:
        return
    phrase = phrase_at(said.tokens, at + bool(word), said.text, said.times)
    if phrase is not None and _is_one_medicine(phrase):
        yield statement(said, who, "takes", phrase.text, change=change, confidence=FAIR)


def _switched(said: Said, who: str) -> Iterator[Statement]:
    """`my doctor switched me from sertraline to fluoxetine`."""
    for at in range(said.at + 1, len(said.tokens)):
        lead = said.word(at)
        phrase = phrase_at(said.tokens, at + 1, said.text, said.times) if lead in {"from", "to"} else None
        if phrase is not None and is_medicine(phrase):
            change = Change.ENDED if lead == "from" else Change.HOLDS
            yield statement(said, who, "takes", phrase.text, change=change, confidence=FAIR)


def _is_one_medicine(phrase: Phrase) -> bool:
    """What one is put on by the name of the frame is a medicine, if it is one word that is none of other things."""
    lone = len(phrase.tokens) == 1 and not phrase.article and not phrase.owner
    return is_medicine(phrase) or (
        lone and phrase.head.norm not in _NO_MEDICINE and phrase.head.pos in {"NOUN", "PROPN"}
    )


_NO_MEDICINE: Final = word_set(
    "hold leave duty probation call nights days speaker speakerphone furlough mute loudspeaker"
)


def _denied(said: Said, who: str) -> Iterator[Statement]:
    """`I've never been to Japan`, `I'm not allergic to peanuts`, `I do NOT have diabetes`: it never was so."""
    if not said.negated or said.over or said.modal:
        return
    to = said.verb == "be" and said.after == "to" and said.perfect
    if to or (said.verb == "visit" and (said.perfect or said.never)):
        for phrase in phrases_at(said.tokens, said.at + to, said.text, said.times):
            if phrase.is_name:
                yield _never(said, who, "visited", phrase.text, f"{who} has never been to {phrase.text}.")
    elif said.verb in {"be", "have"} and (said.never or not said.past):
        yield from _not_ill(said, who)


def _not_ill(said: Said, who: str) -> Iterator[Statement]:
    if said.verb == "be" and said.after == "allergic" and said.word(said.at + 1) == "to":
        for phrase in phrases_at(said.tokens, said.at + 2, said.text, said.times):
            if phrase.head.pos in {"NOUN", "PROPN"} and phrase.head.norm not in _ANYTHING and not phrase.owner:
                yield _never(said, who, "allergic_to", phrase.text, f"{who} is not allergic to {phrase.text}.")
    elif said.verb == "be" and said.after in STATES:
        yield _never(said, who, "has_condition", said.after, f"{who} is not {said.after}.")
    elif said.verb == "have" and (said.never or not said.perfect):
        for phrase in phrases_at(said.tokens, said.at, said.text, said.times):
            if phrase.head.norm in LASTING_CONDITIONS or phrase.words.endswith(CONDITION_PHRASES):
                yield _never(said, who, "has_condition", phrase.text, f"{who} does not have {phrase.text}.")


_ANYTHING: Final = word_set("anything nothing something things stuff foods")


def _never(said: Said, who: str, predicate: str, what: str, text: str) -> Statement:
    bare = replace(said, whens=(), borrowed=())
    return statement(bare, who, predicate, what, change=Change.NEVER, text=text, confidence=FAIR)
