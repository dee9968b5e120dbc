"""A FORGET carried out on the tables: the event, what it suppresses, and all that must go with it.

The caller holds, in this order, the locks on the inbox rows that it touches, the shared locks on the views, and the
stream's lock: the order in which the stages of the warm path take theirs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final
from uuid import UUID

from coldpath._answered import quoting
from shared.accept.evidence import evidence_of
from shared.belief import forgetting
from shared.belief.forgetting import Effect
from shared.belief.state import State
from shared.contract.candidates import ANSWER
from shared.contract.events import OUTCOME, Event, EventClass, Message, NewEvent, Run
from shared.contract.operations import ForgetPayload, as_json
from shared.contract.records import Link, Span
from shared.contract.relations import SUPERSEDES
from shared.contract.scope import AUDIT_OWNER
from shared.language.indexing import indexed_of
from shared.store import (
    asked,
    candidates,
    decisions,
    generations,
    graph,
    ledger,
    links,
    memories,
    postings,
    profiles,
    recalls,
    reviews,
    suppressions,
    uses,
    vectors,
)
from shared.store.candidates import Proposed
from shared.store.db import Session
from shared.store.ledger import Head
from shared.store.resolving import resolve_without

PORTION: Final = 2_000
"""Evidence events that one FORGET names: some hundred kilobytes of payload."""


@dataclass(slots=True, kw_only=True)
class Gone:
    """What has gone so far."""

    memories: int = 0
    rows: dict[str, int] = field(default_factory=dict)
    """By table."""

    def count(self, **rows: int) -> None:
        """Add rows of tables."""
        for table, number in rows.items():
            self.rows[table] = self.rows.get(table, 0) + number


def hold_views(session: Session) -> None:
    """Take the shared locks on the views that there are; before any stream's lock."""
    for view in ("sparse", "dense", "graph", "profile"):
        if generations.of(session, view) is not None:
            generations.writing(session, view)


def hear(session: Session, head: Head, run: Run, messages: Iterable[Message]) -> tuple[list[Event], Head]:
    """Put messages of a run that is on its way into the ledger, those that are not there yet, only to be forgotten.

    Their identity stays behind in their events, so that nobody can deliver them again.
    """
    messages = list(messages)
    known = ledger.known_messages(session, head.stream, {message.digest for message in messages})
    new = [each for each in messages if (each.message_id, each.digest) not in known]
    return ledger.append(session, head, [evidence_of(run, each) for each in new])


def carry_out(
    session: Session,
    head: Head,
    part: State,
    payload: ForgetPayload,
    gone: Gone,
    *,
    verified: AbstractSet[str] = frozenset(),
) -> tuple[Effect, Head]:
    """Append a FORGET, and do to every table what it does to `part` (`shared.belief.forgetting.part_of`).

    What was claimed by what is forgotten is resolved anew, from all that is left: what it had ended is so again, what
    somebody else has said too is held in their words, and what counted for being confirmed by it alone waits again.
    """
    proposed = citing(session, part.evidence.values(), payload.spans)
    event, head = _append(session, head, payload, gone)
    effect = forgetting.effect(part, event)
    superseded = [each for each in links.of(session, effect.forgotten) if _supersedes(each, effect.forgotten)]
    _remove(session, part, effect, gone)
    docs = [opened.doc for _, opened in effect.revised]
    memories.close(session, [closed for closed, _ in effect.revised])
    memories.insert(session, [opened for _, opened in effect.revised])
    vectors.relink(session, docs)
    if any(part.evidence[span.sequence].kind == OUTCOME for span in payload.spans):
        uses.clear(session)
        uses.recount(session)
    _unpropose(session, proposed, gone)
    lost = [part.memories[memory][-1] for memory in effect.forgotten]
    revised = [opened for _, opened in effect.revised]
    return effect, resolve_without(
        session, head, forgotten=proposed, lost=lost, revised=revised, superseded=superseded, verified=verified
    )


def _supersedes(tie: Link, forgotten: Collection[UUID]) -> bool:
    return tie.relation == SUPERSEDES and tie.source in forgotten and tie.target not in forgotten


def citing(session: Session, evidence: Iterable[Event], spans: Iterable[Span]) -> list[Proposed]:
    """The candidates that rest on any of the stretches of the evidence; each is of its evidence's run."""
    spans = list(spans)
    runs = {event.run_id for event in evidence if event.run_id}
    return [
        each
        for each in (candidates.of_runs(session, runs) if runs else ())
        if any(ref.span.overlaps(span) for ref in each.candidate.evidence for span in spans)
    ]


def _unpropose(session: Session, proposed: Sequence[Proposed], gone: Gone) -> None:
    sequences = [each.sequence for each in proposed]
    if sequences:
        gone.count(review=reviews.remove(session, sequences), candidate=candidates.remove(session, sequences))
        gone.count(decision=decisions.remove(session, sequences))


def erase_all(session: Session, head: Head, gone: Gone) -> Head:
    """Forget every piece of evidence of the stream that has any content left, and erase all content that it holds.

    Nothing is left of the memories, so the views are cleared by the caller, at once.
    """
    evidence = [row["sequence"] for row in ledger.with_content(session, head.owner, EventClass.EVIDENCE)]
    derived = [row["sequence"] for row in ledger.with_content(session, head.owner, EventClass.DERIVATION)]
    if derived and not evidence:
        # All of it was forgotten before: one of its events is named again, by a FORGET that erases what is left.
        evidence = [span.sequence for span, _ in islice(suppressions.stored(session), 1)]
    if derived and not evidence:  # nothing was ever said that a FORGET could name
        head = asked.end(session, head, [each.number for each in asked.standing(session)])
    texts = ledger.writing_texts(session, head.owner)
    for portion in portions(evidence):
        part = forgetting.part_of(memories.resting_on(session, portion), ())
        payload = forgetting.erasure(part, texts, portion, reason="erasure")
        payload = also_erasing(payload, derived)
        _, head = _append(session, head, payload, gone)
        removed = memories.remove(session, payload.closes)
        gone.memories += len(payload.closes)
        gone.count(memory=removed.versions, memory_evidence=removed.evidence)
        texts = [event for event in texts if event.sequence not in set(payload.erased)]
        derived = []
    return head


def erase_some(
    session: Session, head: Head, evidence: Sequence[int], gone: Gone, *, verified: AbstractSet[str] = frozenset()
) -> Head:
    """Forget pieces of evidence of the stream, and erase their content and that of all that was made from it."""
    for portion in portions(evidence):
        _, head = erase_portion(session, head, portion, gone, verified=verified)
    return head


def erase_portion(
    session: Session,
    head: Head,
    evidence: Sequence[int],
    gone: Gone,
    *,
    verified: AbstractSet[str] = frozenset(),
    reason: str = "erasure",
) -> tuple[Effect, Head]:
    """As `erase_some`, in one FORGET, which says why."""
    events = ledger.numbered(session, head.owner, evidence)
    part = forgetting.part_of(memories.resting_on(session, evidence), events)
    texts = ledger.writing_texts(session, head.owner, after=min(evidence))
    payload = forgetting.erasure(part, texts, evidence, reason=reason)
    payload = also_erasing(payload, _derived_from(session, events, payload.spans))
    return carry_out(session, head, part, payload, gone, verified=verified)


def hide(
    session: Session, head: Head, spans: Sequence[Span], gone: Gone, *, verified: AbstractSet[str] = frozenset()
) -> tuple[Effect, Head]:
    """Forget stretches of evidence; their content stays in the ledger, and is shown nowhere again."""
    sequences = sorted({span.sequence for span in spans})
    events = ledger.numbered(session, head.owner, sequences)
    part = forgetting.part_of(memories.resting_on(session, sequences), events)
    payload = forgetting.forget(part, spans, reason="user_request")
    return carry_out(session, head, part, payload, gone, verified=verified)


def portions(sequences: Sequence[int]) -> Iterable[Sequence[int]]:
    """Sequences in order, as many at a time as one FORGET takes."""
    return (sequences[start : start + PORTION] for start in range(0, len(sequences), PORTION))


def also_erasing(payload: ForgetPayload, sequences: Collection[int]) -> ForgetPayload:
    """A FORGET that erases the content of further events."""
    return payload.model_copy(update={"erased": (*payload.erased, *sequences)})


def _derived_from(session: Session, evidence: Collection[Event], spans: Collection[Span]) -> list[int]:
    """What may quote the evidence: the candidates that rest on it, whole answers of models that were shown it, and
    questions that stand in its very words, with what a model answered to them.
    """
    runs = {event.run_id for event in evidence if event.run_id}
    answers = [event.sequence for event in ledger.derived(session, ANSWER, runs) if event.payload is not None]
    made = quoting(session, {event.sequence for event in evidence})
    questions = asked.quoting(session, evidence)
    replies = asked.answers_to(session, questions)
    return sorted(
        {*answers, *made, *questions, *replies, *(each.sequence for each in citing(session, evidence, spans))}
    )


def _append(session: Session, head: Head, payload: ForgetPayload, gone: Gone) -> tuple[Event, Head]:
    forget = NewEvent(event_class=EventClass.OPERATION, kind=payload.op, payload=as_json(payload))
    (event,), head = ledger.append(session, head, [forget])
    suppressions.write(session, payload.spans, by=event.sequence)
    gone.count(event_payload=ledger.erase_payloads(session, head.owner, payload.erased))
    return event, head


def _remove(session: Session, part: State, effect: Effect, gone: Gone) -> None:
    newest = [part.memories[memory][-1] for memory in effect.forgotten]
    removed = memories.remove(session, effect.forgotten)
    if newest:
        postings.remove(session, [indexed_of(version) for version in newest])
    gone.memories += len(newest)
    gone.count(
        memory=removed.versions,
        memory_evidence=removed.evidence,
        memory_vector=vectors.remove(session, [version.doc for version in newest]),
        mention=graph.remove(session, [version.doc for version in newest]),
        memory_use=uses.remove(session, effect.forgotten),
        memory_link=links.remove(session, effect.forgotten),
        review=reviews.forget_questions(session, effect.forgotten),
        recall_item=recalls.remove(session, effect.forgotten),
        profile=profiles.redo(session, newest),
    )


def write_down(everything: Session, kind: str, counts: Mapping[str, int]) -> None:
    """Note in the tenant's audit stream that something went, and how much; not whose, and not what."""
    session = replace(everything, owners=(AUDIT_OWNER,))
    event = NewEvent(event_class=EventClass.AUDIT, kind=kind, payload=dict(counts))
    _, head = ledger.append(session, ledger.lock(session, AUDIT_OWNER), [event])
    ledger.advance(session, head)
