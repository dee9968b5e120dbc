"""The profile view, and profiles as they are read. The one writer of `profile` and `profile_stream`.

A generation goes up to an event of each owner's stream and holds, block by block, what the memories come to as of then
(`shared.belief.blocks`). Whoever reads a profile folds what came since, so it is never behind and shows nothing that is
held no longer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from shared.belief import blocks as folding
from shared.belief.blocks import Address, Block, BlockVersion
from shared.belief.profiles import Profile, profile
from shared.belief.schemas import Schemas
from shared.belief.topics import place_of
from shared.contract.records import MemoryVersion
from shared.contract.scope import stream_of
from shared.store import generations, ledger, memories, uses
from shared.store.db import Row, Session
from shared.store.queries import queries

_SQL: Final = queries("profiles")
_MEMORIES_AT_A_TIME: Final = 2_000
"""Of which blocks are worked out together; a block that is larger is worked out alone."""


def positions(session: Session) -> dict[int, int]:
    """By generation: the sequence up to which it has the owner's stream."""
    return {row["generation"]: row["sequence"] for row in session.rows(_SQL["positions"])}


def enter_next(session: Session, generation: int, *, after: int, end: int, limit: int) -> tuple[int, int]:
    """Take in what changed behind `after`, about `limit` changes; returns up to which event, and how many memories.

    `end` is the stream's last event. The caller holds the stream's lock and one on the view.
    """
    until = memories.changed_until(session, after=after, limit=limit) or end
    touched = _touched(session, after=after, until=until)
    _refold(session, generation, touched, until=until)
    session.execute(_SQL["reach"], generation=generation, sequence=until)
    return until, sum(map(len, touched.values()))


def redo(session: Session, otherwise: Iterable[MemoryVersion]) -> int:
    """Work out anew the blocks of memories that are forgotten, or of which a version has lost an end that is.

    In every generation, as far as it goes. Returns how many blocks went. Locks as above.
    """
    touched = {_block_id(session, to): set[int]() for each in otherwise if (to := folding.address_of(each))}
    if not touched:
        return 0
    reached = positions(session).items()
    return sum(_refold(session, generation, touched, until=until) for generation, until in reached)


def enter_all(session: Session, into: Collection[int], made: Sequence[Block], *, until: int) -> None:
    """Enter all blocks of the owner, of whom the view holds nothing, into some generations. Locks as above."""
    for generation in into:
        _put(session, generation, made)
        session.execute(_SQL["reach"], generation=generation, sequence=until)


def clear(session: Session) -> int:
    """Take everything of the owner out of every generation; returns how many blocks went."""
    gone = session.execute(_SQL["clear"]).rowcount
    session.execute(_SQL["clear_streams"])
    return gone


def drop(session: Session, generation: int, *, limit: int) -> int:
    """See `generations.drop`."""
    return generations.drop(session, [_SQL["drop_blocks"]], _SQL["drop_stream"], generation, limit=limit)


def stored(session: Session, generation: int) -> Iterator[Block]:
    """The owner's blocks in a generation, as they are stored, in order of their ids."""
    return map(_block, session.rows(_SQL["stored"], generation=generation))


def read(session: Session, schemas: Schemas, *, at: datetime, known_at: datetime | None = None) -> Profile:
    """What the records of the session's owner come to at a time of the world, as was known at `known_at` (None: now).

    How records have fared is counted from all that was reported by now.
    """
    held = memories.records(session)
    fared = {use.memory_id: use for use in uses.stored(session)} if held else {}
    return profile(held, schemas, at=at, known_at=known_at, uses=fared)


def opening(session: Session, subject_key: str, *, most: int) -> list[int]:
    """Numbers of what the view holds of a subject of the session's owner: by topic, of each block the newest `most`.

    As far as the view goes: whether one may still be shown is for `memories.whole` to say.
    """
    rows = session.rows(_SQL["opening"], subject_key=subject_key, most=most)
    return [doc for row in sorted(rows, key=lambda row: place_of(row["topic"])) for doc in row["docs"]]


def read_blocks(session: Session, *, known_at: datetime | None = None) -> tuple[int, tuple[Block, ...]]:
    """Up to which event the view goes, and the owner's blocks as they are by now, or were known at `known_at`.

    In the order of a profile, as the session's agent may read them, those too of which nothing is held any more. Blocks
    that nothing has touched since the view was built are those of the view; what was known then is folded from the
    memories.
    """
    build = generations.live(session, "profile")
    reach = positions(session).get(build.generation, 0) if build else 0
    if known_at is not None:
        versions = folding.trusted(memories.claiming(session))
        until = folding.sequence_at(versions, known_at)
        return reach, _folded(session, versions, until=until)
    end = (ledger.end_of(session, session.owner) or {}).get("last_sequence", 0)
    held = {block.block_id: block for block in map(_block, session.rows(_SQL["blocks"]))}
    touched = _touched(session, after=reach, until=end) if end > reach else {}
    before = {block: held.pop(block).docs for block in touched if block in held}
    docs = {doc for block, new in touched.items() for doc in (*new, *before.get(block, ()))}
    newer = _folded(session, memories.claiming(session, sorted(docs))) if docs else ()
    return reach, tuple(sorted((*held.values(), *newer), key=folding.order))


def history(session: Session, block: Block, *, newest: int) -> list[Block]:
    """What a block was in its newest versions, oldest first."""
    versions = folding.trusted(memories.claiming(session, block.docs))
    last = folding.versions_of(versions)[-newest:]
    return [found for each in last for found in _folded(session, versions, until=each.opened_by)]


def _touched(session: Session, *, after: int, until: int) -> dict[UUID, set[int]]:
    """The blocks of what changed from behind one event to another, each with the numbers of what did."""
    touched: dict[UUID, set[int]] = {}
    for row in memories.changed(session, after=after, until=until):
        to = folding.address(row["claim_key"], row["claim_predicate"], row["agent_id"])
        touched.setdefault(_block_id(session, to), set()).add(row["doc"])
    return touched


def _refold(session: Session, generation: int, touched: Mapping[UUID, set[int]], *, until: int) -> int:
    """Work blocks out anew from what they were made of and what is new; returns how many there are no more."""
    rows = session.rows(_SQL["docs"], generation=generation, block_ids=list(touched)) if touched else []
    before = {row["block_id"]: row["docs"] for row in rows}
    gone = 0
    for portion in _portions({block: new.union(before.get(block, ())) for block, new in touched.items()}):
        docs = sorted(doc for each in portion.values() for doc in each)
        made = _folded(session, memories.claiming(session, docs), until=until)
        _put(session, generation, made)
        left = portion.keys() - {each.block_id for each in made}
        if left:
            gone += session.execute(_SQL["remove"], generation=generation, block_ids=list(left)).rowcount
    return gone


def _portions(docs: Mapping[UUID, set[int]]) -> Iterator[dict[UUID, set[int]]]:
    portion: dict[UUID, set[int]] = {}
    size = 0
    for block, of in docs.items():
        if portion and size + len(of) > _MEMORIES_AT_A_TIME:
            yield portion
            portion, size = {}, 0
        portion[block] = of
        size += len(of)
    if portion:
        yield portion


def _folded(session: Session, versions: Iterable[MemoryVersion], *, until: int | None = None) -> tuple[Block, ...]:
    return folding.blocks(session.tenant_id, stream_of(session.owner), versions, until=until)


def _block_id(session: Session, to: Address) -> UUID:
    return to.block_id(session.tenant_id, stream_of(session.owner))


def _put(session: Session, generation: int, made: Sequence[Block]) -> None:
    if made:
        session.execute_many(_SQL["put"], [{"generation": generation, **_row(each)} for each in made])


def _row(block: Block) -> Row:
    return {
        "block_id": block.block_id,
        "agent_id": block.address.agent_id,
        "subject": block.subject,
        "subject_key": block.address.subject,
        "topic": block.address.topic,
        "instance": block.address.instance,
        "content": block.content,
        "docs": list(block.docs),
        "held": list(block.held),
        "version": block.version.number,
        "opened_by": block.version.opened_by,
        "recorded_at": block.version.recorded_at,
    }


def _block(row: Row) -> Block:
    return Block(
        block_id=row["block_id"],
        address=Address(
            agent_id=row["agent_id"], subject=row["subject_key"], topic=row["topic"], instance=row["instance"]
        ),
        subject=row["subject"],
        fields=folding.fields_of(row["content"]),
        version=BlockVersion(number=row["version"], opened_by=row["opened_by"], recorded_at=row["recorded_at"]),
        docs=tuple(row["docs"]),
        held=tuple(row["held"]),
    )
