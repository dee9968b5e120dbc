"""What a model says somebody will ask next, with what is known of it worked out ahead: checked entry by entry. Pure.

It is shown, by number, what a person asked and said, and what is believed of them; never what was worked out or
concluded before, so nothing drifts from answer to answer. An entry is a question and what answers it, of at least two
of the lines, one of which states something. What states nothing is no ground: the answer must follow from the other
lines alone (`grounding`), names, numbers and dates included. It is judged anew at each pass, on what is held by then,
and stands some weeks from the day on which the model said it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, Final, NamedTuple
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from shared.belief.anticipating import KEPT, MOST_CHARS, Likely, asks
from shared.belief.at_odds import texts_at_odds
from shared.belief.grounding import adds, drawn_before, draws_on, named_by, supported, ungrounded
from shared.belief.rules.instructions import gives_orders
from shared.belief.validating import refused
from shared.contract.records import MemoryVersion

REASON: Final = "foretold"
MOST_SHOWN: Final = 60
"""Lines of one call: some two thousand tokens."""
MOST_ENTRIES: Final = 10
_FEWEST: Final = 2
"""Lines that an entry names."""
_LEAST_OF_QUESTION: Final = 1 / 3
"""Of the words of a question, as the share that its lines have: else it is one that nothing held speaks of."""
_MOST_CHARS: Final = 300
_Text = Annotated[str, StringConstraints(strip_whitespace=True, pattern=r"\S", max_length=_MOST_CHARS)]


class Entry(BaseModel):
    """One entry of an answer, as a model gives it."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=False)

    question: Annotated[str, StringConstraints(strip_whitespace=True, pattern=r"\S", max_length=MOST_CHARS)]
    text: _Text
    """What is known of it."""
    lines: Annotated[tuple[Annotated[int, Field(strict=True)], ...], Field(min_length=1)]


class Answer(BaseModel):
    """What is asked for."""

    facts: list[Entry]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """An answer, with what it was given on."""

    entries: Sequence[Any]
    """Unchecked."""
    shown: Sequence[MemoryVersion | None]
    """By their numbers, as they are held now; None for what may be shown no more."""
    at: datetime
    """When it was given."""
    is_new: bool = True
    """Whether its faults are to be counted: nobody has looked at it yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Foretold:
    """What some answers come to."""

    likely: tuple[Likely, ...] = ()
    rejected: Counter[str] = field(default_factory=Counter)
    """How many entries were passed over, by why."""


def foretold(answers: Iterable[Told], held: Collection[MemoryVersion], *, at: datetime) -> Foretold:
    """What of some answers, the oldest first, stands at a time, on what is `held` in words of its own.

    Of what is said of about the same lines again, in other words, the first stands until its time is over.
    """
    found: list[_Taken] = []
    rejected: Counter[str] = Counter()
    for told in answers:
        if told.at + KEPT > at:
            faults = _taken(told, found)
            rejected.update(faults if told.is_new else ())
    odd = texts_at_odds([(each.likely.facts[0], each.text) for each in found], held)
    rejected["contradicts"] += sum(found[place].is_new for place in odd)
    likely = tuple(each.likely for place, each in enumerate(found) if place not in odd)
    return Foretold(likely=likely, rejected=+rejected)


class _Taken(NamedTuple):
    likely: Likely
    text: str
    """What answers the question, without it."""
    is_new: bool


def _taken(told: Told, found: list[_Taken]) -> list[str]:
    """Add what an answer comes to; returns why each of the other entries comes to nothing."""
    faults = ["too_many"] * (len(told.entries) - MOST_ENTRIES)
    for raw in told.entries[:MOST_ENTRIES]:
        each = _judged(raw, told, [{source.memory_id for source in taken.likely.facts} for taken in found])
        if isinstance(each, str):
            faults.append(each)
        else:
            found.append(each)
    return faults


def _judged(raw: Any, told: Told, drawn: Iterable[set[UUID]]) -> _Taken | str:
    """What one entry comes to, or in a word why nothing."""
    try:
        entry = Entry.model_validate(raw)
    except ValidationError:
        return "bad_entry"
    sources = named_by(entry.lines, told.shown)
    if isinstance(sources, str):
        return sources
    fault = _fault(entry, sources, told) or ("drawn_before" if _again(sources, drawn) else None)
    likely = _likely(entry, sources, told.at)
    refusal = fault or refused(likely.proposal, {each.memory_id: each for each in sources})
    return str(refusal) if refusal else _Taken(likely, entry.text, told.is_new)


def _again(sources: Iterable[MemoryVersion], drawn: Iterable[set[UUID]]) -> bool:
    return drawn_before({each.memory_id for each in sources}, drawn)


def _fault(entry: Entry, sources: Sequence[MemoryVersion], told: Told) -> str | None:
    """Why an entry comes to nothing, before anybody looks at what else is held."""
    if len(sources) < _FEWEST:
        return "one_line"
    stating = [each for each in sources if not asks(each.text)]
    if not stating:
        return "states_nothing"
    if adds(entry.text, stating):
        return "added"
    if gives_orders(entry.text):
        return "orders"
    asked = {each.memory_id for each in sources if asks(each.text)}
    others = [each for each in told.shown if each and each.memory_id not in asked]
    return _fault_of_question(entry.question, sources, told) or ungrounded(entry.text, stating, others, is_answer=True)


def _fault_of_question(question: str, sources: Sequence[MemoryVersion], told: Told) -> str | None:
    """Why a question is none that somebody may be thought to ask of its lines."""
    if not asks(question) or "\n" in question or gives_orders(question):
        return "bad_question"
    if supported(question, sources) < _LEAST_OF_QUESTION:
        return "unsupported"
    if adds(question, sources):
        return "added"
    return "uncited" if draws_on(question, sources, told.shown) else None


def _likely(entry: Entry, sources: Sequence[MemoryVersion], told_at: datetime) -> Likely:
    """As it would be held: what states something comes first."""
    in_order = sorted(sources, key=lambda each: (asks(each.text), each.doc))
    return Likely(
        rank=(KEPT.days + 1.0, -told_at.timestamp(), in_order[0].doc),
        asked=None,
        facts=tuple(in_order),
        until=told_at + KEPT,
        reason=REASON,
        said=f"{entry.question} {entry.text}",
    )
