"""What an operator can have each write of wait for a person."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from shared.contract.errors import InvalidInput
from shared.contract.records import EpistemicType, Kind

ASKABLE: Final = (*Kind, *(each for each in EpistemicType if each is not EpistemicType.EVIDENCE))
"""Kinds of memory, and on what footing one is held; what was said word for word is nothing to decide on."""
BUILT_IN_SCHEMAS: Final = ("procedure",)
"""Names of the schemas of records that need no registering."""


def require_askable(names: Iterable[str], schemas: Iterable[str]) -> frozenset[str]:
    """The names, where each is one of `ASKABLE` or of a schema.

    Raises:
        InvalidInput: one is neither; the message has all that may be named.
    """
    named, allowed = frozenset(names), (*ASKABLE, *schemas)
    unknown = sorted(named.difference(allowed))
    if unknown:
        listed = ", ".join(map(repr, unknown))
        msg = f"{listed} is no kind of memory and no registered schema: name {', '.join(dict.fromkeys(allowed))}"
        raise InvalidInput(msg, field=unknown[0])
    return named
