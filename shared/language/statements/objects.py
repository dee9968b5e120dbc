"""Where the object of a statement stands in the clause it was read from, and words that make no thing of it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from shared.language.statements.saying import Said
from shared.language.statements.stated import Statement
from shared.language.statements.tagged import Token
from shared.language.statements.words import word_set

ABSTRACT: Final = word_set("""
    fun nonsense drama work people idiots mornings stupidity bullshit bs effort exercise bureaucracy deadlines meetings
    emails paperwork responsibility commitment failure success patience humility luck life love words silence violence
    chaos peace excuses small-talk fools liars lies politics negativity adulting admin money attention chances
    hope faith trust time reality truth boredom spreadsheets commuting socialising capitalism
""")
FOR_NOW: Final = frozenset({"tonight", "today"})


_NARROWING: Final = word_set("""
    on before after during much often every daily unless without late when whenever while past with from outside alone
    usually normally anywhere
""")


def is_narrowed(said: Said, at: int) -> bool:
    """Whether what stands behind a thing keeps a denial to a part of it: `on Mondays`, `with milk`."""
    behind = [token.norm for token in said.tokens[at : at + 3]]
    dated = bool(behind) and any(start <= said.tokens[at].start < end for start, end in said.times)
    if dated:
        return not said.over
    if behind[:1] in (["at"], ["in"]):
        return behind[1:2] not in (["all"], ["general"], ["principle"], ["any"])
    return behind[:1] == ["that"] or bool(set(behind[:1]) & _NARROWING)


def words_of(found: Statement) -> list[str]:
    """Of its object, in small letters."""
    return found.object.lower().split()


def place_of_object(found: Statement, said: Said) -> int | None:
    """Index of the first token of the object; None where it is not written as it is claimed."""
    first = (words_of(found) or [""])[0]
    return next((at for at in range(said.at, len(said.tokens)) if said.tokens[at].norm == first), None)


def last_of_object(found: Statement, said: Said) -> int | None:
    """Index of the last token of the object."""
    at = place_of_object(found, said)
    last = (words_of(found) or [""])[-1]
    return next((i for i in range(at, len(said.tokens)) if said.tokens[i].norm == last), at) if at is not None else None


def behind_object(found: Statement, said: Said) -> Sequence[Token]:
    """What follows the object in the clause."""
    at = last_of_object(found, said)
    return said.tokens[at + 1 :] if at is not None else ()


def has_the(found: Statement, said: Said) -> bool:
    """Whether a thing is one that both know of: `the menu`, and not a name with an article."""
    at = place_of_object(found, said)
    return at is not None and at > 0 and said.tokens[at - 1].norm == "the" and not found.object[:1].isupper()
