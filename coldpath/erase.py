"""erase: everything of a user, out of every table and off the way there.

Locks are taken in one order everywhere: rows of the inbox by acceptance, views, streams by name, and the audit stream,
in which nobody waits for another, last.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from coldpath import _forgetting as forgetting
from coldpath._forgetting import Gone
from coldpath._named import read, rooms_of, spoken_by, without
from shared.accept import spool
from shared.accept.accept import pack, unpack
from shared.contract.errors import InvalidScope, NotFound
from shared.contract.events import EventClass
from shared.contract.scope import AUDIT_OWNER, TENANT_OWNER, Owner, Scope, checked_scope, room_id_of, stream_of
from shared.log import logger
from shared.settings import names_of
from shared.store import (
    batches,
    candidates,
    communities,
    decisions,
    generations,
    graph,
    inbox,
    ledger,
    links,
    measures,
    memories,
    participants,
    postings,
    profiles,
    recalls,
    receipts,
    reviews,
    uses,
    vectors,
)
from shared.store.db import Database, Role, Row, Session, also
from shared.store.ledger import Head

if TYPE_CHECKING:
    from shared.settings import Settings

_LOG: Final = logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """What a call of `erase` did."""

    tenant_id: str
    owner: Owner
    memories: int
    """Memories of the owner's stream of which nothing is left."""
    in_rooms: int
    """Memories of rooms that rested on what the user had said there."""
    rows: Mapping[str, int] = field(default_factory=dict)
    """Rows that went, by table."""
    spooled: int = 0
    """Runs on this machine's disk that are gone, or hold less."""


def erase(database: Database, scope: Scope, settings: Settings | None = None) -> Erased:
    """Erase everything of the scope's user: in the ledger, in every table made from it, and what is still on its way.

    In the rooms that the user takes part in, what the user said goes, and the user takes part in them no more. Of a
    tenant-wide scope, what the whole tenant shares goes. An agent that sends an erased run once more gets a receipt,
    and nothing comes back. With `settings`, it also goes from the runs that this machine keeps on its disk, and what is
    left of a room is resolved by the sources that are verified.

    Raises:
        InvalidScope: the scope is none, or names an agent or a session: an erasure is of a whole user.
        NotFound: nothing is known of the user, and nothing has changed.
        DatabaseUnavailable: nothing in the database has changed.
        SpoolFailed: nor has it, and a file on the disk could not be read or written.
    """
    checked_scope(scope)
    if scope.agent_id is not None or scope.session_id is not None:
        raise InvalidScope("an erasure is of a whole user: pass a scope without agent_id and session_id")
    verified = frozenset(names_of(settings.verified_sources)) if settings else frozenset[str]()
    own = Gone()
    in_rooms = Gone(rows=own.rows)
    with database.transaction(Role.ERASER, scope.tenant_id, [scope.owner]) as session:
        rooms = rooms_of(session)
        everything = also(session, [*rooms, AUDIT_OWNER])
        of = {owner: replace(everything, owners=(owner,)) for owner in (scope.owner, *rooms)}
        # Before the inbox is looked at: what another process sends meanwhile is seen there.
        spooled = spool.erase(settings, _left_of(scope)) if settings else 0
        queued = {owner: inbox.lock_all(of[owner], unread=owner != scope.owner) for owner in sorted(of)}
        forgetting.hold_views(session)
        for owner in sorted(of, key=stream_of):
            if owner == scope.owner:
                _erase_stream(of[owner], queued[owner], own)
            else:
                _erase_in_room(everything, of[owner], scope, queued[owner], in_rooms, verified)
        own.count(participant=participants.clear(of[scope.owner]))
        if not (spooled or any(own.rows.values()) or ledger.end_of(everything, scope.owner)):
            raise _unknown(scope)
        forgetting.write_down(
            everything, "erase", {"memories": own.memories, "in_rooms": in_rooms.memories, **own.rows}
        )
    _LOG.info("erase memories=%d in_rooms=%d", own.memories, in_rooms.memories)
    return Erased(
        tenant_id=scope.tenant_id,
        owner=scope.owner,
        memories=own.memories,
        in_rooms=in_rooms.memories,
        rows=own.rows,
        spooled=spooled,
    )


def _unknown(scope: Scope) -> NotFound:
    whose = "what the whole tenant shares" if scope.owner == TENANT_OWNER else f"user {scope.owner!r}"
    msg = f"nothing is known of {whose} of tenant {scope.tenant_id!r}: nothing was erased; ids are compared exactly"
    return NotFound(msg, tenant=scope.tenant_id, user=scope.owner)


def _left_of(scope: Scope) -> Callable[[str], str | None]:
    """What an erasure leaves of a run on its way: nothing of a user's own, of a room's what others have said."""

    def left(payload: str) -> str | None:
        try:
            run = unpack(payload)
        except ValueError:
            return payload
        if run.scope.tenant_id != scope.tenant_id:
            return payload
        if run.owner == scope.owner:
            return None
        if run.outcome is not None and run.scope.user_id == scope.user_id:
            return None
        said = [each for each in run.messages if run.room_id and each.speaker == scope.user_id]
        if not said:
            return payload
        return None if len(said) == len(run.messages) else pack(without(run, said))

    return left


def _erase_stream(session: Session, queued: Sequence[Row], gone: Gone) -> None:
    """Erase everything of the session's owner, whose inbox rows are locked."""
    if ledger.end_of(session, session.owner) is not None or queued:
        head = ledger.lock(session, session.owner)
        for run in filter(None, map(read, queued)):
            _, head = forgetting.hear(session, head, run, run.messages)
        head = forgetting.erase_all(session, head, gone)
        ledger.advance(session, head)
        _empty_views(session, head, gone)
    gone.count(
        inbox=inbox.remove(session, [row["inbox_id"] for row in queued]),
        receipt=receipts.clear(session),
        decision=decisions.clear(session),
        review=reviews.clear(session),
        candidate=candidates.clear(session),
        memory_use=uses.clear(session),
        batch=batches.clear(session),
        measure=measures.clear(session),
    )
    turns, items = recalls.clear(session)
    gone.count(recall_log=turns, recall_item=items)


def _empty_views(session: Session, head: Head, gone: Gone) -> None:
    """Clear what was made from the stream. How far words and names have come is kept: numbers are not given twice."""
    removed = memories.clear(session)
    gone.count(memory=removed.versions, memory_evidence=removed.evidence, memory_link=links.clear(session))
    gone.count(posting=postings.clear(session), memory_vector=vectors.clear(session), mention=graph.clear(session))
    gone.count(profile=profiles.clear(session))
    gone.count(community=communities.clear(session))
    sparse = generations.of(session, "sparse")
    if sparse and head.doc:
        kept = [build.generation for build in sparse.kept]
        postings.enter(session, [], kept, until=head.doc, sessions=0)
    named = generations.of(session, "graph")
    if named and head.doc:
        graph.enter(session, [], [build.generation for build in named.kept], until=head.doc)


def _erase_in_room(
    everything: Session,
    session: Session,
    scope: Scope,
    queued: Sequence[Row],
    gone: Gone,
    verified: AbstractSet[str],
) -> None:
    """Erase what the scope's user said in a room, in the ledger and on its way there; `verified` as for `forget`."""
    room_id = room_id_of(session.owner) or ""
    head = ledger.lock(session, session.owner)
    runs = [(row, run) for row in queued for run in [read(row)] if run]
    rows = ledger.with_content(session, session.owner, EventClass.EVIDENCE)
    speakers = {row["speaker"] for row in rows} | {each.speaker for _, run in runs for each in run.messages}
    own = spoken_by(everything, scope, room_id, speakers)
    evidence = [row["sequence"] for row in rows if row["speaker"] in own]
    for row, run in runs:
        said = [each for each in run.messages if each.speaker in own]
        events, head = forgetting.hear(session, head, run, said)
        evidence += [event.sequence for event in events]
        if run.outcome is not None and run.scope.user_id == scope.user_id:
            gone.count(inbox=inbox.remove(session, [row["inbox_id"]]))
        if said:
            inbox.rewrite(session, row["inbox_id"], pack(without(run, said)))
    head = forgetting.erase_some(session, head, evidence, gone, verified=verified)
    gone.count(decision=decisions.remove_said(session, own))
    ledger.advance(session, head)
