"""What an id means that was handed out: which messages of whose stream are to be forgotten.

Recall gives ids of memories, and of messages on their way; observe and receipts give ids of deliveries. Who may forget
what: all that is in a stream of one's own; in a room that one takes part in, what one has said oneself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from shared.accept.accept import unpack
from shared.belief.opening import entries_of, payload_of
from shared.contract.errors import NotFound
from shared.contract.events import Event, EventClass, Message, Run, memory_id, message_id_on_its_way
from shared.contract.ids import IdRange
from shared.contract.operations import ForgetPayload, WrittenEntry
from shared.contract.records import Span
from shared.contract.scope import Owner, Scope, room_owner, stream_of
from shared.store import inbox, ledger, memories, participants
from shared.store.db import Row, Session, also

_MOST_ON_THEIR_WAY: Final = 10_000
_MOST_LATELY: Final = 20_000
"""Messages of a stream that the id they had on their way is still known of: a third of a second's look-up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What is to be forgotten."""

    owner: Owner
    memory: UUID | None = None
    """A memory, with all that its text was made from; None for whole messages."""
    keys: frozenset[tuple[str, str]] = frozenset()
    """Id and digest of whole messages."""
    spans: tuple[Span, ...] = ()
    """Of a memory that is forgotten already: what its text was made from."""


def not_found() -> NotFound:
    """The one answer to an id of nobody's, of somebody else's, and of what is forgotten already."""
    return NotFound(
        "there is nothing with that id in this scope that could be forgotten: pass the id of a memory as recall gives "
        "it, or of a delivery as observe gives it; in a room one may forget what one has said oneself. What is "
        "forgotten already can still have its words erased, once (`--content`, `erase_content=True`)"
    )


def target(session: Session, ids: IdRange, rooms: Collection[Owner], *, with_forgotten: bool = False) -> Target:
    """What an id means to the session's owner, who takes part in `rooms`. Nothing is locked yet.

    With `with_forgotten`, also the id that a memory had before it was forgotten.

    Raises:
        NotFound: nothing of theirs.
        InvalidInput: the beginning of an id is that of several.
    """
    owners = (session.owner, *rooms)
    wide = replace(session, owners=owners)
    found = ids.only(memories.called(wide, ids.first, ids.last), "memories")
    if found:
        memory, owner = found
        return Target(owner=owner, memory=memory)
    delivery = inbox.called(wide, ids.first, ids.last)
    if delivery is not None:
        return Target(owner=Owner(delivery["user_id"]), keys=frozenset(inbox.messages_of(delivery).items()))
    for owner in owners:
        for message_id, digest in _messages_of(replace(session, owners=(owner,))):
            if ids.holds(message_id_on_its_way(session.tenant_id, stream_of(owner), message_id, digest)):
                return Target(owner=owner, keys=frozenset({(message_id, digest)}))
    gone = (_forgotten(replace(session, owners=(owner,)), ids) for owner in owners if with_forgotten)
    found_gone = next(filter(None, gone), None)
    if found_gone is None:
        raise not_found()
    return found_gone


def _forgotten(session: Session, ids: IdRange) -> Target | None:
    """What a memory of the session's owner was made from that is forgotten: a FORGET names it, an earlier event it."""
    for event in ledger.closing(session, session.owner, ids.begins):
        forget = payload_of(event)
        for memory in forget.closes if isinstance(forget, ForgetPayload) else ():
            if ids.holds(memory):
                spans = _founding(session, memory, event)
                return Target(owner=session.owner, memory=memory, spans=spans) if spans else None
    return None


def _founding(session: Session, memory: UUID, forget: Event) -> tuple[Span, ...]:
    """The evidence of the entry that opened a memory: it stands behind that evidence and before the FORGET."""
    payload = payload_of(forget)
    first = min(span.sequence for span in payload.spans) if isinstance(payload, ForgetPayload) else 0
    for event in ledger.read(session, session.owner, after=first, until=forget.sequence):
        for ordinal, entry in enumerate(entries_of(event) if event.event_class is EventClass.OPERATION else ()):
            if memory == memory_id(event.tenant_id, event.stream, event.sequence, ordinal):
                refs = entry.evidence if isinstance(entry, WrittenEntry) else (entry.evidence,)
                return tuple(ref.span for ref in refs)
    return ()


def _messages_of(session: Session) -> Iterator[tuple[str, str]]:
    """The keys of all messages of the session's owner, those first that are on their way or came last."""
    for row in inbox.fresh(session, limit=_MOST_ON_THEIR_WAY, longest_chars=2**31 - 1):
        run = read(row)
        yield from ((message.message_id, message.digest) for message in run.messages) if run else ()
    for row in ledger.message_keys(session, session.owner, newest=_MOST_LATELY):
        yield row["message_id"], row["message_digest"]


def read(row: Row) -> Run | None:
    """The run that an inbox row holds; None where it holds none, or nothing that can be read."""
    try:
        return unpack(row["payload"]) if row["payload"] is not None else None
    except ValueError:
        return None


def spoken_by(everything: Session, scope: Scope, room_id: str, speakers: Iterable[str | None]) -> set[str]:
    """Those of the speakers of a room that the scope's user is.

    A name that differs from the user's id by the case of letters alone is the user's, as it is at the front door; but
    not where another user of the room has it for an id.
    """
    own = scope.user_id
    likewise = {name for name in speakers if name and name != own and name.casefold() == own.casefold()}
    if likewise:
        likewise -= participants.among(also(everything, likewise), room_id, likewise)
    return {own, *likewise}


def rooms_of(session: Session) -> list[Owner]:
    """The rooms that the session's owner takes part in."""
    return [room_owner(each) for each in participants.rooms_of(session)]


def without(run: Run, gone: Collection[Message]) -> Run:
    """A run without some of its messages."""
    positions = {message.position for message in gone}
    return replace(run, messages=tuple(each for each in run.messages if each.position not in positions))
