"""Profiles: what a subject's records come to, field by field. Pure, and the same for any order of the records.

A profile has an instance for each thing that is so at a time of the world. Of an instance, every record counts that
led up to it without a gap: a record states some fields, a later one others, and each field is merged by its own policy.
What was retracted never counts, and what came before a gap is of another instance, which ended.

What a field says, and since when, is the same for any order of arrival. The evidence and the confidence shown with it
are the memories', which may have been confirmed by more where words came in another order: so the most certain value is
the one that was so when it was first stated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import takewhile
from types import MappingProxyType
from typing import Any, Final
from uuid import UUID

from shared.belief.blocks import Shown
from shared.belief.predicates import RECORD
from shared.belief.schemas import Merge, RecordSchema, Schemas, canonical
from shared.belief.visibility import Standing, known, standing
from shared.contract.errors import InvalidRecord
from shared.contract.records import Claim, EvidenceRef, MemoryVersion
from shared.contract.turns import Use

_BEFORE_ALL_TIME: Final = datetime.min.replace(tzinfo=UTC)
_AFTER_ALL_TIME: Final = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldValue:
    """What one field of an instance says, and how that is known."""

    value: Any
    """A JSON value."""
    memory_ids: tuple[UUID, ...]
    """The memories that say so, in the order in which they came to be so."""
    evidence: tuple[EvidenceRef, ...]
    """All that these rest on."""
    since: datetime | None
    """World time from which it has been so; None where that is not known."""
    confidence: float
    """That of the most certain of them; of a union, of the least certain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """One thing of a schema's kind, of one subject."""

    subject: str
    key: Mapping[str, Any]
    """Its key fields; empty where the subject has one such record."""
    fields: Mapping[str, FieldValue]
    """In the schema's order."""
    memory_ids: tuple[UUID, ...]
    """All memories that it was folded from."""
    succeeded: int = 0
    """In how many recalls, of those that were reported on, one of them was of use."""
    failed: int = 0
    """In how many one of them misled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What is known of a scope's subjects at a time of the world, in fields."""

    at: datetime
    schemas: Mapping[str, tuple[Instance, ...]] = field(default_factory=dict)
    """By name of schema, those with an instance; in order of subject and key."""
    unreadable: tuple[UUID, ...] = ()
    """Memories whose data fits no registered schema: `daybook schemas check` says why."""
    blocks: tuple[Shown, ...] = ()
    """What is claimed of each subject, by topic, and of each thing with records their fields as they were stated."""
    built_to: Mapping[str, int] = field(default_factory=dict)
    """By owner, up to which event of the stream the view has it; what came since was folded as it was read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Record:
    version: MemoryVersion
    schema: RecordSchema
    data: Mapping[str, Any]
    claim: Claim
    certain: float
    """How certain its founding statement was."""

    @property
    def begins(self) -> datetime:
        return self.version.valid_from or _BEFORE_ALL_TIME

    @property
    def ends(self) -> datetime:
        return self.version.valid_to or _AFTER_ALL_TIME

    @property
    def place(self) -> tuple[object, ...]:
        """Its place in the world's order; nothing in it hangs on when it arrived."""
        return (self.begins, self.version.trust, self.claim.object, self.ends, self.version.text)


def profile(
    versions: Iterable[MemoryVersion],
    schemas: Schemas,
    *,
    at: datetime,
    known_at: datetime | None = None,
    uses: Mapping[UUID, Use] = MappingProxyType({}),
) -> Profile:
    """The profile at a time of the world, as far as was known at `known_at` (None: now).

    `versions` are all versions of the memories that have data, in any order; others are passed over. Data of an earlier
    version of a schema is upgraded as it is read.
    """
    read, unreadable = _read(versions, schemas, known_at)
    found: dict[str, list[Instance]] = {}
    for records in _by_key(read).values():
        instance = _instance(records, at, uses)
        if instance:
            found.setdefault(records[0].schema.name, []).append(instance)
    ordered = {name: tuple(sorted(found[name], key=_order)) for name in sorted(found)}
    return Profile(at=at, schemas=ordered, unreadable=tuple(sorted(unreadable, key=str)))


def is_record(version: MemoryVersion) -> bool:
    """Whether a memory is a record: it has data, and a claim that says whose."""
    return version.data is not None and version.claim is not None and version.claim.predicate.startswith(RECORD)


def _read(
    versions: Iterable[MemoryVersion], schemas: Schemas, known_at: datetime | None
) -> tuple[list[_Record], list[UUID]]:
    read: list[_Record] = []
    unreadable: list[UUID] = []
    records = list(filter(is_record, versions))
    certain = {each.memory_id: each.confidence for each in records if each.version == 1}
    for version in known(records, known_at):
        if not version.is_open or version.claim is None or version.data is None:
            continue
        try:
            fitted = schemas.fitted(version.schema_name or "", version.data)
            claim = fitted.schema.claim(version.claim.subject, fitted.data)
        except InvalidRecord:
            unreadable.append(version.memory_id)
            continue
        sure = certain.get(version.memory_id, version.confidence)
        read.append(_Record(version=version, schema=fitted.schema, data=fitted.data, claim=claim, certain=sure))
    return read, unreadable


def _by_key(records: Iterable[_Record]) -> Mapping[str, list[_Record]]:
    found: dict[str, list[_Record]] = {}
    for record in sorted(records, key=lambda record: record.place):
        found.setdefault(record.claim.key, []).append(record)
    return found


def _instance(records: Sequence[_Record], at: datetime, uses: Mapping[UUID, Use]) -> Instance | None:
    """What the records of one key come to; None where nothing of it is so."""
    current = [record for record in records if standing(record.version, at) is Standing.TRUE]
    if not current:
        return None
    led_up = _unbroken(records, current)
    # Of what is so at once, whom we trust more has the last word.
    in_order = [*led_up, *sorted(current, key=lambda record: (record.version.trust, *record.place))]
    newest, ids = in_order[-1], tuple(dict.fromkeys(record.version.memory_id for record in in_order))
    reported = [uses[memory] for memory in ids if memory in uses]
    return Instance(
        subject=newest.claim.subject,
        key={name: newest.data[name] for name in newest.schema.key},
        fields=_fields(in_order),
        memory_ids=ids,
        succeeded=sum(use.used for use in reported),
        failed=sum(use.misled for use in reported),
    )


def _unbroken(records: Sequence[_Record], current: Sequence[_Record]) -> list[_Record]:
    """Of the records that have ended those from which one was so until the current ones, in the world's order."""
    begins = min(record.begins for record in current)
    led_up: list[_Record] = []
    ended = [record for record in records if record not in current and record.ends <= max(map(_begins, current))]
    for record in sorted(ended, key=lambda record: (record.ends, *record.place), reverse=True):
        if record.ends < begins:
            break
        led_up.append(record)
        begins = min(begins, record.begins)
    return sorted(led_up, key=lambda record: record.place)


def _begins(record: _Record) -> datetime:
    return record.begins


def _fields(in_order: Sequence[_Record]) -> dict[str, FieldValue]:
    newest = in_order[-1].schema
    stated = dict.fromkeys(name for record in in_order for name in record.data)
    names = [*(name for name in newest.model.model_fields if name in stated), *sorted(stated)]
    return {
        name: _merged([record for record in in_order if name in record.data], name, newest.policy(name))
        for name in dict.fromkeys(names)
    }


def _merged(stating: Sequence[_Record], name: str, policy: Merge) -> FieldValue:
    """A field of the records that state it, of which there is at least one."""
    if policy is Merge.UNION:
        return _union(sorted(stating, key=lambda record: record.place), name)
    if policy is Merge.EARLIEST:
        in_order = sorted(stating, key=lambda record: record.place)
        agreeing = list(takewhile(lambda record: record.data[name] == in_order[0].data[name], in_order))
    elif policy is Merge.LATEST:
        in_order = list(reversed(stating))
        agreeing = list(takewhile(lambda record: record.data[name] == in_order[0].data[name], in_order))
    else:
        best = max(enumerate(stating), key=lambda placed: (placed[1].certain, placed[0]))[1]
        agreeing = [record for record in stating if record.data[name] == best.data[name]]
    return _value(agreeing[0].data[name], agreeing, max)


def _union(stating: Sequence[_Record], name: str) -> FieldValue:
    items: dict[str, Any] = {}
    for record in stating:
        value = record.data[name]
        for item in value if isinstance(value, list) else [value]:
            items.setdefault(canonical(item), item)
    return _value(list(items.values()), stating, min)


def _value(value: Any, records: Sequence[_Record], certain: Any) -> FieldValue:
    in_order = sorted(records, key=lambda record: record.place)
    return FieldValue(
        value=value,
        memory_ids=tuple(dict.fromkeys(record.version.memory_id for record in in_order)),
        evidence=tuple(dict.fromkeys(ref for record in in_order for ref in record.version.evidence)),
        since=in_order[0].version.valid_from,
        confidence=certain(record.version.confidence for record in records),
    )


def _order(instance: Instance) -> tuple[str, str]:
    return instance.subject, canonical(dict(instance.key))
