"""Statements of what somebody likes, dislikes, prefers and fears. Pure.

A denied dislike is no like and no dislike: `I don't hate opera` states nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from shared.contract.candidates import Change
from shared.language.statements.objects import is_narrowed
from shared.language.statements.phrases import Phrase, phrase_at, phrases_at
from shared.language.statements.saying import Said
from shared.language.statements.stated import Statement
from shared.language.statements.subjects import About
from shared.language.statements.tagged import Token
from shared.language.statements.verbs import LEMMAS
from shared.language.statements.wording import in_third_person, statement
from shared.language.statements.words import word_set

_LIKING: Final = frozenset({"like", "love", "enjoy", "adore"})
_HATING: Final = frozenset({"hate", "dislike", "loathe", "detest"})
_INTO: Final = frozenset({"into", "fond"})
TOO_VAGUE: Final = word_set("""
    idea ideas way thing things it one ones sound look lot bit kind sort answer answers suggestion suggestions
    response plan option options version approach part point question questions help much day chat joke
    everything anything something nothing someone somebody everyone people fact place view job work message
    work comment design code first second third last previous former latter one other draft title name wording
    list edit explanation
""")
MOST_WORDS: Final = 7
_OF_A_TASTE: Final = frozenset({"with", "without", "in", "about", "by", "from"})
_LONGEST_TAIL: Final = 60


def tastes(said: Said, who: str) -> Iterator[Statement]:
    """What a clause says of what somebody likes and dislikes."""
    if said.subject.about in {About.OWN, About.THING} or said.doubted:
        return
    if said.modal == "can" and (said.negated or said.over) and said.verb in {"stand", "bear", "tolerate"}:
        yield from _disliked(said, who, said.at)
        return
    if said.modal:
        return
    if said.verb in _LIKING | _HATING:
        yield from _liking(said, who)
    elif said.verb == "prefer":
        yield from _preferring(said, who)
    elif said.verb == "be" or (said.verb == "get" and said.after == "into" and not _is_entered(said)):
        yield from _being(said, who)


def _is_entered(said: Said) -> bool:
    """`got into art school`, `into trouble`: no taste."""
    phrase = phrase_at(said.tokens, said.at + 1, said.text, said.times)
    return phrase is None or bool(phrase.article) or phrase.is_name or phrase.head.norm in _ENTERED


_ENTERED: Final = word_set("""
    school college university uni trouble bed car habit argument fight debt accident town work programme
    program detail details character shape position touch office house flat grad bar line mess conversation
""")


def _liking(said: Said, who: str) -> Iterator[Statement]:
    hating = said.verb in _HATING
    if said.going_on and said.verb not in {"love", "enjoy"}:
        return
    if (said.past and not (said.over or said.never)) or said.future:
        return
    if said.negated and (hating or said.verb in {"love", "adore"}) and not said.never:
        return
    if said.negated and hating:
        return
    predicate = "dislikes" if hating or said.negated else "likes"
    change = Change.ENDED if said.over else Change.HOLDS
    if said.negated and _is_for_some(said):
        return
    for what in liked_at(said, said.at):
        yield statement(said, who, predicate, what, change=change, is_preference=True)


def _is_for_some(said: Said) -> bool:
    """`I don't like coffee on weekdays`: no dislike of coffee."""
    found = phrases_at(said.tokens, said.at, said.text, said.times)
    return bool(found) and is_narrowed(said, found[-1].next) and said.word(found[-1].next) not in _OF_A_TASTE


def liked_at(said: Said, at: int) -> list[str]:
    """The things or doings that a verb of liking is followed by; none where they point at what was just said."""
    if at < len(said.tokens) and said.tokens[at].norm == "to":
        doing = _doing(said, at + 1)
        return [f"to {doing}"] if doing else []
    if at < len(said.tokens) and _is_gerund(said, at):
        doing = _doing(said, at)
        return [doing] if doing else []
    found = phrases_at(said.tokens, at, said.text, said.times)
    if found and found[0].owner:
        kept = found[0].owner == "my" and found[0].head.norm not in {"life", "self", "hair", "phone", "day", "brain"}
        return [f"their {_with_tail(said, found[0])}"] if kept else []
    if not found or any(is_vague(said, phrase) for phrase in found[:1]):
        return []
    return [_with_tail(said, phrase) for phrase in found if not is_vague(said, phrase)]


def _is_gerund(said: Said, at: int) -> bool:
    token = said.tokens[at]
    return (
        token.norm.endswith("ing")
        and (token.norm in LEMMAS or token.tag == "VBG" or token.norm == "being")
        and at + 1 < len(said.tokens)
        and (
            said.tokens[at + 1].pos in {"ADP", "DET", "PRON", "NOUN", "PROPN", "ADJ", "PART", "ADV"}
            and said.tokens[at + 1].norm not in {"and"} | STOPS
        )
    )


def _doing(said: Said, at: int) -> str:
    """The words of a doing, up to where its clause goes on to something else."""
    taken = []
    for token in said.tokens[at : at + MOST_WORDS]:
        if token.text == "," or token.norm in STOPS or any(start <= token.start < end for start, end in said.times):
            break
        if token.norm in {"you", "this", "that", "it", "your"}:
            return ""
        taken.append(token)
    words = in_third_person(said, taken)
    return words if taken and taken[0].norm in LEMMAS | {"be": "", "being": "", "having": ""} else ""


STOPS: Final = word_set("""
    but because so though although when if while instead rather than anymore now who which since and or
    whenever
""")


def is_vague(said: Said, phrase: Phrase) -> bool:
    """Whether a thing is none that could be known again: `that idea`, `the way you put it`."""
    behind = said.tokens[phrase.next] if phrase.next < len(said.tokens) else None
    if phrase.head.norm in TOO_VAGUE or phrase.head.pos == "PRON":
        return True
    if phrase.article == "the" and behind is not None and behind.norm in {"you", "we", "i", "that", "which"}:
        return True
    return behind is not None and behind.norm == "you"


def _with_tail(said: Said, phrase: Phrase) -> str:
    """`tea with milk`, `cooking for friends`: what belongs to the thing."""
    text = f"{'the ' if phrase.article == 'the' and phrase.is_name else ''}{phrase.text}"
    if phrase.next < len(said.tokens) and said.tokens[phrase.next].norm in _OF_A_TASTE:
        more = phrase_at(said.tokens, phrase.next + 1, said.text, said.times)
        if (
            more
            and not more.owner
            and more.head.norm not in {"morning", "mornings", "evening", "evenings", "general", "summer", "winter"}
        ):
            return said.text[phrase.tokens[0].start : more.tokens[-1].end]
    return text


def _disliked(said: Said, who: str, at: int) -> Iterator[Statement]:
    for what in liked_at(said, at):
        yield statement(said, who, "dislikes", what, change=Change.HOLDS, is_preference=True)


def _preferring(said: Said, who: str) -> Iterator[Statement]:
    """`I prefer tea`, and `tea to coffee`, of which the contrary is over."""
    if said.negated or said.future or (said.past and not said.over):
        return
    lead = next((token for token in said.rest[1:] if token.norm in {"over", "to", "than", "rather"}), None)
    least = _than_what(said, lead)
    for what in liked_at(said, said.at)[:1]:
        most = re.split(rf"\s{lead.norm}\s", what)[0] if lead and least else what
        text = _preferred(said, who, most, lead)
        yield statement(said, who, "prefers", f"{most} over {least}" if least else most, is_preference=True, text=text)
        if least and not said.over:
            other = f"{least} over {most}"
            yield statement(said, who, "prefers", other, is_preference=True, text=text, change=Change.ENDED)


def _preferred(said: Said, who: str, what: str, lead: Token | None) -> str:
    """The sentence with what it is preferred to; empty, for the predicate's own, where a time is told."""
    tail = (
        said.text[lead.start : said.clause.end].strip()
        if lead and not what.endswith(f" {said.tokens[-1].text}")
        else ""
    )
    prefers = "no longer prefers" if said.over else "prefers"
    text = f"{' '.join(filter(None, (who, prefers, what, tail if len(tail) < _LONGEST_TAIL else '')))}."
    return text if not said.own_whens else ""


def _than_what(said: Said, lead: Token | None) -> str:
    """What something is preferred to, where that is a thing like it: `tea` of `coffee to tea`, no `trips to Rome`."""
    if lead is None:
        return ""
    at = next((at for at in range(said.at, len(said.tokens)) if said.tokens[at].start >= lead.end), len(said.tokens))
    at += lead.norm == "rather" and said.word(at) == "than"
    most, least = (phrase_at(said.tokens, start, said.text, said.times) for start in (said.at, at))
    if most is None or least is None or most.owner or least.owner or is_vague(said, least):
        return ""
    doing = [phrase.tokens[0].norm.endswith("ing") for phrase in (most, least)]
    alike = most.is_name == least.is_name and doing[0] == doing[1]
    leads_there = lead.norm == "to" and (most.head.norm in _LEADING_TO or least.head.norm in _GONE_TO)
    if not alike or leads_there:
        return ""
    return _doing(said, at) if doing[1] else least.text


_LEADING_TO: Final = word_set("""
    trip trips flight flights journey journeys visit visits way road train trains bus guide letter letters answer
    answers introduction access approach key reply replies reaction walk walks move drive drives
""")
_GONE_TO: Final = word_set("work school town bed church uni university")


def _being(said: Said, who: str) -> Iterator[Statement]:
    """`a fan of`, `into`, `fond of`, `obsessed with`, `tired of`, `afraid of`."""
    if (said.past and not said.over and said.verb == "be") or said.future:
        return
    words = [token.norm for token in said.rest[:5]]
    at, denies = _behind_fondness(words)
    if at:
        if said.negated and denies:
            return
        predicate = "dislikes" if denies or said.negated else "likes"
        for what in liked_at(said, said.at + at):
            yield statement(
                said, who, predicate, what, is_preference=True, change=Change.ENDED if said.over else Change.HOLDS
            )
    elif (
        (phrase := phrase_at(said.tokens, said.at, said.text, said.times))
        and phrase.head.norm == "fan"
        and not said.negated
    ):
        named = [
            token
            for token in phrase.tokens[:-1]
            if token.norm not in {"big", "huge", "massive", "great", "real", "lifelong"}
        ]
        if named and phrase.article in {"a", "an"}:
            what = said.text[named[0].start : named[-1].end]
            yield statement(
                said, who, "likes", what, is_preference=True, change=Change.ENDED if said.over else Change.HOLDS
            )
    elif words[:2] in (["afraid", "of"], ["scared", "of"], ["terrified", "of"], ["phobic", "of"]) and not said.negated:
        for what in liked_at(said, said.at + 2):
            if not what.startswith("to "):
                yield statement(said, who, "fears", what)


def _behind_fondness(words: list[str]) -> tuple[int, bool]:
    """How many words of fondness there are, and whether they say the opposite."""
    plain = [
        word
        for word in words
        if word not in {"a", "an", "big", "huge", "great", "much", "real", "really", "massive", "such"}
    ]
    skipped = len(words) - len(plain)
    if plain[:2] == ["fan", "of"]:
        return words.index("of") + 1, False
    if plain[:1] == ["into"]:
        return words.index("into") + 1, False
    if plain[:2] in (
        ["fond", "of"],
        ["keen", "on"],
        ["obsessed", "with"],
        ["crazy", "about"],
        ["mad", "about"],
        ["addicted", "to"],
        ["partial", "to"],
    ):
        return 2 + (skipped if words[0] != plain[0] else 0), False
    if plain[:2] in (["sick", "of"], ["fed", "up"], ["averse", "to"]):
        return 0, True
    return 0, False
