"""Whether what is about to be concluded contradicts what is held, or another conclusion. Pure, and no model.

Conclusions are written in words of people, and seldom bear a claim. Two of them, or one and a belief, are at odds where

    both say of one thing what it has one of at a time (`lives in`, `works for`), and say different things
    they are worded alike, and differ as `opposed` has it: in a negation, or in the value behind "is", "costs", …

What a sentence says of which there is one at a time is read by the names that the predicate goes by, behind a subject
that is named: `Pavel Novak works for Acme`, `Pavel Novak's employer is Acme`. That is English; in other languages
wording alone tells. Who says less ("Oslo", "Oslo, Norway") contradicts nothing.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Final

from shared.belief.contradictions import single_claim
from shared.belief.exactness import says_less
from shared.belief.opposed import differ_in, grounds
from shared.belief.predicates import BUILT_IN, Cardinality, Predicate, claim_of, side_of
from shared.belief.similarity import bare
from shared.contract.citations import sentences
from shared.contract.errors import InvalidInput
from shared.contract.records import Claim, EpistemicType, MemoryVersion

_MOST_WORDS: Final = 6
"""Of an object that is read from a sentence."""
_LONGEST_CHARS: Final = 200
_VAGUE: Final = frozenset({"located_in", "hometown", "name"})
"""Predicates that read as too much else does: `Mira is in …`, `The boat is called …`."""
_SPEAKER: Final = frozenset({"", "i"})
_NO_NAMES: Final = " he she it they we you this that these those there who what "
_BEHIND: Final = frozenset(["at", "for", "by", "in", "to", "as", "on", "with"])
"""What a verb's phrase ends in: of the names of a predicate those are verbs, and the others are nouns."""
_BEING: Final = {"is": "(?:is|am|are)", "has": "(?:has|have)", "was": "was"}
_VERBS: Final = frozenset(["joined", "attends", "weighs", "earns", "costs", "lives"])
_ADVERBS: Final = r"(?:now |currently |still |just |today )?"
_OBJECT: Final = r"(?P<object>[^,;:!?]+?)(?: now| currently| these days| today| since [^,;:.!?]+)?(?:,.*)?[.!]?$"


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """A sentence, of one agent, that holds from now on."""

    agent_id: str | None
    text: str
    claim: Claim | None = None
    """What it says of which there is one at a time, keyed."""

    @classmethod
    def of(cls, source: MemoryVersion, text: str) -> Saying:
        """A sentence that nobody has keyed, of what a memory of one speaker is among the sources of."""
        return cls(agent_id=source.agent_id, text=text, claim=claim_in(text, source.speaker))

    @classmethod
    def held(cls, memory: MemoryVersion) -> Saying:
        """What a memory says."""
        claim = single_claim(memory) if memory.claim else claim_in(memory.text, memory.speaker)
        return cls(agent_id=memory.agent_id, text=memory.text, claim=claim)


def at_odds(new: Sequence[Saying], held: Iterable[MemoryVersion]) -> set[int]:
    """Which of some conclusions, by place, contradict another of them or what is held to this day.

    Each is compared with what claims something of the same thing, or is worded alike, and with nothing else.
    """
    if not new:
        return set()
    found: set[Saying] = set()
    alike = _Alike(new, keys=_claimed_of, contradict=_in_what_they_claim), _in_their_words(new)
    for group in alike:
        group.among_themselves(found)
    for memory in held:
        if _lasts(memory):
            saying = Saying.held(memory)
            for group in alike:
                group.against(saying, found)
    return {place for place, each in enumerate(new) if each in found}


def texts_at_odds(new: Sequence[tuple[MemoryVersion, str]], held: Iterable[MemoryVersion]) -> set[int]:
    """The same of texts, each with one of its sources, that contradict something in any of their sentences."""
    each_said = [(place, each) for place, (_, text) in enumerate(new) for each in sentences(text)]
    odd = at_odds([Saying.of(new[place][0], each) for place, each in each_said], held)
    return {each_said[said][0] for said in odd}


class _Alike:
    """Conclusions, grouped once by what any two that contradict each other in one way have in common."""

    def __init__(
        self,
        new: Iterable[Saying],
        *,
        keys: Callable[[Saying], Iterable[Hashable]],
        contradict: Callable[[Saying, Saying], bool],
    ) -> None:
        self._keys, self._contradict = keys, contradict
        self._groups: defaultdict[Hashable, list[Saying]] = defaultdict(list)
        for each in dict.fromkeys(new):
            for key in keys(each):
                self._groups[key].append(each)

    def among_themselves(self, found: set[Saying]) -> None:
        """Add to those that are found those of which another one says the contrary."""
        for group in self._groups.values():
            for pair in combinations(group, 2):
                if not found.issuperset(pair) and self._contradict(*pair):
                    found.update(pair)

    def against(self, saying: Saying, found: set[Saying]) -> None:
        """Add those to which something else says the contrary."""
        for key in self._keys(saying):
            group = self._groups.get(key, ())
            found.update(each for each in group if each not in found and self._contradict(each, saying))


def _in_their_words(new: Iterable[Saying]) -> _Alike:
    worded = {(each.agent_id, bare(each.text)) for each in new}

    def keys(saying: Saying) -> Iterable[Hashable]:
        # `bare` is cheap and the rest is not: of all that is held, hardly anything is worded like what is new.
        alike = saying.agent_id, bare(saying.text)
        return ((alike, each) for each in grounds(saying.text)) if alike in worded else ()

    return _Alike(new, keys=keys, contradict=_in_words)


def _claimed_of(saying: Saying) -> Iterable[Hashable]:
    return [(saying.agent_id, saying.claim.key)] if saying.claim else []


def _in_what_they_claim(one: Saying, other: Saying) -> bool:
    """Whether one claims another thing of what both speak of, and none of them merely less."""
    if not _differ(one.claim, other.claim):
        return False
    assert one.claim is not None
    assert other.claim is not None
    return not (says_less(one.claim, other.claim) or says_less(other.claim, one.claim))


def _in_words(one: Saying, other: Saying) -> bool:
    """Whether the words of two that are worded alike tell what their claims leave open."""
    return not _differ(one.claim, other.claim) and differ_in(one.text, other.text) is not None


def _differ(one: Claim | None, other: Claim | None) -> bool:
    return one is not None and other is not None and one.key == other.key and side_of(one) != side_of(other)


def _lasts(memory: MemoryVersion) -> bool:
    """Whether it is a belief that is held and goes on."""
    is_said = memory.epistemic_type is EpistemicType.EVIDENCE
    return memory.is_open and memory.valid_to is None and not is_said and memory.schema_name is None


def claim_in(text: str, speaker: str | None = None) -> Claim | None:
    """What a sentence says of which there is one at a time; None where it says nothing so, or of nobody by name.

    `speaker` is who says `I` and `my` in it.
    """
    plain = " ".join(text.split())
    folded = plain.casefold()
    if len(plain) > _LONGEST_CHARS:
        return None
    for phrase, pattern, predicate in _patterns():
        found = pattern.match(plain) if phrase in folded else None
        if found and len(found["object"].split()) <= _MOST_WORDS:
            subject = found["subject"] or ""
            named = speaker or "" if subject.casefold() in _SPEAKER else subject
            return _claimed(named, predicate, found["object"]) if f" {named.casefold()} " not in _NO_NAMES else None
    return None


def _claimed(subject: str, predicate: str, said: str) -> Claim | None:
    try:
        return claim_of(subject, predicate, said.strip(), BUILT_IN)
    except InvalidInput:
        return None


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str], str], ...]:
    """How sentences say each thing of which there is one at a time, with a part that all have; longest first."""
    known = {each.name: each for each in BUILT_IN.predicates.values() if each.cardinality is Cardinality.SINGLE}
    phrases = {phrase: each for each in known.values() if each.name not in _VAGUE for phrase in _phrases(each)}
    ordered = sorted(phrases.items(), key=lambda pair: (-len(pair[0]), pair[0]))
    return tuple((_part(phrase), re.compile(_pattern(phrase), re.IGNORECASE), each.name) for phrase, each in ordered)


def _phrases(predicate: Predicate) -> Iterable[str]:
    return (predicate.reads, *(alias.replace("_", " ") for alias in (predicate.name, *predicate.aliases)))


def _pattern(phrase: str) -> str:
    subject = r"(?P<subject>(?:\w[\w.'\-]* ){0,3}?\w[\w.\-]*)"
    first, *rest = phrase.split()
    words = " ".join(map(re.escape, (first, *rest)))
    if first in _VERBS or (rest and rest[-1] in _BEHIND) or first in _BEING:
        # As others say it and as one says it of oneself: `works at`, `work at`; `is due on`, `am due on`.
        verb = _BEING.get(first, rf"{first.removesuffix('s')}s?")
        words = " ".join((verb, *map(re.escape, rest)))
        return rf"^{subject} {_ADVERBS}(?:is |am |has |have |has been )?{_ADVERBS}{words} {_OBJECT}"
    whose = rf"(?:{subject}['\u2019]s|my)"
    return rf"^{whose} (?:new |current )?{words} (?:is|was) {_ADVERBS}{_OBJECT}"


def _part(phrase: str) -> str:
    first, *rest = phrase.split()
    return " ".join(rest) if rest and first in _BEING else first.removesuffix("s")
