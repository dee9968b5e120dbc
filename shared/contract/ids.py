"""Ids as people hand them back: whole, or the beginning that they were shown."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from itertools import takewhile
from typing import Final, TypeVar
from uuid import UUID

from shared.contract.errors import InvalidInput

SHORTEST_ID: Final = 12
"""Hexadecimal digits of an id that are enough."""
_DIGITS: Final = 32
_HEX: Final = re.compile(r"[0-9a-f]+")

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True, kw_only=True)
class IdRange:
    """The ids that begin with some digits."""

    first: UUID
    last: UUID

    @classmethod
    def of(cls, given: UUID | str, *, field: str = "id") -> IdRange:
        """All ids that `given`, a whole id or its beginning, can stand for.

        Raises:
            InvalidInput: it is neither; `field` is what the caller calls it.
        """
        digits = str(given).strip().lower().replace("-", "")
        if not _HEX.fullmatch(digits) or not SHORTEST_ID <= len(digits) <= _DIGITS:
            msg = f"{str(given)[:60]!r} is no id: pass a whole one, or at least its first {SHORTEST_ID} digits"
            raise InvalidInput(msg, field=field)
        return cls(first=UUID(digits.ljust(_DIGITS, "0")), last=UUID(digits.ljust(_DIGITS, "f")))

    @property
    def whole(self) -> UUID | None:
        """The one id that it can be; None where it is the beginning of many."""
        return self.first if self.first == self.last else None

    @property
    def begins(self) -> str:
        """What all of them begin with, as an id is written."""
        both = takewhile(lambda pair: pair[0] == pair[1], zip(str(self.first), str(self.last), strict=True))
        return "".join(one for one, _ in both)

    def holds(self, one: UUID) -> bool:
        """Whether it is one of them."""
        return self.first <= one <= self.last

    def only(self, found: Collection[Found], things: str, *, field: str = "id") -> Found | None:
        """The one of what was found within it; None where nothing was.

        Raises:
            InvalidInput: it is the beginning of several `things`.
        """
        if len(found) > 1:
            raise InvalidInput(
                f"several {things} have ids that begin with {self.begins}: give more digits", field=field
            )
        return next(iter(found), None)
