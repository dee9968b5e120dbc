"""What operations do to a part of a stream: what is to be written, without the whole of it being read.

An operation touches the memories that it names and no other, so on a state of those and of the evidence it cites the
fold says all: live and replay cannot differ.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from shared.belief.state import Place, State, Versions, place_of
from shared.contract.events import Event
from shared.contract.records import Link, MemoryVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects:
    """What is new. The order within each is that of the memories' documents."""

    opened: tuple[MemoryVersion, ...] = ()
    """All new versions, those that were closed again by a later one of the operations too."""
    closed: tuple[MemoryVersion, ...] = ()
    """Versions that were open before, as they are closed now."""
    restated: tuple[MemoryVersion, ...] = ()
    """Versions that were there before and have lost an end that is forgotten, as they are now."""
    links: tuple[Link, ...] = ()
    """New ties."""
    unlinked: tuple[Link, ...] = ()
    """Ties that were open before, as they are closed now."""
    latest: tuple[MemoryVersion, ...] = ()
    """Of each memory that is touched the newest version."""

    @property
    def added(self) -> tuple[MemoryVersion, ...]:
        """The first versions of the memories that are new."""
        return tuple(version for version in self.opened if version.version == 1)


def part_of(versions: Iterable[MemoryVersion], evidence: Iterable[Event], *, docs: int) -> State:
    """As much of a stream's state as operations need that name no other memory and cite no other evidence.

    `versions` are all versions of those memories, in any order; `docs` is the last number given in the stream.
    """
    memories: dict[UUID, Versions] = {}
    for version in sorted(versions, key=lambda version: (version.doc, version.version)):
        memories[version.memory_id] = (*memories.get(version.memory_id, ()), version)
    return State(memories=memories, evidence={event.sequence: event for event in evidence}, docs=docs)


def difference(before: Mapping[UUID, Versions], after: State, ties: Collection[Place] = ()) -> Effects:
    """What has become of memories that were as in `before`, and which there are beside them.

    `ties` are those that were stored before, of which `after` knows some.
    """
    changed = [versions for memory, versions in after.memories.items() if versions != before.get(memory)]
    changed.sort(key=lambda versions: versions[0].doc)
    opened: list[MemoryVersion] = []
    closed: list[MemoryVersion] = []
    restated: list[MemoryVersion] = []
    for versions in changed:
        was = before.get(versions[0].memory_id, ())
        opened += versions[len(was) :]
        pairs = [(old, now) for old, now in zip(was, versions, strict=False) if old != now]
        closed += [now for old, now in pairs if old.is_open]
        restated += [now for old, now in pairs if old.valid_to != now.valid_to]
    links = sorted(after.links, key=lambda link: (link.opened_by, link.target))
    return Effects(
        opened=tuple(opened),
        closed=tuple(closed),
        restated=tuple(restated),
        links=tuple(link for link in links if place_of(link) not in ties),
        unlinked=tuple(link for link in links if link.closed_by and place_of(link) in ties),
        latest=tuple(versions[-1] for versions in changed),
    )
