"""How one memory can have to do with another: the closed list from which links are proposed."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Relation(StrEnum):
    """What the source of a link is to its target; the source is the newer one where either could be.

    That one thing contradicts another is none of these: it is for SUPERSEDE, or for a person, to say which holds.
    """

    SAME_TOPIC = "same_topic"
    """Both are about one thing that is seldom spoken of."""
    ELABORATES = "elaborates"
    """It says all that the target says, and more."""
    CAUSES = "causes"
    """It is why the target is so, in the words of whoever said both."""


RELATIONS: Final = frozenset(Relation)

SUPERSEDES: Final = "supersedes"
"""The tie from a memory to the one whose place it has. No link, as the next."""
ABSTRACTS: Final = "abstracts"
"""The tie that an ABSTRACT brings by itself, from what was made to each memory that it was made from. No link."""

MOST_LINKS: Final = 8
"""Open links that a memory may have, in both directions: beyond that, everything leads to it."""
