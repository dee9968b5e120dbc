"""Records that an application registers, as a model is told of them, and as its entries come to them. Pure.

What a model gives goes through the schema like what an application states itself, and it must have been said.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Final

from shared.belief.recording import record_candidate
from shared.belief.schemas import BUILT_IN, RecordSchema, Schemas
from shared.contract.candidates import Candidate
from shared.contract.errors import InvalidRecord
from shared.contract.records import EpistemicType
from shared.language.text import terms
from warmpath._grounding import Fault

_BAD: Final = "bad_record"
_AS_THE_SCHEMA_SAYS: Final = frozenset({EpistemicType.FACT, EpistemicType.PREFERENCE})
_FEWEST_DIGITS: Final = 3
"""Of a number that must stand in the lines as it is; a smaller one may be said in words."""
_NO_DIGIT: Final = re.compile(r"\D")
_WORKED_OUT: Final = re.compile(r"\d{4}-\d{2}(?:-\d{2}(?:[T ].*)?)?")
"""A date, which the words of a line may have come to."""


def offered(schemas: Schemas) -> Schemas:
    """The records that a model is told of: all, where an application has any of its own, else none."""
    return schemas if any(schema.name not in BUILT_IN.known for schema in schemas) else Schemas()


def described(schemas: Schemas) -> str:
    """The schemas as a model is told of them, one JSON object a line."""
    return "\n".join(json.dumps(_described(schema), ensure_ascii=False) for schema in schemas)


def _described(schema: RecordSchema) -> dict[str, Any]:
    fields = _without_titles(schema.model.model_json_schema())
    return {"record": schema.name, "key": list(schema.key), "fields": fields}


def _without_titles(value: Any) -> Any:
    """A JSON schema without what says nothing that the names do not; a field may be called `title` itself."""
    if isinstance(value, list):
        return [_without_titles(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {name: _without_titles(each) for name, each in value.items() if name != "title" or not isinstance(each, str)}


def recorded(
    candidate: Candidate, name: str, data: Mapping[str, Any], about: str, said: str, schemas: Schemas
) -> Candidate:
    """A candidate as the record that a model says it is, of whom it is `about`; `said` is what it may be made of.

    Raises:
        Fault: no such record is known, its data does not fit, or says what the lines do not.
    """
    try:
        schema = schemas.find(name)
        found = record_candidate(
            schema,
            about,
            data,
            evidence=candidate.evidence,
            text=candidate.text,
            change=candidate.change,
            since=candidate.since,
            until=candidate.until,
            confidence=candidate.confidence,
            epistemic_type=None if candidate.epistemic_type in _AS_THE_SCHEMA_SAYS else candidate.epistemic_type,
            language=candidate.language,
        )
    except (InvalidRecord, ValueError) as error:
        raise Fault(_BAD, str(error)) from None
    given = _given(schema)
    unsaid = next((each for each in _values(data) if each not in given and not _is_said(each, said)), None)
    if unsaid is not None:
        raise Fault(_BAD, f"`data` says {str(unsaid)[:60]!r}, and the lines do not")
    return found


def _given(schema: RecordSchema) -> frozenset[str]:
    """The values that a schema lists itself: they stand for words of all kinds."""
    listed = _values_of(schema.model.model_json_schema(), {"enum", "const"})
    return frozenset(each for each in listed if isinstance(each, str))


def _values_of(value: Any, names: AbstractSet[str]) -> Iterator[Any]:
    for name, each in value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ()):
        if name in names:
            yield from _values(each)
        else:
            yield from _values_of(each, names)


def _values(value: Any) -> Iterator[Any]:
    """The strings and numbers of a JSON value."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _values(each)
    elif value is not None and not isinstance(value, bool):
        yield value


def _is_said(value: Any, said: str) -> bool:
    """Whether a text says a value, as far as code can tell: its digits in a row, else any word of it."""
    written = str(value)
    digits = _NO_DIGIT.sub("", f"{value:g}" if isinstance(value, float) else written)
    if digits:
        is_small = not isinstance(value, str) and len(digits) < _FEWEST_DIGITS
        return is_small or digits in _NO_DIGIT.sub("", said) or _WORKED_OUT.fullmatch(written) is not None
    own = set(terms(written))
    return not own or not own.isdisjoint(terms(said))
