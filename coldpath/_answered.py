"""What the models of jobs were asked about and have answered, as two kinds of derivation each in the ledger.

One says what was asked about, of whom and at what cost, and holds no words; the other is the answer, which goes when
any of what the model was shown is erased. Whatever is made of an answer is made of what is stored.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from coldpath._model_gates import ModelGate
from shared.contract.events import REFLECTION, REFLECTION_ANSWER, Event, Json
from shared.contract.records import MemoryVersion
from shared.models.answers import ParseFailed, facts_in
from shared.store import ledger
from shared.store.db import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Kinds:
    """The kinds of the two events of one job."""

    asked: str
    answered: str


CONCLUDING: Final = Kinds(asked="consolidation", answered="conclusions")
FORETELLING: Final = Kinds(asked="anticipation", answered="anticipation_answer")
COMPOSING: Final = Kinds(asked=REFLECTION, answered=REFLECTION_ANSWER)
COMPARING: Final = Kinds(asked="comparison", answered="contradictions")
ALL_KINDS: Final = (CONCLUDING, FORETELLING, COMPOSING, COMPARING)
"""Those of all jobs that ask: whatever is erased is looked for in each."""
_SETTLED: Final = frozenset({ModelGate.ASKED.value, ModelGate.GIVEN_UP.value})
"""What a call is noted as that is not to be made again about the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """An answer that is stored, with what it was asked about."""

    account: Json
    """What was asked about; see `coldpath._consulting`."""
    entries: Sequence[Any]
    """Unchecked."""
    sequence: int
    at: datetime
    """When it was stored."""

    def shown(self, held: Mapping[UUID, MemoryVersion], *, as_it_was: bool = True) -> list[MemoryVersion | None]:
        """What the model was shown, by its numbers; None for what is held no more, or is another version by now.

        Whoever judges an answer anew at each pass, by the words of what it cites, takes it in any version.
        """
        named = ((UUID(memory), version) for memory, version in self.account.get("shown", ()))
        found = ((held.get(memory), version) for memory, version in named)
        return [each if each and (each.version == version or not as_it_was) else None for each, version in found]


def answers(session: Session, kinds: Kinds, *, after: int = -1) -> Iterator[Stored]:
    """The answers that a job's model gave in the owner's stream behind a sequence, in order, and that can be read."""
    found = [event for event in ledger.derived(session, kinds.answered, None) if event.sequence > after]
    accounts = {event.sequence: event for event in asked_about(session, kinds)} if found else {}
    for event in found:
        asked, entries = accounts.get(event.caused_by or 0), entries_in((event.payload or {}).get("answer", ""))
        if asked is not None and entries is not None:
            account = asked.payload or {}
            yield Stored(account=account, entries=entries, sequence=event.sequence, at=event.recorded_at)


def quoting(session: Session, evidence: Collection[int]) -> list[int]:
    """The stored answers, by sequence, that may quote some evidence: what they were shown rests on it."""
    return [each for kinds in ALL_KINDS for each in _quoting(session, kinds, evidence)]


def _quoting(session: Session, kinds: Kinds, evidence: Collection[int]) -> list[int]:
    shown = {
        each.sequence
        for each in asked_about(session, kinds)
        if not set((each.payload or {}).get("evidence", ())).isdisjoint(evidence)
    }
    found = ledger.derived(session, kinds.answered, None) if shown else []
    return [event.sequence for event in found if event.caused_by in shown and event.payload is not None]


def asked_about(session: Session, kinds: Kinds) -> list[Event]:
    """What a job's model was asked about in the owner's stream, call by call, in order."""
    return [event for event in ledger.derived(session, kinds.asked, None) if event.payload is not None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """How far a model has seen what it is asked about by turns: an agent's memories, or a question."""

    docs: int = 0
    """Up to which memory it has answered, or was given up."""
    tries: int = 0
    """How often it was asked in vain since."""
    asked_at: datetime | None = None
    account: Json | None = None
    """Of the last call that is not to be made again."""


def by_agent(account: Json) -> Hashable:
    """Whose memories a call was about."""
    return account.get("agent")


def seen_by(asked: Iterable[Event], turn: Callable[[Json], Hashable] = by_agent) -> dict[Any, Seen]:
    """How far each turn was seen, by the calls in order; of one that is left out, nothing was.

    What was asked in vain is asked again, until `GIVEN_UP` says that it was the last time.
    """
    found: dict[Any, Seen] = {}
    for event in asked:
        account = event.payload or {}
        before = found.get(turn(account), Seen())
        is_done = account.get("status") in _SETTLED
        found[turn(account)] = Seen(
            docs=max(before.docs, int(account.get("docs", 0))) if is_done else before.docs,
            tries=0 if is_done else before.tries + 1,
            asked_at=event.recorded_at,
            account=account if is_done else before.account,
        )
    return found


def has_more(asked: Sequence[Event], last_doc: int, enough: int) -> bool:
    """Whether there may be enough to ask about, for the memories alone that came since, or by the last call's account.

    A look at the accounts, before anything dearer: some more may wait than it knows of, but no less than `enough`.
    """
    if not asked:
        return last_doc >= enough
    last = asked[-1].payload or {}
    newest = max(int((event.payload or {}).get("docs", 0)) for event in asked)
    return last_doc - newest >= enough or bool(last.get("waiting")) or last.get("status") not in _SETTLED


def is_settled(asked: Event) -> bool:
    """Whether a call is not to be made again about the same."""
    return (asked.payload or {}).get("status") in _SETTLED


def entries_in(text: str, *, cut_off: bool = False) -> list[Any] | None:
    """The entries of an answer, unchecked; None where it is none."""
    try:
        return facts_in(text, cut_off=cut_off)
    except ParseFailed:
        return None
