"""Whose claims are whose: names that mean the same are brought together before any conflict is judged.

Nothing that is stored says so but beliefs (`also_known_as`, `different_from`): who is meant is worked out each time, so
a merge is undone by ending such a belief.

Who is meant by a name may change with a word on another: with a name in between of a chain of aliases, or with one more
statement, after which a name is no slip of the pen any more. So whoever resolves a claim resolves all those whose names
may have come to mean somebody else by it (`Families.changed`), and beliefs do not depend on the order of arrival.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Final

from shared.belief.entities import (
    ALSO_KNOWN_AS,
    DIFFERENT_FROM,
    MOST_AS_A_SLIP,
    may_be_a_slip,
    slips,
    stand_ins,
)
from shared.belief.predicates import SEPARATOR, subject_key
from shared.belief.segments import Stated
from shared.contract.records import Claim, MemoryVersion
from shared.store import candidates, memories
from shared.store.beliefs import Draft

_NAMING: Final = frozenset({ALSO_KNOWN_AS, DIFFERENT_FROM})


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """The keys of one claim under all names of its subject."""

    main: str
    """By its main name; what is stated of any is resolved under it."""
    keys: frozenset[str]
    related: frozenset[str]
    """Keys of names that were ever taken for one of these, whose memories may have to change with them."""


def names_people(key: str) -> bool:
    """Whether a claim of this key says who is meant by a name."""
    return not _NAMING.isdisjoint(key.split(SEPARATOR)[1:2])


def families(draft: Draft, keys: AbstractSet[str], naming: Iterable[str] = ()) -> list[Family]:
    """The families that some keys are of, and those of all whose names may have come to mean somebody else by them.

    In order; most often each key is its own. `naming` are the keys of claims that say who is meant by a name and have
    changed. Where a name is long enough for a slip of the pen, what counts of the owner's is counted.
    """
    said = draft.as_they_are(memories.naming(draft.session))
    # What is forgotten has tied names too, and is told by its key alone.
    told = [(subject_key(each.claim.subject), subject_key(each.claim.object)) for each in said if each.claim]
    circle = _Circle([*told, *map(_named, naming)])
    meant = circle.reached(name for key in naming for name in _named(key))
    touched = circle.reached(map(_subject, keys)) | meant
    counts = candidates.subjects(draft.session) if any(map(may_be_a_slip, touched)) else {}
    slipped = circle.with_slips(touched, counts)
    changed = keys | _changed(draft, keys, meant, slipped)
    # What stood for another name, or stands for it now, changes that one's claim too.
    changed |= {sibling for key in changed if _subject(key) in slipped for sibling in circle.siblings(key)}
    stands = stand_ins(counts, [each.claim for each in said if each.claim and _holds(each)], circle.names(changed))
    found = {family.main: family for family in (_family(key, stands, circle) for key in changed)}
    return [found[main] for main in sorted(found)]


def known_as(stated: Stated, family: Family) -> Stated:
    """A statement under the main name of its subject; its words stay as they are."""
    claim = stated.claim
    if claim.key == family.main:
        return stated
    renamed = Claim(subject=claim.subject, predicate=claim.predicate, object=claim.object, key=family.main)
    return replace(stated, candidate=stated.candidate.model_copy(update={"claim": renamed}))


class _Circle:
    """Names that may mean the same: ever said to, or not to, or a slip of the pen apart."""

    def __init__(self, told: Iterable[tuple[str, str]]) -> None:
        self._ties: defaultdict[str, set[str]] = defaultdict(set)
        for first, second in told:
            self._tie(first, second)

    def reached(self, names: Iterable[str]) -> set[str]:
        """Some names, and all that are tied to them, over others too."""
        found: set[str] = set()
        left = list(names)
        while left:
            name = left.pop()
            if name not in found:
                found.add(name)
                left += self._ties.get(name, ())
        return found

    def with_slips(self, names: Iterable[str], counts: Iterable[str]) -> set[str]:
        """Those of some names and of all that are tied to them that a slip of the pen ties to another; ties them."""
        found: set[str] = set()
        left, seen = list(names), set[str]()
        while left:
            name = left.pop()
            if name in seen:
                continue
            seen.add(name)
            near = slips(name, counts)
            for other in near:
                self._tie(name, other)
            found |= {name, *near} if near else set()
            left += self._ties.get(name, ())
        return found

    def siblings(self, key: str) -> set[str]:
        """The same claim under all names that are tied to its subject."""
        subject, _, rest = key.partition(SEPARATOR)
        return {f"{name}{SEPARATOR}{rest}" for name in self.reached([subject])}

    def names(self, keys: Iterable[str]) -> set[str]:
        """The subjects of some keys, and all names that are tied to them."""
        return self.reached(map(_subject, keys))

    def _tie(self, first: str, second: str) -> None:
        self._ties[first].add(second)
        self._ties[second].add(first)


def _changed(draft: Draft, keys: AbstractSet[str], meant: Collection[str], slipped: Collection[str]) -> set[str]:
    """The keys besides some that are changed, whose names may mean somebody else by that.

    What is or was a slip until now has one statement at most that was not changed.
    """
    if not meant and not slipped:
        return set()
    found = candidates.keys_of(draft.session, {*meant, *slipped})
    # Claims that say who is meant are keyed by the names that they are about, whoever these mean.
    statements = {key: count for key, count in found.items() if not names_people(key)}
    others = Counter[str]()
    for key, count in statements.items():
        others[_subject(key)] += 0 if key in keys else count
    return {key for key in statements if _subject(key) in meant or others[_subject(key)] <= MOST_AS_A_SLIP}


def _named(key: str) -> tuple[str, str]:
    """The names that a claim of this key says to be one, or not to be."""
    subject, _, other = key.split(SEPARATOR)
    return subject, subject_key(other)


def _subject(key: str) -> str:
    return key.partition(SEPARATOR)[0]


def _holds(version: MemoryVersion) -> bool:
    return version.is_open and version.valid_to is None


def _family(key: str, stands: Mapping[str, str], circle: _Circle) -> Family:
    subject, _, rest = key.partition(SEPARATOR)
    main = stands.get(subject, subject)
    names = {main, *(name for name, stands_for in stands.items() if stands_for == main)}
    return Family(
        main=f"{main}{SEPARATOR}{rest}",
        keys=frozenset(f"{name}{SEPARATOR}{rest}" for name in names),
        related=frozenset(f"{name}{SEPARATOR}{rest}" for name in circle.reached(names)),
    )
