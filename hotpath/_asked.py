"""Who is asked about, among those who speak. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from hotpath._plan import Plan
from shared.contract.events import Role
from shared.language.indexing import named
from shared.language.text import terms


def is_asked_about(plan: Plan, speaker: str | None, role: str | None, asker: str) -> bool:
    """Whether the query asks about a speaker; the first person in it means `asker`."""
    name = words_of(speaker or "")
    if name and name.issubset(plan.terms):
        return True
    if plan.about_assistant:
        return role == Role.ASSISTANT
    if not plan.about_user:
        return False
    return speaker == asker or (role == Role.USER and speaker == Role.USER)


def is_person(speaker: str | None) -> bool:
    """Whether a speaker has a name, and is not merely the user or the assistant."""
    return bool(named(speaker))


def words_of_people(plan: Plan, speakers: Iterable[str | None]) -> frozenset[str]:
    """Terms of the query that name one who speaks."""
    names = (words_of(speaker) for speaker in set(speakers) if speaker is not None and is_person(speaker))
    return frozenset(word for name in names if name.issubset(plan.terms) for word in name)


@lru_cache(maxsize=4096)
def words_of(name: str) -> frozenset[str]:
    """The terms of a name."""
    return frozenset(terms(name))
