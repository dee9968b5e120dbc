"""The statements of a message, each once, without what a later sentence of it ends. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from shared.contract.candidates import Change
from shared.language.statements.stated import Statement


def distinct(found: Collection[Statement]) -> list[Statement]:
    """The same in order, as the very same objects."""
    once = _once(found)
    return [each for at, each in enumerate(once) if not _is_over_by(each, once[at + 1 :])]


def _once(found: Collection[Statement]) -> list[Statement]:
    """Each claim once."""
    seen: dict[tuple[str, str, str, Change], Statement] = {}
    for each in found:
        seen.setdefault((*_claim(each), each.change), each)
    return list(seen.values())


def _is_over_by(before: Statement, later: Sequence[Statement]) -> bool:
    """Whether a later sentence says that it is over, as in `I use Jira. I switched from Jira to Linear`."""
    of = _claim(before)
    return before.change is Change.HOLDS and any(
        each.change is Change.ENDED and _claim(each) == of and each.start > before.start for each in later
    )


def _claim(found: Statement) -> tuple[str, str, str]:
    return found.subject.casefold(), found.predicate, found.object.casefold()
