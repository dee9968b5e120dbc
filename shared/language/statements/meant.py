"""Whether a statement is meant as it is worded: not as a figure of speech, for tonight, or with a sneer. Pure.

Each kind of claim has its own temptations: `allergic to Mondays`, `married to my job`, `going mad on Friday`. What is
doubtful is left out, whatever it costs: a claim too few can be made later, a claim too many is believed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from shared.language.statements import meant_doings as doings
from shared.language.statements import meant_states as states
from shared.language.statements.objects import FOR_NOW
from shared.language.statements.saying import Said
from shared.language.statements.stated import Statement

Check = Callable[[Statement, Said], bool]
_SINCE: Final = frozenset({"of", "from", "since"})


def is_meant(found: Statement, said: Said) -> bool:
    """Whether what a clause was read to state may be taken at its word."""
    hedged = said.verb == "be" and bool(said.adverbs & {"kind", "sort"})
    if found.predicate in _LASTING and said.verb == "be" and (hedged or _is_for_now(said)):
        return False
    check = _CHECKS.get(found.predicate)
    return check is None or check(found, said)


def _is_for_now(said: Said) -> bool:
    """`I am the designated driver tonight`."""
    norms = {token.norm for token in said.rest}
    return bool(norms & FOR_NOW) and not norms & _SINCE


_LASTING: Final = frozenset({"job", "nationality", "diet", "avoids", "lives_in", "marital_status"})


_CHECKS: Final[dict[str, Check]] = {
    "allergic_to": states.is_thing,
    "intolerant_to": states.is_thing,
    "eats": states.is_eaten,
    "drinks": states.is_eaten,
    "nationality": states.is_of_nation,
    "owns": states.is_own,
    "diet": states.is_kept_to,
    "skill": doings.is_able,
    "avoids": states.is_thing,
    "marital_status": states.is_wed,
    "works_at": states.is_employer,
    "second_job": states.is_employer,
    "likes": doings.is_liked,
    "dislikes": doings.is_liked,
    "prefers": doings.is_liked,
    "plays": doings.is_played,
    "habit": doings.is_done_often,
    "task": doings.is_errand,
    "goal": doings.is_aim,
    "decided": doings.is_settled,
    "plans": doings.is_planned,
    "lives_in": states.is_home,
    "hometown": states.is_home,
    "birthplace": states.is_home,
    "learns": states.is_subject,
    "pet": states.is_animal,
    "has_condition": states.is_ill,
    "uses": states.is_used,
    "age": states.is_years,
    "name": states.is_named,
    "scheduled_for": states.is_dated,
    "status": states.is_called_off,
}
