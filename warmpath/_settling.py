"""What becomes of candidates: each is judged, and what passes becomes operations.

Whatever its verdict, it is written down with what it was decided by. A candidate that counts for a claim changes what
is believed through `shared.store.resolving`, however it was decided: at once, by a second piece of evidence, or by a
person. What has no claim to be compared by becomes a memory of its own, or one more piece of evidence for one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import Final
from uuid import UUID

from shared import metrics
from shared.belief.deciding import Said
from shared.belief.replacing import replacing
from shared.belief.rules.gate import judge
from shared.belief.rules.judging import Judgement
from shared.belief.unkeyed import opening
from shared.contract.events import event_id, memory_id
from shared.contract.operations import AddPayload, CorroboratePayload, Payload
from shared.contract.receipts import Stage
from shared.contract.records import Action, EpistemicType, MemoryVersion
from shared.settings import Settings
from shared.store import candidates, decisions, memories, reviews
from shared.store.beliefs import Draft
from shared.store.candidates import Proposed, Standing
from shared.store.resolving import resolve_claims
from shared.store.reviews import Review
from warmpath._around import Around
from warmpath._decided import DecidedBefore
from warmpath._policies import verified_sources
from warmpath._stated import held_again

_STANDINGS: Final = {
    Action.STORE: Standing.STORED,
    Action.CORROBORATE: Standing.STORED,
    Action.DEFER: Standing.DEFERRED,
    Action.REVIEW: Standing.REVIEW,
    Action.IGNORE: Standing.IGNORED,
}

Settled = Mapping[str, Mapping[str, int]]
"""How many candidates of each run were decided how."""


def settle(draft: Draft, waiting: Sequence[Proposed], settings: Settings) -> Settled:
    """Judge candidates of the stream's owner, in order, and do what is decided. Returns what came of them."""
    if not waiting:
        return {}
    judging = _Judging(draft, waiting, settings)
    for each in waiting:
        judging.take(each)
    judging.write_down()
    judging.carry_out()
    for action, rule in ((each.decision.action, each.decision.rule) for each in judging.judgements.values()):
        metrics.CANDIDATES.labels(action=action, rule=rule).inc()
    return judging.settled


def accept(draft: Draft, proposed: Proposed, verified: AbstractSet[str]) -> None:
    """Have a candidate count that somebody decided on, whatever the gate says; `verified` as for `resolve_claims`."""
    candidates.settle(draft.session, {proposed.sequence: (Standing.STORED, None)})
    if proposed.candidate.schema_name is not None:
        held_again(draft, proposed)
    if proposed.claim_key is not None:
        resolve_claims(draft, [proposed.claim_key], run_id=proposed.run_id, verified=verified)
    else:
        draft.do([], [added(proposed)], run_id=proposed.run_id)


def put_in_place(draft: Draft, counting: Iterable[Proposed]) -> None:
    """End the memories without a claim that some candidates were said in the place of, now that those count."""
    for each in counting:
        old = each.candidate.replaces
        if old is None:
            continue
        cited = {ref.sequence for ref in each.candidate.evidence}
        held = [*memories.versions(draft.session, [old]), *memories.resting_on(draft.session, cited)]
        now = draft.as_they_are(held)
        last = {version.memory_id: version for version in now}
        by = next((version for version in last.values() if version.is_open and _holds(version, each)), None)
        begins = each.candidate.since or each.said_at
        payload = replacing(last[old], by, begins) if by is not None and old in last else None
        draft.do(now, [payload] if payload else [], run_id=each.run_id)


def _holds(version: MemoryVersion, proposed: Proposed) -> bool:
    """Whether a memory says what a candidate says, and rests on what that does."""
    said, spans = Said.by(proposed.candidate), {ref.span for ref in version.evidence}
    is_belief = version.epistemic_type is not EpistemicType.EVIDENCE
    rests = all(ref.span in spans for ref in proposed.candidate.evidence)
    return is_belief and rests and said.says_what(Said.by(version))


class _Judging:
    """Candidates while they are decided on: each is judged by what those before it have come to."""

    def __init__(self, draft: Draft, waiting: Sequence[Proposed], settings: Settings) -> None:
        self._draft = draft
        self._session = draft.session
        self._head = draft.head
        self._waiting = waiting
        self._around = Around(draft, waiting, settings)
        self._decided = DecidedBefore(draft.session, [*waiting])
        self._verified = verified_sources(settings)
        self.judgements: dict[int, Judgement] = {}
        self._standings: dict[int, tuple[Standing, datetime | None]] = {}
        self._touched: set[str] = set()
        self._operations: list[Payload] = []
        self._named: set[UUID] = set()
        self._counted: list[Proposed] = []

    @property
    def settled(self) -> Settled:
        """See `settle`."""
        counts: dict[str, Counter[str]] = {}
        for each in self._waiting:
            counts.setdefault(each.run_id, Counter())[self.judgements[each.sequence].decision.action] += 1
        return counts

    def take(self, proposed: Proposed) -> None:
        """Judge one, and plan what it comes to."""
        judgement = self._decided.over(proposed, judge(proposed.candidate, self._around.context(proposed)))
        self.judgements[proposed.sequence] = judgement
        standing = _STANDINGS[judgement.decision.action]
        self._standings[proposed.sequence] = (standing, judgement.due_at(self._head.recorded_at))
        if standing is Standing.DEFERRED:
            self._around.defer(proposed)
        if standing is Standing.STORED:
            self._count(proposed, judgement)

    def write_down(self) -> None:
        """Write what was decided, by what, and what waits for whom."""
        at = self._head.recorded_at
        decided = [(sequence, each.decision) for sequence, each in self.judgements.items()]
        fields = {sequence: each.fields for sequence, each in self.judgements.items()}
        decisions.write(self._session, Stage.GATE, decided, at=at, fields=fields)
        candidates.settle(self._session, self._standings)
        reviews.insert(self._session, [self._review(each) for each in self._waiting if self._asks(each)])

    def carry_out(self) -> None:
        """Bring what is believed to what was decided."""
        run_id = _shared(each.run_id for each in self._waiting)
        held = [version for each in self._named for version in self._around.versions(each)]
        self._draft.do(held, self._operations, run_id=run_id)
        resolve_claims(self._draft, self._touched, run_id=run_id, verified=self._verified)
        put_in_place(self._draft, self._counted)

    def _count(self, proposed: Proposed, judgement: Judgement) -> None:
        """Have a candidate count, and with it one that waited for another piece of evidence."""
        confirmed = self._around.deferred(judgement.subject)
        for each in filter(None, (confirmed, proposed)):
            self._standings[each.sequence] = (Standing.STORED, None)
            self._counted.append(each)
            if each.claim_key is not None:
                self._touched.add(each.claim_key)
        if proposed.claim_key is not None:
            return
        if judgement.decision.action is Action.CORROBORATE:
            subject = judgement.subject if confirmed is None else self._open(confirmed)
            self._confirm(subject, proposed, judgement)
        else:
            self._open(proposed)

    def _open(self, proposed: Proposed) -> UUID:
        """Plan a memory of its own for what has no claim; returns the id that it will have."""
        place = self._head.sequence + len(self._operations) + 1
        self._operations.append(added(proposed))
        memory = memory_id(self._session.tenant_id, self._head.stream, place, 0)
        self._around.open(memory, proposed)
        return memory

    def _confirm(self, subject: UUID | int | None, proposed: Proposed, judgement: Judgement) -> None:
        """Plan one more piece of evidence for a memory that says the same, unless it rests on it already."""
        basis = self._around.basis(subject)
        if basis is None or not isinstance(subject, UUID):
            return
        evidence = basis.lacking(proposed.candidate.evidence, independent=judgement.independent)
        if not evidence:
            return
        confidence = basis.confirmed_by(proposed.candidate.confidence, independent=judgement.independent)
        self._operations.append(
            CorroboratePayload(reason="said_again", memory=subject, evidence=evidence, confidence=confidence)
        )
        basis.add(evidence, confidence)
        self._named.add(subject)

    def _asks(self, proposed: Proposed) -> bool:
        return self.judgements[proposed.sequence].decision.action is Action.REVIEW

    def _review(self, proposed: Proposed) -> Review:
        judgement, at = self.judgements[proposed.sequence], self._head.recorded_at
        return Review(
            review_id=event_id(self._session.tenant_id, self._head.stream, proposed.sequence),
            sequence=proposed.sequence,
            policy=judgement.decision.rule,
            reviewer=None,
            asked_at=at,
            due_at=judgement.due_at(at) or at,
        )


def added(proposed: Proposed) -> AddPayload:
    """The operation that opens a memory for a candidate without a claim."""
    return opening(proposed.candidate, proposed.said_at)


def _shared(run_ids: Iterable[str]) -> str | None:
    found = set(run_ids)
    return found.pop() if len(found) == 1 else None
