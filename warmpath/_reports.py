"""What came of recalls, on its way into the ledger and the view of usefulness: append's part that opens no memory."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Final
from uuid import UUID

from shared.accept.evidence import evidence_of_outcome
from shared.belief.usefulness import reported, usefulness
from shared.contract.events import Event, Run, message_id_on_its_way
from shared.contract.receipts import Outcome
from shared.contract.records import MemoryVersion
from shared.contract.scope import stream_of
from shared.contract.turns import TurnOutcome
from shared.store import ledger, memories, uses
from shared.store.db import Session
from warmpath._work import Result

_LATELY: Final = 500
"""Newest messages of a stream that the id they had on their way is known of: a millisecond's look-up."""
_SAID: Final = "in the ledger, and counted for the memories it names"
_AGAIN: Final = "it was in the ledger before, and nothing else has been said of the turn since"


class Reports:
    """The outcomes among some runs of a stream. What is said last of a memory in a turn replaces what was said before.

    An outcome is a repeat where it says what was said last of its turn; what was taken back meanwhile counts again.
    """

    def __init__(self, session: Session, runs: Sequence[Run]) -> None:
        self._session = session
        said = [run.outcome for run in runs if run.outcome is not None]
        self._are_there = bool(said)
        named = {each for one in said for each in one.memories}
        self._docs = memories.docs(session, named) if said else {}
        self._arrived = _arrived(session, named - self._docs.keys())
        self._docs |= memories.docs(session, {each for ids in self._arrived.values() for each in ids})
        earlier = ledger.outcomes(session, {str(each.turn_id) for each in said}) if said else []
        self._earlier = [each for each in map(reported, earlier) if each]
        self._last = {each.turn_id: each for each in self._earlier}
        self._new: list[TurnOutcome] = []

    def append(self, batch: ledger.Batch, run: Run, outcome: TurnOutcome) -> Result:
        """Put an outcome behind the events before it, without what it says of memories that the owner does not have."""
        kept, refused = self._held(outcome)
        counts = {
            "used": len(kept.used) if kept else 0,
            "misled": len(kept.misled) if kept else 0,
            "refused": refused,
        }
        if kept is None:
            return _result(run, Outcome.IGNORED, "the scope has none of these memories", counts)
        if kept == self._last.get(kept.turn_id):
            return _result(run, Outcome.IGNORED, _AGAIN, counts)
        batch.add(evidence_of_outcome(run, kept))
        self._last[kept.turn_id] = kept
        self._new.append(kept)
        reason = f"{_SAID}; {refused} memories are not the scope's" if refused else _SAID
        return _result(run, Outcome.STORED, reason, counts)

    def learn(self, evidence: Sequence[Event], versions: Sequence[MemoryVersion]) -> None:
        """Know the episodes of a run of the burst, for the outcomes behind it."""
        if not self._are_there:
            return
        self._docs |= {version.memory_id: version.doc for version in versions}
        for event in evidence:
            key = (event.message_id or "", event.message_digest or "")
            before = message_id_on_its_way(event.tenant_id, event.stream, *key)
            made = [each.memory_id for each in versions if each.evidence[0].sequence == event.sequence]
            self._arrived |= {before: made} if made else {}

    def _held(self, outcome: TurnOutcome) -> tuple[TurnOutcome | None, int]:
        """What an outcome says of memories that the owner has, None if that is nothing; and how many it has not."""
        used, misled = (self._of(ids) for ids in (outcome.used, outcome.misled))
        refused = sum(each not in self._docs and each not in self._arrived for each in outcome.memories)
        if not (used or misled or outcome.corrected or outcome.abstained):
            return None, refused
        return replace(outcome, used=used, misled=tuple(each for each in misled if each not in used)), refused

    def _of(self, ids: Iterable[UUID]) -> tuple[UUID, ...]:
        found = (memory for each in ids for memory in self._arrived.get(each, [each]) if memory in self._docs)
        return tuple(dict.fromkeys(found))

    def write(self) -> None:
        """Bring the view up to what was appended: of the turns and memories that it names, and of no others."""
        if self._new:
            before = usefulness(self._earlier, self._docs)
            after = usefulness([*self._earlier, *self._new], self._docs)
            uses.change(self._session, before, after)


def _arrived(session: Session, ids: Collection[UUID]) -> dict[UUID, list[UUID]]:
    """The memories of messages that were on their way when they were recalled, by the ids that they had then."""
    if not ids:
        return {}
    owner, keys = session.owner, {}
    for row in ledger.message_keys(session, owner, newest=_LATELY):
        key = (row["message_id"], row["message_digest"])
        keys[message_id_on_its_way(session.tenant_id, stream_of(owner), *key)] = key
    wanted = {each: keys[each] for each in ids if each in keys}
    found = memories.of_messages(session, set(wanted.values())) if wanted else {}
    return {each: found[key] for each, key in wanted.items() if key in found}


def _result(run: Run, outcome: Outcome, reason: str, counts: dict[str, int]) -> Result:
    return Result(run_id=run.run_id, outcome=outcome, reason=reason, counts=counts)
