"""How a memory begins. Writing and replaying both go through `opened`, so they cannot differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Final, NamedTuple

from shared.contract.errors import LedgerDamaged
from shared.contract.events import Event, EventClass, Role, memory_id
from shared.contract.operations import (
    AbstractPayload,
    AddPayload,
    Entry,
    Payload,
    VerbatimEntry,
    WrittenEntry,
    parsed,
)
from shared.contract.records import Action, Decision, EpistemicType, EvidenceRef, Kind, MemoryVersion, Operation
from shared.contract.trust import TRUST
from shared.language.indexing import passages

EPISODE_CONFIDENCE: Final = 1.0
"""It is certain that it was said. Whether it is so is another matter: see `trust`."""
OPENING: Final = frozenset({Operation.ADD, Operation.ABSTRACT})
"""The operations that open memories. With its payload erased, such an event stands for one memory."""


def add_episodes(evidence: Sequence[tuple[Event, Decision]]) -> AddPayload | None:
    """The one ADD that opens the episodes of a run's admitted events, in the order given; None if none was.

    An event gives one episode, or one for each passage of a long text, citing its span. Append the ADD after the
    evidence, in the same transaction, as an operation event of kind `add`.
    """
    entries = tuple(
        VerbatimEntry(evidence=ref)
        for event, decision in evidence
        if decision.action is Action.STORE
        for ref in _passages(event)
    )
    return AddPayload(reason="admitted", entries=entries) if entries else None


def _passages(event: Event) -> list[EvidenceRef]:
    spans = passages((event.payload or {}).get("text", ""))
    if len(spans) == 1:
        return [EvidenceRef(sequence=event.sequence)]
    return [EvidenceRef(sequence=event.sequence, start=start, end=end) for start, end in spans]


def opened(
    event: Event, evidence: Mapping[int, Event], first_doc: int, sessions: Mapping[str, int]
) -> list[MemoryVersion]:
    """The memories that an ADD or ABSTRACT event opens, in order of their ordinals.

    `evidence` holds at least the events cited, by sequence; entry n gets document number `first_doc + n`. An entry
    whose text has been erased keeps its number and is left out. `sessions` holds the numbers of the sessions begun
    before (`MemoryVersion.session_doc`), by session id; an episode of another begins it.

    Raises:
        LedgerDamaged: the payload is not an operation that opens, what it cites is not evidence written before it, a
            span lies outside the text, or a written text has outlived the evidence it was made from.
    """
    begun: dict[str, int] = {}
    versions = []
    for ordinal, entry in enumerate(entries_of(event)):
        doc, session_id = first_doc + ordinal, session_of(event, entry, evidence)
        first = doc if session_id is None else sessions.get(session_id) or begun.setdefault(session_id, doc)
        versions.append(_first_version(event, entry, evidence, _Numbers(ordinal, doc, first)))
    return [version for version in versions if version]


def session_of(event: Event, entry: Entry, evidence: Mapping[int, Event]) -> str | None:
    """The session that an entry's memory is numbered with: an episode's, if it has one. Known after an erasure too.

    Raises:
        LedgerDamaged: what an episode cites is not evidence written before it.
    """
    if not isinstance(entry, VerbatimEntry):
        return None
    [source] = cited(event, (entry.evidence,), evidence)
    return source.session_id


def entries_of(event: Event) -> Sequence[Entry]:
    """What an operation event opens; nothing where its payload is gone or the operation opens none."""
    if event.payload is None:
        return ()
    payload = payload_of(event)
    if isinstance(payload, AbstractPayload):
        return (payload.entry,)
    return payload.entries if isinstance(payload, AddPayload) else ()


def payload_of(event: Event) -> Payload:
    """The payload of an operation event, read and compared with the event's kind.

    Raises:
        LedgerDamaged: there is none, it cannot be read, or it is of another operation.
    """
    try:
        payload = parsed(event.payload or {})
    except ValueError as error:
        raise damaged(event, f"its payload cannot be read: {error}") from error
    if payload.op != event.kind:
        raise damaged(event, f"it is of kind {event.kind!r} and holds {payload.op.value!r}")
    return payload


def cited(event: Event, refs: Iterable[EvidenceRef], evidence: Mapping[int, Event]) -> list[Event]:
    """The evidence events that an operation cites.

    Raises:
        LedgerDamaged: there is no such event before the operation, or it is not of class evidence.
    """
    sources = []
    for ref in refs:
        source = evidence.get(ref.sequence)
        if source is None or source.event_class is not EventClass.EVIDENCE or source.sequence >= event.sequence:
            raise damaged(event, f"it cites {ref.sequence}, which is not evidence written before it")
        sources.append(source)
    return sources


def damaged(event: Event, reason: str) -> LedgerDamaged:
    """The error for an event that cannot follow from what comes before it in its stream."""
    msg = f"event {event.sequence} of stream {event.stream!r} cannot be followed: {reason}; run `daybook verify`"
    return LedgerDamaged(msg, stream=event.stream, sequence=event.sequence)


class _Numbers(NamedTuple):
    ordinal: int
    doc: int
    session_doc: int


def _first_version(
    event: Event, entry: Entry, evidence: Mapping[int, Event], numbers: _Numbers
) -> MemoryVersion | None:
    refs = (entry.evidence,) if isinstance(entry, VerbatimEntry) else entry.evidence
    sources = cited(event, refs, evidence)
    erased = any(source.payload is None for source in sources)
    if isinstance(entry, VerbatimEntry):
        return None if erased else _episode(event, entry, sources[0], numbers)
    if erased:
        raise damaged(event, "its text has outlived the evidence it was made from")
    return _written(event, entry, sources, numbers)


def _episode(event: Event, entry: VerbatimEntry, source: Event, numbers: _Numbers) -> MemoryVersion:
    return MemoryVersion(
        memory_id=memory_id(event.tenant_id, event.stream, event.sequence, numbers.ordinal),
        version=1,
        kind=Kind.EPISODIC,
        epistemic_type=EpistemicType.EVIDENCE,
        text=_text(event, entry.evidence, source),
        speaker=source.speaker,
        role=_role(event, source.actor_role),
        origin=source.origin,
        trust=TRUST[source.origin],
        session_id=source.session_id,
        agent_id=source.agent_id,
        run_id=source.run_id,
        doc=numbers.doc,
        session_doc=numbers.session_doc,
        valid_from=source.occurred_at,
        valid_to=None,
        recorded_at=event.recorded_at,
        opened_by=event.sequence,
        ordinal=numbers.ordinal,
        evidence=(entry.evidence,),
        confidence=EPISODE_CONFIDENCE,
        importance=_importance((source,)),
    )


def _written(event: Event, entry: WrittenEntry, sources: list[Event], numbers: _Numbers) -> MemoryVersion:
    least_trusted = min(sources, key=lambda source: TRUST[source.origin])
    return MemoryVersion(
        memory_id=memory_id(event.tenant_id, event.stream, event.sequence, numbers.ordinal),
        version=1,
        kind=entry.kind,
        epistemic_type=entry.epistemic_type,
        text=entry.text,
        speaker=_shared(sources, "speaker"),
        role=_role(event, _shared(sources, "actor_role")),
        origin=least_trusted.origin,
        trust=TRUST[least_trusted.origin],
        session_id=_shared(sources, "session_id"),
        agent_id=_shared(sources, "agent_id"),
        run_id=_shared(sources, "run_id"),
        doc=numbers.doc,
        session_doc=numbers.session_doc,
        valid_from=entry.valid_from,
        valid_to=entry.valid_to,
        recorded_at=event.recorded_at,
        opened_by=event.sequence,
        ordinal=numbers.ordinal,
        evidence=entry.evidence,
        claim=entry.claim,
        confidence=entry.confidence,
        schema_name=entry.schema_name,
        data=entry.data,
        importance=_importance(sources),
    )


def _text(event: Event, ref: EvidenceRef, source: Event) -> str:
    text = (source.payload or {}).get("text")
    if not isinstance(text, str):
        raise damaged(event, f"evidence {source.sequence} has no text")
    if ref.end is not None and ref.end > len(text):
        raise damaged(event, f"it cites characters up to {ref.end} of evidence {source.sequence}, of {len(text)}")
    return text[ref.start : ref.end]


def _importance(sources: Sequence[Event]) -> float | None:
    """The greatest that an app gave any of them."""
    told = [source.payload.get("importance") for source in sources if source.payload]
    return max((each for each in told if isinstance(each, float)), default=None)


def _shared(sources: list[Event], name: str) -> str | None:
    values: set[str | None] = set(map(attrgetter(name), sources))
    return values.pop() if len(values) == 1 else None


def _role(event: Event, value: str | None) -> Role | None:
    try:
        return Role(value) if value else None
    except ValueError as error:
        raise damaged(event, f"{value!r} is not a role") from error
