"""Whose words an extractor reads, and by what name it knows them. Pure.

A page that a user pasted is not the user's word, and what a tool or a document says is evidence of what it said, and of
nobody's life: it stays an episode.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from shared.contract.events import Role
from shared.contract.trust import Origin

_SPEAKING: Final[Mapping[str, Origin]] = {Role.USER: Origin.USER, Role.ASSISTANT: Origin.ASSISTANT}
"""Whose lines are read, and where their words must come from."""
UNNAMED: Final = Role.USER.value
"""What a speaker without a name is called."""


def is_heard(role: str | None, origin: Origin) -> bool:
    """Whether what is said in a role, and comes from there, is read at all."""
    return role is not None and _SPEAKING.get(role) is origin


def is_users(role: str | None, origin: Origin) -> bool:
    """Whether it is a user's own word."""
    return role == Role.USER and is_heard(role, origin)


def is_unnamed(speaker: str) -> bool:
    """Whether a speaker is called no more than a user."""
    return speaker.casefold() in {"", UNNAMED}


def is_a_name(speaker: str) -> bool:
    """Whether a sentence may begin with it: an id such as `u-77` may not."""
    return all(map(str.isalpha, speaker.replace(".", " ").replace("-", " ").replace("'", " ").split()))
