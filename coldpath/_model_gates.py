"""What stands before a call of a model, the cheap gates before the dear ones; what each said is counted."""

from __future__ import annotations

from enum import StrEnum


class ModelGate(StrEnum):
    """How far a stream came on its way to a model. Each is counted; a stream ends at one of them."""

    NO_MODEL = "no_model"
    """None is configured, or it is not to be asked for this."""
    TOO_LITTLE_NEW = "too_little_new"
    TOO_SOON = "too_soon"
    """It was asked about the stream not long ago."""
    BUSY = "busy"
    """Somebody writes to the stream; the next pass looks again."""
    NO_TOKENS = "no_tokens_left"
    NO_MONEY = "no_money_left"
    NO_PRICE = "price_unknown"
    HELD = "held_by_gate"
    """What models wrote of the tenant's was too poor: a gate of `evaluate` keeps its runs from them."""
    UNAVAILABLE = "unavailable"
    """It gave no answer in time, or the provider would not take the call."""
    REFUSED = "refused"
    """It declined, or gave no answer that can be read; that is stored, and it is asked about the same once more."""
    OVERTAKEN = "overtaken"
    """What it was shown was forgotten or closed while it answered; as for `REFUSED`."""
    GIVEN_UP = "given_up"
    """The same, for the last of the times that it is asked about the same."""
    ASKED = "asked"
    """It answered, and that is stored."""

    @property
    def counted(self) -> str:
        """Its name among the counts of a pass."""
        return f"gate_{self.value}"
