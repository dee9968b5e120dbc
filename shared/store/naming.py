"""Whose claims are whose: names that mean the same are brought together before any conflict is judged.

Nothing that is stored says so but beliefs (`also_known_as`, `different_from`): who is meant is worked out each time, so
a merge is undone by ending such a belief.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from shared.belief.entities import ALSO_KNOWN_AS, DIFFERENT_FROM, stand_ins
from shared.belief.predicates import SEPARATOR, subject_key
from shared.belief.timeline import Stated
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


def of_the_named(draft: Draft, naming: Collection[str]) -> set[str]:
    """All keys of claims of the names that some claims are about: who is meant by them may have changed."""
    named = {part for key in naming for part in (key.split(SEPARATOR)[0], key.split(SEPARATOR)[-1])}
    return set(candidates.keys_of(draft.session, {subject_key(name) for name in named}))


def families(draft: Draft, keys: Iterable[str]) -> list[Family]:
    """The families that some keys are of, in order; most often each key is its own."""
    said = draft.as_they_are(memories.naming(draft.session))
    counts = candidates.subjects(draft.session)
    stands = stand_ins(counts, [each.claim for each in said if each.claim and _holds(each)])
    together = _together(stands, [each.claim for each in said if each.claim])
    found = {family.main: family for family in (_family(key, stands, together) for key in keys)}
    return [found[main] for main in sorted(found)]


def known_as(stated: Stated, family: Family) -> Stated:
    """A statement under the main name of its subject; its words stay as they are."""
    claim = stated.claim
    if claim.key == family.main:
        return stated
    renamed = Claim(subject=claim.subject, predicate=claim.predicate, object=claim.object, key=family.main)
    return replace(stated, candidate=stated.candidate.model_copy(update={"claim": renamed}))


def _holds(version: MemoryVersion) -> bool:
    return version.is_open and version.valid_to is None


def _family(key: str, stands: Mapping[str, str], together: Mapping[str, set[str]]) -> Family:
    subject, _, rest = key.partition(SEPARATOR)
    main = stands.get(subject, subject)
    names = {main, *(name for name, stands_for in stands.items() if stands_for == main)}
    related = names.union(*(together.get(name, ()) for name in names))
    return Family(
        main=f"{main}{SEPARATOR}{rest}",
        keys=frozenset(f"{name}{SEPARATOR}{rest}" for name in names),
        related=frozenset(f"{name}{SEPARATOR}{rest}" for name in related),
    )


def _together(stands: Mapping[str, str], claims: Iterable[Claim]) -> dict[str, set[str]]:
    """Of each name those that it was ever said to be, or not to be, or is taken for."""
    pairs = [*stands.items(), *((subject_key(each.subject), subject_key(each.object)) for each in claims)]
    found: dict[str, set[str]] = {}
    for first, second in pairs:
        found.setdefault(first, set()).add(second)
        found.setdefault(second, set()).add(first)
    return found
