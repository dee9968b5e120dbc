"""Statements of what somebody eats, drinks, plays, uses and does by habit, or no longer does. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from shared.contract.candidates import Change
from shared.language.statements.exchanges import switched
from shared.language.statements.medicines import is_medicine
from shared.language.statements.objects import is_narrowed
from shared.language.statements.phrases import Phrase, in_times, phrase_at, phrases_at
from shared.language.statements.saying import Said, lasts
from shared.language.statements.stated import FAIR, SURE, Statement
from shared.language.statements.subjects import About
from shared.language.statements.tastes import MOST_WORDS, STOPS, TOO_VAGUE, is_vague
from shared.language.statements.verbs import third_person
from shared.language.statements.wording import in_third_person, statement
from shared.language.statements.words import DIETS, FOODS_DRUNK, SUBSTANCES, THINGS, word_set

_DOING: Final = frozenset({"drink", "eat"})
_GAMES: Final = word_set("""
    guitar piano violin cello drums bass flute saxophone trumpet clarinet ukulele harp accordion football
    soccer tennis basketball hockey rugby cricket badminton squash volleyball golf chess padel bridge poker
    netball baseball softball handball saxophone oboe viola trombone banjo mandolin harmonica keyboard
    keyboards organ
""")
_SPORTS: Final = word_set("""
    run swim cycle ride smoke sing knit paint sew garden hike climb surf sail ski row dance box jog fish hunt
    bake cook read vape camp code
""")


def _consuming(said: Said, who: str) -> Iterator[Statement]:
    """What somebody eats or drinks by habit; what they do not, they avoid."""
    if said.going_on or said.future or (said.past and not (said.over or said.never)):
        return
    found = [
        phrase
        for phrase in phrases_at(said.tokens, said.at, said.text, said.times)
        if not is_vague(said, phrase) and not phrase.owner
    ]
    away = said.negated or said.over
    if said.verb == "eat" and said.after in DIETS and not away:
        yield statement(said, who, "diet", said.after, text=f"{who} eats {said.after}.")
        return
    if not found and said.verb == "drink" and said.over:
        yield from _no_longer(said, who)
    elif not found and said.verb == "drink" and away and all(in_times(token, said.times) for token in said.rest):
        yield statement(said, who, "avoids", "drinking", change=Change.HOLDS, text=_denied(said, who, ""))
    for phrase in found:
        if said.perfect and not away:
            return
        what = phrase.text
        if away and is_narrowed(said, found[-1].next):
            return
        if away:
            yield statement(
                said, who, "avoids", what, change=Change.HOLDS, text=_denied(said, who, what), is_preference=True
            )
        else:
            yield statement(
                said, who, f"{said.verb}s", what, confidence=SURE if phrase.head.norm in FOODS_DRUNK else FAIR
            )


def _denied(said: Said, who: str, what: str) -> str:
    when = next((f" as of {when.written.partition(' ')[2]}" for when in said.own_whens if not said.used_to), "")
    does_not = f"no longer {said.verb}s" if said.over else f"does not {said.verb}"
    return f"{' '.join(filter(None, (who, does_not, what)))}{when}."


def _not_touched(said: Said, who: str) -> Iterator[Statement]:
    """`I don't touch dairy`, `I don't do gluten`."""
    for phrase in phrases_at(said.tokens, said.at, said.text, said.times):
        if phrase.head.norm in SUBSTANCES and not phrase.owner and phrase.article != "the":
            yield statement(
                said, who, "avoids", phrase.text, change=Change.HOLDS, text=f"{who} does not {said.verb} {phrase.text}."
            )


def _exercised(said: Said, who: str) -> Iterator[Statement]:
    """`I swim on Tuesdays`: what somebody does as a habit, by the present tense, without an object or one day."""
    if is_exercise(said):
        doing = " ".join(filter(None, (said.verb, _rest(said))))
        yield statement(
            said,
            who,
            "habit",
            said.verb,
            text=f"{who} {third_person(said.verb)}{doing.removeprefix(said.verb)}.",
            confidence=FAIR,
        )


def is_exercise(said: Said) -> bool:
    """Whether a clause says that somebody runs, swims or cooks, and at most how often."""
    following = said.rest[0] if said.rest else None
    plain = following is None or following.text == "," or following.norm in _HOW_OFTEN
    return said.verb in _SPORTS and not said.own_whens and plain


_HOW_OFTEN: Final = word_set(
    "every on twice once most instead regularly daily weekly competitively sometimes outdoors three"
)


def _playing(said: Said, who: str) -> Iterator[Statement]:
    if (said.past and not said.over) or said.future or said.negated or not lasts(said):
        return
    for phrase in phrases_at(said.tokens, said.at, said.text, said.times):
        if phrase.head.norm in _GAMES:
            yield statement(said, who, "plays", phrase.head.norm if phrase.article == "the" else phrase.text)


def _using(said: Said, who: str) -> Iterator[Statement]:
    """`I use vim`, `switched from vim to helix`."""
    if said.negated or said.future:
        return
    if said.verb == "use" and (said.over or not said.past) and lasts(said):
        for phrase in phrases_at(said.tokens, said.at, said.text, said.times)[:2]:
            if _is_used(said, phrase):
                yield statement(said, who, "uses", phrase.text, confidence=FAIR)
    if said.verb != "use" and (said.past or said.perfect):
        yield from switched(said, who)


def _is_used(said: Said, phrase: Phrase) -> bool:
    """Whether a thing is one that is used again and again: not `the first one`, and of what one is using, a name."""
    if phrase.owner or phrase.head.norm in TOO_VAGUE or (phrase.article == "the" and not phrase.is_name):
        return False
    return said.over or not said.going_on or phrase.is_name


def _giving_up(said: Said, who: str) -> Iterator[Statement]:
    """`I gave up sugar`, `I quit caffeine`, `went off olives`, `cut out dairy`."""
    particle = {"give": "up", "cut": "out", "go": "off"}.get(said.verb)
    if particle and said.after != particle:
        return
    if not (said.past or said.perfect) or said.negated or said.passive:
        return
    for phrase in phrases_at(said.tokens, said.at + bool(particle), said.text, said.times):
        if (
            phrase.owner
            or phrase.is_name
            or phrase.article
            or phrase.head.norm in TOO_VAGUE | THINGS | {"job", "school", "uni", "university", "work", "hope"}
        ):
            return
        when = next((f" as of {when.written.partition(' ')[2]}" for when in said.own_whens), "")
        past = {
            "give": "gave up",
            "quit": "quit",
            "cut": "cut out",
            "drop": "dropped",
            "ditch": "ditched",
            "go": "went off",
        }[said.verb]
        yield statement(
            said, who, "avoids", phrase.text, change=Change.HOLDS, text=f"{who} {past} {phrase.text}{when}."
        )


def _no_longer(said: Said, who: str) -> Iterator[Statement]:
    """Any other doing that is over: `I no longer drive`, `used to smoke`."""
    if said.passive or said.going_on or said.verb in _NOT_HABITS:
        return
    if said.rest and said.rest[0].tag == "PRP":
        return
    taken = phrase_at(said.tokens, said.at, said.text, said.times) if said.verb == "take" else None
    if taken is not None and is_medicine(taken):
        return
    doing = " ".join(filter(None, (said.verb, _rest(said))))
    when = "" if said.used_to else next((f" as of {when.written.partition(' ')[2]}" for when in said.own_whens), "")
    words = " ".join(filter(None, (third_person(said.verb), _rest(said))))
    yield statement(
        said, who, "habit", doing, change=Change.ENDED, text=f"{who} no longer {words}{when}.", confidence=SURE
    )


_NOT_HABITS: Final = word_set("""
    be have like love hate live work study own want need think know have feel believe see seem look hear
    understand remember get say mean hope wish enjoy prefer expect trust care matter be have
""")


def _rest(said: Said) -> str:
    taken = []
    for token in said.rest[:MOST_WORDS]:
        if (
            token.text == ","
            or token.norm in STOPS | {"neither", "any", "more", "longer", "either"}
            or any(start <= token.start < end for start, end in said.times)
        ):
            break
        taken.append(token)
    return in_third_person(said, taken)


def habits(said: Said, who: str) -> Iterator[Statement]:
    """What a clause says of what somebody does by habit, or no longer does."""
    if said.subject.about in {About.OWN, About.THING} or said.doubted or said.modal:
        return
    plain = not (said.negated or said.over or said.past or said.future or said.perfect or said.going_on)
    if said.verb in _DOING:
        yield from _consuming(said, who)
    elif said.verb == "play":
        yield from _playing(said, who)
    elif said.verb in {"use", "switch", "change", "migrate", "swap"}:
        yield from _using(said, who)
    elif said.verb in {"quit", "give", "cut", "drop", "ditch"} or (said.verb == "go" and not said.over):
        yield from _giving_up(said, who)
    elif said.verb in {"touch", "do"} and said.negated:
        yield from _not_touched(said, who)
    elif said.verb in _SPORTS and plain:
        yield from _exercised(said, who)
    elif said.over and not (said.verb in _TASTES or (said.verb == "get" and said.after == "into")):
        yield from _no_longer(said, who)


_TASTES: Final = frozenset({"prefer", "be", "like", "love", "enjoy", "adore", "hate", "dislike", "loathe", "detest"})
"""What is over of these is told by the family of tastes."""
