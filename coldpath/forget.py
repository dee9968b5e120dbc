"""forget and erase: what must not be remembered is not, whoever is at work on it.

`forget` takes one memory, or one delivery, back: nothing rests on its evidence again. `erase` takes all that a user
has. Each is one transaction, after which no table, view or queue holds what is gone, and no worker, rebuild or retry
brings it back. What stays of an event is its header, so that the hash chain can be followed and a message that is
delivered again is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from coldpath import _forgetting as forgetting
from coldpath._forgetting import Gone
from coldpath._named import Target, not_found, read, rooms_of, spoken_by, target, without
from coldpath.erase import Erased, erase
from shared.accept.accept import pack
from shared.accept.evidence import session_of
from shared.contract.events import Message, Run
from shared.contract.ids import IdRange
from shared.contract.records import Span
from shared.contract.scope import AUDIT_OWNER, Owner, Scope, checked_scope, room_id_of
from shared.log import logger
from shared.store import inbox, ledger, memories, suppressions
from shared.store.db import Database, Role, Row, Session, also
from shared.store.ledger import Head

__all__ = ["Erased", "ForgetReceipt", "erase", "forget"]

_LOG: Final = logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetReceipt:
    """What a call of `forget` did."""

    tenant_id: str
    owner: Owner
    """Whose stream it was in: the user's, or a room's."""
    forgotten: tuple[UUID, ...]
    """The memories of which nothing is left; none where the messages were still on their way, or were forgotten before
    and have lost their words now."""
    revised: tuple[UUID, ...]
    """Memories that are held on with less to rest on."""
    messages: int
    """Messages on which nothing may rest any more, or not on a part of them."""
    erased: int
    """Events whose content is gone from the ledger."""
    sequence: int
    """Of the FORGET in the stream."""


def forget(
    database: Database,
    scope: Scope,
    memory_id: UUID | str,
    *,
    erase_content: bool = False,
    verified: AbstractSet[str] = frozenset(),
) -> ForgetReceipt:
    """Forget one memory, with everything made from what it was made from.

    `memory_id` is whatever id was handed out: a memory's or a message's from recall, a delivery's from observe or
    receipts; whole, or its first 12 digits or more. The words stay in the ledger, shown nowhere; with `erase_content`
    they go from there too, and since content goes by the message, so do all passages of a long one. What the same
    session said again word for word is forgotten with it, on its way or in the ledger. Once forgotten, the same words
    may be said again in a new message and are a new memory. What was forgotten before, and whose words are in the
    ledger, is found once more with `erase_content`. A scope that names an agent reaches what that agent may read.
    `verified` are the sources whose word makes a fact of what was concluded, by the settings.

    Raises:
        NotFound: the scope has nothing with that id, or somebody else said it in a room.
        InvalidInput: it is no id, or the beginning of several.
        DatabaseUnavailable: nothing has changed.
    """
    checked_scope(scope)
    ids = IdRange.of(memory_id)
    with database.transaction(Role.ERASER, scope.tenant_id, [scope.owner]) as session:
        rooms = rooms_of(session)
        everything = also(session, [*rooms, AUDIT_OWNER])
        own = replace(everything, owners=(scope.owner,), agent_id=scope.agent_id)
        named = target(own, ids, rooms, with_forgotten=erase_content)
        receipt = _forget(everything, scope, named, erase_content=erase_content, verified=verified)
        counts = {"memories": len(receipt.forgotten), "erased": receipt.erased}
        forgetting.write_down(everything, "forget", counts)
    _LOG.info("forget memories=%d erased=%d", len(receipt.forgotten), receipt.erased)
    return receipt


def _forget(
    everything: Session, scope: Scope, named: Target, *, erase_content: bool, verified: AbstractSet[str]
) -> ForgetReceipt:
    session = replace(everything, owners=(named.owner,))
    queued = _on_their_way(session)
    forgetting.hold_views(session)
    head = ledger.lock(session, named.owner)
    if named.memory is not None:
        spans = list(named.spans) or memories.founding(session, named.memory)
    else:
        spans, head = _whole_messages(everything, session, head, scope, named, queued)
    own = _own(everything, session, scope, named, spans)
    if named.memory is None or named.spans:
        own = _still_there(session, own, erase_content=erase_content)
    if not own:
        raise not_found()
    said_again = _said_again(session, own, queued)
    for _, run, messages in said_again:
        _, head = forgetting.hear(session, head, run, messages)
    gone = Gone()
    spans = [*own, *_echoes(session, own)]
    if erase_content:
        sequences = sorted({span.sequence for span in spans})
        effect, head = forgetting.erase_portion(session, head, sequences, gone, verified=verified)
        _rewrite(session, said_again)
    else:
        effect, head = forgetting.hide(session, head, spans, gone, verified=verified)
    ledger.advance(session, head)
    return ForgetReceipt(
        tenant_id=scope.tenant_id,
        owner=named.owner,
        forgotten=effect.forgotten,
        revised=tuple(opened.memory_id for _, opened in effect.revised),
        messages=len({span.sequence for span in spans}),
        erased=gone.rows["event_payload"],
        sequence=head.sequence,
    )


def _on_their_way(session: Session) -> list[tuple[Row, Run]]:
    """The owner's runs that are not in the ledger yet; their rows are locked."""
    runs = ((row, read(row)) for row in inbox.lock_all(session, unread=True))
    return [(row, run) for row, run in runs if run]


def _whole_messages(
    everything: Session, session: Session, head: Head, scope: Scope, named: Target, queued: Sequence[tuple[Row, Run]]
) -> tuple[list[Span], Head]:
    """The named messages as they stand in the ledger; what the scope may forget of those on their way comes there."""
    for _, run in queued:
        if not _is_read(scope, named.owner, run.scope.agent_id):
            continue
        messages = [each for each in run.messages if _key(each) in named.keys]
        own = _own_speakers(everything, session, scope, (each.speaker for each in messages))
        _, head = forgetting.hear(session, head, run, [each for each in messages if each.speaker in own])
    rows = ledger.with_digests(session, named.owner, {digest for _, digest in named.keys})
    found = [row["sequence"] for row in rows if (row["message_id"], row["message_digest"]) in named.keys]
    return [Span(sequence=sequence) for sequence in found], head


def _key(message: Message) -> tuple[str, str]:
    return message.message_id, message.digest


def _own(everything: Session, session: Session, scope: Scope, named: Target, spans: Sequence[Span]) -> list[Span]:
    """The stretches that the scope may forget: in a room, those that its user said. Of a memory, all or none."""
    events = {each.sequence: each for each in ledger.numbered(session, session.owner, _sequences(spans))}
    speakers = _own_speakers(everything, session, scope, (each.speaker for each in events.values()))
    # A held memory was looked up as the agent reads it, and may rest on what several agents have heard.
    is_held = named.memory is not None and not named.spans
    own = [
        span
        for span in spans
        for event in [events[span.sequence]]
        if event.speaker in speakers and (is_held or _is_read(scope, named.owner, event.agent_id))
    ]
    return [] if named.memory is not None and len(own) < len(spans) else own


def _is_read(scope: Scope, owner: Owner, agent_id: str | None) -> bool:
    """Whether the scope's agent reads what an agent has heard, as recall has it: in a room everybody's."""
    return scope.agent_id is None or room_id_of(owner) is not None or agent_id in {None, scope.agent_id}


def _own_speakers(
    everything: Session, session: Session, scope: Scope, speakers: Iterable[str | None]
) -> set[str | None]:
    """Those of the speakers whose words the scope may forget: all in a stream of one's own, in a room oneself."""
    speakers, room_id = set(speakers), room_id_of(session.owner)
    return speakers if room_id is None else speakers & spoken_by(everything, scope, room_id, speakers)


def _still_there(session: Session, spans: Sequence[Span], *, erase_content: bool) -> list[Span]:
    """The whole messages that are not forgotten yet, or have their content still where that is to go."""
    if erase_content:
        events = ledger.numbered(session, session.owner, _sequences(spans))
        left = {event.sequence for event in events if event.payload is not None}
    else:
        left = set(_sequences(spans)) - suppressions.wholly(session, _sequences(spans))
    return [span for span in spans if span.sequence in left]


def _sequences(spans: Sequence[Span]) -> list[int]:
    return sorted({span.sequence for span in spans})


def _echoes(session: Session, spans: Sequence[Span]) -> list[Span]:
    """The same stretches of what the session said again, word for word: no memory rests on it by which to forget it."""
    events = ledger.numbered(session, session.owner, _sequences(spans))
    digests = {event.sequence: event.message_digest for event in events}
    return [
        replace(span, sequence=sequence)
        for sequence, digest in ledger.echoes(session, session.owner, _sequences(spans))
        for span in spans
        if digests[span.sequence] == digest
    ]


def _said_again(
    session: Session, spans: Sequence[Span], queued: Sequence[tuple[Row, Run]]
) -> list[tuple[Row, Run, list[Message]]]:
    """The messages on their way that the same speaker said in the same session, word for word.

    What is to be forgotten must be in the ledger before: once it is known there, no worker makes a memory of it, and
    recall shows it no more.
    """
    events = ledger.numbered(session, session.owner, _sequences(spans))
    said = {(event.session_id, event.speaker, event.message_digest) for event in events}
    found = [
        (row, run, [each for each in run.messages if (session_of(run), each.speaker, each.digest) in said])
        for row, run in queued
    ]
    return [each for each in found if each[2]]


def _rewrite(session: Session, said_again: Sequence[tuple[Row, Run, Sequence[Message]]]) -> None:
    """Take messages out of runs that are on their way: their text must go."""
    for row, run, messages in said_again:
        inbox.rewrite(session, row["inbox_id"], pack(without(run, messages)))
