"""Which messages of a session speak for it: a summary that no model writes. Pure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Final

from shared.language.text import terms
from shared.store.trajectories import Told

PICKED: Final = 3
_READ_CHARS: Final = 2_400
"""Of a message: more than that says little more of what it is about."""


def picked(sessions: Sequence[Sequence[Told]]) -> list[list[int]]:
    """Places of up to three messages of each session, best first: those whose words are of that session above others.

    A term weighs log(1 + sessions / sessions that hold it) times the root of how often the session has it (tf-idf); a
    message's score is the sum of its distinct terms' weights over the root of their number, so that long messages do
    not win by length.
    """
    held = [[set(terms(told.text[:_READ_CHARS])) for told in session] for session in sessions]
    spread = Counter(term for session in held for term in set().union(*session))
    return [_best(session, spread, len(sessions)) for session in held]


def _best(session: Sequence[set[str]], spread: Counter[str], count: int) -> list[int]:
    often = Counter(term for said in session for term in said)
    weights = {term: math.log(1 + count / spread[term]) * math.sqrt(times) for term, times in often.items()}
    scores = [math.fsum(weights[term] for term in said) / math.sqrt(len(said) or 1) for said in session]
    ranked = sorted(range(len(session)), key=lambda place: (-round(scores[place], 9), place))
    return ranked[:PICKED]
