"""What a claim can say of a subject: the predicates, under which other names they come, and how many objects one has.

A claim's key names what it speaks of, so that two claims with one key are about the same thing:

    single    the subject has one object at a time: the key is subject and predicate, and another object contradicts
    multi     it may have many: the key holds the object too, and only an end or a denial of that object contradicts;
              of what is counted or measured it holds the thing, and another number contradicts

Likes and dislikes of one thing contradict each other, so `likes`, `dislikes` and `avoids` are keyed together as
`attitude_to`, with the thing: `Mira likes opera` and `Mira dislikes opera` share a key and take different sides.

An unknown predicate is multi: to take two things that are true together for a contradiction would end one of them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from shared.belief import _built_in as built_in
from shared.belief.exactness import matter_of, said_of
from shared.contract import _checks as check
from shared.contract.errors import InvalidInput
from shared.contract.invisible import without_invisible
from shared.contract.records import Claim
from shared.language.characters import FOLD
from shared.language.name_keys import MAX_KEY_CHARS, MAX_WORDS, key_of
from shared.language.spellings import in_one_spelling

SEPARATOR: Final = "\x1f"
"""Between the parts of a key. No part holds it: it counts as a space."""

RECORD: Final = "record:"
"""What the predicate of a record's claim begins with. No name of a predicate holds a colon, so the two never meet."""

_FAVOURITE: Final = re.compile(r"^favorite_(?=.)")
_HAVING: Final = re.compile(r"^(?:has|is|was)_(?:an?_|the_)?(?=.)")
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_NO_LETTER: Final = re.compile(r"[\W_]+")
_ARTICLES: Final = frozenset({"the", "a", "an"})
_AT_EITHER_END: Final = " ,;:!?\"'()[]{}<>«»„“”‚‘’¿¡"  # noqa: RUF001 - quotation marks of several languages
_AFTER_A_WORD: Final = ".…,;:!?。、！？"  # noqa: RUF001 - full-width points; `.5` keeps its own


class Cardinality(StrEnum):
    """How many objects a subject has at a time."""

    SINGLE = "single"
    MULTI = "multi"


@dataclass(frozen=True, slots=True, kw_only=True)
class Predicate:
    """One thing that can be said of a subject.

    Raises:
        InvalidInput: a name is blank, or predicates are to contradict each other that have one object alone.
    """

    name: str
    """Lower-case words joined by underscores."""
    cardinality: Cardinality
    reads: str
    """What stands between subject and object in a sentence: `lives in`."""
    aliases: tuple[str, ...] = ()
    keyed_as: str | None = None
    """The name in the key, where several predicates contradict each other about one object."""

    def __post_init__(self) -> None:
        for name in (self.name, self.reads, *self.aliases):
            check.text("name", name)
        if self.name != canonical_name(self.name):
            check.refuse("name", self.name, f"write it as {canonical_name(self.name)!r}")
        if self.keyed_as and self.cardinality is Cardinality.SINGLE:
            check.refuse("keyed_as", self.keyed_as, "only predicates with many objects are keyed with another's name")


@dataclass(frozen=True, slots=True)
class Registry:
    """The predicates that are known. A value: `with_` gives another one."""

    predicates: Mapping[str, Predicate] = field(default_factory=lambda: MappingProxyType({}))
    """By each name that they go by, canonical."""

    def with_(self, *predicates: Predicate) -> Registry:
        """A registry that knows these too.

        Raises:
            InvalidInput: a name, alias or `keyed_as` is taken. What is known stays: stored keys hang on it.
        """
        known = dict(self.predicates)
        keyed = {each.keyed_as: each for each in known.values() if each.keyed_as}
        for predicate in predicates:
            names = dict.fromkeys(map(canonical_name, (predicate.name, *predicate.aliases)))
            for name in names:
                _check_free(name, predicate, known.get(name) or keyed.get(name))
            known |= dict.fromkeys(names, predicate)
            if predicate.keyed_as:
                _check_free(predicate.keyed_as, predicate, known.get(predicate.keyed_as))
                keyed[predicate.keyed_as] = predicate
        return Registry(MappingProxyType(known))

    def find(self, name: str) -> Predicate:
        """The predicate of a name or alias, however it is written; one of its own for an unknown name.

        `has_a_dentist` is found as `dentist`. `favourite_…` of anything is single: there is one favourite.
        """
        canonical = canonical_name(name)
        bare = _FAVOURITE.sub("favourite_", _HAVING.sub("", canonical))
        if bare.startswith("favourite_"):
            bare = in_one_spelling(bare.replace("_", " ")).replace(" ", "_")
        known = self.predicates.get(canonical) or self.predicates.get(bare)
        if known:
            return known
        if bare.startswith("favourite_"):
            return Predicate(name=bare, cardinality=Cardinality.SINGLE, reads=f"has as {bare.replace('_', ' ')}")
        return Predicate(name=canonical, cardinality=Cardinality.MULTI, reads=canonical.replace("_", " "))


def _check_free(name: str, predicate: Predicate, taken_by: Predicate | None) -> None:
    if taken_by:
        msg = f"predicate name {name!r} of {predicate.name!r} is taken by {taken_by.name!r}: use another"
        raise InvalidInput(msg, name=name, predicate=predicate.name, taken_by=taken_by.name)


def canonical_name(written: str) -> str:
    """A predicate's name as it is stored: `Lives in`, `livesIn` and `lives-in` are `lives_in`.

    Raises:
        InvalidInput: it has no letter and no digit.
    """
    words = _NO_LETTER.sub("_", unicodedata.normalize("NFKC", _CAMEL.sub("_", written)).casefold()).strip("_")
    if not words:
        check.refuse("predicate", written[:40], "a predicate has a name")
    return words


def object_key(written: str) -> str:
    """By what an object is known again: case, accents, width, spaces, a leading article and points after words fold.

    So do the two spellings of English: `gray` and `grey` are one object.

    Numbers, signs within and before it, dates and negations stay: `-5`, `5%` and `not 5` are three objects.
    """
    composed = unicodedata.normalize("NFKC", without_invisible(written)).casefold()
    folded = " ".join("".join(map(_folded, composed)).split())
    plain = folded.lstrip(_AT_EITHER_END).rstrip(_AT_EITHER_END + _AFTER_A_WORD)
    words = [bare for word in plain.split() if (bare := word.rstrip(_AFTER_A_WORD))]
    while len(words) > 1 and words[0] in _ARTICLES:
        words = words[1:]
    return in_one_spelling(" ".join(words)) or folded


def subject_key(written: str) -> str:
    """By what a subject is known again: as the name that it is, `Dr. Halloran` as `dr halloran`."""
    written = without_invisible(written)
    is_name = len(written) <= MAX_KEY_CHARS and len(written.split()) <= MAX_WORDS
    return (key_of(written) if is_name else "") or object_key(written)


def claim_of(subject: str, predicate: str, obj: str, registry: Registry) -> Claim:
    """The claim that `subject` stands in `predicate` to `obj`, keyed. The words stay as they are written.

    Resolve names first (`entities.resolve`): two names of one person give two keys.

    Raises:
        InvalidInput: a part is blank.
    """
    subject, obj = without_invisible(subject), without_invisible(obj)
    for name, part in (("subject", subject), ("predicate", predicate), ("object", obj)):
        check.text(name, part)
    found = registry.find(predicate)
    parts = [subject_key(subject), found.keyed_as or found.name]
    if found.cardinality is Cardinality.MULTI:
        parts.append(matter_of(found.name, object_key(obj)))
    return Claim(
        subject=" ".join(subject.split()),
        predicate=found.name,
        object=" ".join(obj.split()),
        key=SEPARATOR.join(parts),
    )


def side_of(claim: Claim) -> str:
    """What a claim says about what its key names: claims of one key with one side agree, others contradict.

    Words are compared as people write them, a record's data to the letter: `abC` and `abc` may be two codes.
    """
    is_data = claim.predicate.startswith(RECORD)
    said = claim.object if is_data else said_of(claim.predicate, object_key(claim.object))
    return f"{claim.predicate}{SEPARATOR}{said}"


def sentence(claim: Claim, registry: Registry) -> str:
    """A claim as a person would read it, in English and without a date."""
    return f"{claim.subject} {registry.find(claim.predicate).reads} {claim.object}"


def _folded(character: str) -> str:
    folded = FOLD[ord(character)]
    return character if folded == " " else folded


def _built_in(rows: Iterable[built_in.Row], cardinality: Cardinality) -> Iterable[Predicate]:
    for name, reads, aliases in rows:
        keyed_as = built_in.ATTITUDE if name in built_in.ATTITUDES else None
        yield Predicate(
            name=name, reads=reads, aliases=tuple(aliases.split()), cardinality=cardinality, keyed_as=keyed_as
        )


BUILT_IN: Final = Registry().with_(
    *_built_in(built_in.SINGLE, Cardinality.SINGLE), *_built_in(built_in.MULTI, Cardinality.MULTI)
)
"""What people say of themselves and of others. A change of a name or a cardinality goes together with a rederive."""
