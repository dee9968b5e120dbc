"""Memories in words of their own that say the same twice: which of them one should stand for. Pure.

Twins are looked for where they can be. What says the same is of one kind, footing, agent and trust, has the same words
in order but for a few, the same numbers, dates, names and negations, is delicate in the same way, and is near by its
vector: to a vector alone "the dog chased the cat" and "the cat chased the dog" are one. So memories are found by keys
that their words give (`word_keys`), and what those find is compared by all the rest. No pair that could be merged is
missed by it, and no memory is held against all others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shared.belief.confirming import together
from shared.belief.rules.sensitivity import classes_of
from shared.belief.similarity import LEAST_COSINE, meaning, overlaps, telling
from shared.belief.word_keys import Words, keys
from shared.contract.operations import MergePayload
from shared.contract.proposals import Proposal
from shared.contract.records import MemoryVersion

Vector = NDArray[np.float32]
Vectors = Callable[[Sequence[int]], Mapping[int, Vector]]
"""Gives the unit vectors of some numbered memories, of those that have one."""

REASON: Final = "says_the_same"
PAIRS_AT_ONCE: Final = 1_000
"""Pairs of the same words whose vectors are asked for together; more only where one memory alone has more."""


class Worded(NamedTuple):
    """An open memory in words of its own, as far as twins go."""

    doc: int
    text: str
    footing: Hashable
    """What else must be equal: kind, epistemic type, schema, agent, trust, and when it ended."""


def _nobody_asks(_one: int, _other: int) -> None: ...


def sets(
    new: Sequence[Worded], older: Iterable[Worded], vectors: Vectors, unknown: Callable[[int, int], None] = _nobody_asks
) -> Iterator[tuple[int, ...]]:
    """What says the same, by numbers: each with those that it should stand for, which are near to it itself.

    Nearness is not handed on from one to the next. Of two `older` ones none is given: they were looked at before.
    Reads `older` once and keeps of it what has a key of something new. `unknown` is told the pairs that say the same by
    their words, and of which one has no vector.
    """
    alike = _Alike(new, older)
    taken: set[int] = set()
    for portion in _portions(alike, taken):
        known = vectors(sorted({doc for doc, others in portion for doc in (doc, *others)}))
        for doc, others in portion:
            there = [other for other in others if other not in taken] if doc not in taken else []
            free = [other for other in there if doc in known and other in known]
            for other in there if len(free) < len(there) else ():
                if doc not in known or other not in known:
                    unknown(doc, other)
            if free:
                near = np.stack([known[other] for other in free]) @ known[doc] >= LEAST_COSINE
                twins = [other for other, is_near in zip(free, near.tolist(), strict=True) if is_near]
                taken.update(twins)
                if twins:
                    yield doc, *twins


def merge(kept: MemoryVersion, absorbed: Sequence[MemoryVersion]) -> Proposal:
    """That one memory should stand for some others, with all that any of them rests on."""
    evidence, confidence = together([kept, *absorbed])
    return Proposal(
        operation=MergePayload(
            reason=REASON,
            memory=kept.memory_id,
            absorbed=tuple(each.memory_id for each in absorbed),
            evidence=evidence,
            confidence=confidence,
        ),
        read={each.memory_id: each.version for each in (kept, *absorbed)},
    )


class _Alike:
    """What may say the same: found by all that must be equal and a key that it has."""

    def __init__(self, new: Sequence[Worded], older: Iterable[Worded]) -> None:
        self._new = {each.doc for each in new}
        self._counts = Counter(word for each in new for word in meaning(each.text))
        self._words: dict[int, Words] = {}
        self._places: dict[int, list[object]] = {}
        self._found: dict[object, list[int]] = {}
        for each in self._sharing(new, older):
            self._enter(each)

    def _sharing(self, new: Sequence[Worded], older: Iterable[Worded]) -> Collection[Worded]:
        """Those that have a key of another one, of which one at least is new."""
        seen: dict[int, list[Worded]] = {}
        for each in new:
            for key in self._keys(each):
                seen.setdefault(key, []).append(each)
        for each in older:
            for key in self._keys(each) & seen.keys():
                seen[key].append(each)
        return {each.doc: each for group in seen.values() if len(group) > 1 for each in group}.values()

    def _keys(self, memory: Worded) -> set[int]:
        words = tuple(meaning(memory.text))
        return {hash((memory.footing, key)) for key in keys(words, lambda word: (self._counts[word], word))}

    def _enter(self, memory: Worded) -> None:
        equal = memory.footing, telling(memory.text), classes_of(memory.text, holds_secret=False)
        self._words[memory.doc] = tuple(meaning(memory.text))
        self._places[memory.doc] = [(key, equal) for key in self._keys(memory)]
        for place in self._places[memory.doc]:
            self._found.setdefault(place, []).append(memory.doc)

    def docs(self) -> list[int]:
        """The numbers of all that is held, in order."""
        return sorted(self._words)

    def behind(self, doc: int, taken: AbstractSet[int]) -> list[int]:
        """Those with a higher number that say the same as one by their words, in order; of two old ones neither."""
        places = self._places[doc]
        found = {other for place in places for other in self._found[place] if other > doc and other not in taken}
        if doc not in self._new:
            found &= self._new
        return [other for other in sorted(found) if overlaps(self._words[doc], self._words[other])]


def _portions(alike: _Alike, taken: AbstractSet[int]) -> Iterator[list[tuple[int, list[int]]]]:
    """Each memory in order with those behind it that say the same by their words, some pairs at a time.

    What is taken by the time that its turn comes is passed over.
    """
    portion: list[tuple[int, list[int]]] = []
    pairs = 0
    for doc in alike.docs():
        others = alike.behind(doc, taken) if doc not in taken else []
        if others:
            portion.append((doc, others))
            pairs += len(others)
        if pairs >= PAIRS_AT_ONCE:
            yield portion
            portion, pairs = [], 0
    if portion:
        yield portion
