"""What came of a recall, as a run without messages: it takes the way of any run, and is as durable.

What it says of a room's memories goes into the room's stream, so that it goes with them; the rest into the scope's own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final
from uuid import UUID, uuid5

from shared.contract.bundle import Bundle
from shared.contract.citations import cited
from shared.contract.errors import InvalidInput
from shared.contract.events import NAMESPACE, Run, RunId
from shared.contract.ids import IdRange
from shared.contract.scope import Scope, checked_scope, room_id_of
from shared.contract.turns import Turn, TurnOutcome
from shared.store import inbox, memories, recalls
from shared.store.db import Database, Role, Session

MOST_MEMORIES: Final = 1_000
"""That one outcome names: more than a recall gives."""
_NOT_LOGGED: Final = "was not logged: it searched nothing, logging lags or is off, or it is too long ago"


def outcome_run(
    database: Database,
    scope: Scope,
    turn: Bundle | UUID | str,
    *,
    used: Iterable[UUID | str] = (),
    misled: Iterable[UUID | str] = (),
    corrected: bool = False,
    abstained: bool = False,
) -> Run:
    """What an agent reports of a recall, as a run.

    Memories are named by id, or as an answer cites them (`m3`): by the bundle where that is passed, else by what was
    logged of the turn. For that, and for the beginning of an id, alone the database is asked: whether the scope has the
    memories whose whole ids are given is not looked at.

    Raises:
        InvalidScope: the scope is none.
        InvalidInput: an id is none, or the beginning of none or several; a citation cites nothing, or the outcome says
            nothing.
        DatabaseUnavailable: the log, or whose id begins so, could not be asked.
    """
    checked_scope(scope)
    turn_id = turn.turn_id if isinstance(turn, Bundle) else _id(database, scope, "turn_id", turn)
    given = {"used": _listed("used", used), "misled": _listed("misled", misled)}
    citations = [each for ids in given.values() for each in ids if isinstance(each, str) and cited(each)]
    if isinstance(turn, Bundle):
        memory_of: Mapping[str, UUID] = {each: turn.memory_ids(each)[0] for each in citations}
    else:
        memory_of = _logged(database, scope, turn_id, citations) if citations else {}
    ids = {
        name: tuple(dict.fromkeys(memory_of.get(str(each)) or _id(database, scope, name, each) for each in listed))
        for name, listed in given.items()
    }
    said = TurnOutcome(
        turn_id=turn_id,
        used=ids["used"],
        misled=ids["misled"],
        corrected=_flag("corrected", corrected),
        abstained=_flag("abstained", abstained),
    )
    return Run(scope=scope, run_id=RunId(str(turn_id)), messages=(), outcome=said)


def by_owner(database: Database, run: Run, outcome: TurnOutcome) -> list[Run]:
    """An outcome's run as one for each stream that its memories are in, the scope's own first if there is one.

    An id that is nobody's stays in the scope's own, where append refuses it.

    Raises:
        DatabaseUnavailable: whose the memories are could not be asked.
    """
    if not outcome.memories:
        return [run]
    with database.transaction(Role.APP, run.scope.tenant_id, [run.scope.owner], read_only=True) as session:
        owners = memories.owners_of(session, outcome.memories)
    rooms = {owner: room for owner in sorted(set(owners.values())) if (room := room_id_of(owner)) is not None}
    of_rooms = [
        (room, _of(outcome, {memory for memory, whose in owners.items() if whose == owner}))
        for owner, room in rooms.items()
    ]
    named = {memory for memory, owner in owners.items() if owner in rooms}
    own = {memory for memory in outcome.memories if memory not in named}
    found = [
        replace(run, room_id=room, outcome=replace(said, corrected=False, abstained=False)) for room, said in of_rooms
    ]
    if own or outcome.corrected or outcome.abstained:
        found.insert(0, replace(run, outcome=_of(outcome, own)))
    return found


def next_delivery(database: Database, run: Run, outcome: TurnOutcome, *, said_at: datetime | None = None) -> UUID:
    """The delivery that an outcome is, of those of its turn: the last one's again where it says the same as that did.

    Else a new one, also of what was said before and taken back since. With `said_at`, when it was spooled: where the
    same was accepted from then on it is that delivery, since who is killed before it is off the disk sends it again.

    Raises:
        DatabaseUnavailable: the inbox could not be asked.
    """
    with database.transaction(Role.APP, run.scope.tenant_id, [run.owner], read_only=True) as session:
        rows = [row for row in inbox.of_run(session, run.run_id) if row["user_id"] == run.owner]
    earlier: list[UUID] = [row["inbox_id"] for row in rows]
    if said_at is not None:
        ids = [delivery_id(run, outcome, after=before) for before in (None, *earlier)]
        for row, again in zip(rows, ids, strict=False):
            if row["inbox_id"] == again and row["accepted_at"] >= said_at:
                return again
    return following(run, outcome, earlier)


def following(run: Run, outcome: TurnOutcome, earlier: Sequence[UUID]) -> UUID:
    """As `next_delivery`, by the ids of the turn's deliveries so far, in order. Pure.

    Each id is made of what is said and of the id before it. So the last one is that of an outcome where the outcome and
    the id before the last one come to it.
    """
    chain = (None, *earlier)
    if earlier and (again := delivery_id(run, outcome, after=chain[-2])) == earlier[-1]:
        return again
    return delivery_id(run, outcome, after=chain[-1])


def delivery_id(run: Run, outcome: TurnOutcome, *, after: UUID | None = None) -> UUID:
    """The delivery of an outcome that comes after another of its turn, or first."""
    whose = (run.scope.tenant_id, run.owner, run.scope.user_id, str(outcome.turn_id))
    said = (
        ",".join(sorted(map(str, outcome.used))),
        ",".join(sorted(map(str, outcome.misled))),
        f"{outcome.corrected:d}{outcome.abstained:d}",
    )
    behind = () if after is None else (str(after),)
    return uuid5(NAMESPACE, "\x1f".join(("outcome", *whose, *said, *behind)))


def _of(outcome: TurnOutcome, ids: Collection[UUID]) -> TurnOutcome:
    """What an outcome says of some memories, and of the answer."""
    return replace(
        outcome,
        used=tuple(each for each in outcome.used if each in ids),
        misled=tuple(each for each in outcome.misled if each in ids),
    )


def _logged(database: Database, scope: Scope, turn_id: UUID, citations: Collection[str]) -> dict[str, UUID]:
    with database.transaction(Role.APP, scope.tenant_id, [scope.owner], read_only=True) as session:
        turn: Turn | None = recalls.turn(session, turn_id)
    shown = {each.ordinal: each.memory_id for each in turn.injected if each.ordinal} if turn else {}
    found = {each: _shown(shown, each) for each in citations}
    for citation, memory in found.items():
        if memory is None:
            what = "shows no such item" if turn else _NOT_LOGGED
            msg = f"{citation!r} cannot be looked up, since turn {turn_id} {what}; pass the bundle, or ids of memories"
            raise InvalidInput(msg, citation=citation)
    return {citation: memory for citation, memory in found.items() if memory is not None}


def _shown(shown: Mapping[int, UUID], citation: str) -> UUID | None:
    """The memory that is cited, of those shown by ordinal."""
    meant = cited(citation)
    memory = shown.get(meant.ordinal) if meant else None
    return memory if meant and meant.fits(memory) else None


def _id(database: Database, scope: Scope, name: str, value: object) -> UUID:
    """The id that is given whole, or whose beginning is."""
    is_turn = name == "turn_id"
    try:
        ids = IdRange.of(value if isinstance(value, UUID) else str(value), field=name)
    except InvalidInput:
        wanted = "the turn_id of a bundle" if is_turn else "ids of memories, or citations such as m3"
        raise InvalidInput(f"{name} {str(value)[:60]!r} is no id; pass {wanted}", field=name) from None
    if ids.whole is not None:
        return ids.whole
    with database.transaction(Role.APP, scope.tenant_id, [scope.owner], read_only=True) as session:
        called = recalls.called if is_turn else _memories_called
        found = ids.only(called(session, ids.first, ids.last), "turns" if is_turn else "memories", field=name)
    if found is None:
        what = f"was none, or it {_NOT_LOGGED}" if is_turn else "is no such memory in this scope"
        raise InvalidInput(f"{name} {ids.begins} is the beginning of no id: there {what}", field=name)
    return found


def _memories_called(session: Session, first: UUID, last: UUID) -> list[UUID]:
    return [memory for memory, _ in memories.called(session, first, last)]


def _listed(name: str, values: object) -> list[UUID | str]:
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise InvalidInput(f"{name} must be a list of ids, not {type(values).__name__}", field=name)
    listed = list(values)
    if len(listed) > MOST_MEMORIES:
        raise InvalidInput(f"{name} names {len(listed)} memories; the limit is {MOST_MEMORIES}", field=name)
    return listed


def _flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise InvalidInput(f"{name} must be True or False, not {value!r}", field=name)
    return value
