"""What a model says follows from several memories: shown by number, and checked entry by entry. Pure.

It is shown what a person said or is believed to be so, and never what was concluded before: a conclusion is no ground
for another, so nothing drifts from pass to pass. An entry is a proposal that names at least two of the lines, and must
follow from them (`grounding`). What it may say beyond that is for the validator (`validating`), like every proposal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, Final
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from shared.belief.grounding import drawn_before, named_by, ungrounded
from shared.belief.opposed import who
from shared.belief.predicates import BUILT_IN, Cardinality
from shared.belief.rules.sensitivity import classes_of
from shared.belief.segments import distinct
from shared.belief.similarity import says_the_same
from shared.contract.events import Role
from shared.contract.operations import AbstractPayload, WrittenEntry
from shared.contract.proposals import Proposal
from shared.contract.questions import Question
from shared.contract.records import Claim, EpistemicType, Kind, MemoryVersion
from shared.contract.trust import TRUST, Origin

REASON: Final = "concluded"
MOST_SHOWN: Final = 60
"""Lines of one call: some two thousand tokens."""
_MOST_CHARS: Final = 300
_CONFIDENCE: Final = 0.6
_FEWEST: Final = 2
"""Lines, and for whatever is no summary sessions, that a conclusion follows from."""
_MOST_ENTRIES: Final = 20


class Sort(StrEnum):
    """What a conclusion is."""

    PREFERENCE = "preference"
    RULE = "rule"
    INSIGHT = "insight"
    SUMMARY = "summary"
    CONTRADICTION = "contradiction"
    """Two beliefs of which one alone can be so: it is asked about, and nothing is written for it."""


class Entry(BaseModel):
    """One entry of an answer, as a model gives it."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=False)

    type: Sort
    text: Annotated[str, StringConstraints(strip_whitespace=True, pattern=r"\S", max_length=_MOST_CHARS)]
    lines: Annotated[tuple[Annotated[int, Field(strict=True)], ...], Field(min_length=1)]


class Answer(BaseModel):
    """What is asked for."""

    facts: list[Entry]


@dataclass(frozen=True, slots=True, kw_only=True)
class Concluded:
    """What an answer comes to."""

    proposals: tuple[Proposal, ...] = ()
    questions: tuple[Question, ...] = ()
    """Which of two beliefs is right, where the model says that they contradict each other: people decide."""
    rejected: Counter[str] = field(default_factory=Counter)
    """How many entries were passed over, by why."""


def showable(memory: MemoryVersion) -> bool:
    """Whether a memory may be shown to conclude from: a person's own, held, true to this day, and not delicate."""
    if not memory.is_open or memory.valid_to is not None or memory.trust < TRUST[Origin.USER]:
        return False
    if memory.epistemic_type is EpistemicType.EVIDENCE and memory.role is not Role.USER:
        return False
    concluded = memory.epistemic_type in {EpistemicType.INFERENCE, EpistemicType.OPINION}
    return not concluded and not classes_of(memory.text, holds_secret=False)


def concluded(
    entries: Sequence[Any],
    shown: Sequence[MemoryVersion | None],
    held: Collection[MemoryVersion],
    drawn: Iterable[Collection[UUID]],
) -> Concluded:
    """The proposals that the entries of an answer come to.

    `shown` are the memories by their numbers, None where one is closed or another version by now; `held` all beliefs;
    `drawn` the sources of each conclusion that was drawn before.
    """
    found: list[Proposal] = []
    questions: list[Question] = []
    rejected: Counter[str] = Counter()
    grounds = [frozenset(each) for each in drawn]
    texts = [each.text for each in held]
    for raw in entries[:_MOST_ENTRIES]:
        each = _concluded(raw, shown, texts, grounds)
        if isinstance(each, str):
            rejected[each] += 1
        elif isinstance(each, Question):
            questions.append(each)
        else:
            found.append(each)
            grounds.append(frozenset(each.read))
            texts.append(_text(each))
    if len(entries) > _MOST_ENTRIES:
        rejected["too_many"] = len(entries) - _MOST_ENTRIES
    return Concluded(proposals=tuple(found), questions=tuple(questions), rejected=rejected)


def _concluded(
    raw: Any, shown: Sequence[MemoryVersion | None], held: Iterable[str], drawn: Iterable[frozenset[UUID]]
) -> Proposal | Question | str:
    """The proposal or question of one entry, or in a word why there is none."""
    try:
        entry = Entry.model_validate(raw)
    except ValidationError:
        return "bad_entry"
    sources = named_by(entry.lines, shown)
    if isinstance(sources, str):
        return sources
    if entry.type is Sort.CONTRADICTION:
        return _asked(sources)
    fault = _too_few(entry, sources) or ungrounded(entry.text, sources, shown) or _again(entry, sources, held, drawn)
    return fault or _abstracted(entry, sources)


def _asked(sources: Sequence[MemoryVersion]) -> Question | str:
    """Two beliefs to ask about; what was said was said, and what one may have many of is no contradiction.

    Nor is what two people said, of which one has no key: "my code" is another in another mouth.
    """
    if len(sources) != _FEWEST:
        return "no_pair"
    if any(each.epistemic_type is EpistemicType.EVIDENCE for each in sources):
        return "no_belief"
    claims = [each.claim for each in sources if each.claim is not None]
    if len(claims) == _FEWEST and any(_has_many(claim) for claim in claims):
        return "many_values"
    if len(claims) < _FEWEST and len({who(each) for each in sources}) > 1:
        return "two_speakers"
    first, second = sorted(sources, key=lambda each: each.doc)
    return Question(memories=(first.memory_id, second.memory_id), versions=(first.version, second.version), why="model")


def _has_many(claim: Claim) -> bool:
    return BUILT_IN.find(claim.predicate).cardinality is Cardinality.MULTI


def _too_few(entry: Entry, sources: Sequence[MemoryVersion]) -> str | None:
    """Whether an entry follows from one line, or is said of one conversation."""
    if len(sources) < _FEWEST:
        return "one_line"
    sessions = {each.session_id or each.memory_id for each in sources}
    return "one_session" if entry.type is not Sort.SUMMARY and len(sessions) < _FEWEST else None


def _again(
    entry: Entry, sources: Sequence[MemoryVersion], held: Iterable[str], drawn: Iterable[frozenset[UUID]]
) -> str | None:
    """Whether an entry says what is held in its words, or was drawn of the same lines before."""
    if any(says_the_same(each, entry.text) for each in (*held, *(source.text for source in sources))):
        return "known"
    return "drawn_before" if drawn_before({each.memory_id for each in sources}, drawn) else None


def _abstracted(entry: Entry, sources: Sequence[MemoryVersion]) -> Proposal:
    is_wanted = entry.type is Sort.PREFERENCE
    begins = [each.valid_from for each in sources if each.valid_from is not None]
    written = WrittenEntry(
        kind=Kind.SEMANTIC,
        epistemic_type=EpistemicType.PREFERENCE if is_wanted else EpistemicType.INFERENCE,
        text=entry.text,
        valid_from=min(begins, default=None),
        evidence=distinct(ref for each in sources for ref in each.evidence),
        confidence=min(_CONFIDENCE, *(each.confidence for each in sources)),
    )
    return Proposal(
        operation=AbstractPayload(reason=REASON, sources=tuple(each.memory_id for each in sources), entry=written),
        read={each.memory_id: each.version for each in sources},
    )


def _text(proposal: Proposal) -> str:
    return proposal.operation.entry.text if isinstance(proposal.operation, AbstractPayload) else ""
