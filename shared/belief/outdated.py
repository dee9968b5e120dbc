"""A belief without a claim that another one, said later, puts into the past, or that a person is to be asked about.

Pure. By a key such two would be resolved. Without one, three things together end the earlier: the world's times, that
one person said both, and their words. Words tell

    by themselves, where the later one says that something is otherwise now (`now`, `no longer`) and the two are the
        same word for word but for one number or denial, or for the one date or name that is all they say of what
        there is one of at a time (`works for`); never for a place, which may lie in the other
    where a reader says so too, where they differ in what there is one of at a time, where one denies the other, or
        where the later one says `now` and gives another date or name

Everything else that differs as `opposed` has it is asked about, and what differs in what there is one of at a time,
where both plausibly speak of that: "works for two hours" names nobody whom "works for Acme" leaves. Words that say
`now` are English; in other languages a reader is needed, and words alone end nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from shared.belief._telling import folded
from shared.belief.at_odds import Saying
from shared.belief.contradictions import REASON, Contradictions, SaidAt
from shared.belief.exactness import says_less
from shared.belief.opposed import differ_in, who
from shared.belief.predicates import side_of
from shared.belief.similarity import bare, telling, wording
from shared.belief.unkeyed import is_unkeyed
from shared.belief.word_for_word import apart_in
from shared.contract.operations import SupersedePayload
from shared.contract.proposals import Proposal
from shared.contract.questions import Question, Why
from shared.contract.records import Claim, EpistemicType, Kind, MemoryVersion

_CHANGED: Final = re.compile(
    r"\b(?:from now on|as of (?:now|today)|(?<!until )(?<!till )(?<!for )(?<!right )(?<!just )(?<!by )(?<!even )"
    r"now(?! and (?:then|again)\b))\b[, ]*",
    re.IGNORECASE,
)
"""What says that something is otherwise than before, and means no more than that."""
_NO_LONGER: Final = re.compile(r"\bno longer\b", re.IGNORECASE)
_ANY_MORE: Final = re.compile(r",? *\b(?:any ?more|any longer)\b", re.IGNORECASE)
_PAST: Final = re.compile(r"\b(?:was|were|used to|former|formerly|previous|previously)\b", re.IGNORECASE)
"""What speaks of before: it says nothing of now."""
_PLACED: Final = frozenset({"lives_in", "birthplace", "hometown", "located_in"})
"""What one says of where something is: of two places one may lie in the other."""
_NAMED: Final = frozenset({"negations", "claims"})
_BEFORE_ALL_TIME: Final = datetime.min.replace(tzinfo=UTC)
_MOST_BEFORE: Final = 5
"""Memories of one thing, the last that were said before another, that it is held against."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrary:
    """What two sentences differ in that cannot both be so, and how far their words tell which is so by now."""

    why: Why
    says_so: bool
    """The later one says that it is otherwise now."""
    is_of_before: bool
    """The later one speaks of what was."""
    is_all: bool
    """Word for word, they differ in nothing else, and it cannot be so of both."""

    @property
    def by_itself(self) -> bool:
        """Whether the words alone tell that the earlier one is over."""
        return self.says_so and not self.is_of_before and self.is_all

    @property
    def named(self) -> bool:
        """Whether it is over if somebody says so who reads both."""
        return not self.is_of_before and (self.says_so or self.why in _NAMED)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """A memory with what its words say, looked at once."""

    memory: MemoryVersion
    plain: str
    """Its text without what says that it is otherwise than before."""
    says_so: bool
    """Whether it said that."""
    claim: Claim | None
    """What it says of which there is one at a time."""

    @classmethod
    def by(cls, memory: MemoryVersion) -> _Said:
        plain, says_so = _as_it_is(memory.text)
        return cls(memory=memory, plain=plain, says_so=says_so, claim=Saying.held(memory).claim)


def contrary(earlier: MemoryVersion, later: MemoryVersion) -> Contrary | None:
    """In what one memory is the contrary of another that was said later; None where their words do not show it."""
    return _contrary(_Said.by(earlier), _Said.by(later))


def _contrary(earlier: _Said, later: _Said) -> Contrary | None:
    one, other = earlier.claim, later.claim
    if one and other and one.key == other.key and side_of(one) != side_of(other):
        is_less = says_less(one, other) or says_less(other, one)
        why: Why | None = "claims" if not is_less and _are_of_one_thing(one, other) else None
    else:
        why = differ_in(earlier.plain, later.plain)
    if why is None:
        return None
    is_of_before = _PAST.search(later.memory.text) is not None
    is_all = _is_all(earlier, later, why)
    return Contrary(why=why, says_so=later.says_so, is_of_before=is_of_before, is_all=is_all)


def _is_all(earlier: _Said, later: _Said, why: Why) -> bool:
    """Whether two that contradict each other are alike but for one value, or a denial, that cannot be so of both.

    A name, or a date, is one that may be so besides, but where it is all that is said of what there is one of.
    """
    apart = apart_in(earlier.plain, later.plain)
    if apart is None:
        return False
    differs, *parts = apart
    if differs in {"numbers", "negations"}:
        return why in {differs, "claims"}
    claims = earlier.claim, later.claim
    if why != "claims" or any(each is None or each.predicate in _PLACED for each in claims):
        return False
    return parts == [folded(each.object).strip(" .") for each in claims if each]


def _are_of_one_thing(one: Claim, other: Claim) -> bool:
    """Whether two claims of a key plausibly say what it is: of one sort, and of nothing that each says apart.

    "20 for adults" and "10 for children" are two prices; "Acme" and "two hours a day" are not two employers.
    """
    first, second = (telling(f"is {each.object}") for each in (one, other))
    names, others = set(first.names), set(second.names)
    counted, also = ({*each.numbers, *each.dates} for each in (first, second))
    if not (names or others or counted or also):
        return True
    if names & others or not ((names and others) or (counted and also and counted != also)):
        return False
    if names and others and first.dates and second.dates and first.dates != second.dates:
        return False
    rest, of = ({*wording(f"is {each.object}")} - {"^", "#", "@"} for each in (one, other))
    return rest <= of or of <= rest


def outdates(earlier: MemoryVersion, later: MemoryVersion) -> bool:
    """Whether one person said both, the earlier claims nothing, and the words of the later one can end it."""
    if not is_unkeyed(earlier) or not (_counts(earlier) and _counts(later)) or who(earlier) != who(later):
        return False
    found = contrary(earlier, later)
    return found is not None and found.named


def ends_at(earlier: MemoryVersion, later: MemoryVersion, said_at: SaidAt) -> datetime | None:
    """When a memory ended, going by the world's times alone; None where these do not say that it did.

    It ended when the later one began, if it began before and was never said again since; an unknown time ends nothing.
    """
    if earlier.valid_from is None or later.valid_from is None or earlier.valid_from >= later.valid_from:
        return None
    if later.trust < earlier.trust or earlier.agent_id != later.agent_id:
        return None
    said = [said_at.get(ref.sequence) for ref in earlier.evidence]
    return later.valid_from if all(each is not None and each < later.valid_from for each in said) else None


def ending(earlier: MemoryVersion, later: MemoryVersion, at: datetime) -> Proposal:
    """That a memory ended at a time of the world, when another began."""
    return Proposal(
        operation=SupersedePayload(reason=REASON, memory=earlier.memory_id, by=later.memory_id, valid_to=at),
        read={each.memory_id: each.version for each in (earlier, later)},
    )


def asking(memories: Iterable[MemoryVersion], why: Why) -> Question:
    """Which of some memories is right."""
    ordered = sorted(memories, key=lambda each: each.doc)
    return Question(
        memories=tuple(each.memory_id for each in ordered), versions=tuple(each.version for each in ordered), why=why
    )


def outdated(memories: Iterable[MemoryVersion], said_at: SaidAt) -> Contradictions:
    """What is over, and what is to be asked about, by words alone, of two of which one at least claims nothing.

    Each is held against the last few that the same person said of the same thing, so it is linear in what is held but
    for sorting. Where one followed another, what came between may be named by two proposals.
    """
    superseded: list[Proposal] = []
    questions: dict[frozenset[UUID], Question] = {}
    done: set[UUID] = set()
    for before, said in _of_one_thing([each for each in memories if _counts(each)]):
        found = _last_contrary(before, said)
        if found is None:
            continue
        (earlier, how), later = found, said.memory
        at = ends_at(earlier, later, said_at) if how.by_itself and is_unkeyed(earlier) else None
        if at is None:
            questions.setdefault(frozenset((earlier.memory_id, later.memory_id)), asking((earlier, later), how.why))
        elif earlier.memory_id not in done:
            done.add(earlier.memory_id)
            superseded.append(ending(earlier, later, at))
    asked = (each for each in questions.values() if done.isdisjoint(each.memories))
    return Contradictions(superseded=tuple(superseded), questions=tuple(asked))


def unsettled(
    found: Contradictions,
    held: Mapping[UUID, MemoryVersion],
    *,
    decided: Mapping[UUID, datetime],
    recorded: Mapping[int, datetime],
    pinned: float,
) -> Contradictions:
    """What is left of some contradictions where people have decided on a side of them, or an app called it important.

    `decided` says when somebody had a memory count, and `recorded` when evidence came. What came before that decision
    was there for whoever decided, and neither ends such a memory nor is asked about; what came since is asked about.
    What is as important as `pinned` is asked about before it ends.
    """
    superseded: list[Proposal] = []
    questions: list[Question] = []
    for each in found.superseded:
        memories = [held[memory] for memory in each.read]
        if _is_new(memories, decided, recorded):
            earlier, later = memories
            if earlier.memory_id in decided or (earlier.importance or 0.0) >= pinned:
                found_in = contrary(earlier, later)
                questions.append(asking(memories, found_in.why if found_in else "model"))
            else:
                superseded.append(each)
    asked = (each for each in found.questions if _is_new([held[one] for one in each.memories], decided, recorded))
    return Contradictions(superseded=tuple(superseded), questions=(*questions, *asked))


def _is_new(
    memories: Sequence[MemoryVersion], decided: Mapping[UUID, datetime], recorded: Mapping[int, datetime]
) -> bool:
    """Whether of each memory that somebody had count, another one says something that came since."""
    for each in memories:
        at = decided.get(each.memory_id)
        others = [ref.sequence for other in memories if other is not each for ref in other.evidence]
        if at is not None and not any(other not in recorded or recorded[other] > at for other in others):
            return False
    return True


def _counts(memory: MemoryVersion) -> bool:
    is_belief = memory.epistemic_type not in {EpistemicType.EVIDENCE, EpistemicType.INFERENCE}
    is_held = memory.is_open and memory.valid_to is None and memory.schema_name is None
    return is_belief and is_held and memory.kind is Kind.SEMANTIC


def _as_it_is(text: str) -> tuple[str, bool]:
    """A sentence without what says that it is otherwise now than before, and whether it said so."""
    plain, is_over = _NO_LONGER.subn("not", text)
    plain, is_no_more = _ANY_MORE.subn("", plain)
    plain, has_changed = _CHANGED.subn("", plain)
    return " ".join(plain.split()).replace(" .", "."), bool(is_over or is_no_more or has_changed)


def _of_one_thing(memories: Iterable[MemoryVersion]) -> Iterator[tuple[Sequence[_Said], _Said]]:
    """What may be the contrary of what one person said before of one thing, each with the last of that."""
    groups: dict[object, list[_Said]] = {}
    for each in map(_Said.by, memories):
        one = each.memory.agent_id, who(each.memory)
        for key in (bare(each.plain), *([each.claim.key] if each.claim else [])):
            groups.setdefault((one, key), []).append(each)
    for group in groups.values():
        ordered = sorted(group, key=_when)
        for place, each in enumerate(ordered):
            if place and (each.says_so or each.claim):  # else it is for `opposed`
                yield ordered[max(0, place - _MOST_BEFORE) : place], each


def _last_contrary(before: Sequence[_Said], later: _Said) -> tuple[MemoryVersion, Contrary] | None:
    """The last of some memories that another is the contrary of, where `opposed` does not see that by itself."""
    for earlier in reversed(before):
        if is_unkeyed(earlier.memory) or is_unkeyed(later.memory):
            found = _contrary(earlier, later)
            if found is not None:
                return (earlier.memory, found) if found.says_so or found.why == "claims" else None
    return None


def _when(said: _Said) -> tuple[datetime, int]:
    return said.memory.valid_from or _BEFORE_ALL_TIME, said.memory.doc
