"""What each operation does to a stream's memories.

A function an operation: it checks that the operation can follow, then changes the draft. A memory that is missing (its
text is gone from the ledger) is passed over; what the operation does to the others stands.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any
from uuid import UUID

from shared.belief.opening import cited, damaged, entries_of, opened, payload_of, session_of
from shared.belief.state import Draft, Numbered, Versions, founding
from shared.contract import operations as op
from shared.contract.events import Event, memory_id
from shared.contract.records import EpistemicType, EvidenceRef, Forgotten, MemoryVersion, Operation, Span, Tier
from shared.contract.relations import ABSTRACTS, SUPERSEDES


def open_entries(draft: Draft, event: Event) -> None:
    """ADD, ABSTRACT: open memories. What is erased of them takes its number and goes missing."""
    versions = {version.ordinal: version for version in opened(event, draft.evidence, draft.docs + 1, draft.sessions)}
    # Without its payload an event stands for one memory that is no episode: an ADD of episodes holds no text and keeps
    # its payload.
    for ordinal, entry in enumerate(entries_of(event) or (None,)):
        draft.docs += 1
        session_id = session_of(event, entry, draft.evidence) if entry else None
        if session_id is not None:
            draft.join(session_id)
        version = versions.get(ordinal)
        if version:
            _check_unsuppressed(draft, event, version.evidence)
            draft.memories[version.memory_id] = (version,)
        else:
            memory = memory_id(event.tenant_id, event.stream, event.sequence, ordinal)
            draft.missing[memory] = Numbered(doc=draft.docs, session_id=session_id)
    if event.payload is not None:
        _tie_to_sources(draft, event, payload_of(event))


def change(draft: Draft, event: Event, payload: op.Payload) -> None:  # noqa: C901 - one case an operation
    """Every other operation."""
    match payload:
        case op.CorroboratePayload():
            corroborate(draft, event, payload)
        case op.SupersedePayload():
            supersede(draft, event, payload)
        case op.EndPayload():
            draft.revise(event, payload.memory, valid_to=payload.valid_to)
            _forget_ends(draft, payload)
        case op.ClosePayload():
            draft.close(event, payload.memory)
        case op.MergePayload():
            merge(draft, event, payload)
        case op.LinkPayload():
            draft.tie(event, payload.source, payload.relation, payload.target, score=payload.score, via=payload.via)
        case op.UnlinkPayload():
            draft.untie(event, (payload.link, payload.source, payload.relation, payload.target))
        case op.StandingPayload():
            restand(draft, event, payload)
        case op.ForgetPayload():
            forget(draft, event, payload)
        case op.ReopenPayload():
            reopen(draft, event, payload)
        case op.RestorePayload():
            restore(draft, event, payload)
        case op.AddPayload() | op.AbstractPayload():
            open_entries(draft, event)


def corroborate(draft: Draft, event: Event, payload: op.CorroboratePayload) -> None:
    """More evidence for the same text. Only independent evidence makes it more certain; its trust does not change."""
    _check_citable(draft, event, payload.evidence)
    version = draft.current(event, payload.memory)
    if version is None:
        return
    if not _new(version, payload.evidence):
        raise damaged(event, f"memory {payload.memory} rests on this evidence already")
    draft.revise(event, payload.memory, **_confirmed(event, version, payload))


def supersede(draft: Draft, event: Event, payload: op.SupersedePayload) -> None:
    """The old one is held on as ended, by a new version, beside the one that has its place."""
    draft.current(event, payload.by)
    draft.revise(event, payload.memory, valid_to=payload.valid_to)
    _forget_ends(draft, payload)
    draft.tie(event, payload.by, SUPERSEDES, payload.memory)


def merge(draft: Draft, event: Event, payload: op.MergePayload) -> None:
    """Close the absorbed and hand their evidence over, which confirms as any other does. No world time changes."""
    _check_citable(draft, event, payload.evidence)
    kept = draft.current(event, payload.memory)
    for absorbed in payload.absorbed:
        draft.close(event, absorbed)
        draft.tie(event, payload.memory, "absorbs", absorbed)
    if kept:
        draft.revise(event, payload.memory, **_confirmed(event, kept, payload))


def restand(draft: Draft, event: Event, payload: op.StandingPayload) -> None:
    """PROMOTE, DEMOTE: another footing, never against the operation's direction."""
    behind = draft.current(event, payload.behind) if payload.behind else None
    for memory in payload.memories:
        version = draft.current(event, memory)
        if version:
            if behind:
                _check_behind(event, version, behind)
            _restand(draft, event, version, payload)


def _restand(draft: Draft, event: Event, version: MemoryVersion, payload: op.StandingPayload) -> None:
    confidence = version.confidence if payload.confidence is None else payload.confidence
    rise = confidence - version.confidence
    if (rise < 0) if payload.op is Operation.PROMOTE else (rise > 0):
        raise damaged(event, f"a {payload.op} does not move confidence from {version.confidence} to {confidence}")
    draft.revise(
        event,
        version.memory_id,
        kind=payload.kind or version.kind,
        epistemic_type=payload.epistemic_type or version.epistemic_type,
        confidence=confidence,
        tier=payload.tier or (Tier.HOT if payload.op is Operation.PROMOTE else version.tier),
    )


def _check_behind(event: Event, version: MemoryVersion, behind: MemoryVersion) -> None:
    """That what goes into the cold tier stays reachable: through a summary that cites all that it rests on."""
    if behind.epistemic_type is EpistemicType.EVIDENCE or behind.memory_id == version.memory_id:
        raise damaged(event, f"memory {behind.memory_id} is no summary that anything could stand behind")
    if not {ref.span for ref in version.evidence} <= {ref.span for ref in behind.evidence}:
        raise damaged(event, f"memory {behind.memory_id} does not rest on all that memory {version.memory_id} rests on")


def reopen(draft: Draft, event: Event, payload: op.ReopenPayload) -> None:
    """Hold a closed memory again, or move the end of an ended one; on what of its evidence still stands."""
    versions = draft.versions(event, payload.memory)
    if versions is None:
        return
    if payload.stays:
        _forget_ends(draft, payload)
        return
    last = versions[-1]
    if last.is_open and last.valid_to == payload.valid_to:
        raise damaged(event, f"memory {payload.memory} is open and has that end already")
    if last.is_open:
        draft.close(event, payload.memory)
    draft.follow(event, last, valid_to=payload.valid_to, **_without_suppressed(draft, versions))
    _forget_ends(draft, payload)


def _forget_ends(draft: Draft, payload: op.SupersedePayload | op.EndPayload | op.ReopenPayload) -> None:
    """Where what had told of an end is forgotten, the end goes with it, also from versions that are held no more."""
    versions = draft.memories.get(payload.memory)
    if payload.forgets and versions:
        draft.memories[payload.memory] = tuple(
            each if each.valid_to is None else replace(each, valid_to=payload.valid_to) for each in versions
        )


def restore(draft: Draft, event: Event, payload: op.RestorePayload) -> None:
    """Hold a memory as it was in an earlier version, open or closed meanwhile; nothing forgotten comes back."""
    versions = draft.versions(event, payload.memory)
    if versions is None:
        return
    last = versions[-1]
    if payload.version > last.version or (payload.version == last.version and last.is_open):
        raise damaged(event, f"memory {payload.memory} has no version {payload.version} to go back to")
    if last.is_open:
        draft.close(event, payload.memory)
    then = versions[payload.version - 1]
    footing = {name: getattr(then, name) for name in ("kind", "epistemic_type", "valid_to", "tier")}
    draft.follow(event, last, **footing, **_without_suppressed(draft, versions[: payload.version]))


def forget(draft: Draft, event: Event, payload: op.ForgetPayload) -> None:
    """Suppress stretches of evidence, forget what was made from them, and take them from what they only confirmed."""
    cited(event, (EvidenceRef(sequence=span.sequence) for span in payload.spans), draft.evidence)
    for span in payload.spans:
        draft.suppressed[span.sequence] = {span: event.sequence, **draft.suppressed.get(span.sequence, {})}
        draft.outcomes.pop(span.sequence, None)
    # Those alone: of no other memory has anything changed since its last operation.
    touched = draft.touching({*payload.erased, *(span.sequence for span in payload.spans)})
    _erase(draft, event, payload, touched)
    for memory in payload.closes:
        _forget_memory(draft, event, memory)
    gone = set(payload.closes)
    draft.links = {place: link for place, link in draft.links.items() if not {link.source, link.target} & gone}
    for memory in touched:
        if memory not in gone:
            _take_away(draft, event, draft.memories[memory])


def _erase(draft: Draft, event: Event, payload: op.ForgetPayload, touched: Iterable[UUID]) -> None:
    for sequence in payload.erased:
        if sequence >= event.sequence:
            raise damaged(event, f"it says that event {sequence} was erased, which is not before it")
        if sequence in draft.evidence:
            if Span(sequence=sequence) not in draft.suppressed.get(sequence, {}):
                raise damaged(event, f"it erases evidence {sequence} and does not forget the whole of it")
            draft.evidence[sequence] = replace(draft.evidence[sequence], payload=None)
    draft.unexplained -= set(payload.erased)
    for memory in touched:
        _check_erasure(event, draft.memories[memory][0], payload)


def _check_erasure(event: Event, first: MemoryVersion, payload: op.ForgetPayload) -> None:
    """That a written text goes with its evidence, and that no operation's payload goes which others need."""
    written = first.epistemic_type is not EpistemicType.EVIDENCE
    erased = set(payload.erased)
    if first.opened_by in erased and not (written and first.memory_id in payload.closes):
        raise damaged(event, f"it erases operation {first.opened_by} and leaves memory {first.memory_id}")
    if written and first.opened_by not in erased and any(ref.sequence in erased for ref in first.evidence):
        raise damaged(event, f"it erases evidence and leaves the text made from it, in operation {first.opened_by}")


def _forget_memory(draft: Draft, event: Event, memory: UUID) -> None:
    versions = draft.versions(event, memory)
    known = Numbered.of(versions[0]) if versions else draft.missing.pop(memory)
    if known.session_id is not None:
        draft.leave(known.session_id)
    draft.memories.pop(memory, None)
    draft.forgotten[memory] = Forgotten(
        memory_id=memory, doc=known.doc, closed_at=event.recorded_at, closed_by=event.sequence
    )


def _take_away(draft: Draft, event: Event, versions: Versions) -> None:
    last = versions[-1]
    _check_unsuppressed(draft, event, founding(versions))
    if last.is_open and len(draft.standing(last.evidence)) < len(last.evidence):
        draft.revise(event, last.memory_id, **_without_suppressed(draft, versions))


def _without_suppressed(draft: Draft, versions: Versions) -> Any:
    """What a memory rests on once forgotten evidence is taken away, and how certain it was on no more than that."""
    last = versions[-1]
    standing = draft.standing(last.evidence)
    before = [version.confidence for version in versions if set(version.evidence) <= set(standing)]
    return {"evidence": standing, "confidence": min(last.confidence, before[-1])}


def _tie_to_sources(draft: Draft, event: Event, payload: op.Payload) -> None:
    if not isinstance(payload, op.AbstractPayload):
        return
    made = memory_id(event.tenant_id, event.stream, event.sequence, 0)
    own = {ref.span for ref in payload.entry.evidence}
    for memory in payload.sources:
        source = draft.current(event, memory)
        # A text made from others must go when their evidence goes, so it has to rest on all of it.
        if source and not {ref.span for ref in source.evidence} <= own:
            raise damaged(event, f"it abstracts memory {memory} and does not rest on all of its evidence")
        draft.tie(event, made, ABSTRACTS, memory)


def _check_citable(draft: Draft, event: Event, refs: Iterable[EvidenceRef]) -> None:
    refs = tuple(refs)
    cited(event, refs, draft.evidence)
    _check_unsuppressed(draft, event, refs)


def _check_unsuppressed(draft: Draft, event: Event, refs: tuple[EvidenceRef, ...]) -> None:
    standing = draft.standing(refs)
    for ref in refs:
        if ref not in standing:
            raise damaged(event, f"a text rests on evidence {ref.sequence}, which is forgotten")


def _new(version: MemoryVersion, refs: Iterable[EvidenceRef]) -> list[EvidenceRef]:
    known = {ref.span for ref in version.evidence}
    return [ref for ref in refs if ref.span not in known]


def _confirmed(event: Event, version: MemoryVersion, payload: op.CorroboratePayload | op.MergePayload) -> Any:
    """What a memory rests on with the evidence of a payload, and how certain it is then."""
    confidence = version.confidence if payload.confidence is None else payload.confidence
    if confidence > version.confidence and not any(ref.independent for ref in _new(version, payload.evidence)):
        raise damaged(event, "an echo makes nothing more certain")
    return {"evidence": _union(version.evidence, payload.evidence), "confidence": confidence}


def _union(old: Iterable[EvidenceRef], new: Iterable[EvidenceRef]) -> tuple[EvidenceRef, ...]:
    """Each stretch once; how it was first cited stands."""
    by_span: dict[Span, EvidenceRef] = {}
    for ref in (*old, *new):
        by_span.setdefault(ref.span, ref)
    return tuple(by_span.values())
