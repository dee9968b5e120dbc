"""A record that a caller states: cleaned, scrubbed and checked by its schema, and made into a message's text."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, Final

from pydantic import BaseModel

from shared.accept.content import Content, cleaned_json
from shared.accept.raw import RawMessage
from shared.accept.scrub import scrub, scrub_json
from shared.belief.predicates import Cardinality
from shared.belief.recording import record_candidate, statement
from shared.belief.schemas import Merge, RecordSchema, Schemas, canonical
from shared.contract.candidates import Change
from shared.contract.errors import InvalidInput
from shared.contract.records import EvidenceRef
from shared.contract.stated import STATED_CONFIDENCE, StatedRecord
from shared.contract.trust import Origin
from shared.language.text import normalise
from shared.store.inbox import stated_as

ORIGINS: Final = (Origin.USER, Origin.TOOL)
"""Who may be said to state a record: the user, or a program. What an assistant says is for an extractor to read."""
_SOMEBODY: Final = "user"
"""Stands for whose record it is, where the front door has yet to say."""
_OWN: Final = EvidenceRef(sequence=1)
"""Stands for the message's event, which has no number yet."""


def cleaned_record(
    raw: RawMessage, content: Content, author: str | None, schemas: Callable[[], Schemas]
) -> tuple[StatedRecord | None, tuple[str, ...]]:
    """The record that a message states, ready to be stored, and the kinds of the secrets that it lost.

    The record as a sentence is added to the content: it is what the message says. `author` is whose record it is where
    the caller named nobody.

    Raises:
        InvalidRecord: its data does not fit its schema, or there is no such schema.
        InvalidInput: it says of nobody whose it is, has a text beside it, or holds a secret that cannot be cut out.
        Misconfigured: the schemas cannot be had.
    """
    given = raw.record
    if given is None:
        return None, ()
    if content.text.strip():
        raise InvalidInput("states a record and has a text: what it rests on is another message, named in `evidence`")
    subject = scrub(" ".join(normalise(given.subject or author or "")[0].split())).text
    if not subject:
        raise InvalidInput("states a record of nobody: give its `subject`")
    known = schemas()
    schema = known.find(given.schema_name)
    data, lost = scrub_json(cleaned_json(given.data, content))
    stored = known.fitted(given.schema_name, data).data if "@" in given.schema_name else schema.checked(data)
    record = given.model_copy(update={"schema_name": schema.written_name, "data": stored, "subject": subject})
    told = statement(schema, subject, stored, Change(record.change))
    found = scrub(told).found
    if found:
        raise InvalidInput(f"states a record that holds a secret ({', '.join(sorted(set(found)))}): leave it out")
    # What cannot become a candidate is refused here, where the caller hears of it.
    record_candidate(schema, subject, stored, evidence=(_OWN,), **times_of(record))
    content.texts[:] = [told]
    return record, lost


def record_messages(  # noqa: PLR0913 - what a record says, and who says it
    schema: RecordSchema,
    data: BaseModel | Mapping[str, Any],
    *,
    run_id: str,
    occurred_at: datetime | None,
    evidence: str | Iterable[str] = (),
    origin: str = Origin.TOOL,
    source: str | None = None,
    subject: str | None = None,
    change: str = Change.HOLDS,
    since: datetime | None = None,
    until: datetime | None = None,
    confidence: float = STATED_CONFIDENCE,
) -> list[dict[str, Any]]:
    """The messages that a record is observed as: what it rests on where that is a text, and its statement.

    Their ids are made of what they say, so the same record in the same run is the same message.

    Raises:
        InvalidRecord: the data does not fit the schema, or no record can be so ("since" after "until").
        InvalidInput: the origin is none of `ORIGINS`, or the change none of `Change`.
    """
    if origin not in ORIGINS:
        raise InvalidInput(f"origin {origin!r} cannot state a record; use one of {', '.join(ORIGINS)}", field="origin")
    if change not in set(Change):
        raise InvalidInput(f"change {change!r} is none; use one of {', '.join(Change)}", field="change")
    for name, when in (("occurred_at", occurred_at), ("since", since), ("until", until)):
        if when is not None and not isinstance(when, datetime):
            raise InvalidInput(f"{name} is a {type(when).__name__}: pass a datetime with a zone, or None", field=name)
    candidate = record_candidate(
        schema,
        subject or _SOMEBODY,
        data,
        evidence=(_OWN,),
        change=Change(change),
        since=since,
        until=until,
        confidence=confidence,
    )
    said = {
        "schema_name": schema.written_name,
        "data": candidate.data,
        "subject": subject,
        "change": change,
        "since": since and since.isoformat(),
        "until": until and until.isoformat(),
        "confidence": confidence,
    }
    number = _digest([run_id, occurred_at and occurred_at.isoformat(), said])[:32]
    told: dict[str, Any] = {"role": origin, "origin": origin, "speaker": source, "ts": occurred_at}
    if isinstance(evidence, str):
        ground = {**told, "id": f"ground-{number}", "text": evidence}
        return [ground, {**told, "id": f"record-{number}", "record": {**said, "evidence": [ground["id"]]}}]
    return [{**told, "id": f"record-{number}", "record": {**said, "evidence": list(evidence)}}]


def stated_fields(record: StatedRecord, occurred_at: datetime | None, schema: RecordSchema) -> dict[str, str]:
    """Digest of each value that a record states, by what it is of at which time; two of one would hide each other.

    Not of fields in which several values have their place: the schema merges them, or takes each record as its own.
    """
    if schema.cardinality is Cardinality.MULTI:
        return {}
    when = [str(each) for each in (occurred_at, record.since, record.until)]
    about = _digest([schema.claim(record.subject or _SOMEBODY, record.data).key, record.change, *when])
    single = [name for name in record.data if name not in schema.key and schema.policy(name) is Merge.LATEST]
    return {stated_as(about, name): _digest(record.data[name]) for name in single}


def _digest(value: object) -> str:
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def times_of(record: StatedRecord) -> dict[str, Any]:
    """What a record says of its claim, as arguments of `record_candidate`."""
    return {"change": Change(record.change), "since": record.since, "until": record.until}
