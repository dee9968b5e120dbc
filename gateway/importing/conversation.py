"""What every format comes to."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from shared.contract.scope import MAX_ID_CHARS

_PART: Final = "#"
_MOST_CHARS: Final = MAX_ID_CHARS - 40
"""Of a source's own id, beside the source's name, a digest and the number of a part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A conversation as its source tells it."""

    id: str
    """Of the source's name and its own id: the same whenever it is read."""
    title: str = ""
    messages: Sequence[Mapping[str, Any]] = ()
    """As `observe` takes them, in order."""

    def runs(self, most: int) -> Iterator[tuple[str, Sequence[Mapping[str, Any]]]]:
        """The runs it is taken in as, each of `most` messages or fewer, with their ids.

        What is said later is at its end, so the runs before it stay what they were.
        """
        for at in range(0, len(self.messages), most):
            yield self.id if at == 0 else f"{self.id}{_PART}{at // most + 1}", self.messages[at : at + most]


def id_of(source: str, own: str) -> str:
    """The id of what a source calls `own`, within the length that ids may have, and one that a front door takes."""
    plain = unicodedata.normalize("NFKC", own)
    kept = "".join(char if char.isalnum() or char in "-_.:/" else "-" for char in plain)
    if kept != own or not kept or len(kept) > _MOST_CHARS:  # two that differ stay apart
        kept = f"{kept[:_MOST_CHARS]}-{hashlib.sha256(own.encode('utf-8', 'replace')).hexdigest()[:12]}"
    return f"{source}:{kept}"


def said(role: str, text: str, **known: Any) -> dict[str, Any] | None:
    """A message of what is known of it; None where nothing was said."""
    if not text.strip():
        return None
    return {"role": role, "text": text, **{name: value for name, value in known.items() if value not in (None, "")}}
