"""Whether what somebody is, has and lives in is meant as it is worded: `married to my job` is not. Pure."""

from __future__ import annotations

import re
from typing import Final

from shared.contract.candidates import Change
from shared.language.ordinary import MONTHS, WEEKDAYS
from shared.language.statements.kinship import relation_of
from shared.language.statements.objects import ABSTRACT, behind_object, has_the, last_of_object, words_of
from shared.language.statements.passing import is_for_these_days, is_home_for_now, is_workplace_for_now
from shared.language.statements.saying import Said
from shared.language.statements.stated import Statement
from shared.language.statements.tagged import Token
from shared.language.statements.words import INSTRUMENTS_AND_GAMES, LANGUAGES, PLATFORMS, word_set


def is_thing(found: Statement, _: Said) -> bool:
    """To what one can be allergic or what one can eat: no day and nothing abstract."""
    word = (words_of(found) or [""])[-1]
    return word not in ABSTRACT | WEEKDAYS | MONTHS and not word.endswith(("ness", "ism", "ship", "tion"))


def is_eaten(found: Statement, said: Said) -> bool:
    """What one eats as a habit, and not `the crusts`."""
    return is_thing(found, said) and not has_the(found, said)


def is_of_nation(found: Statement, said: Said) -> bool:
    """`German`, and not `so German about queues`."""
    return not any(token.norm == "about" for token in behind_object(found, said)[:1])


def is_kept_to(found: Statement, said: Said) -> bool:
    """A diet, and not one for a month, at home or on weekdays."""
    behind = [token.norm for token in behind_object(found, said)]
    return behind[:1] not in (["at"], ["on"], ["during"], ["outside"]) and not (said.past and "for" in behind)


def is_wed(found: Statement, said: Said) -> bool:
    """`married to Ana`, `single`, and not `married to my job` or `single-minded`."""
    behind = behind_object(found, said)
    if found.object == "single" and is_for_these_days(said):
        return False
    if " to " in found.object:
        return True
    if found.object == "separated" and behind and behind[0].norm in {"at", "in", "on", "by"}:
        return _in_time(behind[0], said)
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


_OF_WORK: Final = re.compile(
    r"\b(?:work(?:s|ed|ing)?|jobs?|role|team|company|firm|career|boss|colleagues?|hired|joined|notice|resigned)\b",
    re.IGNORECASE,
)
"""Without a word of work, `left Ghent` may be a town as well."""


def is_employer(found: Statement, said: Said) -> bool:
    """A place of work, and not `peanuts`, `getting up early` or somebody left at a station."""
    if found.change is Change.HOLDS and found.predicate == "works_at" and is_workplace_for_now(found, said):
        return False
    at = last_of_object(found, said)
    if at is None:
        return True
    if said.verb == "leave" and found.text.startswith(f"{found.subject} left "):
        return True
    if said.verb == "leave":
        behind = behind_object(found, said)
        aside = {"at", "on", "with", "alone", "waiting", "behind", "a", "the", "to"}
        return _OF_WORK.search(said.text) is not None and not (behind and behind[0].norm in aside)
    bare = found.object.islower() and said.tokens[at - 1].norm in {"for", "at", "with"}
    return not (said.tokens[at].tag == "VBG" or (bare and (said.tokens[at].tag == "NNS" or found.object in ABSTRACT)))


def is_home(found: Statement, said: Said) -> bool:
    """A place that somebody moved to or grew up in: no tears, no meeting room, no Plan B, no cartoons."""
    at = last_of_object(found, said)
    if found.object[:1].isdigit():
        return False
    if at is None:
        return True
    words = words_of(found)
    if is_home_for_now(found, said):
        return False
    if words[0] in PLATFORMS | {"plan", "team", "zoom", "teams", "slack", "page", "step", "phase", "room"}:
        return False
    verb = said.tokens[at].tag in {"VB", "VBP", "VBG"}
    figure = found.object.islower() and (verb or words[-1] in ABSTRACT | {"tears", "pieces", "bits", "cartoons"})
    on = found.object.islower() and said.tokens[max(0, at - 1)].norm == "on"
    return not on and not (said.verb in {"move", "grow"} and figure)


def is_subject(found: Statement, said: Said) -> bool:
    """What is learned for long, and not `the menu`, `the hard way` or `patience`."""
    word = (words_of(found) or [""])[-1]
    known = word in INSTRUMENTS_AND_GAMES | LANGUAGES
    return word not in ABSTRACT and (known or not has_the(found, said))


OF_ANOTHER: Final = re.compile(
    r"\b(?:belong(?:s|ing)? to (?!me\b|us\b)|owned by (?!me\b|us\b)|on loan\b|borrow(?:ed|ing)\b|(?:is|are|'s) rented\b"
    r"|(?:a|the|my|our) (?:rental|rented|borrowed|hired|leased)\b"
    r"|(?:that |which )?(?:i|we)(?:'m|'re| am| are)? rent(?:ing)?\b"
    r"(?! (?:it |them )?out)|(?:isn't|aren't|(?:is|are|'s|'re) not|not) (?:really |actually |even )?(?:mine|ours)\b"
    r"|(?:it's|it is|they're|that's|that is|which is) (?:really |actually )?"
    r"(?:(?:my|his|her|their|our) [\w ]{2,20}'s?(?=[\s.!,]|$)|(?:rented|leased|borrowed|hired)\b))",
    re.IGNORECASE,
)
"""What makes a thing that somebody has another's."""
_FOR_A_WHILE: Final = re.compile(
    r"\b(?:for|to) (?:(?:a|the|my|some|his|her|their|quick) )?(?:repairs?|repairing|fix|fixing|test|testing|review"
    r"|reviewing|try|trial|clean|cleaning|look after|mind|safe ?keeping|storage|store|inspect|inspection|service"
    r"|servicing|weekend|week|evaluat\w+)\b"
    r"|\bfrom (?:work|the office|my (?:boss|company|employer)|the library)\b|\bfor (?:two|three|a few|a couple of) ",
    re.IGNORECASE,
)
"""Whoever gets a thing for that has it, and does not own it."""
_TO_THE_END: Final = re.compile(r"[^.!?\n]*")


def is_own(found: Statement, said: Said) -> bool:
    """`bought a phone`, and not `bought a phone for my mum`."""
    behind = behind_object(found, said)
    is_got = found.change is Change.HOLDS and said.verb == "get"
    if is_got and _FOR_A_WHILE.search(said.text[said.clause.start : said.clause.end]):
        return False
    if found.change is Change.HOLDS and OF_ANOTHER.search(_TO_THE_END.match(said.text, said.clause.start)[0]):  # type: ignore[index]  # it matches anywhere
        return False
    given = found.change is Change.HOLDS and bool(behind) and behind[0].norm == "for"
    return not given or not any(relation_of(token.norm) or token.pos == "PROPN" for token in behind[1:4])


def is_animal(found: Statement, said: Said) -> bool:
    """`a dog`, and not `a dog of a week` or one for somebody else."""
    behind = behind_object(found, said)
    if [each.norm for each in behind[:3]] in _FIGHTS:
        return False
    named = any(each.text.istitle() for each in behind)
    several = named and found.object.islower() and words_of(found)[-1].endswith("s")
    return is_own(found, said) and not several and not (found.object.islower() and behind and behind[0].norm == "of")


_FIGHTS: Final = [["in", which, what] for which in ("this", "that", "the") for what in ("fight", "race", "hunt")]


def is_named(found: Statement, _: Said) -> bool:
    """A name, and not `My name is Mud`, which is to be in disgrace."""
    return found.object.lower() not in {"mud", "legion"}


def is_ill(found: Statement, said: Said) -> bool:
    """`pregnant with twins`, and not `pregnant with ideas`, `blind as a bat` or a broken heart."""
    behind = [token.norm for token in behind_object(found, said)]
    passing = words_of(found)[-1] in _PASSING and not {"for", "since"} & set(behind)
    if (passing and not said.own_whens) or words_of(found)[-2:] == ["broken", "heart"] or behind[:1] == ["as"]:
        return False
    with_whom = (behind[1:2] or [""])[0]
    own = with_whom in {"my", "our", "a", "twins", "triplets", "number", "baby"} or with_whom.isdigit()
    return behind[:1] != ["with"] or words_of(found)[-1] != "pregnant" or own


_PASSING: Final = word_set("cold flu cough fever rash headache headaches toothache backache sprain")


def is_used(found: Statement, said: Said) -> bool:
    """A tool, and not `the red pen` or `words`."""
    return not has_the(found, said) and (words_of(found) or [""])[-1] not in ABSTRACT


def is_years(found: Statement, said: Said) -> bool:
    """An age, and not `30 in a month` or `5 at heart`."""
    behind = [token.norm for token in behind_object(found, said)]
    return said.future or behind[:2] not in (["in", "a"], ["in", "two"], ["in", "three"], ["at", "heart"])


def is_dated(found: Statement, said: Said) -> bool:
    """`the open day is on 14 May`, and not `bin day is Tuesday`, which comes every week."""
    weekdays = [said.text[when.start : when.end].lower().split()[-1] in WEEKDAYS for when in said.own_whens[:1]]
    return not (found.subject.endswith(" day") and any(weekdays))


def is_called_off(_: Statement, said: Said) -> bool:
    """Cancelled for good, and not for this week."""
    return not said.own_whens
