"""What records may look like: schemas that an application registers, and the one that is built in.

A record is a belief with fields. Its schema says which fields there are (a pydantic model), which of them name what it
is of (`key`), whether there is one such record at a time (`cardinality`), and what becomes of each field where several
records speak of one thing (`merge`). Its claim is made of these, so that records are resolved as all claims are: a
newer one supersedes, history is kept, and any order of arrival gives the same.

Nothing is stored of a record but what `RecordSchema.checked` gives back: JSON values that the model takes and that come
back from it unchanged, without the defaults that nobody stated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from shared.belief._procedure import Procedure
from shared.belief.record_schema import (
    FAULTS_OF_APPS,
    NAME,
    SHOWN_CHARS,
    Data,
    Merge,
    RecordSchema,
    canonical,
    refuse,
)
from shared.contract.errors import InvalidRecord
from shared.contract.records import Kind

__all__ = ["BUILT_IN", "PROCEDURE", "Fitted", "Merge", "RecordSchema", "Schemas", "canonical"]

_WRITTEN: Final = re.compile(rf"({NAME.pattern})(?:@([1-9][0-9]{{0,5}}))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """Data of a stored record, as the registered version of its schema has it."""

    schema: RecordSchema
    data: Data
    is_upgraded: bool
    """Whether it was of an earlier version, and is not what is stored."""


@dataclass(frozen=True, slots=True)
class Schemas:
    """The schemas that are known. A value: `with_` gives another one."""

    known: Mapping[str, RecordSchema] = field(default_factory=lambda: MappingProxyType({}))

    def with_(self, *schemas: RecordSchema) -> Schemas:
        """A registry that knows these too.

        Raises:
            InvalidSchema: a name is taken by another schema. The same one again is no clash.
        """
        known = dict(self.known)
        for schema in schemas:
            if not isinstance(schema, RecordSchema):
                refuse(str(schema)[:SHOWN_CHARS], f"it is a {type(schema).__name__}; register a RecordSchema")
            if known.setdefault(schema.name, schema) is not schema:
                refuse(schema.name, "another schema has that name; give one of them another")
        return Schemas(MappingProxyType(known))

    def __iter__(self) -> Iterator[RecordSchema]:
        """The schemas, in the order in which they were registered."""
        return iter(self.known.values())

    def find(self, written: str) -> RecordSchema:
        """The schema of a name, with or without a version.

        Raises:
            InvalidRecord: there is none, or the version is a later one than the registered.
        """
        match = _WRITTEN.fullmatch(written)
        schema = self.known.get(match[1]) if match else None
        if schema is None:
            known = ", ".join(self.known) or "none"
            msg = f"no schema {written[:SHOWN_CHARS]!r} is registered (known: {known}); name it in DAYBOOK_SCHEMAS"
            raise InvalidRecord(msg, schema=written, field="", fault="no such schema")
        if _version(written) > schema.version:
            msg = f"{written!r} is of a later version than {schema.version}, which is registered; deploy that one"
            raise InvalidRecord(msg, schema=written, field="", fault="a later version")
        return schema

    def fitted(self, written: str, data: Mapping[str, Any]) -> Fitted:
        """The data of a stored record by the registered schema: as it is, or upgraded where it is of an earlier one.

        Raises:
            InvalidRecord: it does not fit, upgraded or not.
        """
        schema = self.find(written)
        given = dict(data)
        version = _version(written)
        if version < schema.version and schema.upgrade is not None:
            try:
                given = schema.upgrade(given, version)
            except FAULTS_OF_APPS as error:
                msg = f"upgrade of record {schema.name!r} from version {version} raised {type(error).__name__}: mend it"
                fault = f"its upgrade raised {type(error).__name__}"
                raise InvalidRecord(msg, schema=schema.name, field="", fault=fault) from error
        now = schema.checked(given)
        return Fitted(schema=schema, data=now, is_upgraded=now != dict(data))


def _version(written: str) -> int:
    return int(written.partition("@")[2] or 1)


PROCEDURE: Final = RecordSchema(
    name="procedure", model=Procedure, key=("trigger",), kind=Kind.PROCEDURAL, ends_at="expires"
)
"""How something is done. How often it served and failed is no field: it is counted from what is reported of recalls."""

BUILT_IN: Final = Schemas().with_(PROCEDURE)
