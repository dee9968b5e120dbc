"""What reflect asks its model: to answer a question that stands from numbered memories; and what it has answered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from coldpath._answered import COMPOSING, Seen, answers, seen_by
from coldpath._consulting import Matter, Preparing, Shown
from coldpath._made import REASONS, made_of
from shared import clock
from shared.belief.composing import Answer, Composed, composed, told
from shared.belief.materials import Grounds, Material, Turn
from shared.contract.events import Event, Json
from shared.contract.records import MemoryVersion
from shared.store import asked, batches, memories
from shared.store.db import Session
from shared.work.queues import REFLECT

MOST_CALLS: Final = 10
"""Of one pass and stream; further questions are asked by the next, those first that were asked the longest ago."""
MOST_LOOKED_AT: Final = 20_000
"""Episodes and beliefs of a stream that are looked at, the newest of each: as many as the rules answer from."""
_NEVER: Final = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class ByModel:
    """What the stored answers come to."""

    composed: Mapping[Turn, Composed] = field(default_factory=dict)
    rejected: Counter[str] = field(default_factory=Counter)
    """How many sentences of answers that nobody had looked at were dropped, by why."""


def composed_by_model(session: Session, beliefs: Collection[MemoryVersion]) -> ByModel:
    """What stands of the newest answer to each question that stands, on what is held by now.

    None of one that was not shown the facts that the rules answer the question with: it knows less than they do.
    """
    numbers = {each.number: each.question for each in asked.standing(session)}
    newest = {_turn(each.account): each for each in answers(session, COMPOSING)} if numbers else {}
    if not newest:
        return ByModel()
    grounds, seen = _grounds(session), batches.marked(session, REFLECT)
    facts = {each.turn: each.facts for question in numbers.values() for each in grounds.on(question)}
    found: dict[Turn, Composed] = {}
    rejected: Counter[str] = Counter()
    for (number, agent), stored in newest.items():
        turn = Turn(numbers.get(number, ""), agent)
        if turn in facts and _knows(stored.account, facts[turn]):
            each = composed(turn.question, stored.entries, stored.shown(grounds.held, as_it_was=False), beliefs)
            found[turn] = each
            rejected.update(each.rejected if stored.sequence > seen else {})
    return ByModel(composed=found, rejected=rejected)


def _shows(_of: Preparing, session: Session, accounts: Sequence[Event]) -> list[Shown]:
    """One call for each question, of each agent's memory apart, that has something to be answered from anew."""
    grounds, seen = _grounds(session), seen_by(accounts, _turn)
    calls: list[tuple[datetime, Shown]] = []
    for standing in asked.standing(session):
        for material in grounds.on(standing.question):
            turn = standing.number, material.turn.agent_id
            before = seen.get(turn, Seen())
            if before.account is None or not _is_known(before.account, material, grounds):
                calls.append((before.asked_at or _NEVER, _call(turn, material, before.tries)))
    return [shown for _, shown in sorted(calls, key=lambda call: call[0])[:MOST_CALLS]]


def _call(turn: tuple[int, str | None], material: Material, tries: int) -> Shown:
    number, agent = turn
    about = {"question": number, "agent": agent}
    return Shown(memories=material.shown, text=told(material.turn.question, material.shown), about=about, tries=tries)


def _is_known(account: Json, material: Material, grounds: Grounds) -> bool:
    """Whether a call was about the same grounds: it had what the rules answer with, and all that it had is there."""
    return _knows(account, material.facts) and _shown(account) <= {str(each) for each in grounds.held}


def _knows(account: Json, facts: Collection[MemoryVersion]) -> bool:
    return {str(each.memory_id) for each in facts} <= _shown(account)


def _shown(account: Json) -> set[str]:
    return {memory for memory, _ in account.get("shown", ())}


def _turn(account: Json) -> tuple[int, str | None]:
    """Which question, and of whose memory."""
    return int(account.get("question", 0)), account.get("agent")


def _grounds(session: Session) -> Grounds:
    beliefs = memories.beliefs(session, keyed=True, limit=MOST_LOOKED_AT)
    made = {memory: each.sources for memory, each in made_of(session, beliefs, REASONS).items()}
    return Grounds(beliefs, memories.episodes(session, limit=MOST_LOOKED_AT), made, at=clock.now())


def _stands(session: Session, about: Mapping[str, Any]) -> bool:
    return about["question"] in {each.number for each in asked.standing(session)}


MATTER: Final = Matter(
    job=REFLECT,
    kinds=COMPOSING,
    schema=Answer,
    is_wanted=lambda settings: settings.reflection_by_model,
    may_have_more=lambda session, _asked, _last_doc: bool(asked.standing(session)),
    shows=_shows,
    stands=_stands,
)
