"""The graph of somebody's names as people read it: groups, and what is around one name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final
from uuid import UUID

from shared.contract.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shared.contract.scope import Owner
    from shared.store.around_names import Neighbour
    from shared.store.db import Database, Session

MOST_COMMUNITIES: Final = 30
MOST_NEIGHBOURS: Final = 30
_MOST_DRAWN: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Names that are spoken of together."""

    label: str
    members: tuple[str, ...]
    """Those first that tell most of what it is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """A stream's names at large."""

    names: int
    communities: tuple[Group, ...]
    """The largest first."""
    is_fresh: bool
    """Whether they were ever found, and nothing has come since."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """Another name that may stand for the same. None is ever merged by that."""

    name: str
    how: str
    """`slip` (of the pen), `longer` (it has this one in it), or `part` (this one has it in it)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What is around a name."""

    name: str
    memories: int
    cited: Sequence[UUID]
    aliases: Sequence[str]
    neighbours: Sequence[Neighbour]
    may_be: Sequence[Likeness]
    community: str | None
    """What its group is about."""


def whole(database: Database, tenant_id: str, owner: Owner, *, agent_id: str | None = None) -> Whole:
    """The groups of somebody's names.

    Raises:
        NotFound: nothing is stored of them.
    """
    from shared.store import around_names, communities

    with _reading(database, tenant_id, owner, agent_id) as session:
        made, names = communities.made_of(session), around_names.names(session)
        return Whole(
            names=len(names),
            communities=tuple(_groups(communities.stored(session), names))[:MOST_COMMUNITIES],
            is_fresh=made is not None and made == communities.as_it_stands(session),
        )


def around(database: Database, tenant_id: str, owner: Owner, entity: str, *, agent_id: str | None = None) -> Around:
    """What is around a name of somebody's, however it is written.

    Raises:
        NotFound: nothing is stored of them, or no memory mentions the name.
    """
    from shared.language.name_keys import key_of
    from shared.store import around_names, communities

    key = key_of(entity)
    with _reading(database, tenant_id, owner, agent_id) as session:
        found = around_names.named(session, key) if key else None
        if found is None:
            msg = f"no memory of {owner!r} mentions {entity[:80]!r}; `daybook graph` without a name shows who is"
            raise NotFound(msg, name=entity[:80])
        names = around_names.names(session)
        groups = _groups(communities.stored(session), names)
        return Around(
            name=found.name,
            memories=found.memories,
            cited=found.cited,
            aliases=found.aliases,
            neighbours=around_names.neighbours(session, key, limit=MOST_NEIGHBOURS),
            may_be=likenesses(key, names),
            community=next((each.label for each in groups if key in each.members), None),
        )


def likenesses(key: str, names: Iterable[str]) -> list[Likeness]:
    """Those of some names that may stand for the same as one: a slip away, longer, or a part of it. In order of how."""
    from shared.belief.entities import slips
    from shared.language.name_keys import aliases

    others = [name for name in names if name != key]
    own = set(aliases(key))
    slipped = slips(key, others)
    found = [Likeness(name=name, how="slip") for name in sorted(slipped)]
    found += [Likeness(name=name, how="longer") for name in others if key in aliases(name) and name not in slipped]
    return [*found, *(Likeness(name=name, how="part") for name in others if name in own and name not in slipped)]


def drawn(database: Database, tenant_id: str, owner: Owner, *, agent_id: str | None = None) -> str:
    """The largest groups as a graph in Graphviz's language: names, and how many memories mention two of them.

    Raises:
        NotFound: nothing is stored of them.
    """
    from shared.store import around_names, communities

    with _reading(database, tenant_id, owner, agent_id) as session:
        groups = _groups(communities.stored(session), around_names.names(session))
        members = [name for group in groups for name in group.members][:_MOST_DRAWN]
        beside = [(name, around_names.neighbours(session, name, limit=MOST_NEIGHBOURS)) for name in members]
    lines = [
        f"  {_quoted(name)} -- {_quoted(other.name)} [weight={other.memories}];"
        for name, others in beside
        for other in others
        if other.name in members and name < other.name
    ]
    return "\n".join(["graph names {", *(f"  {_quoted(name)};" for name in members), *lines, "}"])


@contextmanager
def _reading(database: Database, tenant_id: str, owner: Owner, agent_id: str | None) -> Iterator[Session]:
    """A reading transaction on one owner's stream alone, of what an agent may read."""
    from shared.store import ledger
    from shared.store.db import Role

    with database.transaction(Role.READER, tenant_id, [owner], read_only=True, agent_id=agent_id) as widened:
        session = replace(widened, owners=(owner,))
        if ledger.end_of(session, owner) is None:
            msg = f"nothing is stored of user {owner!r} of tenant {tenant_id!r}; ids are compared exactly"
            raise NotFound(msg, tenant=tenant_id, user=owner)
        yield session


def _groups(stored: Iterable[tuple[str, ...]], names: Iterable[str]) -> list[Group]:
    """The groups that there are, of the names that may be read."""
    from shared.belief.communities import FEWEST_MEMBERS, label_of

    known = set(names)
    readable = (tuple(name for name in members if name in known) for members in stored)
    kept = (members for members in readable if len(members) >= FEWEST_MEMBERS)
    return [Group(label=label_of(members), members=members) for members in kept]


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
