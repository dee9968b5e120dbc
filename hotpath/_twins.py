"""Near-twins: hits that say the same, word for word but for what carries no fact, so that one stands for all. Pure.

Two texts are near-twins if the same person said them in the same capacity and their words are equal, in order, once
case, width, points and fillers are gone. So numbers, dates, names, signs, tense and negation are equal, in
any language, without a list of what they are: only what is on the short lists of fillers may differ. A share of equal
words would be the wrong measure: "the gate code is 4417" and "the gate code is 4471" share four words of five, and as
stems "I live in Porto" and "I lived in Porto" are one. Equality is also an equivalence, and costs a look-up a hit.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from hotpath._expand import Piece

_INTERJECTIONS: Final = frozenset(
    [
        "oh",
        "ah",
        "um",
        "uh",
        "hmm",
        "hey",
        "hi",
        "hello",
        "yeah",
        "yep",
        "haha",
        "lol",
        "wow",
        "btw",
        "anyway",
        "please",
    ]
)
_EMPHASES: Final = frozenset(
    [
        "also",
        "really",
        "very",
        "actually",
        "basically",
        "honestly",
        "literally",
        "definitely",
        "please",
        "a",
        "an",
        "the",
    ]
)
_FILLERS: Final = _INTERJECTIONS | _EMPHASES
"""Words that a repetition adds or drops. Nothing that says when or how many, no negation and no hedge is among them:
again, just, still, now, only, too, maybe and sorry change a claim."""
_LEADS: Final = frozenset(["well", "so", "ok", "okay", "and", "but"])
"""Fillers at the beginning of a text, and words of a claim elsewhere: "I am not well"."""
_PHRASES: Final = re.compile(r"\b(?:(?:as|like) i (?:said|mentioned|told you)(?: before| earlier)?|by the way)\b")
_IN_PHRASES: Final = ("as i ", "like i ", "by the way")
_WIDE: Final = {ord("’"): "'"} | dict.fromkeys(map(ord, "、。，；：！"), " ")  # noqa: RUF001 - of scripts without spaces
_POINTS: Final = ".,;:!"
"""What a word may end with and stay the same. No question mark: what is asked is not said."""


class Twins(NamedTuple):
    """One hit, and those that say the same."""

    best: Piece
    others: tuple[Piece, ...]
    """In order of rank."""


def collapse(hits: Iterable[Piece]) -> list[Twins]:
    """The hits without their near-twins, in order: of each set of twins the first, with the others beside it."""
    by_words: dict[tuple[object, ...], list[Piece]] = {}
    for hit in hits:
        by_words.setdefault(_identity(hit), []).append(hit)
    return [Twins(best, tuple(others)) for best, *others in by_words.values()]


def words_of(text: str) -> tuple[str, ...]:
    """What must be equal in near-twins: the words in order, without fillers; of a text of fillers alone, all of them.

    Linear in the text.
    """
    folded = text.casefold() if text.isascii() else unicodedata.normalize("NFKC", text.translate(_WIDE)).casefold()
    if any(part in folded for part in _IN_PHRASES):
        folded = _PHRASES.sub(" ", folded)
    words = [word.rstrip(_POINTS) for word in folded.split()]
    kept = [word for word in words if word not in _FILLERS and word]
    while kept and kept[0] in _LEADS:
        del kept[0]
    return tuple(kept or words)


def _identity(hit: Piece) -> tuple[object, ...]:
    who = (hit.owner, hit.speaker, hit.role, hit.origin)
    kind = None if hit.epistemic_type == "evidence" else hit.kind  # of lasting use or not, it was said twice
    return (*who, kind, hit.epistemic_type, hit.group, hit.until, words_of(hit.text))


def shown_once(shown: Sequence[Piece], hits: Sequence[Piece]) -> tuple[tuple[Piece, ...], list[Piece]]:
    """The facts of a profile, as the hits that they are where they are any, and the hits that are left."""
    facts = {fact.memory_id for fact in shown}
    found = {hit.memory_id: hit for hit in hits if hit.memory_id in facts and hit.group is None}
    left = [hit for hit in hits if hit.memory_id not in found]
    return tuple(found.get(fact.memory_id, fact) for fact in shown), left
