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
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Final

from shared.belief.contradictions import single_claim
from shared.belief.exactness import says_less
from shared.belief.opposed import differ_in
from shared.belief.predicates import BUILT_IN, Cardinality, Predicate, claim_of, side_of
from shared.belief.similarity import bare
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

    def contradicts(self, other: Saying) -> bool:
        """Whether both cannot be so at a time."""
        if self.agent_id != other.agent_id:
            return False
        one, of = self.claim, other.claim
        if one and of and one.key == of.key and side_of(one) != side_of(of):
            return not (says_less(one, of) or says_less(of, one))
        return bare(self.text) == bare(other.text) and differ_in(self.text, other.text) is not None


def at_odds(new: Sequence[Saying], held: Iterable[MemoryVersion]) -> set[int]:
    """Which of some conclusions, by place, contradict another of them or what is held to this day."""
    if not new:
        return set()
    pairs = combinations(enumerate(new), 2)
    found = {place for (one, saying), (two, other) in pairs if saying.contradicts(other) for place in (one, two)}
    near = _Near(new)
    for memory in held:
        if _lasts(memory) and near.may_meet(memory):
            saying = Saying.held(memory)
            found |= {place for place, each in enumerate(new) if each.contradicts(saying)}
    return found


class _Near:
    """What is worth comparing with some conclusions: told by words, before anything dearer."""

    def __init__(self, new: Collection[Saying]) -> None:
        self._bare = {bare(each.text) for each in new}
        self._subjects: defaultdict[str | None, set[str]] = defaultdict(set)
        for each in new:
            if each.claim:
                self._subjects[each.agent_id].add(each.claim.subject.casefold())

    def may_meet(self, memory: MemoryVersion) -> bool:
        """Whether a memory is worded like one of them, or speaks of what one of them claims something of."""
        subject = memory.claim.subject if memory.claim else f"{memory.text} {memory.speaker}"
        subjects = self._subjects.get(memory.agent_id, ())
        return any(each in subject.casefold() for each in subjects) or bare(memory.text) in self._bare


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
