"""Who is meant by a name: resolved before conflicts are judged, so that one person does not hold two of what is single.

    exact     the same name, folded: `Dr. Halloran` and `dr halloran`
    alias     a belief says that it is also known so
    fuzzy     a slip of the pen in a long name, where no other known name is as near

A slip is one letter too many, too few, other or swapped, not the first, in a word of at least seven letters; in a name
of one word, of at least nine. Names whose digits differ are never one, nor are names that are ordinary words or have
few different letters. To miss that two names are one costs a duplicate; to take two people for one costs the truth.

Aliases are beliefs (`also_known_as`), and so is that two are not the same (`different_from`), which forbids any match.
Nothing is rewritten: end or retract the belief, resolve the claims of both names anew, and the merge is undone.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from shared.belief.predicates import subject_key
from shared.contract.records import Claim
from shared.language.ordinary import ORDINARY

ALSO_KNOWN_AS: Final = "also_known_as"
DIFFERENT_FROM: Final = "different_from"

SHORTEST_WORD_CHARS: Final = 7
"""A word in which one letter may differ. In shorter ones that letter tells people apart: Marina and Martina, Petrov and
Petrova."""
SHORTEST_NAME_CHARS: Final = 9
"""The same of a name that is one word, with no other beside it to agree."""
LEAST_ENTROPY_BITS: Final = 2.5
"""Shannon entropy of a name's letters, in bits a letter: below, names are alike by chance (`Ananana`)."""


MOST_AS_A_SLIP: Final = 1
FEWEST_AS_A_NAME: Final = 3
"""Statements: what was written once beside what was written three times is taken for a slip; anything else is not,
since Christina and Christine may both be known."""


class How(StrEnum):
    """How a name was matched."""

    EXACT = "exact"
    ALIAS = "alias"
    FUZZY = "fuzzy"


@dataclass(frozen=True, slots=True)
class Match:
    """The known name that a name stands for."""

    name: str
    """As it is known."""
    how: How


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """What is known of names; made by `known_names`."""

    shown: Mapping[str, str]
    """The names by their keys, as they are known."""
    main: Mapping[str, str]
    """Of each key that an alias belief names, the key of the name that it is another form of."""
    apart: frozenset[tuple[str, str]]
    """Pairs of keys that are not the same, both ways around."""


def known_names(names: Iterable[str], claims: Iterable[Claim] = ()) -> Names:
    """What is known of names from those in use and from the claims of the beliefs that are current.

    Of the claims only aliases and differences count. The order of neither matters.
    """
    claims = list(claims)
    aliases = [claim for claim in claims if claim.predicate == ALSO_KNOWN_AS]
    spelt = {subject_key(name): name for name in sorted(names, reverse=True)}
    for claim in sorted(aliases, key=lambda claim: (claim.subject, claim.object)):
        spelt.setdefault(subject_key(claim.subject), claim.subject)
    different = {_pair(claim) for claim in claims if claim.predicate == DIFFERENT_FROM}
    apart = frozenset(different | {(second, first) for first, second in different})
    return Names(shown=spelt, main=_mains(set(map(_pair, aliases)), apart), apart=apart)


def resolve_name(name: str, known: Names) -> Match | None:
    """The known name that `name` stands for, and how that was found; None where it is a name of its own.

    A name that is an alias stands for the main one, even where it is in use itself.
    """
    key = subject_key(name)
    main = known.main.get(key)
    if main is not None:
        return Match(known.shown[main], How.ALIAS)
    if key in known.shown:
        return Match(known.shown[key], How.EXACT)
    near = {known.main.get(other, other) for other in known.shown if _is_slip(key, other)}
    near = {other for other in near if (key, other) not in known.apart}
    if len(near) != 1:
        return None
    return Match(known.shown[near.pop()], How.FUZZY)


def stand_ins(counts: Mapping[str, int], claims: Iterable[Claim], among: Iterable[str]) -> dict[str, str]:
    """Of those of some keys of names that are not the main name of whoever they mean, the key of that one.

    `counts` says of each key how many statements there are of it, `claims` are those of the current beliefs. A name of
    which one thing was stated, a slip away from one of which many were, stands for that; two in use are two.
    """
    known = known_names(counts, claims)
    found: dict[str, str] = {}
    for name in among:
        if name in known.main:
            found[name] = known.main[name]
        elif counts.get(name) == MOST_AS_A_SLIP:
            near = {known.main.get(other, other) for other in slips(name, counts)}
            near = {other for other in near if (name, other) not in known.apart}
            if len(near) == 1 and counts.get(min(near), 0) >= FEWEST_AS_A_NAME:
                found[name] = near.pop()
    return found


def slips(key: str, others: Iterable[str]) -> set[str]:
    """Those of some keys of names that are a slip of the pen away from one; looks at all of them."""
    return {other for other in others if other != key and _is_slip(key, other)} if may_be_a_slip(key) else set()


def may_be_a_slip(key: str) -> bool:
    """Whether a name is long and rare enough that another one could be a slip of it."""
    words = key.split()
    return max(map(len, words), default=0) >= _shortest(words) and _is_rare(key)


def _pair(claim: Claim) -> tuple[str, str]:
    return subject_key(claim.subject), subject_key(claim.object)


def _mains(aliases: AbstractSet[tuple[str, str]], apart: AbstractSet[tuple[str, str]]) -> dict[str, str]:
    """Of each alias its main name, through chains of aliases; none of a name with two, or with one that is not it.

    In a circle the first by its letters is the main one.
    """
    above: dict[str, set[str]] = {}
    for main, alias in aliases - apart:
        if main != alias:
            above.setdefault(alias, set()).add(main)
    tops = ((alias, _top(alias, above)) for alias in above)
    return {alias: top for alias, top in tops if top and top != alias and (top, alias) not in apart}


def _top(alias: str, above: Mapping[str, set[str]]) -> str | None:
    """Where a chain of aliases ends; None where it forks."""
    chain = [alias]
    while len(mains := above.get(chain[-1], set())) == 1:
        [main] = mains
        if main in chain:
            return min(chain[chain.index(main) :])
        chain.append(main)
    return None if mains else chain[-1]


def _is_slip(key: str, other: str) -> bool:
    """Whether two names differ by a slip of the pen in one word, and are long and rare enough for that to be one."""
    words, others = key.split(), other.split()
    if len(words) != len(others):
        return False
    different = [pair for pair in zip(words, others, strict=True) if pair[0] != pair[1]]
    if len(different) != 1 or not _is_one_letter_off(*different[0], _shortest(words)):
        return False
    return _digits(key) == _digits(other) and _is_rare(key) and _is_rare(other)


def _shortest(words: Sequence[str]) -> int:
    return SHORTEST_WORD_CHARS if len(words) > 1 else SHORTEST_NAME_CHARS


def _is_one_letter_off(first: str, second: str, shortest: int) -> bool:
    if min(len(first), len(second)) < shortest or first[0] != second[0] or abs(len(first) - len(second)) > 1:
        return False
    from rapidfuzz.distance import OSA  # recall never needs it

    return OSA.distance(first, second, score_cutoff=1) == 1


def _digits(key: str) -> list[str]:
    return [character for character in key if character.isdigit()]


def _is_rare(key: str) -> bool:
    if all(word in ORDINARY for word in key.split()):
        return False
    counts = Counter(key.replace(" ", "")).values()
    total = sum(counts)
    return -sum(count / total * math.log2(count / total) for count in counts) >= LEAST_ENTROPY_BITS
