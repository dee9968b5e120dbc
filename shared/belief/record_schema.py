"""What one kind of record looks like, and the claim it is. See `shared.belief.schemas`."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, NoReturn, cast

from pydantic import BaseModel, RootModel, ValidationError
from pydantic.errors import PydanticUserError
from pydantic_core import PydanticSerializationError, SchemaError, to_json

from shared.belief.predicates import RECORD, SEPARATOR, Cardinality, subject_key
from shared.contract.errors import InvalidRecord, InvalidSchema
from shared.contract.invisible import shows, without_invisible
from shared.contract.records import Claim, EpistemicType, Kind

MAX_DATA_BYTES: Final = 32_000
"""Of a record as JSON. What is longer is a document, and its record should say where that is."""
MAX_KEY_CHARS: Final = 200
"""Of a key field's value as JSON; an index of Postgres takes a key of some 2,700 bytes."""
NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")
SHOWN_CHARS: Final = 60
FAULTS_OF_APPS: Final = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError)
"""What an application's own validators and upgrades may raise on data they did not expect."""

Data = dict[str, Any]


class Merge(StrEnum):
    """What a field of a profile says where several records of one thing state it."""

    LATEST = "latest"
    """What was so last."""
    EARLIEST = "earliest"
    """What was so first."""
    MOST_CERTAIN = "most_certain"
    """What was most certain when it was first stated; the latest of what is as certain."""
    UNION = "union"
    """All of it, each value once, in the order in which it came to be so; of a list its items."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordSchema:
    """One kind of record.

    Raises:
        InvalidSchema: a part does not fit the others; the message says which and what to do.
    """

    name: str
    """Lower-case letters, digits and underscores; stored with each record, so never given to another schema."""
    model: type[BaseModel]
    """Its fields. It must give JSON values and take them back; unknown fields are refused unless it allows extras."""
    version: int = 1
    """Counted up with every change of the model that stored records may not fit; together with `upgrade`."""
    key: tuple[str, ...] = ()
    """Fields that name what it is of, beside its subject: two records with one key speak of the same thing."""
    cardinality: Cardinality = Cardinality.SINGLE
    """Single: another record of the same key supersedes. Multi: each stands until it is ended."""
    merge: Mapping[str, Merge] = field(default_factory=dict)
    """By field; `Merge.LATEST` where a field is not named."""
    upgrade: Callable[[Data, int], Data] | None = None
    """Makes data of an earlier version, which is its second argument, fit this one. Pure; called again at each read."""
    kind: Kind = Kind.SEMANTIC
    epistemic_type: EpistemicType = EpistemicType.FACT
    ends_at: str | None = None
    """A field that holds the time from which the record is so no longer, where there is such."""

    def __post_init__(self) -> None:
        name, version = cast("tuple[object, object]", (self.name, self.version))
        if not isinstance(name, str) or not NAME.fullmatch(name):
            refuse(str(name), "a name is lower-case letters, digits and underscores, like `contact`")
        if not isinstance(version, int) or version < 1:
            refuse(self.name, f"its version is {self.version!r}; versions count from 1")
        if self.epistemic_type is EpistemicType.EVIDENCE or self.kind is Kind.EPISODIC:
            refuse(self.name, "a record is worked out and no evidence; use another kind and epistemic type")
        _check_model(self)
        for what, names in (("key", self.key), ("merge", self.merge), ("ends_at", filter(None, (self.ends_at,)))):
            for each in names:
                if each not in self.model.model_fields:
                    refuse(self.name, f"{what} names {each!r}, and its model has the fields {_listed(self.model)}")
        for each, policy in self.merge.items():
            if policy not in set(Merge):
                refuse(self.name, f"merge of {each!r} is {policy!r}; use one of {', '.join(Merge)}")

    @property
    def written_name(self) -> str:
        """How its name is stored with a record: with the version, where that is not the first."""
        return self.name if self.version == 1 else f"{self.name}@{self.version}"

    def checked(self, data: BaseModel | Mapping[str, Any]) -> Data:
        """A record's data as it is stored. The only way to a table.

        Raises:
            InvalidRecord: a field does not fit; the message names the field, the value and what to do, and `details`
                has `schema` and `field`.
        """
        given = _as_json(self, data)
        self._check_known(given)
        record = self._read(given)
        stored = self._dumped(record)
        self._check_size(stored)
        if self._dumped(self._read(stored)) != stored:
            self._fault("", "it is another one once it was stored and read", "make the model take what it gives")
        return stored

    def claim(self, subject: str, data: Mapping[str, Any]) -> Claim:
        """The claim that a subject has such a record; `data` as `checked` gives it.

        Raises:
            InvalidRecord: a key field says nothing, or too much to be a key.
        """
        parts = [subject_key(subject), f"{RECORD}{self.name}", *(self._key_part(name, data) for name in self.key)]
        written = canonical(data)
        if self.cardinality is Cardinality.MULTI:
            parts.append(hashlib.sha256(written.encode()).hexdigest()[:32])
        key = SEPARATOR.join(parts)
        return Claim(subject=" ".join(subject.split()), predicate=f"{RECORD}{self.name}", object=written, key=key)

    def policy(self, name: str) -> Merge:
        """What becomes of a field where several records state it."""
        return Merge(self.merge.get(name, Merge.LATEST))

    def _key_part(self, name: str, data: Mapping[str, Any]) -> str:
        value = data.get(name)
        if value in (None, [], {}) or (isinstance(value, str) and not shows(value)):
            self._fault(name, f"is {value!r}", "a key field says of what the record is: give it a value")
        part = canonical(without_invisible(value) if isinstance(value, str) else value)
        if len(part) > MAX_KEY_CHARS:
            self._fault(name, f"has {len(part)} characters", f"a key field has at most {MAX_KEY_CHARS}")
        return part

    def _check_known(self, given: Mapping[str, Any]) -> None:
        if self.model.model_config.get("extra") == "allow":
            return
        for name in given:
            if name not in self.model.model_fields:
                self._fault(name, "is no field of it", f"leave it out, or use one of {_listed(self.model)}")

    def _check_size(self, stored: Data) -> None:
        size = len(canonical(stored).encode())
        if size > MAX_DATA_BYTES:
            self._fault("", f"has {size} bytes as JSON", f"a record has at most {MAX_DATA_BYTES}; store a reference")

    def _read(self, given: Mapping[str, Any]) -> BaseModel:
        try:
            # As JSON, so that a strict model takes a time as it is stored.
            return self.model.model_validate_json(json.dumps(given), by_name=True, by_alias=False)
        except ValidationError as error:
            fault = error.errors()[0]
            path = ".".join(map(str, fault["loc"]))
            has = "is missing" if fault["type"] == "missing" else f"has {_shown(fault['input'])}"
            self._fault(path, f"{has}: {fault['msg']}", "give a value that fits, or register a schema that takes it")
        except FAULTS_OF_APPS as error:
            self._fault("", f"its model raised {type(error).__name__}", "have its validators raise ValueError")

    def _dumped(self, record: BaseModel) -> Data:
        try:
            stated: Data = record.model_dump(mode="json", exclude_unset=True, round_trip=True, by_alias=False)
            whole: Data = record.model_dump(mode="json", include=set(self.key), round_trip=True, by_alias=False)
            json.dumps(stated, allow_nan=False)
        except (PydanticSerializationError, *FAULTS_OF_APPS) as error:
            self._fault("", f"cannot be written as JSON ({type(error).__name__})", "use values that JSON has")
        return {**whole, **stated}

    def _fault(self, name: str, what: str, advice: str) -> NoReturn:
        where = f"field {name!r} of record {self.name!r}" if name else f"record {self.name!r}"
        raise InvalidRecord(f"{where} {what}; {advice}", schema=self.name, field=name)


def canonical(value: object) -> str:
    """A JSON value as one text: equal for equal values, names in order, nothing between the parts."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _as_json(schema: RecordSchema, data: object) -> Data:
    if isinstance(data, BaseModel):
        data = data.model_dump(exclude_unset=True, round_trip=True, by_alias=False)
    if not isinstance(data, Mapping):
        schema._fault("", f"has {type(data).__name__} for data", "pass a mapping of its fields, or its model")  # noqa: SLF001
    try:
        given = json.loads(to_json(dict(data), inf_nan_mode="constants"))
        json.dumps(given, allow_nan=False)
    except (PydanticSerializationError, *FAULTS_OF_APPS):
        schema._fault("", "has a value that JSON has not", "use texts, numbers, lists, mappings and times")  # noqa: SLF001
    return dict(given)


def _check_model(schema: RecordSchema) -> None:
    model = cast("Any", schema.model)
    if not isinstance(model, type) or not issubclass(model, BaseModel) or issubclass(model, RootModel):
        refuse(schema.name, f"its model is {model!r}; pass a subclass of pydantic.BaseModel with fields")
    try:
        for mode in ("validation", "serialization"):
            model.model_json_schema(mode=mode)
    except (PydanticUserError, SchemaError) as error:
        why = str(error).splitlines()[0]
        refuse(schema.name, f"its model does not come back from JSON ({why}); use fields that JSON has")
    for name, each in model.model_fields.items():
        if each.exclude:
            refuse(schema.name, f"field {name!r} is left out when the model is written; it would not come back")


def _listed(model: type[BaseModel]) -> str:
    return ", ".join(model.model_fields) or "none"


def _shown(value: object) -> str:
    return repr(value)[:SHOWN_CHARS]


def refuse(name: str, why: str) -> NoReturn:
    """Say that a schema of a name cannot be registered, and why."""
    raise InvalidSchema(f"schema {name[:SHOWN_CHARS]!r} cannot be registered: {why}", schema=name)
