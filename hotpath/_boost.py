"""boost: what is known of candidates beside the query, brought to bear on their scores. Pure.

Bounded factors on what the channels have found: none makes a candidate or a hit, none takes one away, and where nothing
is known each is 1 and the order is as it was. Newness counts where a query asks for the latest and nowhere else, and
by default not even there: it lost more than it gained (docs/why.md, "Importance").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

import numpy as np

from hotpath.layers.scoring import Floats, Part, Scoring, boost, confirmation, frequency, recency
from shared.language.time_expressions import Order
from shared.store.keys import Ints
from shared.store.uses import Counts

if TYPE_CHECKING:
    from shared.settings import Settings

_DAY_S: Final = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Boosting:
    """By what scores are boosted."""

    scoring: Scoring
    now: datetime
    """The asker's present."""
    confirmed: float
    """How much more one counts that many independent sources confirm: 0.1 is a tenth."""
    newest: float
    """How much more the newest counts than an old one, where the latest is asked for: 0.1 is a tenth."""


def boosting_by(configured: Settings, *, now: datetime) -> Boosting:
    """As the settings have it."""
    return Boosting(
        scoring=Scoring.of(configured), now=now, confirmed=configured.confirmed_boost, newest=configured.newest_boost
    )


def factors(
    boosting: Boosting,
    *,
    order: Order | None,
    keys: Ints,
    times: Sequence[datetime | None],
    fared: Counts,
    pieces: Mapping[int, int],
    scores: Floats,
    importances: Sequence[float | None] = (),
) -> Floats:
    """What each candidate's score is multiplied by; `keys`, `times`, `scores` and `importances` are parallel.

    `pieces` gives, by key, the independent evidence of those that may rest on more than one piece; `importances` is
    what an app said of each, empty where it said nothing of any.
    """
    found = np.ones(len(keys))
    if pieces:
        found *= 1.0 + boosting.confirmed * confirmation(np.array([pieces.get(key, 1) for key in keys.tolist()], float))
    latest = order is Order.LATEST and boosting.newest > 0
    is_told = any(each is not None for each in importances)
    if not latest and not is_told and not len(fared.keys):
        return found
    times_s = np.array([np.nan if each is None else each.timestamp() for each in times])
    if is_told or len(fared.keys):
        ages_days = (boosting.now.timestamp() - times_s) / _DAY_S
        known: dict[Part, Floats] = {
            "relevance": scores,
            "recency": recency(ages_days, boosting.scoring.half_life_days),
        }
        told: dict[Part, Floats] = {"frequency": _reported(keys, fared)}
        if is_told:
            told["explicit"] = np.array(importances, np.float64)
        found *= boost(boosting.scoring, known, told)
    if latest:
        found *= 1.0 + boosting.newest * _newness(times_s)
    return found


def _reported(keys: Ints, fared: Counts) -> Floats:
    """How each has fared (`frequency`); NaN where nobody said."""
    used, misled = np.full(len(keys), np.nan), np.full(len(keys), np.nan)
    places = {key: place for place, key in enumerate(keys.tolist())}
    for key, served, wronged in zip(fared.keys.tolist(), fared.used, fared.misled, strict=True):
        if key in places:
            used[places[key]], misled[places[key]] = served, wronged
    return frequency(used, misled)


def _newness(times_s: Floats) -> Floats:
    """How new each is among the others, by place and not by days: 1 the newest, 0 the oldest and what has no time.

    By place, since one conversation is of an afternoon and another of ten years.
    """
    known = np.flatnonzero(~np.isnan(times_s))
    found = np.zeros(len(times_s))
    distinct, places = np.unique(times_s[known], return_inverse=True)
    if len(distinct) > 1:
        found[known] = places / (len(distinct) - 1)
    return found
