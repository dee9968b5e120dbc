"""What a person is shown of a review, to decide on it."""

from __future__ import annotations

from dataclasses import dataclass

from shared.contract.records import MemoryVersion
from shared.store.reviews import Review
from warmpath._trying import Difference


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One answer to a question, and what it would do."""

    answer: str
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What waits for a person, with what they need to decide on it."""

    review: Review
    said: tuple[str, ...]
    """What it rests on, in the words it was said in."""
    held: tuple[MemoryVersion, ...]
    """What is held of the same claim; of a question, what it is about, in the order of its answers."""
    differences: tuple[Difference, ...]
    """What approving would do now; nothing where it is decided already, nor of a question."""
    choices: tuple[Choice, ...] = ()
    """The answers to a question that waits."""
