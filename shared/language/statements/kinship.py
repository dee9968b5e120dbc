"""The relations and pets that stand behind `my`. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from shared.language.statements.tagged import Token
from shared.language.statements.words import MANY, PETS, RELATIONS, SAME_PET, SAME_RELATION

FILLERS: Final = frozenset(
    {"younger", "older", "elder", "little", "big", "best", "oldest", "youngest", "eldest", "new"}
    | {"old", "twin", "dear", "lovely", "other", "late", "baby", "current", "own", "good", "close", "long-term"}
)


FORMER: Final = frozenset({"ex", "former", "old", "late", "previous", "ex-"})


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnedRelation:
    """What stands behind `my` where it is a relation or a pet."""

    relation: str
    said_as: str
    before: frozenset[str]
    """The words before it: `late`, `ex`, `younger`."""
    next: int


def owned_relation(tokens: Sequence[Token], at: int) -> OwnedRelation | None:
    """The relation named behind `my`, with what is said of it before; None where it is none."""
    before: set[str] = set()
    if (
        at + 1 < len(tokens)
        and tokens[at].norm == "ex"
        and (tokens[at + 1].text == "-" or relation_at(tokens, at + 1)[0])
    ):
        before, at = {"ex"}, at + 1 + (tokens[at + 1].text == "-")
    while at < len(tokens) and (
        tokens[at].norm in FILLERS | FORMER or tokens[at].text == "-" or tokens[at].pos in {"ADJ", "NUM"}
    ):
        if relation_at(tokens, at)[0]:
            break
        before.add(tokens[at].norm.strip("-"))
        at += 1
    noun, length = relation_at(tokens, at)
    if not noun:
        return None
    said_as = "".join(token.text for token in tokens[at : at + length]) if length > 1 else tokens[at].text
    return OwnedRelation(relation=noun, said_as=said_as.lower(), before=frozenset(before), next=at + length)


def relation_at(tokens: Sequence[Token], at: int) -> tuple[str, int]:
    """The relation or pet named at a place, in its common form, and how many tokens it takes."""
    for length in (5, 3, 2, 1):
        part = tokens[at : at + length]
        if len(part) == length:
            word = "".join(token.norm for token in part) if length > 2 else "-".join(token.norm for token in part)  # noqa: PLR2004
            word = word.removesuffix("'s") if length == 1 else word
            if found := relation_of(word):
                return found, length
    return "", 0


def relation_of(word: str) -> str:
    """A relation or a pet in its common form: `mum` is a mother; empty where it is neither."""
    word = MANY.get(word, word)
    if word in RELATIONS:
        return SAME_RELATION.get(word, word)
    return SAME_PET.get(word, word) if word in PETS else ""
