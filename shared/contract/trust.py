"""Where an event comes from and how far that is to be believed."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Origin(StrEnum):
    """Where the words of an event come from."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    DOCUMENT = "document"
    WEB = "web"
    UNKNOWN = "unknown"
    RECALLED = "recalled"


TRUST: Final[dict[Origin, int]] = {
    Origin.USER: 4,
    Origin.ASSISTANT: 3,
    Origin.TOOL: 2,
    Origin.DOCUMENT: 1,
    Origin.WEB: 1,
    Origin.UNKNOWN: 0,
    Origin.RECALLED: 0,
}
"""The trust lattice: user > assistant > tool > web or document > unknown. Recalled text has none."""
