"""Which of the memories that are held a model is shown beside a run: those that it may change. Pure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from shared.contract.candidates import Neighbour
from shared.language.text import terms

_OF_THE_NEWEST: Final = 2
"""One part in so many of the places goes to the newest memories, whatever they say: a run often goes on with them, and
in other words ("I quit")."""


def nearest(held: Sequence[Neighbour], texts: Iterable[str], most: int) -> list[Neighbour]:
    """At most `most` of what is held, the newest first: half of them the newest, the others nearest to the texts.

    `held` is in that order. Near is what shares terms with the texts, weighted by how few of the memories have them.
    """
    if len(held) <= most:
        return list(held)
    said = {term for text in texts for term in terms(text)}
    own = [frozenset(terms(each.text)) for each in held]
    have = Counter(term for each in own for term in each)
    score = [sum(math.log(1 + len(held) / have[term]) for term in each & said) for each in own]
    newest = range(most // _OF_THE_NEWEST)
    others = sorted(range(len(newest), len(held)), key=lambda place: (-score[place], place))
    return [held[place] for place in sorted([*newest, *others[: most - len(newest)]])]
