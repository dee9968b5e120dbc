"""What somebody asks about, as terms to look for: which of them a text must say to say it. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from shared.contract.scope import Scope
from shared.language.text import query_terms, terms

ENOUGH: Final = 0.5
"""The share of the words asked for that a text must say to be like it: half, as somebody seldom asks in the words that
it was said in. What says more, and every name, says it."""
_NAMED: Final = re.compile(r"(?<=[^.!?\s])\s+([^\W\d_a-z][\w'\u2019-]*)|(\w*\d\w*)")
"""Capitals within a sentence, and what has a digit."""
_SHORTEST_BEGINNING, _ENDING_CHARS = 4, 2
_MOST_WORDS: Final = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is looked for."""

    terms: frozenset[str]
    names: frozenset[str]
    """Those of them that are names or numbers: a text that lacks one speaks of something else."""
    own: frozenset[str]
    """Terms of the user's name: who says "I" says them."""

    @classmethod
    def of(cls, asked: str, scope: Scope) -> Wanted:
        """What a question of a scope's looks for."""
        named = (part for parts in _NAMED.findall(asked) for part in parts if part[:1].isupper() or part[:1].isalnum())
        wanted, own = frozenset(query_terms(asked)), frozenset(terms(scope.user_id))
        return cls(terms=wanted, names=wanted.intersection(terms(" ".join(named))), own=own)

    def share(self, said: Collection[str]) -> float:
        """How many of the terms are among some, 0..1."""
        return len(self.terms.intersection(said)) / len(self.terms)

    def is_said(self, said: Collection[str]) -> bool:
        """Whether some terms say it: every name, and more than half of all."""
        return self.names.issubset(said) and self.share(said) > ENOUGH


def beginnings(asked: str) -> list[str]:
    """By which words are looked for whatever their endings."""
    words = dict.fromkeys(part for word in asked.lower().split() if (part := word.strip(".,;:!?\"'()[]{}")))
    return [word[: max(_SHORTEST_BEGINNING, len(word) - _ENDING_CHARS)] for word in words if terms(word)][:_MOST_WORDS]
