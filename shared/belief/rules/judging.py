"""What the gate says of a candidate: a decision, and what it was reached by."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from shared.belief.rules.sensitivity import Sensitive
from shared.contract.records import Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class Dimensions:
    """How a candidate stands, each 0..1. They explain a decision; the rules make it."""

    novelty: float
    """What of it is new: 0 said before, 1 nothing like it is held (`duplicates.novelty`)."""
    specificity: float
    """How much it says: 0 nothing, 1 three words or more that name, count or describe (`vague.specificity`)."""
    derivability: float
    """How well it could be had without being told: 1 by anybody, 0 by nobody else (`derivable.derivability`)."""
    sensitivity: float
    """How delicate it is: 0 not at all, 1 a secret (`sensitivity.WEIGHTS`)."""
    durability: float
    """How long it will matter: 0 for this moment, 1 lastingly (`lasting.durability`)."""
    confidence: float
    """How sure whoever read it is that it was said so: the candidate's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The verdict on a candidate and what it was reached by."""

    decision: Decision
    dimensions: Dimensions
    subject: UUID | int | None = None
    """What it says again: a memory by its id, or by its sequence a candidate that waits and is confirmed by it."""
    independent: bool = True
    """False for an echo of `subject`, which makes nothing more certain."""
    sensitive: tuple[Sensitive, ...] = ()
    """The classes of what it says, the most delicate first."""
    wait_days: int | None = None
    """How long a deferred one waits for evidence, or one in review for a person; None for the others."""

    @property
    def fields(self) -> dict[str, Any]:
        """All but the decision as JSON values, to be stored beside it. Quotes nothing."""
        return {
            **{name: round(value, 3) for name, value in asdict(self.dimensions).items()},
            **({"subject": str(self.subject), "independent": self.independent} if self.subject is not None else {}),
            **({"sensitive": [str(each) for each in self.sensitive]} if self.sensitive else {}),
        }

    def due_at(self, decided_at: datetime) -> datetime | None:
        """When its wait is over; None where it waits for nothing."""
        return None if self.wait_days is None else decided_at + timedelta(days=self.wait_days)
