"""How memory does, counted by day. The one writer of `measure`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final
from uuid import UUID

from shared.belief.rules.instructions import gives_orders
from shared.belief.usefulness import reported
from shared.contract.measures import Counted
from shared.contract.scope import stream_of
from shared.contract.trust import TRUST, Origin
from shared.contract.turns import TurnOutcome
from shared.store import ledger
from shared.store.columns import portions
from shared.store.db import Database, Session
from shared.store.queries import queries

_SQL: Final = queries("measures")
Counts = Counter[tuple[date, Counted]]

_ACTIONS: Final[Mapping[str, Counted]] = {
    "store": Counted.STORED,
    "corroborate": Counted.CORROBORATED,
    "defer": Counted.DEFERRED,
    "review": Counted.REVIEWED,
    "ignore": Counted.IGNORED,
}
_OPERATIONS: Final[Mapping[str, Counted]] = {
    "supersede": Counted.SUPERSEDED,
    "end": Counted.ENDED,
    "retract": Counted.RETRACTED,
}
STANDING: Final = (
    Counted.HELD, Counted.UNSUPPORTED, Counted.JUDGED, Counted.PROVED, Counted.WAITING, Counted.OVERDUE,
)  # fmt: skip
"""Counts of how things are, and not of what happened on a day."""
_CLOCKS_DIFFER: Final = timedelta(hours=1)
"""By how much, at most, an outcome may be older than the recall that it is of: two machines wrote them down."""
BY_COMMAND: Final = (Counted.EXPECTED, Counted.FOUND)
"""Counts that no job makes."""


def count(session: Session, since: datetime, now: datetime) -> Counts:
    """What happened with the memory of the session's owner, by day, from the begin of a day on, and how it stands.

    The session may read the owner's rooms too: what a recall showed of a room counts as shown to who asked.
    """
    found: Counts = Counter()
    for tell in (_decided, _proposed, _recalled, _shown, _reported):
        found.update(tell(session, since))
    found.update(_standing(session, now))
    return found


def _decided(session: Session, since: datetime) -> Counts:
    found: Counts = Counter()
    whose = {"stream": stream_of(session.owner), "since": since}
    for row in session.rows(_SQL["decided"], **whose):
        found[row["day"], _ACTIONS[row["action"]]] += row["number"]
        found[row["day"], Counted.DUPLICATES] += row["number"] if row["is_duplicate"] else 0
    for row in session.rows(_SQL["operations"], **whose):
        found[row["day"], _OPERATIONS[row["kind"]]] += row["number"]
    return found


def _proposed(session: Session, since: datetime) -> Counts:
    names = (Counted.ACCEPTED, Counted.REFUSED, Counted.TAKEN_BACK)
    rows = session.rows(_SQL["proposals"], since=since)
    return Counter({(row["day"], name): row[name] for row in rows for name in names})


def _recalled(session: Session, since: datetime) -> Counts:
    names = (Counted.TURNS, Counted.EMPTY, Counted.TOKENS, Counted.CONFLICTS, Counted.CONFLICTS_SHOWN)
    rows = session.rows(_SQL["recalls"], since=since)
    return Counter({(row["day"], name): row[name] for row in rows for name in names})


def _shown(session: Session, since: datetime) -> Counts:
    found: Counts = Counter()
    for row in session.rows(_SQL["shown"], since=since, low_trust=TRUST[Origin.TOOL]):
        found[row["day"], Counted.SHOWN] += row["number"]
        found[row["day"], Counted.STALE] += row["stale"]
        found[row["day"], Counted.ORDERS] += row["number"] if row["text"] and gives_orders(row["text"]) else 0
    return found


def _reported(session: Session, since: datetime) -> Counts:
    """What was reported of recalls since then that are still logged: a turn counts once, on its own day."""
    events = ledger.outcomes(session, since=since - _CLOCKS_DIFFER)
    turns = _by_turn(each for each in map(reported, events) if each)
    found: Counts = Counter()
    for row in session.rows(_SQL["shown_by"], turn_ids=list(turns), since=since):
        each, day = turns[row["turn_id"]], row["day"]
        found[day, Counted.REPORTED] += 1
        found[day, Counted.REPORTED_SHOWN] += row["shown"]
        found[day, Counted.USED] += len(each.used)
        found[day, Counted.MISLED] += len(each.misled)
        found[day, Counted.CORRECTED] += each.corrected
        found[day, Counted.ABSTAINED] += each.abstained
    return found


@dataclass(slots=True)
class _Said:
    """All that was reported of one turn; what is said last of a memory stands."""

    said: dict[UUID, str]
    corrected: bool = False
    abstained: bool = False

    @property
    def used(self) -> list[UUID]:
        return [memory for memory, what in self.said.items() if what == "used"]

    @property
    def misled(self) -> list[UUID]:
        return [memory for memory, what in self.said.items() if what == "misled"]


def _by_turn(outcomes: Iterable[TurnOutcome]) -> dict[UUID, _Said]:
    found: dict[UUID, _Said] = {}
    for each in outcomes:
        turn = found.setdefault(each.turn_id, _Said({}))
        turn.said |= dict.fromkeys(each.used, "used") | dict.fromkeys(each.misled, "misled")
        turn.corrected |= each.corrected
        turn.abstained |= each.abstained
    return found


def _standing(session: Session, now: datetime) -> Counts:
    rows = [session.row(_SQL["standing"]), session.row(_SQL["reviews"], now=now)]
    return Counter({(now.date(), Counted(name)): number for row in rows if row for name, number in row.items()})


def replace(session: Session, counts: Counts, since: datetime, *, seen: int) -> None:
    """Put counts in the place of those of the owner from a day on; what a command counted stays.

    Nothing where something was forgotten behind `seen`, up to which the counts know the stream: an erasure leaves no
    count, and must find none after it. The caller holds the stream's lock.
    """
    row = session.row(_SQL["forgotten_since"], stream=stream_of(session.owner), seen=seen)
    if row is None or row["is_forgotten"]:
        return
    session.execute(_SQL["nought_since"], day=since, but=[each.value for each in BY_COMMAND])
    put(session, counts)


def put(session: Session, counts: Counts) -> None:
    """Write counts of the owner's down, in the place of the same of their days."""
    rows = (
        {"day": begin_of(day), "counted": name.value, "number": number}
        for (day, name), number in counts.items()
        if number
    )
    for columns in portions(rows):
        session.execute(_SQL["put"], **columns)


def totals(database: Database, tenant_id: str, first: date, last: date) -> Counter[Counted]:
    """What some days, both ends included, come to over all of a tenant's users."""
    parameters = {**_days(tenant_id, first, last), "standing": [each.value for each in STANDING]}
    with database.claiming() as connection:
        rows = connection.execute(_SQL["totals"], parameters).fetchall()
    return Counter({Counted(row["counted"]): row["number"] for row in rows})


def by_day(database: Database, tenant_id: str, first: date, last: date) -> dict[date, Counter[Counted]]:
    """As `totals`, for each day by itself, in order; days without a count are left out."""
    with database.claiming() as connection:
        rows = connection.execute(_SQL["days"], _days(tenant_id, first, last)).fetchall()
    found: dict[date, Counter[Counted]] = {}
    for row in rows:
        found.setdefault(row["day"], Counter())[Counted(row["counted"])] = row["number"]
    return found


def _days(tenant_id: str, first: date, last: date) -> dict[str, object]:
    return {"tenant_id": tenant_id, "first": begin_of(first), "last": begin_of(last)}


def clear(session: Session) -> int:
    """Take out everything that was counted of the owner; for the eraser. Returns how many rows went."""
    return session.execute(_SQL["clear"]).rowcount


def begin_of(day: date) -> datetime:
    """The first moment of a day in UTC."""
    return datetime(day.year, day.month, day.day, tzinfo=UTC)
