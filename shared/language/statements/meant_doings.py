"""Whether what somebody likes, does, aims at and plans is meant as it is worded: `run late` is not. Pure."""

from __future__ import annotations

import re
from typing import Final

from shared.contract.candidates import Change
from shared.language.ordinary import WEEKDAYS
from shared.language.statements.objects import FOR_NOW, behind_object, has_the, words_of
from shared.language.statements.saying import Said
from shared.language.statements.stated import Statement
from shared.language.statements.subjects import About
from shared.language.statements.words import INSTRUMENTS_AND_GAMES, word_set

_PREPOSITIONS: Final = word_set("about of with for at to on in into from by")


def is_liked(found: Statement, said: Said) -> bool:
    """A taste, and not a remark on the new logo, a sneer, or an answer that chooses."""
    words = set(words_of(found))
    if said.verb in {"stand", "bear"} and found.object.startswith("to "):
        return False
    if words <= {"being", "having"}:
        return False
    if words & {"option", "version", "choice"} or (has_the(found, said) and words & _AT_HAND):
        return False
    if any(token.norm == "as" for token in behind_object(found, said)[:1]):
        return False
    return not (found.predicate == "likes" and _SNEER.search(said.text[: said.clause.end]))


_AT_HAND: Final = frozenset({"new", "latest", "current", "updated", "old", "other", "last"})
_SNEER: Final = re.compile(
    r"(?:^|[.!?]\s*)(?:oh,? (?:great|good|wonderful|joy|yeah|sure|yes)\b|yeah,? (?:right|sure)"
    r"|yeah,? i (?:just |really )?(?:love|adore)"
    r"|yay\b|of course,? i (?:just |really )?(?:love|adore)|(?:great|wonderful|fantastic|brilliant)[,.!])[^.?]*$",
    re.IGNORECASE,
)


def is_played(found: Statement, _: Said) -> bool:
    """`the guitar`, and not `second fiddle` or `devil's advocate`."""
    words = words_of(found)
    return len(words) == 1 or (words[-1] in INSTRUMENTS_AND_GAMES and words[0] not in {"second", "first"})


def is_able(_: Statement, said: Said) -> bool:
    """What one can, and not all that one can."""
    return "only" not in said.adverbs


def is_done_often(found: Statement, said: Said) -> bool:
    """A habit, and not `run late`, `used to wonder about that` or `stopped at page 4`."""
    words = words_of(found)
    if not words or words[0] in _THOUGHTS or words[1:2] in (["late"], ["out"], ["into"], ["low"], ["short"]):
        return False
    if len(words) == 1 and said.after == "on" and said.word(said.at + 1) not in WEEKDAYS:
        return False
    if found.change is not Change.ENDED:
        return len(words) <= _MOST_OF_A_HABIT
    for_good = said.used_to or {token.norm for token in said.tokens} & {"anymore", "longer", "more"}
    once = {"every"} if for_good else {"every", "the", "this", "that"}
    return words[-1] not in _PREPOSITIONS and not once & set(words) and not any(map(str.isdigit, found.object))


_THOUGHTS: Final = word_set("wonder imagine dream joke laugh worry cry fantasise fantasize struggle manage call")
_MOST_OF_A_HABIT: Final = 10


def is_errand(found: Statement, _: Said) -> bool:
    """Something to be done, and not `pay attention` or `buy time`."""
    words = words_of(found)
    return not set(words[1:]) & _FIGURES and words[1:] != ["up"]


_FIGURES: Final = word_set("""
    attention time sense peace mind decision line day life point note sleep rest break move face way ground heart
    head guts act crowd blame breath hope bath shower nap lunch dinner seat
""")


def is_aim(found: Statement, said: Said) -> bool:
    """An aim with a measure or a doing, and not `the moon`, `world domination` or what is tried for now."""
    words = words_of(found)
    if {token.norm for token in said.rest} & (FOR_NOW | {"nothing", "moon", "stars", "survive", "domination"}):
        return False
    if said.verb == "try":
        return words[0] in _TRIED_FOR_LONG and words[-1] != "face"
    if said.subject.about is About.OWN:
        return said.after == "to" or any(sign.isdigit() for sign in found.object) or said.rest[0].tag == "VBG"
    return True


_TRIED_FOR_LONG: Final = frozenset({"quit", "learn", "lose", "cut", "eat", "drink", "save", "run"})


def is_settled(found: Statement, said: Said) -> bool:
    """A decision that lasts, and not where to sit or `the flow`."""
    words = words_of(found)
    if said.verb == "go" and words[-1] in {"flow", "them", "him", "her", "gut", "us", "me", "everyone"}:
        return False
    return words[0] not in _ON_THE_SPOT and not set(words) & {"nothing", "violence"}


_ON_THE_SPOT: Final = frozenset({"order", "sit", "wait", "watch", "walk", "eat", "split", "laugh", "nothing"})


def is_planned(found: Statement, said: Said) -> bool:
    """An intention, and not `go mad`, `do nothing`, or what one is doing this week."""
    words = words_of(found)
    if {"nothing", "nowhere", "solo"} & set(words) or words[0] == "expect":
        return False
    if words[0] == "go" and len(words) > 1:
        leads = words[1] in {"to", "on", "for", "back", "with", "out"} or words[1].endswith("ing")
        return leads and words[1:3] not in (["to", "bed"], ["to", "sleep"], ["to", "work"], ["to", "town"])
    current = any(said.text[when.start : when.end].lower().startswith(("this ", "today")) for when in said.own_whens)
    return not (said.going_on and not said.future and current and words[0] in _UNDER_WAY)


_UNDER_WAY: Final = word_set("drive work wear use look read stay take cover do cook eat watch write play help")
