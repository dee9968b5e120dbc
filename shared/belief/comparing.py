"""What a model says of pairs of memories that may contradict each other: shown by number, and checked entry by entry.

Pure. An entry names a pair that was offered, and the line of it that is so by now where the other is over. That ends
the other where the world's times and the words of both allow it (`outdated`); else it is a question to a person. So a
model that takes everything for a contradiction ends nothing of which times and words do not say so too.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from shared.belief.concluding import showable
from shared.belief.contradictions import Contradictions, SaidAt
from shared.belief.opposed import who
from shared.belief.outdated import asking, ending, ends_at, outdates
from shared.belief.similarity import says_the_same
from shared.belief.unkeyed import is_unkeyed
from shared.contract.proposals import Proposal
from shared.contract.questions import Question
from shared.contract.records import EpistemicType, Kind, MemoryVersion

MOST_PAIRS: Final = 40
"""Pairs of one call: some three thousand tokens."""
LONGEST_CHARS: Final = 400
"""Of a text that is shown."""
_FEW: Final = 8
_MOST_SHARE: Final = 0.5
"""Of more than a few pairs, that can contradict each other: who says so of more has not read them."""

Pair = tuple[int, int]
"""Two places, from 0, among the memories that are shown."""


class Entry(BaseModel):
    """One entry of an answer, as a model gives it: a pair that cannot both be so."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=False)

    pair: Annotated[int, Field(strict=True)]
    now: Annotated[int, Field(strict=True)] | None = None
    """The line that is so by now, where the other was so before; None where nothing says which."""


class Answer(BaseModel):
    """What is asked for."""

    facts: list[Entry]


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """What an answer comes to."""

    found: Contradictions = field(default_factory=Contradictions)
    rejected: Counter[str] = field(default_factory=Counter)
    """How many entries were passed over, by why."""


def may_be_shown(memory: MemoryVersion) -> bool:
    """Whether a model may hold a memory against another: a person's own belief, held to this day, not delicate."""
    is_belief = memory.epistemic_type is not EpistemicType.EVIDENCE and memory.kind is Kind.SEMANTIC
    is_plain = memory.schema_name is None and len(memory.text) <= LONGEST_CHARS
    return is_belief and is_plain and showable(memory)


def comparable(one: MemoryVersion, other: MemoryVersion) -> bool:
    """Whether two may be held against each other: said by one person to one agent, one without a claim, not the same.

    Two that both claim something are compared by their keys.
    """
    if one.memory_id == other.memory_id or one.agent_id != other.agent_id or who(one) != who(other):
        return False
    return (is_unkeyed(one) or is_unkeyed(other)) and not says_the_same(one.text, other.text)


def lines(shown: Sequence[MemoryVersion], pairs: Sequence[Pair]) -> str:
    """The memories and the pairs as a model is shown them, one JSON object a line, each numbered from 1."""
    told: list[dict[str, Any]] = []
    for number, memory in enumerate(shown, 1):
        day = memory.valid_from.date().isoformat() if memory.valid_from else None
        told.append({"n": number, "day": day, "who": memory.speaker, "text": memory.text})
    told += [{"pair": number, "lines": [one + 1, other + 1]} for number, (one, other) in enumerate(pairs, 1)]
    return "\n".join(json.dumps(each, ensure_ascii=False) for each in told)


def compared(
    entries: Sequence[Any], shown: Sequence[MemoryVersion | None], pairs: Sequence[Pair], said_at: SaidAt
) -> Compared:
    """What the entries of an answer come to.

    `shown` are the memories in the order of their lines, None where one is closed or another version by now.
    """
    rejected: Counter[str] = Counter()
    superseded: list[Proposal] = []
    questions: list[Question] = []
    named: dict[int, Entry] = {}
    for raw in entries:
        entry = _entry(raw, pairs, named)
        if isinstance(entry, str):
            rejected[entry] += 1
        else:
            named[entry.pair] = entry
    if len(pairs) >= _FEW and len(named) > _MOST_SHARE * len(pairs):
        return Compared(rejected=rejected + Counter({"too_many": len(named)}))
    for entry in named.values():
        found = _judged(entry, shown, pairs[entry.pair - 1], said_at)
        if isinstance(found, Proposal):
            superseded.append(found)
        elif isinstance(found, Question):
            questions.append(found)
        else:
            rejected[found] += 1
    return Compared(found=Contradictions(superseded=tuple(superseded), questions=tuple(questions)), rejected=rejected)


def _entry(raw: Any, pairs: Sequence[Pair], named: Mapping[int, Entry]) -> Entry | str:
    """An entry, or in a word why it is passed over."""
    try:
        entry = Entry.model_validate(raw)
    except ValidationError:
        return "bad_entry"
    if not 1 <= entry.pair <= len(pairs):
        return "unknown_alias"
    if entry.now is not None and entry.now - 1 not in pairs[entry.pair - 1]:
        return "unknown_alias"
    return "said_twice" if entry.pair in named else entry


def _judged(
    entry: Entry, shown: Sequence[MemoryVersion | None], pair: Pair, said_at: SaidAt
) -> Proposal | Question | str:
    one, other = shown[pair[0]], shown[pair[1]]
    if one is None or other is None:
        return "source_gone"
    if not (may_be_shown(one) and may_be_shown(other) and comparable(one, other)):
        return "not_comparable"
    if entry.now is None:
        return asking((one, other), "model")
    earlier, later = (other, one) if entry.now - 1 == pair[0] else (one, other)
    at = ends_at(earlier, later, said_at) if outdates(earlier, later) else None
    return asking((one, other), "model") if at is None else ending(earlier, later, at)


def same_pair(one: MemoryVersion, other: MemoryVersion) -> frozenset[tuple[UUID, int]]:
    """By what two memories are known to have been held against each other, as they are now."""
    return frozenset({(one.memory_id, one.version), (other.memory_id, other.version)})
