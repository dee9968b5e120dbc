"""Which episodes are of lasting use: that they are held as semantic, by what came of recalls. Pure.

An episode is promoted when recalls rested on it, on several days and without having misled much, and never because it
was recalled often: what is shown often is recalled often. What was said stays what was said: its words, its footing as
evidence, its trust and how certain it is are as before. So it is no fact of the world, which its being of use does not
make it; it is said of it that it is worth having.

Reports are counted by occasion, a session's one day by our clock, so that an agent that answers in a loop, or invents
turns, comes to one. An occasion on which an episode misled once has misled.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final, NamedTuple
from uuid import UUID

from shared.belief.rules.instructions import gives_orders
from shared.belief.rules.sensitivity import Sensitive, classes_of
from shared.belief.usefulness import last_said, least_share
from shared.belief.visibility import past
from shared.contract.operations import StandingPayload
from shared.contract.proposals import Proposal
from shared.contract.records import EpistemicType, Kind, MemoryVersion, Operation
from shared.contract.trust import TRUST, Origin
from shared.contract.turns import TurnOutcome

OFTEN_OF_USE, OF_USE_NO_MORE, OF_THE_PAST = "often_of_use", "of_use_no_more", "of_the_past"
_QUESTION_MARKS: Final = ("?", "？", "؟")  # noqa: RUF001 - those of other scripts


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """What an episode must have come to."""

    least_share: float = 0.5
    """Of the occasions, the share on which it is of use, as far as they tell at least (`usefulness.least_share`)."""
    kept_share: float = 0.25
    """Below this it is an episode like others again; not above `least_share`, so that one report moves none to and fro.
    """
    least_days: int = 3
    """Days on which it was of use."""
    guarded: frozenset[Sensitive] = frozenset()
    """Classes of which nothing is promoted: what is not simply stored as a belief is not made semantic by this way."""


class Report(NamedTuple):
    """An outcome, and when it came into the ledger."""

    outcome: TurnOutcome
    session_id: str | None
    reported_at: datetime


class Fared(NamedTuple):
    """How an episode has fared, by occasion."""

    used: int = 0
    misled: int = 0
    days: int = 0
    """On how many it was of use."""


def fared(reports: Sequence[Report], memories: Collection[UUID]) -> dict[UUID, Fared]:
    """How memories have fared by reports, in order of the ledger; what is said last of one in a turn stands."""
    last = last_said((each.outcome for each in reports), memories)
    at = {each.outcome.turn_id: (each.session_id, each.reported_at.date()) for each in reports}
    by_memory: dict[UUID, dict[tuple[str | None, date], bool]] = {}
    for (turn, memory), said in last.items():
        occasions = by_memory.setdefault(memory, {})
        occasions[at[turn]] = occasions.get(at[turn], True) and said == "used"
    return {memory: _counted(occasions) for memory, occasions in by_memory.items()}


def _counted(occasions: Mapping[tuple[str | None, date], bool]) -> Fared:
    used = [day for (_, day), served in occasions.items() if served]
    return Fared(used=len(used), misled=len(occasions) - len(used), days=len(set(used)))


def standings(
    episodes: Iterable[MemoryVersion],
    reports: Sequence[Report],
    beliefs: Iterable[MemoryVersion],
    bar: Bar,
    *,
    at: datetime,
) -> Iterator[Proposal]:
    """Which open episodes should be held as semantic, and which no longer.

    `reports` are all of the stream; `beliefs` all versions of what rests on the episodes' evidence: an episode of which
    all that was claimed has ended by `at`, or never was, is of lasting use to nobody.
    """
    held = [each for each in episodes if each.is_open and each.epistemic_type is EpistemicType.EVIDENCE]
    counts = fared(reports, {each.memory_id for each in held})
    over = past(held, beliefs, at=at)
    for each in held:
        told = counts.get(each.memory_id, Fared())
        if each.kind is Kind.EPISODIC:
            if each.memory_id not in over and _is_often_of_use(told, bar) and _may_be_promoted(each, bar):
                yield _standing(each, Operation.PROMOTE, Kind.SEMANTIC, OFTEN_OF_USE)
        elif each.memory_id in over:
            yield _standing(each, Operation.DEMOTE, Kind.EPISODIC, OF_THE_PAST)
        elif least_share(told.used, told.misled) < bar.kept_share:
            yield _standing(each, Operation.DEMOTE, Kind.EPISODIC, OF_USE_NO_MORE)


def _is_often_of_use(told: Fared, bar: Bar) -> bool:
    return told.days >= bar.least_days and least_share(told.used, told.misled) >= bar.least_share


def _may_be_promoted(episode: MemoryVersion, bar: Bar) -> bool:
    delicate = classes_of(episode.text, holds_secret=False)
    return bar.guarded.isdisjoint(delicate) and not any(speaks(episode) for speaks in _AGAINST)


def _is_not_the_users(episode: MemoryVersion) -> bool:
    """Whether it is of somebody whom we trust less: what a page says does not gain by being read often."""
    return episode.trust < TRUST[Origin.USER]


def _asks(episode: MemoryVersion) -> bool:
    return episode.text.rstrip().endswith(_QUESTION_MARKS)


def _gives_orders(episode: MemoryVersion) -> bool:
    return gives_orders(episode.text)


_AGAINST: Final[tuple[Callable[[MemoryVersion], bool], ...]] = (_is_not_the_users, _asks, _gives_orders)


def _standing(episode: MemoryVersion, op: Operation, kind: Kind, reason: str) -> Proposal:
    operation = StandingPayload.model_validate({"op": op, "reason": reason, "memory": episode.memory_id, "kind": kind})
    return Proposal(operation=operation, read={episode.memory_id: episode.version})
