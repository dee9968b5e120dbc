"""Whom a model is told that an unnamed user is, and of whom its claims about them are. Pure.

In a stream of one person, whoever speaks as a user and has no name is that person, for a model as for the rules: what
one reads of them has the key of what the other read.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from shared.belief.predicates import BUILT_IN, claim_of
from shared.contract.candidates import Candidate, Line
from shared.contract.events import Role
from warmpath._heard import UNNAMED, is_a_name, is_unnamed


def named(lines: Iterable[Line], owner: str | None) -> list[Line]:
    """The lines with the owner's name on those of a user without one, if it is a name and no id."""
    if owner is None or not is_a_name(owner):
        return list(lines)
    return [replace(line, speaker=owner) if _is_the_user(line) else line for line in lines]


def of_owner(candidate: Candidate, owner: str | None) -> Candidate:
    """A candidate whose claim is of the owner where a model could only call them the user."""
    claim = candidate.claim
    if owner is None or claim is None:
        return candidate
    whose, of, what = claim.subject.partition("'s ")
    if whose.casefold() != UNNAMED:
        return candidate
    if candidate.schema_name is not None:  # its key is its schema's to give (`checked_candidate`)
        return candidate.model_copy(update={"claim": replace(claim, subject=f"{owner}{of}{what}")})
    anew = claim_of(f"{owner}{of}{what}", claim.predicate, claim.object, BUILT_IN)
    return candidate.model_copy(update={"claim": anew})


def _is_the_user(line: Line) -> bool:
    return line.role is Role.USER and is_unnamed(line.speaker)
