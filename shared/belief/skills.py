"""What was done with success more than once: a procedure with its trigger and its steps. Pure, and no model.

A run counts by what was reported of it and by what its tools answered, never by what it says of itself:

    succeeded   an outcome of its session says that a memory served, none that the answer was corrected, that the agent
                abstained or was misled, and no tool ended in an error
    failed      an outcome of its session says otherwise, or its last call ended in an error
    unknown     nothing was reported: it counts for nothing

Two runs go the same way where they call the same tools in the same order, and are about the same where the words of
their tasks have enough in common, in order. A way that failed as often as it succeeded is no skill.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Final

from shared.belief._telling import MEANING_LITTLE, folded
from shared.belief.schemas import PROCEDURE
from shared.belief.segments import distinct
from shared.contract.operations import AbstractPayload, ClosePayload, StandingPayload, WrittenEntry
from shared.contract.proposals import Proposal
from shared.contract.records import EpistemicType, Kind, MemoryVersion, Operation

REASON: Final = "done_often"
FEWEST_RUNS: Final = 2
_FEWEST_STEPS: Final = 2
_FEWEST_WORDS: Final = 2
"""Of a task, that carry meaning and are in every one."""
_LEAST_SHARED: Final = 0.5
"""Of the words of a task, as the share that all have."""
_MOST_STEPS: Final = 30
_MOST_TRIGGER_CHARS: Final = 150
_MOST_CITED: Final = 20
_GAP: Final = "\u2026"
_CHANGES: Final = 0.02
"""A confidence that falls by less is left as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """One run with tool calls."""

    task: MemoryVersion
    """The episode of what it was asked for."""
    steps: tuple[str, ...]
    """Each call in order: the tool's name and the names of its arguments, never their values."""
    succeeded: bool | None
    """None where nobody knows."""


@dataclass(slots=True, kw_only=True)
class _Way:
    """Runs that went the same way about the same thing."""

    words: list[str]
    """What their tasks have in common, with `_GAP` for what they have not."""
    runs: list[Ran] = field(default_factory=list)

    @property
    def succeeded(self) -> list[Ran]:
        """One of each session: an outcome speaks of the session, so two of its runs are one piece of luck."""
        return list({each.task.session_id: each for each in reversed(self.runs) if each.succeeded}.values())[::-1]

    @property
    def failures(self) -> int:
        return sum(each.succeeded is False for each in self.runs)

    @property
    def confidence(self) -> float:
        """How likely it is to succeed again, by the rule of succession: (s + 1) / (s + f + 2) (Laplace, 1774)."""
        wins = len(self.succeeded)
        return (wins + 1) / (wins + self.failures + 2)

    @property
    def trigger(self) -> str:
        return " ".join(self.words)[:_MOST_TRIGGER_CHARS].rstrip()


def skills(runs: Iterable[Ran], held: Iterable[MemoryVersion]) -> Iterator[Proposal]:
    """What is to be learned of runs, and what of it is to be held less firmly, or no more.

    `held` are the procedures that were learned before: those that `REASON` opened.
    """
    known = list(held)
    for way in _ways(runs):
        learned = next((each for each in known if _is_of(each, way)), None)
        is_skill = len(way.succeeded) >= FEWEST_RUNS and way.failures < len(way.succeeded)
        if learned is not None:
            yield from _weighed(way, learned, is_skill=is_skill)
        elif is_skill:
            yield _learned(way)


def _ways(runs: Iterable[Ran]) -> Iterator[_Way]:
    by_steps: dict[object, list[_Way]] = {}
    for run in sorted(runs, key=lambda each: each.task.doc):
        if not _FEWEST_STEPS <= len(run.steps) <= _MOST_STEPS or run.succeeded is None:
            continue
        ways = by_steps.setdefault((run.task.agent_id, run.task.trust, run.steps), [])
        for way in ways:
            words = _in_common(way.words, run.task.text.split())
            if words is not None:
                way.words = words
                way.runs.append(run)
                break
        else:
            ways.append(_Way(words=run.task.text.split(), runs=[run]))
    return (way for ways in by_steps.values() for way in ways)


def _in_common(words: Sequence[str], others: Sequence[str]) -> list[str] | None:
    """The words of both, in order, with a gap for what differs; None where that is too little."""
    plain, other_plain = ([_plain(word) for word in each] for each in (words, others))
    blocks = SequenceMatcher(None, plain, other_plain, autojunk=False).get_matching_blocks()
    found: list[str] = []
    last = other_last = 0
    for start, other_start, length in blocks:
        is_gap = start > last or other_start > other_last
        if is_gap and found[-1:] != [_GAP]:
            found.append(_GAP)
        found += [word for word in words[start : start + length] if not (word == _GAP and found[-1:] == [_GAP])]
        last, other_last = start + length, other_start + length
    kept = [word for word in found if word != _GAP]
    telling = [word for word in kept if _plain(word) not in MEANING_LITTLE]
    enough = len(telling) >= _FEWEST_WORDS and len(kept) >= _LEAST_SHARED * min(len(words), len(others))
    return found if enough else None


def _plain(word: str) -> str:
    return folded(word).strip(".,;:!?")


def _is_of(learned: MemoryVersion, way: _Way) -> bool:
    """Whether a procedure was learned of some of a way's runs: its trigger was worked out when there were fewer."""
    spans = {ref.span for each in way.succeeded for ref in each.task.evidence}
    same_steps = tuple((learned.data or {}).get("steps", ())) == way.runs[0].steps
    return same_steps and any(ref.span in spans for ref in learned.evidence)


def _weighed(way: _Way, learned: MemoryVersion, *, is_skill: bool) -> Iterator[Proposal]:
    """What becomes of a procedure by the runs since: failures count against it; nothing makes it surer by itself."""
    read = {learned.memory_id: learned.version}
    if not is_skill:
        closing = ClosePayload(op=Operation.EXPIRE, reason="failed_often", memory=learned.memory_id)
        yield Proposal(operation=closing, read=read)
    elif way.confidence < learned.confidence - _CHANGES:
        weaker = StandingPayload(
            op=Operation.DEMOTE, reason="failed_since", memory=learned.memory_id, confidence=way.confidence
        )
        yield Proposal(operation=weaker, read=read)


def _learned(way: _Way) -> Proposal:
    tasks = [each.task for each in way.succeeded][:_MOST_CITED]
    steps = way.runs[0].steps
    entry = WrittenEntry(
        kind=Kind.PROCEDURAL,
        epistemic_type=EpistemicType.INFERENCE,
        text=f"{way.trigger}: {', then '.join(steps)}",
        valid_from=tasks[0].valid_from,
        evidence=distinct(ref for each in tasks for ref in each.evidence),
        confidence=min(way.confidence, *(each.confidence for each in tasks)),
        schema_name=PROCEDURE.written_name,
        data={"trigger": way.trigger, "steps": list(steps)},
    )
    return Proposal(
        operation=AbstractPayload(reason=REASON, sources=tuple(each.memory_id for each in tasks), entry=entry),
        read={each.memory_id: each.version for each in tasks},
    )
