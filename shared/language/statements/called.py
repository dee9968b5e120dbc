"""Names of people, as they are written in a clause. Pure."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Final

from shared.language.ordinary import MONTHS, ORDINARY, WEEKDAYS
from shared.language.statements.tagged import Token
from shared.language.statements.words import LEADS, word_set
from shared.language.stop_words import STOP_WORDS

_LONGEST_NAME: Final = 3


def begins_with_name(tokens: Sequence[Token], at: int) -> list[Token]:
    """A first word that is tagged as no name, before what only people do: `Grace prefers red wine`."""
    found = list(tokens[at : at + 1])
    if not found or not found[0].text.istitle() or found[0].tag != "NN" or found[0].norm in STOP_WORDS:
        return []
    following = tokens[at + 1].norm if at + 1 < len(tokens) else ""
    return found if following in _PEOPLE_DO and not _says_nothing(found[0], ()) else []


_PEOPLE_DO: Final = word_set("likes loves hates prefers lives works eats drinks speaks does")


def name_at(tokens: Sequence[Token], at: int, people: Container[str] = ()) -> list[Token]:
    """The tokens of a name of a person (or of whatever is written like one) at a place."""
    found: list[Token] = []
    for token in tokens[at : at + _LONGEST_NAME]:
        if not _is_part_of_name(token, first=not found, alone=at == 0) and token.norm not in people:
            break
        found.append(token)
    if not found or (len(found) == 1 and _says_nothing(found[0], people)):
        return []
    return found


def _is_part_of_name(token: Token, *, first: bool, alone: bool) -> bool:
    if not token.text[0].isupper() or not token.text[-1:].isalpha():
        return token.text in {"Dr.", "Mr.", "Mrs.", "Ms.", "Prof.", "St."}
    if token.norm in MONTHS or token.norm in WEEKDAYS or token.norm in STOP_WORDS or token.norm in {"i", "my", "we"}:
        return False
    return token.pos == "PROPN" or not first or (not alone and token.norm not in ORDINARY)


def _says_nothing(token: Token, people: Container[str]) -> bool:
    if token.norm in people:
        return False
    return token.norm in ORDINARY or token.norm in LEADS or (token.text.isupper() and len(token.text) > 1)


def small_name(tokens: Sequence[Token], at: int) -> list[Token]:
    """`my wife ana`, as typed without capitals: a word that is tagged as a name."""
    part = tokens[at : at + 1]
    if part and part[0].pos == "PROPN" and part[0].norm not in STOP_WORDS | LEADS | ORDINARY and part[0].text.isalpha():
        return list(part)
    return []
