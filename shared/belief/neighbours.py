"""What of all that is held is near to something new: by rare words, and taken in turns with what is near by vectors.

Pure. Words find what names the same thing; vectors find what says it in other words. Each is read once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import nsmallest
from itertools import chain, zip_longest
from typing import Final, NamedTuple

from shared.language.bm25 import idf
from shared.language.text import terms

COMMONEST: Final = 300
"""Sentences that share a word; what is in more of them tells none from the others."""


class Sentence(NamedTuple):
    """A memory in words of its own, as far as nearness goes."""

    doc: int
    text: str
    opened_by: int
    agent_id: str | None
    """Memories of different agents are near to nobody."""


_Word = tuple[str | None, str]


def by_words(new: Sequence[Sentence], held: Iterable[Sentence], *, most: int) -> dict[int, list[int]]:
    """Of each new sentence, by number, the `most` others that share the rarest words with it, the nearest first.

    `held` is read once and may hold the new ones too. Of it is kept what has a word of a new one that is not common.
    """
    words = {each.doc: _words(each) for each in new}
    wanted = frozenset[_Word]().union(*words.values())
    found: dict[_Word, list[int]] = {word: [] for word in wanted}
    number = 0
    for each in held:
        number += 1
        for word in _words(each) & wanted:
            if len(found[word]) <= COMMONEST:
                found[word].append(each.doc)
    rare = {word: docs for word, docs in found.items() if len(docs) <= COMMONEST}
    weights = {word: idf(number, len(docs)) for word, docs in rare.items()}
    return {doc: _best(doc, sorted(own & rare.keys(), key=str), rare, weights, most) for doc, own in words.items()}


def in_turns(*ranked: Sequence[int]) -> list[int]:
    """Several orders as one, each number once: the first of each, then the second of each."""
    return [*dict.fromkeys(each for each in chain.from_iterable(zip_longest(*ranked)) if each is not None)]


def _words(sentence: Sentence) -> frozenset[_Word]:
    return frozenset((sentence.agent_id, term) for term in terms(sentence.text))


def _best(
    doc: int,
    words: Iterable[_Word],
    found: Mapping[_Word, Sequence[int]],
    weights: Mapping[_Word, float],
    most: int,
) -> list[int]:
    scores: dict[int, float] = {}
    for word in words:
        for other in found[word]:
            if other != doc:
                scores[other] = scores.get(other, 0.0) + weights[word]
    return nsmallest(most, scores, key=lambda other: (-scores[other], -other))
