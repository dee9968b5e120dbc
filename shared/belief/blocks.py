"""A profile's blocks: what is held of one subject under one topic, version by version. Pure.

A block is made of the claims of one subject (a record's: of one thing) that the same agent, or none, stands behind. Its
id is a function of these, and of nothing that changes. Its versions are a function of the memories' versions: each
instant at which an operation opened or closed one of them opens the block's next. So a block that no operation touches
stays the same to the byte, whatever becomes of others, and whenever and however often it is worked out.

What is forgotten is in no version, as though it had never been said; nor is what is quarantined, until that is lifted.
What was taken back or ended is in the versions of before. Numbers count the versions that are left; a version's
`opened_by` stays what it is.

What a block says, and since and until when, is the same for any order of arrival. Which memories say it, how certain
they are and what they rest on is as it came about.
"""

# Above 300 lines: what a block is, how it is folded, written, read back and shown is one form, and is read as one.

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple
from uuid import UUID, uuid5

from shared.belief.predicates import RECORD, SEPARATOR
from shared.belief.schemas import canonical
from shared.belief.topics import place_of, topic_of
from shared.contract.events import NAMESPACE
from shared.contract.records import EpistemicType, EvidenceRef, MemoryVersion, Operation
from shared.contract.scope import Owner

_BEFORE_ALL_TIME: Final = datetime.min.replace(tzinfo=UTC)
_AFTER_ALL_TIME: Final = datetime.max.replace(tzinfo=UTC)


class Address(NamedTuple):
    """Which block something belongs in."""

    agent_id: str | None
    """The agent that it is a memory of; None where it is nobody's in particular, or several have heard it."""
    subject: str
    """Key of the subject (`predicates.subject_key`)."""
    topic: str
    """A `Topic`, or the name of a record's schema as `record:contact`."""
    instance: str
    """Of a record the key of its claim: each thing has a block of its own. Else empty."""

    def block_id(self, tenant_id: str, stream: str) -> UUID:
        """UUIDv5 of the block in a stream."""
        of_an_agent = "" if self.agent_id is None else f"agent {self.agent_id}"
        parts = ("profile", tenant_id, stream, of_an_agent, self.subject, self.topic, self.instance)
        return uuid5(NAMESPACE, SEPARATOR.join(parts))


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """One thing that is said in a field, and how that is known."""

    value: Any
    """A claim's object; of a record's field a JSON value."""
    since: datetime | None
    until: datetime | None
    """World time, half-open; None where it is not known, or is not over."""
    confidence: float
    trust: int
    memory_id: UUID
    evidence: tuple[EvidenceRef, ...]

    @property
    def place(self) -> tuple[object, ...]:
        """Its place in the world's order; nothing in it hangs on when it arrived."""
        begins, ends = self.since or _BEFORE_ALL_TIME, self.until or _AFTER_ALL_TIME
        return begins, ends, canonical(self.value), -self.trust

    def is_true(self, at: datetime) -> bool:
        """Whether it is so at a time of the world."""
        return (self.since is None or self.since <= at) and (self.until is None or at < self.until)


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """What is held under one predicate, or in one field of a record."""

    name: str
    values: tuple[Value, ...]
    """In the world's order: what has ended, what is so, and what is to come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockVersion:
    """By what one version of a block is known."""

    number: int
    """From 1, gapless, over what is left."""
    opened_by: int
    """Sequence of the last operation of the instant that made it so."""
    recorded_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """What is held of a subject under a topic."""

    block_id: UUID
    address: Address
    subject: str
    """As it is written where it is spoken of first."""
    fields: tuple[Field, ...]
    """In order of their names; none where nothing is held any more."""
    version: BlockVersion
    """The newest."""
    docs: tuple[int, ...]
    """Numbers of all memories that it was ever made of, in order."""
    held: tuple[int, ...]
    """Of those the ones that are held."""

    @property
    def content(self) -> str:
        """The fields as one text, the same bytes for the same fields; `fields_of` reads it."""
        fields = [{"name": each.name, "values": list(map(_as_json, each.values))} for each in self.fields]
        return canonical(fields)


def address(claim_key: str, predicate: str, agent_id: str | None) -> Address:
    """The block that a claim belongs in."""
    subject, _, _ = claim_key.partition(SEPARATOR)
    topic = topic_of(predicate)
    instance = claim_key if topic.startswith(RECORD) else ""
    return Address(agent_id=agent_id, subject=subject, topic=topic, instance=instance)


def address_of(version: MemoryVersion) -> Address | None:
    """The block that a memory belongs in; the same in all its versions. None where it claims nothing."""
    claim = version.claim
    return None if claim is None else address(claim.key, claim.predicate, version.agent_id)


def blocks(
    tenant_id: str, stream: str, versions: Iterable[MemoryVersion], *, until: int | None = None
) -> tuple[Block, ...]:
    """The blocks that memories of a stream come to, in the order of a profile.

    `versions` are all versions of some memories, in any order: of each block all that it is made of, or none. With
    `until`, as of that sequence of the stream: what a later operation opened is not there, what it closed is held.
    """
    found: dict[Address, list[Sequence[MemoryVersion]]] = {}
    for held in _by_memory(versions, until):
        to = address_of(held[0])
        if to is not None and held[-1].closed_reason is not Operation.QUARANTINE:
            found.setdefault(to, []).append(held)
    made = (_block(tenant_id, stream, to, memories) for to, memories in found.items())
    return tuple(sorted((block for block in made if block), key=order))


def trusted(versions: Iterable[MemoryVersion]) -> list[MemoryVersion]:
    """The versions without those of memories that are quarantined by now: of these no version of a block speaks."""
    versions = list(versions)
    closed = {each.memory_id for each in _by_newest(versions) if each.closed_reason is Operation.QUARANTINE}
    return [version for version in versions if version.memory_id not in closed]


def sequence_at(versions: Iterable[MemoryVersion], known_at: datetime) -> int:
    """The last operation on any of the memories that was recorded by a time of ours; 0 where there is none."""
    return max((by for at, by in _changes(versions) if at <= known_at), default=0)


def versions_of(versions: Iterable[MemoryVersion]) -> tuple[BlockVersion, ...]:
    """The versions of the block that memories make up, oldest first.

    Each instant at which any of them was opened or closed gives one: nobody saw what was so within an instant.
    """
    last: dict[datetime, int] = {}
    for at, by in _changes(versions):
        last[at] = max(by, last.get(at, 0))
    ordered = sorted((by, at) for at, by in last.items())
    return tuple(
        BlockVersion(number=number, opened_by=by, recorded_at=at) for number, (by, at) in enumerate(ordered, 1)
    )


def order(block: Block) -> tuple[object, ...]:
    """A block's place in a profile: by subject, topic and thing, what is nobody's before what is an agent's."""
    agent_id, subject, topic, instance = block.address
    return subject, place_of(topic), topic, instance, agent_id or "", str(block.block_id)


def fields_of(content: str) -> tuple[Field, ...]:
    """The fields that `Block.content` was written from."""
    return tuple(
        Field(name=each["name"], values=tuple(map(_from_json, each["values"]))) for each in json.loads(content)
    )


def true_at(fields: Iterable[Field], at: datetime) -> tuple[Field, ...]:
    """Of the fields what is so at a time of the world."""
    left = (replace(each, values=tuple(value for value in each.values if value.is_true(at))) for each in fields)
    return tuple(each for each in left if each.values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A block as it is given out: what of it is so at a time of the world."""

    owner: Owner
    """Whose stream it is of: the user's, or a room's."""
    block_id: UUID
    agent_id: str | None
    subject: str
    topic: str
    version: int
    opened_by: int
    """Sequence of the operation that made this version, in the owner's stream."""
    recorded_at: datetime
    fields: tuple[Field, ...]
    text: str
    """The fields as lines for people."""


def shown(block: Block, owner: Owner, at: datetime | None) -> Shown:
    """A block as it is at a time of the world; with None, all that it says of whatever time."""
    fields = block.fields if at is None else true_at(block.fields, at)
    return Shown(
        owner=owner,
        block_id=block.block_id,
        agent_id=block.address.agent_id,
        subject=block.subject,
        topic=block.address.topic,
        version=block.version.number,
        opened_by=block.version.opened_by,
        recorded_at=block.version.recorded_at,
        fields=fields,
        text=rendered(block.subject, block.address.topic, fields),
    )


def rendered(subject: str, topic: str, fields: Iterable[Field]) -> str:
    """Fields as lines for people, below a line that says of whom; the same bytes for the same fields."""
    return "\n".join([f"{subject}, {topic}", *(f"- {each.name}: {_listed(each)}" for each in fields)])


def _listed(field: Field) -> str:
    return "; ".join(f"{_written(each.value)}{_when(each)}" for each in field.values)


def _written(value: object) -> str:
    return value if isinstance(value, str) else canonical(value)


def _when(value: Value) -> str:
    parts = [
        *([f"since {value.since.date().isoformat()}"] if value.since else []),
        *([f"until {value.until.date().isoformat()}"] if value.until else []),
    ]
    return f" ({', '.join(parts)})" if parts else ""


def _by_memory(versions: Iterable[MemoryVersion], until: int | None) -> Iterable[Sequence[MemoryVersion]]:
    """Memories version by version, oldest first, as they were at a sequence; those that were not there are left out."""
    found: dict[UUID, list[MemoryVersion]] = {}
    for version in versions:
        if until is None or version.opened_by <= until:
            found.setdefault(version.memory_id, []).append(_as_it_was(version, until))
    return (sorted(each, key=lambda version: version.version) for each in found.values())


def _as_it_was(version: MemoryVersion, until: int | None) -> MemoryVersion:
    closed_later = until is not None and version.closed_by is not None and version.closed_by > until
    return replace(version, closed_at=None, closed_reason=None, closed_by=None) if closed_later else version


def _block(tenant_id: str, stream: str, address: Address, memories: Sequence[Sequence[MemoryVersion]]) -> Block | None:
    believed = [[version for version in versions if _is_belief(version)] for versions in memories]
    believed = [versions for versions in believed if versions]
    if not believed:
        return None
    held = [versions[-1] for versions in believed if versions[-1].is_open]
    return Block(
        block_id=address.block_id(tenant_id, stream),
        address=address,
        subject=_subject(held or [versions[-1] for versions in believed]),
        fields=_fields(held),
        version=versions_of(version for versions in believed for version in versions)[-1],
        docs=tuple(sorted(versions[0].doc for versions in believed)),
        held=tuple(sorted(version.doc for version in held)),
    )


def _is_belief(version: MemoryVersion) -> bool:
    return version.epistemic_type is not EpistemicType.EVIDENCE


def _subject(versions: Iterable[MemoryVersion]) -> str:
    claims = ((version.valid_from or _AFTER_ALL_TIME, version.claim.subject) for version in versions if version.claim)
    return min(claims)[1]


def _changes(versions: Iterable[MemoryVersion]) -> Iterator[tuple[datetime, int]]:
    for version in filter(_is_belief, versions):
        yield version.recorded_at, version.opened_by
        if version.closed_at is not None and version.closed_by is not None:
            yield version.closed_at, version.closed_by


def _by_newest(versions: Iterable[MemoryVersion]) -> Iterable[MemoryVersion]:
    newest: dict[UUID, MemoryVersion] = {}
    for version in versions:
        if version.memory_id not in newest or newest[version.memory_id].version < version.version:
            newest[version.memory_id] = version
    return newest.values()


def _fields(held: Iterable[MemoryVersion]) -> tuple[Field, ...]:
    found: dict[str, list[Value]] = {}
    for version in sorted(held, key=lambda version: version.doc):
        for name, said in _said(version).items():
            found.setdefault(name, []).append(_value(version, said))
    return tuple(
        Field(name=name, values=tuple(sorted(found[name], key=lambda value: value.place))) for name in sorted(found)
    )


def _said(version: MemoryVersion) -> Mapping[str, Any]:
    """What a memory says, by field."""
    claim = version.claim
    if claim is None:
        return {}
    return {claim.predicate: claim.object} if version.data is None else version.data


def _value(version: MemoryVersion, said: Any) -> Value:
    return Value(
        value=said,
        since=version.valid_from,
        until=version.valid_to,
        confidence=version.confidence,
        trust=version.trust,
        memory_id=version.memory_id,
        evidence=_in_order(version.evidence),
    )


def _as_json(value: Value) -> dict[str, Any]:
    return {
        "value": value.value,
        "since": value.since and value.since.astimezone(UTC).isoformat(),
        "until": value.until and value.until.astimezone(UTC).isoformat(),
        "confidence": value.confidence,
        "trust": value.trust,
        "memory": str(value.memory_id),
        "evidence": [[ref.sequence, ref.start, ref.end, ref.independent] for ref in value.evidence],
    }


def _in_order(evidence: Iterable[EvidenceRef]) -> tuple[EvidenceRef, ...]:
    """As the ledger has it: the tables do not say in which order it came to be cited."""
    return tuple(sorted(evidence, key=lambda ref: (ref.sequence, -1 if ref.start is None else ref.start, ref.end or 0)))


def _from_json(given: Mapping[str, Any]) -> Value:
    return Value(
        value=given["value"],
        since=given["since"] and datetime.fromisoformat(given["since"]),
        until=given["until"] and datetime.fromisoformat(given["until"]),
        confidence=given["confidence"],
        trust=given["trust"],
        memory_id=UUID(given["memory"]),
        evidence=tuple(
            EvidenceRef(sequence=sequence, start=start, end=end, independent=independent)
            for sequence, start, end, independent in given["evidence"]
        ),
    )
