"""Records of a run: those that an application states become candidates, and an extractor's are checked.

No model is asked about a record that is stated, and none is shown it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from shared.accept.records import times_of
from shared.belief.recording import checked_candidate, founds, record_candidate
from shared.belief.schemas import Schemas
from shared.contract.candidates import Candidate, Extraction, ExtractionStatus
from shared.contract.errors import InvalidInput, InvalidRecord
from shared.contract.events import Event
from shared.contract.operations import ReopenPayload
from shared.contract.records import EvidenceRef, Operation
from shared.contract.stated import StatedRecord
from shared.store import memories
from shared.store.beliefs import Draft
from shared.store.candidates import Proposed

RECORDS_ALONE: Final = Extraction(extractor="records/1", status=ExtractionStatus.NOTHING_FOUND)
"""Who reads a run in which nothing is said beside records: nobody."""
_BAD: Final = "bad_record"
_NO_SUCH_LINE: Final = "unknown_line"


def states_record(event: Event) -> bool:
    """Whether a message is a record that an application states."""
    return bool(event.payload and event.payload.get("record"))


def with_records(read: Extraction, events: Sequence[Event], lines: Mapping[str, int], schemas: Schemas) -> Extraction:
    """What was read of a run, with the records that some of its messages state; each checked by its schema.

    `lines` are the sequences of all messages of the run by id, those that were read before too. What does not fit is
    counted in `rejected`, as `bad_record` or `unknown_line`.
    """
    rejected = Counter(read.rejected)
    proposed = [each for each in (_checked(each, schemas, rejected) for each in read.candidates) if each]
    stating = [event for event in events if states_record(event)]
    stated = [each for each in (_stated(event, lines, schemas, rejected) for event in stating) if each]
    status = read.status
    if stated and status is ExtractionStatus.NOTHING_FOUND:
        status = ExtractionStatus.STORED
    if not proposed and not stated and status is ExtractionStatus.STORED:
        status = ExtractionStatus.NOTHING_FOUND
    return replace(read, status=status, candidates=[*proposed, *stated], rejected=dict(rejected))


def _checked(candidate: Candidate, schemas: Schemas, rejected: Counter[str]) -> Candidate | None:
    try:
        return checked_candidate(candidate, schemas)
    except InvalidRecord:
        rejected[_BAD] += 1
        return None


def _stated(event: Event, lines: Mapping[str, int], schemas: Schemas, rejected: Counter[str]) -> Candidate | None:
    """The candidate of a message that states a record.

    It was checked at the front door, by the schemas of then and there: those of now and here may be others.
    """
    try:
        said = StatedRecord.model_validate((event.payload or {})["record"])
        fitted = schemas.fitted(said.schema_name, said.data)
        return record_candidate(
            fitted.schema,
            said.subject or event.speaker or "",
            fitted.data,
            evidence=tuple(_cited(said.evidence, event, lines)),
            confidence=said.confidence,
            **times_of(said),
        )
    except KeyError:
        rejected[_NO_SUCH_LINE] += 1
    except (InvalidInput, ValueError):
        rejected[_BAD] += 1
    return None


def _cited(message_ids: Iterable[str], event: Event, lines: Mapping[str, int]) -> Iterable[EvidenceRef]:
    """What a record rests on, its own statement last: its place in the world's order is that one's."""
    for sequence in dict.fromkeys(lines[each] for each in message_ids):
        if sequence != event.sequence:
            yield EvidenceRef(sequence=sequence)
    yield EvidenceRef(sequence=event.sequence)


def held_again(draft: Draft, proposed: Proposed) -> None:
    """Open again what was held for a record until its schema changed, now that somebody has decided that it counts."""
    versions = draft.as_they_are(memories.of_claims(draft.session, [proposed.claim_key or ""]))
    founded = {each.memory_id for each in versions if each.version == 1 and founds(proposed.candidate, each)}
    last = {each.memory_id: each for each in versions}.values()
    closed = [each for each in last if each.memory_id in founded and each.closed_reason is Operation.EXPIRE]
    operations = [ReopenPayload(reason="approved", memory=each.memory_id, valid_to=each.valid_to) for each in closed]
    draft.do(versions, operations)
