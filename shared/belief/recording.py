"""Records as candidates: what an application states, or a model proposes, in the one form that gets to a table."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from pydantic import AwareDatetime as Aware
from pydantic import BaseModel, TypeAdapter, ValidationError

from shared.belief.schemas import RecordSchema, Schemas, canonical
from shared.contract.candidates import MAX_TEXT_CHARS, Candidate, Change
from shared.contract.errors import InvalidRecord
from shared.contract.records import EpistemicType, EvidenceRef, MemoryVersion
from shared.contract.stated import STATED_CONFIDENCE

_TIME: Final[TypeAdapter[datetime]] = TypeAdapter(Aware)
_BEFORE: Final = {Change.HOLDS: "", Change.ENDED: "no longer so: ", Change.NEVER: "never so: "}


def record_candidate(  # noqa: PLR0913 - what a candidate has, and no more
    schema: RecordSchema,
    subject: str,
    data: BaseModel | Mapping[str, Any],
    *,
    evidence: tuple[EvidenceRef, ...],
    text: str | None = None,
    change: Change = Change.HOLDS,
    since: datetime | None = None,
    until: datetime | None = None,
    confidence: float = STATED_CONFIDENCE,
    epistemic_type: EpistemicType | None = None,
    language: str | None = None,
) -> Candidate:
    """The candidate that a record is, checked. The one constructor: `text` and footing are by default the schema's.

    Raises:
        InvalidRecord: the data does not fit the schema, or another argument does not fit, as for `Candidate`.
    """
    stored = schema.checked(data)
    ends = until or _end_of(schema, stored)
    try:
        return Candidate(
            kind=schema.kind,
            epistemic_type=epistemic_type or schema.epistemic_type,
            text=text or shortened(statement(schema, subject, stored, change)),
            claim=schema.claim(subject, stored),
            change=change,
            since=since,
            until=ends if change is Change.HOLDS else until,
            evidence=evidence,
            confidence=confidence,
            language=language,
            schema_name=schema.written_name,
            data=stored,
        )
    except ValidationError as error:
        raise _unfit(schema, error) from None


def _unfit(schema: RecordSchema, error: ValidationError) -> InvalidRecord:
    """The first fault of a candidate that cannot be, in our words: a caller never meets pydantic's."""
    fault = error.errors()[0]
    name = ".".join(map(str, fault["loc"]))
    where = f"{name} of record {schema.name!r}" if name else f"record {schema.name!r}"
    told = fault["msg"].removeprefix("Value error, ")
    return InvalidRecord(f"{where}: {told}; state it otherwise", schema=schema.name, field=name)


def checked_candidate(candidate: Candidate, schemas: Schemas) -> Candidate:
    """A candidate as it may be stored: where it is of a record, with data, claim and kind as its schema has them.

    Raises:
        InvalidRecord: it is of a record that does not fit, or that says of nobody whose it is.
    """
    if candidate.schema_name is None and candidate.data is None:
        return candidate
    if candidate.schema_name is None or candidate.data is None or candidate.claim is None:
        msg = "a record has the name of its schema, its data and a claim that says whose it is; give all three or none"
        raise InvalidRecord(msg, schema=candidate.schema_name, field="")
    fitted = schemas.fitted(candidate.schema_name, candidate.data)
    return record_candidate(
        fitted.schema,
        candidate.claim.subject,
        fitted.data,
        text=candidate.text,
        **{name: getattr(candidate, name) for name in _KEPT},
    )


_KEPT: Final = ("evidence", "change", "since", "until", "confidence", "epistemic_type", "language")


def retold(candidate: Candidate, schemas: Schemas) -> Candidate:
    """A checked candidate whose words, where they were made of its data, are made of what that is by now."""
    schema = schemas.find(candidate.schema_name or "")
    assert candidate.claim is not None
    assert candidate.data is not None
    told = statement(schema, candidate.claim.subject, candidate.data, candidate.change)
    begins = told[: told.index(": ", len(_BEFORE[candidate.change])) + 2]
    return candidate.model_copy(update={"text": shortened(told)}) if candidate.text.startswith(begins) else candidate


def founds(candidate: Candidate, first: MemoryVersion) -> bool:
    """Whether a memory, by its first version, was made from a candidate: none of this changes in a memory."""
    spans = {ref.span for ref in first.evidence}
    same = candidate.text == first.text and candidate.claim == first.claim
    return same and spans == {ref.span for ref in candidate.evidence}


def statement(schema: RecordSchema, subject: str, data: Mapping[str, Any], change: Change = Change.HOLDS) -> str:
    """A record as a sentence, with every field that was stated, in the schema's order: the same for the same data."""
    order = [name for name in schema.model.model_fields if name in data]
    fields = [*order, *(name for name in sorted(data) if name not in order)]
    told = "; ".join(f"{name.replace('_', ' ')}: {_told(data[name])}" for name in fields)
    return f"{_BEFORE[change]}{schema.name.replace('_', ' ')} of {' '.join(subject.split())}: {told}"


def shortened(text: str) -> str:
    """A statement cut to what a candidate may say."""
    return text if len(text) <= MAX_TEXT_CHARS else f"{text[: MAX_TEXT_CHARS - 1]}…"


def _told(value: Any) -> str:
    if isinstance(value, list) and all(isinstance(each, str | int | float) for each in value):
        return ", ".join(map(_told, value))
    if isinstance(value, str):
        return " ".join(value.split())
    return canonical(value)


def _end_of(schema: RecordSchema, data: Mapping[str, Any]) -> datetime | None:
    value = data.get(schema.ends_at) if schema.ends_at else None
    if value is None:
        return None
    try:
        return _TIME.validate_python(value)
    except ValidationError:
        msg = f"field {schema.ends_at!r} of record {schema.name!r} is no time with a zone; give one, or leave it out"
        raise InvalidRecord(msg, schema=schema.name, field=schema.ends_at) from None
