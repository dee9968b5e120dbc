"""What a demonstration shows of beliefs: short runs, and what is to be believed after them, and what never."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from gateway.accounts import Version, version_shown
from gateway.demo.corpus import Text
from shared import clock
from shared.contract.records import Kind
from shared.contract.scope import Owner, Scope
from shared.store import memories
from shared.store.db import Database, Role

if TYPE_CHECKING:
    from gateway import Daybook
    from gateway.accounts import Why
    from gateway.versions import MemoryHistory
    from shared.contract.bundle import Bundle

SHIPPED: Final = Path(__file__).with_name("beliefs.json")
_BUDGET_TOKENS: Final = 800
_MOST: Final = 1_000


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Line(_Part):
    """What was said, or came from a tool."""

    id: Text
    role: Text
    at: AwareDatetime
    text: Text
    speaker: Text | None = None
    origin: Text | None = None


class Run(_Part):
    """A short run, of a user or of a room."""

    id: Text
    user: Text
    room: Text | None = None
    participants: tuple[Text, ...] = ()
    messages: tuple[Line, ...] = Field(min_length=1)


class Point(_Part):
    """Something that the runs show. Words of `held`, `ended` and `never` are looked for in sentences, as they stand."""

    title: Text
    asked_by: Text
    why: tuple[Text, ...] = Field(min_length=1)
    recall: Text
    before: AwareDatetime | None = None
    """A time at which the answer was another one."""
    held: tuple[Text, ...] = ()
    """What must be believed and true now, and some of it recalled."""
    ended: tuple[Text, ...] = ()
    """What must be history, believed of a time that is over, and recalled as of `before`."""
    never: tuple[Text, ...] = ()
    """What nothing may say that is believed or recalled."""


class Act(_Part):
    """The runs and what they show."""

    runs: tuple[Run, ...] = Field(min_length=1)
    points: tuple[Point, ...] = Field(min_length=1)


@dataclass(frozen=True, kw_only=True)
class Told:
    """A point, and what Daybook says of it."""

    point: Point
    beliefs: tuple[Version, ...]
    """All that is believed of what the asker may see, by now, in the world's order."""
    histories: tuple[MemoryHistory, ...]
    """The lives of those that the point is about, in the same order."""
    whys: tuple[Why, ...]
    now: Bundle
    before: Bundle | None

    @cached_property
    def faults(self) -> tuple[str, ...]:
        """What is not as it should be."""
        return tuple(self._faults())

    @property
    def right(self) -> bool:
        """Whether all is as it should be."""
        return not self.faults

    def _faults(self) -> Iterator[str]:
        at, point = clock.now(), self.point
        true = [each.text for each in self.beliefs if each.is_current(at)]
        over = [each.text for each in self.beliefs if not each.is_current(at)]
        now, before = _texts(self.now), _texts(self.before)
        yield from (f"{each!r} is not believed" for each in point.held if not _says(true, each))
        yield from (f"{each!r} is not history" for each in point.ended if not _says(over, each))
        if point.held and not any(_says(now, each) for each in point.held):
            yield "nothing of it is recalled"
        if point.before:
            yield from (f"{each!r} was not recalled before" for each in point.ended if not _says(before, each))
        yield from (f"{each!r} is there" for each in point.never if _says([*true, *over, *now, *before], each))


def shipped() -> Act:
    """The runs that come with Daybook."""
    return Act.model_validate_json(SHIPPED.read_bytes())


def feed(daybook: Daybook, tenant: str, run: Run) -> None:
    """Observe a run for its user or room."""
    daybook.observe(
        Scope(tenant_id=tenant, user_id=run.user, session_id=run.id),
        [_message(line) for line in run.messages],
        run_id=run.id,
        room=run.room,
        participants=run.participants,
    )


def tell(daybook: Daybook, tenant: str, point: Point) -> Told:
    """Ask what is believed of a point, why, since when, and what is recalled."""
    scope = Scope(tenant_id=tenant, user_id=point.asked_by)
    beliefs = believed(daybook.database(), scope)
    about = [each for each in beliefs if any(_says([each.text], words) for words in (*point.held, *point.ended))]
    return Told(
        point=point,
        beliefs=beliefs,
        histories=tuple(daybook.history(scope, each.memory_id) for each in about),
        whys=tuple(daybook.why(scope, text) for text in point.why),
        now=daybook.recall(scope, point.recall, budget_tokens=_BUDGET_TOKENS),
        before=_before(daybook, scope, point),
    )


def believed(database: Database, scope: Scope) -> tuple[Version, ...]:
    """What is held of beliefs in all that a scope may see, in the world's order; what has no time comes first."""
    found: list[Version] = []
    with database.transaction(Role.READER, scope.tenant_id, [scope.owner], read_only=True) as session:
        for owner in session.owners:
            part = replace(session, owners=_first(owner, session.owners))
            held = memories.beliefs(part, keyed=True, limit=_MOST)
            found += [version_shown(owner, each) for each in held if each.kind is not Kind.EPISODIC]
    return tuple(sorted(found, key=_by_time))


def _before(daybook: Daybook, scope: Scope, point: Point) -> Bundle | None:
    if point.before is None:
        return None
    return daybook.recall(scope, point.recall, budget_tokens=_BUDGET_TOKENS, as_of=point.before)


def _first(owner: Owner, owners: Iterable[Owner]) -> tuple[Owner, ...]:
    return (owner, *(each for each in owners if each != owner))


def _by_time(version: Version) -> tuple[bool, str]:
    return version.valid_from is not None, version.valid_from.isoformat() if version.valid_from else ""


def _message(line: Line) -> dict[str, object]:
    said = {"id": line.id, "role": line.role, "ts": line.at, "text": line.text}
    return said | {name: value for name in ("speaker", "origin") if (value := getattr(line, name))}


def _texts(bundle: Bundle | None) -> list[str]:
    return [item.text for item in bundle.items] if bundle else []


def _says(texts: Iterable[str], words: str) -> bool:
    return any(words.casefold() in text.casefold() for text in texts)
