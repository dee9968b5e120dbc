"""A record that an application states, as a message carries it from the front door into the ledger."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints

STATED_CONFIDENCE: Final = 0.9
"""How certain a record is whose application does not say: certain enough to go by, and open to being confirmed."""

Word = Annotated[str, StringConstraints(pattern=r"\S")]


class StatedRecord(BaseModel):
    """Fields of a registered schema, said of a subject: `RawMessage.record`, and `record` in an event's payload."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_name: Word
    """Name of the schema that `data` fits, with its version where that is not the first: `contact`, `contact@2`."""
    data: dict[str, Any]
    subject: Word | None = None
    """Whose record it is; None for the user in whose scope it is stated."""
    change: Literal["holds", "ended", "never"] = "holds"
    """As `shared.contract.candidates.Change`; to end or deny a record, state its data as it was recorded."""
    since: AwareDatetime | None = None
    until: AwareDatetime | None = None
    evidence: tuple[Word, ...] = ()
    """Ids of messages of the same run that it was worked out from, beside the statement itself."""
    confidence: Annotated[float, Field(ge=0.0, le=1.0)] = STATED_CONFIDENCE
