"""Whether a statement is meant as it is worded: not as a figure of speech, for tonight, or with a sneer. Pure.

Each kind of claim has its own temptations: `allergic to Mondays`, `married to my job`, `going mad on Friday`. What is
doubtful is left out, whatever it costs: a claim too few can be made later, a claim too many is believed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from shared.contract.candidates import Change
from shared.language.ordinary import MONTHS, WEEKDAYS
from shared.language.statements.kinship import relation_of
from shared.language.statements.saying import Said
from shared.language.statements.stated import Statement
from shared.language.statements.subjects import About
from shared.language.statements.tagged import Token
from shared.language.statements.words import INSTRUMENTS_AND_GAMES, LANGUAGES, PLATFORMS, word_set

Check = Callable[[Statement, Said], bool]
_ABSTRACT: Final = word_set("""
    fun nonsense drama work people idiots mornings stupidity bullshit bs effort exercise bureaucracy deadlines meetings
    emails paperwork responsibility commitment failure success patience humility luck life love words silence violence
    chaos peace excuses small-talk fools liars lies politics negativity adulting admin money attention chances
    hope faith trust time reality truth boredom spreadsheets commuting socialising capitalism
""")
_FOR_NOW: Final = frozenset({"tonight", "today"})
_SINCE: Final = frozenset({"of", "from", "since"})
_PREPOSITIONS: Final = word_set("about of with for at to on in into from by")


def is_meant(found: Statement, said: Said) -> bool:
    """Whether what a clause was read to state may be taken at its word."""
    check = _CHECKS.get(found.predicate)
    return (check is None or check(found, said)) and not (said.verb == "be" and _is_for_now(found, said))


def _words(found: Statement) -> list[str]:
    return found.object.lower().split()


def _place(found: Statement, said: Said) -> int | None:
    """Index of the first token of the object; None where it is not written as it is claimed."""
    first = (_words(found) or [""])[0]
    return next((at for at in range(said.at, len(said.tokens)) if said.tokens[at].norm == first), None)


def _last(found: Statement, said: Said) -> int | None:
    """Index of the last token of the object."""
    at = _place(found, said)
    last = (_words(found) or [""])[-1]
    return next((i for i in range(at, len(said.tokens)) if said.tokens[i].norm == last), at) if at is not None else None


def _behind(found: Statement, said: Said) -> Sequence[Token]:
    at = _last(found, said)
    return said.tokens[at + 1 :] if at is not None else ()


def _has_the(found: Statement, said: Said) -> bool:
    """Whether a thing is one that both know of: `the menu`, and not a name with an article."""
    at = _place(found, said)
    return at is not None and at > 0 and said.tokens[at - 1].norm == "the" and not found.object[:1].isupper()


def _is_for_now(found: Statement, said: Said) -> bool:
    """`I am the designated driver tonight`."""
    norms = {token.norm for token in said.rest}
    return found.predicate in _LASTING and bool(norms & _FOR_NOW) and not norms & _SINCE


_LASTING: Final = frozenset({"job", "nationality", "diet", "avoids", "lives_in", "marital_status"})


def _is_thing(found: Statement, _: Said) -> bool:
    """To what one can be allergic or what one can eat: no day and nothing abstract."""
    word = (_words(found) or [""])[-1]
    return word not in _ABSTRACT | WEEKDAYS | MONTHS and not word.endswith(("ness", "ism", "ship", "tion"))


def _is_wed(found: Statement, said: Said) -> bool:
    """`married to Ana`, `single`, and not `married to my job` or `single-minded`."""
    behind = _behind(found, said)
    if not behind or (behind[0].pos == "PUNCT" and behind[0].text not in {"-", "\u2013"}):
        return True
    if behind[0].norm in {"to", "from", "with"}:
        whom = behind[1:5]
        named = any(token.text[0].isupper() or relation_of(token.norm) for token in whom)
        return named or whom[:1] == () or whom[0].norm in {"a", "an"} or any(token.pos == "NUM" for token in whom)
    goes_on = behind[0].pos in {"ADP", "SCONJ", "CCONJ", "NUM"} or behind[0].norm in _AFTER_WED
    return goes_on or _in_time(behind[0], said)


_AFTER_WED: Final = word_set("now again since last this in for and but so too btw lol these anymore any yet twice")


def _in_time(token: Token, said: Said) -> bool:
    return any(start <= token.start < end for start, end in said.times)


def _is_employer(found: Statement, said: Said) -> bool:
    """A place of work, and not `peanuts`, `getting up early` or somebody left at a station."""
    at = _last(found, said)
    if at is None:
        return True
    if said.verb == "leave":
        behind = _behind(found, said)
        return not behind or behind[0].norm not in {"at", "on", "with", "alone", "waiting", "behind", "a", "the", "to"}
    bare = found.object.islower() and said.tokens[at - 1].norm in {"for", "at", "with"}
    return not (said.tokens[at].tag == "VBG" or (bare and (said.tokens[at].tag == "NNS" or found.object in _ABSTRACT)))


def _is_liked(found: Statement, said: Said) -> bool:
    """A taste, and not a remark on the new logo, a sneer, or an answer that chooses."""
    words = set(_words(found))
    if said.verb in {"stand", "bear"} and found.object.startswith("to "):
        return False
    if words & {"option", "version", "choice"} or (_has_the(found, said) and words & _AT_HAND):
        return False
    return not (found.predicate == "likes" and _SNEER.search(said.text[: said.clause.end]))


_AT_HAND: Final = frozenset({"new", "latest", "current", "updated", "old", "other", "last"})
_SNEER: Final = re.compile(
    r"(?:^|[.!?]\s*)(?:oh,? (?:great|good|wonderful|joy|yeah|sure|yes)\b|yeah,? (?:right|sure)"
    r"|yeah,? i (?:just |really )?(?:love|adore)"
    r"|yay\b|of course,? i (?:just |really )?(?:love|adore)|(?:great|wonderful|fantastic|brilliant)[,.!])[^.?]*$",
    re.IGNORECASE,
)


def _is_played(found: Statement, _: Said) -> bool:
    """`the guitar`, and not `second fiddle` or `devil's advocate`."""
    words = _words(found)
    return len(words) == 1 or (words[-1] in INSTRUMENTS_AND_GAMES and words[0] not in {"second", "first"})


def _is_done_often(found: Statement, said: Said) -> bool:
    """A habit, and not `run late`, `used to wonder about that` or `stopped at page 4`."""
    words = _words(found)
    if not words or words[0] in _THOUGHTS or words[1:2] in (["late"], ["out"], ["into"], ["low"], ["short"]):
        return False
    if found.change is not Change.ENDED:
        return len(words) <= _MOST_OF_A_HABIT
    for_good = said.used_to or {token.norm for token in said.tokens} & {"anymore", "longer", "more"}
    once = {"every"} if for_good else {"every", "the", "this", "that"}
    return words[-1] not in _PREPOSITIONS and not once & set(words) and not any(map(str.isdigit, found.object))


_THOUGHTS: Final = word_set("wonder imagine dream joke laugh worry cry fantasise fantasize struggle manage call")
_MOST_OF_A_HABIT: Final = 10


def _is_errand(found: Statement, _: Said) -> bool:
    """Something to be done, and not `pay attention` or `buy time`."""
    words = _words(found)
    return not set(words[1:]) & _FIGURES and words[1:] != ["up"]


_FIGURES: Final = word_set("""
    attention time sense peace mind decision line day life point note sleep rest break move face way ground heart
    head guts act crowd blame breath hope bath shower nap lunch dinner seat
""")


def _is_aim(found: Statement, said: Said) -> bool:
    """An aim with a measure or a doing, and not `the moon`, `world domination` or what is tried for now."""
    words = _words(found)
    if {token.norm for token in said.rest} & (_FOR_NOW | {"nothing", "moon", "stars", "survive", "domination"}):
        return False
    if said.verb == "try":
        return words[0] in _TRIED_FOR_LONG and words[-1] != "face"
    if said.subject.about is About.OWN:
        return said.after == "to" or any(sign.isdigit() for sign in found.object) or said.rest[0].tag == "VBG"
    return True


_TRIED_FOR_LONG: Final = frozenset({"quit", "learn", "lose", "cut", "eat", "drink", "save", "run"})


def _is_settled(found: Statement, said: Said) -> bool:
    """A decision that lasts, and not where to sit or `the flow`."""
    words = _words(found)
    if said.verb == "go" and words[-1] in {"flow", "them", "him", "her", "gut", "us", "me", "everyone"}:
        return False
    return words[0] not in _ON_THE_SPOT and not set(words) & {"nothing", "violence"}


_ON_THE_SPOT: Final = frozenset({"order", "sit", "wait", "watch", "walk", "eat", "split", "laugh", "nothing"})


def _is_planned(found: Statement, said: Said) -> bool:
    """An intention, and not `go mad`, `do nothing`, or what one is doing this week."""
    words = _words(found)
    if {"nothing", "nowhere", "solo"} & set(words):
        return False
    if words[0] == "go" and len(words) > 1:
        leads = words[1] in {"to", "on", "for", "back", "with", "out"} or words[1].endswith("ing")
        return leads and words[1:3] not in (["to", "bed"], ["to", "sleep"], ["to", "work"], ["to", "town"])
    current = any(said.text[when.start : when.end].lower().startswith(("this ", "today")) for when in said.own_whens)
    return not (said.going_on and not said.future and current and words[0] in _UNDER_WAY)


_UNDER_WAY: Final = word_set("drive work wear use look read stay take cover do cook eat watch write play help")


def _is_home(found: Statement, said: Said) -> bool:
    """A place that somebody moved to or grew up in: no tears, no meeting room, no Plan B, no cartoons."""
    at = _last(found, said)
    if at is None:
        return True
    words = _words(found)
    if words[0] in PLATFORMS | {"plan", "zoom", "teams", "slack", "page", "step", "phase", "room"}:
        return False
    verb = said.tokens[at].tag in {"VB", "VBP", "VBG"}
    figure = found.object.islower() and (verb or words[-1] in _ABSTRACT | {"tears", "pieces", "bits", "cartoons"})
    return not (said.verb in {"move", "grow"} and figure)


def _is_subject(found: Statement, said: Said) -> bool:
    """What is learned for long, and not `the menu`, `the hard way` or `patience`."""
    word = (_words(found) or [""])[-1]
    known = word in INSTRUMENTS_AND_GAMES | LANGUAGES
    return word not in _ABSTRACT and (known or not _has_the(found, said))


def _is_animal(found: Statement, said: Said) -> bool:
    """`a dog`, and not `a dog of a week`."""
    behind = _behind(found, said)
    return not (found.object.islower() and behind and behind[0].norm == "of")


def _is_ill(found: Statement, said: Said) -> bool:
    """`pregnant with twins`, and not `pregnant with ideas`, `blind as a bat` or a broken heart."""
    behind = [token.norm for token in _behind(found, said)]
    if _words(found)[-2:] == ["broken", "heart"] or behind[:1] == ["as"]:
        return False
    with_whom = (behind[1:2] or [""])[0]
    own = with_whom in {"my", "our", "a", "twins", "triplets", "number", "baby"} or with_whom.isdigit()
    return behind[:1] != ["with"] or _words(found)[-1] != "pregnant" or own


def _is_used(found: Statement, said: Said) -> bool:
    """A tool, and not `the red pen` or `words`."""
    return not _has_the(found, said) and (_words(found) or [""])[-1] not in _ABSTRACT


def _is_years(found: Statement, said: Said) -> bool:
    """An age, and not `30 in a month` or `5 at heart`."""
    behind = [token.norm for token in _behind(found, said)]
    return said.future or behind[:2] not in (["in", "a"], ["in", "two"], ["in", "three"], ["at", "heart"])


_CHECKS: Final[dict[str, Check]] = {
    "allergic_to": _is_thing,
    "intolerant_to": _is_thing,
    "eats": _is_thing,
    "drinks": _is_thing,
    "avoids": _is_thing,
    "marital_status": _is_wed,
    "works_at": _is_employer,
    "likes": _is_liked,
    "dislikes": _is_liked,
    "prefers": _is_liked,
    "plays": _is_played,
    "habit": _is_done_often,
    "task": _is_errand,
    "goal": _is_aim,
    "decided": _is_settled,
    "plans": _is_planned,
    "lives_in": _is_home,
    "hometown": _is_home,
    "learns": _is_subject,
    "pet": _is_animal,
    "has_condition": _is_ill,
    "uses": _is_used,
    "age": _is_years,
}
