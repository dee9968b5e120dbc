"""What a person decided stands until the evidence says something new. Pure.

A decision is on something that was said, and on the messages that it rests on: that it is to count (a write that was
approved, what is right by the answer to a question, what a job had ended and somebody took back), or not (rejected,
what is wrong by an answer). Whoever proposes the same once more, of nothing that was said since, meets that decision,
in whatever words, by whichever reading, and whichever of the lines that were there it cites:

    not to count   nothing is held for it, and nobody is asked
    to count       it counts on, in the words that somebody has read; the same words with a claim take its place, other
                   words do not, and nothing does of what is true beside another

A message that came after the decision and says so is new evidence, and is judged as if nobody had decided. So is what
another run says. Of several decisions the last, and before those on other lines of its run those on what it cites.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic, Protocol, TypeVar
from uuid import UUID

from shared.belief.predicates import side_of
from shared.belief.similarity import says_the_same
from shared.contract.candidates import Candidate, Change
from shared.contract.records import Claim, EpistemicType, MemoryVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """Something that was said, by whichever candidate or memory, and the messages that it rests on, by sequence."""

    text: str
    claim: Claim | None
    change: Change
    messages: frozenset[int]

    @classmethod
    def by(cls, one: Candidate | MemoryVersion) -> Said:
        """What a candidate or a memory says; a memory says that it holds."""
        change = one.change if isinstance(one, Candidate) else Change.HOLDS
        messages = frozenset(ref.sequence for ref in one.evidence)
        return cls(text=one.text, claim=one.claim, change=change, messages=messages)

    def is_in_the_words_of(self, other: Said) -> bool:
        """Whether the two are worded alike, but for case and spaces."""
        return self.change is other.change and _words(self.text) == _words(other.text)

    def says_what(self, other: Said) -> bool:
        """Whether the two say the same: by their words, by their claims, or by their sentences where one has none."""
        if self.is_in_the_words_of(other):
            return True
        if self.change is not other.change:
            return False
        if self.claim is None or other.claim is None:
            return says_the_same(self.text, other.text)
        return self.claim.key == other.claim.key and side_of(self.claim) == side_of(other.claim)

    def renews(self, other: Said) -> bool:
        """Whether it may stand in the place of another that was approved, where it meets a decision that it counts.

        In the words of that one, of a message of that one, and keyed.
        """
        is_of_it = not self.messages.isdisjoint(other.messages)
        return self.claim is not None and is_of_it and self.is_in_the_words_of(other)


def _words(text: str) -> str:
    return " ".join(text.casefold().split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """How a message came into the ledger."""

    run_id: str | None
    at: datetime
    """Later than the decisions that were made before it, and not later than those that were made after it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """What a person decided on something that was said."""

    decision: str
    """Which decision it was: one may be on several things."""
    said: Said
    counts: bool
    at: datetime
    run_id: str | None = None
    """The run that a write was read from: which of its lines a reading cites is all one. None of a memory, since what
    other lines say was held beside it."""
    beside: bool = False
    """Whether it is true beside another. It stays as it is then: keyed anew, one of the two would end the other."""


class Decisions:
    """What people decided, looked up by what somebody says.

    `recorded` says how the messages that it rests on came, by sequence; one that it lacks counts as come since.
    """

    def __init__(self, decided: Iterable[Decided] = (), recorded: Mapping[int, Recorded] | None = None) -> None:
        self._recorded = recorded or {}
        self._on: dict[int, list[Decided]] = {}
        self._of_run: dict[str, list[Decided]] = {}
        for each in decided:
            for message in each.said.messages:
                self._on.setdefault(message, []).append(each)
            if each.run_id is not None:
                self._of_run.setdefault(each.run_id, []).append(each)

    def on(self, said: Said) -> Decided | None:
        """The last decision on what is said, where it rests on nothing that was recorded since."""
        cited = [each for message in said.messages for each in self._on.get(message, ())]
        return self._last(said, cited) or self._last(said, self._beside(said))

    def _beside(self, said: Said) -> list[Decided]:
        """What was decided on any line of the runs that it was read from."""
        lines = (self._recorded[message] for message in said.messages if message in self._recorded)
        runs = {line.run_id for line in lines if line.run_id is not None}
        return [each for run_id in runs for each in self._of_run.get(run_id, ())]

    def _last(self, said: Said, near: Iterable[Decided]) -> Decided | None:
        found = [each for each in near if self._is_nothing_new(said, each) and said.says_what(each.said)]
        return max(found, key=lambda each: each.at, default=None)

    def _is_nothing_new(self, said: Said, decided: Decided) -> bool:
        others = (self._recorded.get(message) for message in said.messages - decided.said.messages)
        return all(other is not None and other.at <= decided.at for other in others)


class Saying(Protocol):
    """What has a candidate."""

    @property
    def candidate(self) -> Candidate:
        """What it says."""


One = TypeVar("One", bound=Saying)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn(Generic[One]):
    """A reading that takes the place of another, as far as nobody has decided otherwise."""

    leaving: Sequence[One]
    """What counted and gives way."""
    staying: Sequence[One]
    """What counted and counts on, since somebody had it count."""
    coming: Sequence[One]
    """What may count in the place of what leaves."""
    refused: Sequence[One]
    """What comes to nothing: somebody decided that it does not count, or what they read says it already."""
    kept: frozenset[str] = field(default_factory=frozenset)
    """The decisions that were asked."""


def turned(decisions: Decisions, counting: Sequence[One], coming: Sequence[One]) -> Turn[One]:
    """What becomes of what counts, and of what is to take its place, by what people decided."""
    old = [(each, said, decisions.on(said)) for each in counting for said in [Said.by(each.candidate)]]
    new = [(each, said, decisions.on(said)) for each in coming for said in [Said.by(each.candidate)]]
    renewing = [said for _, said, decided in new if decided and decided.counts and not decided.beside]
    stays = [decided is not None and decided.counts and not _any_renews(renewing, said) for _, said, decided in old]
    held = [said for (_, said, _), stay in zip(old, stays, strict=True) if stay]
    free = [
        decided is None or (decided.counts and not any(said.says_what(each) for each in held))
        for _, said, decided in new
    ]
    asked = [decided for _, _, decided in new] + [one[2] for one, stay in zip(old, stays, strict=True) if stay]
    return Turn(
        leaving=[each for (each, _, _), stay in zip(old, stays, strict=True) if not stay],
        staying=[each for (each, _, _), stay in zip(old, stays, strict=True) if stay],
        coming=[each for (each, _, _), may in zip(new, free, strict=True) if may],
        refused=[each for (each, _, _), may in zip(new, free, strict=True) if not may],
        kept=frozenset(each.decision for each in asked if each is not None),
    )


def _any_renews(coming: Iterable[Said], counting: Said) -> bool:
    return any(each.renews(counting) for each in coming)


class Former:
    """Beliefs that are held no more, looked up by what says the same of the same messages today.

    What somebody took back of such a one is not to be done again to what stands in its place. Episodes are what was
    said, and nothing stands in their place.
    """

    def __init__(self, gone: Iterable[MemoryVersion] = ()) -> None:
        self._on: dict[int, list[tuple[UUID, Said]]] = {}
        for each in gone:
            if not each.is_open and each.epistemic_type is not EpistemicType.EVIDENCE:
                said = Said.by(each)
                for message in said.messages:
                    self._on.setdefault(message, []).append((each.memory_id, said))

    def of(self, memory: MemoryVersion) -> frozenset[UUID]:
        """The beliefs in whose place a memory stands."""
        if memory.epistemic_type is EpistemicType.EVIDENCE or not self._on:
            return frozenset()
        said = Said.by(memory)
        near = {key: was for message in said.messages for key, was in self._on.get(message, ())}
        return frozenset(key for key, was in near.items() if key != memory.memory_id and said.says_what(was))
