"""fuse: candidates with features to ranked hits. Pure.

Each feature is brought to 0..1 over the query's candidates and the weighted mean is taken. Scores are fused, not ranks:
a weak channel's best is not a strong channel's best, and ranks cannot tell (docs/why.md, "Fusion").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hotpath._asked import is_asked_about
from hotpath._boost import Boosting, factors
from hotpath._plan import Plan
from hotpath._rrf import reciprocal_ranks
from hotpath._search import Candidates
from hotpath.weights import EVIDENT, Weights, joined
from shared.language.function_words import SPACELESS
from shared.store.keys import DOC_BITS
from shared.store.memories import Shown

FEATURES: Final = tuple(each.name for each in fields(Weights))

RANKINGS: Final = {"words": "sparse", "words_before": "sparse", "meaning": "dense", "graph": "graph"}
"""The features that rank candidates where scores cannot be compared, and the channels that they are of."""

USUAL: Final = 0.5
"""About how near to each other texts of such a script are to the model that is shipped."""
FEWEST_USUAL: Final = 5
"""Candidates of which the middle is taken instead."""
MOST_USUAL: Final = 0.9
"""No middle is taken to be higher: it may be that of the answers."""
AS_WORDS: Final = 0.6
"""What is not known of a message that is on its way counts as this much of what its words say."""
_AS_IT_IS: Final = [FEATURES.index(name) for name in ("speaker", "date")]

Floats = NDArray[np.float64]


class Ranked(NamedTuple):
    """A hit with its place."""

    key: int
    """See `shared.store.keys`."""
    session: int
    """Number of its session's first memory."""
    score: float
    """0 to 1."""
    evidence: float
    """Cosine and coverage together: how far it bears on the query by itself, whatever the others are like."""
    explained: Mapping[str, float]
    """Where asked for: each feature as it is, and under `+<feature>` what it gave to the score."""

    @property
    def is_evident(self) -> bool:
        """Whether it bears on the query."""
        return self.evidence >= EVIDENT


def fuse(
    plan: Plan,
    candidates: Candidates,
    *,
    asker: str,
    limit: int,
    explain: bool,
    boosting: Boosting | None = None,
    beside: Mapping[str, Floats] | None = None,
) -> list[Ranked]:
    """The best `limit` hits among the candidates, best first; equal scores by owner and number.

    `asker` is the user who asks: in a room, the first person means them. Without `boosting` the query alone counts.
    `beside` are features of others with which these share their scale; see `scores_beside`.
    """
    shown = candidates.shown
    if not len(shown.keys):
        return []
    raw = {
        **candidates.features,
        "speaker": _by_speaker(plan, shown, asker),
        "date": _in_window(plan, shown.times),
    }
    parts = _parts(plan, _together(raw, beside))[:, : len(shown.keys)]
    scores = parts.sum(axis=0)
    if boosting is not None:
        raw["boost"] = _boosts(boosting, plan, candidates, scores)
        scores = scores * raw["boost"]
    evidence = raw["coverage"] + _telling_meaning(plan, raw["meaning"]) + (raw["date"] if plan.only_when else 0.0)
    best = _best(candidates, scores, _are_hits(plan, raw), limit)
    columns = (column[best].tolist() for column in (shown.keys, shown.sessions, np.minimum(scores, 1.0), evidence))
    explained = ({} if not explain else _explained(raw, parts, place) for place in best)
    return list(map(Ranked, *columns, explained))


def _telling_meaning(plan: Plan, cosines: Floats) -> Floats:
    """How far each cosine says by itself that a memory bears on the query, 0 to 1.

    To a model that was trained on English all that is said in some scripts is alike, so of a query in one of them only
    what is above the middle of the candidates counts.
    """
    if plan.language not in SPACELESS:
        return np.fmax(cosines, 0.0)
    known = cosines[~np.isnan(cosines)]
    usual = min(float(np.median(known)), MOST_USUAL) if len(known) >= FEWEST_USUAL else USUAL
    above: Floats = np.fmax((cosines - usual) / (1 - usual), 0.0)
    return above


def scores_beside(plan: Plan, candidates: Candidates, beside: Mapping[str, Floats]) -> Floats:
    """The scores of others than the candidates, of whom less is known: words, speaker and date.

    What the turns around, the session or a vector could say of them counts as their words do, a little less.
    """
    known = np.zeros((len(FEATURES), 1), np.bool_)
    known[[FEATURES.index(name) for name in beside]] = True
    count = len(candidates.shown.keys)
    raw = {name: candidates.features.get(name, np.zeros(count)) for name in FEATURES}
    parts = _parts(plan, _together(raw, beside))[:, count:]
    weights = _shares(plan.weights)
    words = FEATURES.index("words")
    guessed = AS_WORDS * weights * (parts[words] / weights[words] if weights[words] > 0 else 0.0)
    guessed[FEATURES.index("graph")] = 0.0
    scores: Floats = np.where(known, parts, guessed).sum(axis=0)
    return scores


def _together(raw: Mapping[str, Floats], beside: Mapping[str, Floats] | None) -> Mapping[str, Floats]:
    """The features of the candidates and of the others, NaN where they are not known."""
    if not beside:
        return raw
    unknown = np.full(len(beside["words"]), np.nan)
    return {name: np.concatenate([raw[name], beside.get(name, unknown)]) for name in FEATURES}


def _parts(plan: Plan, raw: Mapping[str, Floats]) -> Floats:
    """(features, candidates): what each feature gives to each score."""
    if plan.fusion == "score":
        weights = joined(plan.weights) if (raw["graph"] > 0).any() else plan.weights
        return _shares(weights) * _normalised(np.array([raw[name] for name in FEATURES]))
    parts = np.zeros((len(FEATURES), len(raw["words"])))
    asked = [FEATURES.index(name) for name, channel in RANKINGS.items() if channel in plan.channels]
    if asked:
        parts[asked] = reciprocal_ranks(np.stack([raw[FEATURES[place]] for place in asked]))
    if plan.only_when:
        parts /= 2
        parts[FEATURES.index("date")] = raw["date"] / 2
    return parts


def _best(candidates: Candidates, scores: Floats, hits: NDArray[np.bool_], limit: int) -> list[int]:
    """Places of the best hits, in order."""
    places = np.flatnonzero(hits)
    if len(places) > limit:
        least = np.partition(scores[places], -limit)[-limit]
        places = places[scores[places] >= least]
    keys = candidates.shown.keys[places].tolist()
    owners = [candidates.owners[key >> DOC_BITS] for key in keys]
    order = sorted(zip((-scores[places]).tolist(), owners, keys, places.tolist(), strict=True))
    return [place for *_, place in order[:limit]]


def _boosts(boosting: Boosting, plan: Plan, candidates: Candidates, scores: Floats) -> Floats:
    shown = candidates.shown
    return factors(
        boosting,
        order=plan.order,
        keys=shown.keys,
        times=shown.times,
        fared=candidates.fared,
        pieces=candidates.pieces,
        scores=scores,
        importances=shown.importances,
    )


@lru_cache(maxsize=8)
def _shares(weights: Weights) -> Floats:
    """(features, 1): what each feature weighs of all."""
    return np.array([[getattr(weights, name)] for name in FEATURES]) / weights.total


def _are_hits(plan: Plan, raw: Mapping[str, Floats]) -> NDArray[np.bool_]:
    """Which candidates have to do with the query: a word of it, its meaning, its time, or what joins them to it.

    Session and speaker count for a hit and make none.
    """
    floor = plan.channels["sparse"].floor if "sparse" in plan.channels else 0.0
    hits: NDArray[np.bool_] = (raw["words"] > floor) | (raw["words_before"] > floor)
    if "dense" in plan.channels:
        hits |= raw["meaning"] >= plan.channels["dense"].floor
    if "temporal" in plan.channels:
        hits |= raw["date"] > 0
    if plan.graph:
        hits |= raw["graph"] > 0
    return hits


def _normalised(values: Floats) -> Floats:
    """(features, candidates): each measured feature brought to 0..1, its least to 0; a missing value is the least.

    Where all values are alike, they are 1 if above 0. Speaker and date are 0 or 1 and stay.
    """
    low, high = (extreme.reduce(values, axis=1, keepdims=True) for extreme in (np.fmin, np.fmax))
    differ = high > low
    scaled = (values - low) / np.where(differ, high - low, 1.0) + (~differ & (high > 0))
    scaled[np.isnan(values)] = 0.0
    scaled[_AS_IT_IS] = values[_AS_IT_IS]
    normalised: Floats = scaled
    return normalised


def _explained(raw: Mapping[str, Floats], parts: Floats, place: int) -> dict[str, float]:
    as_is = {name: float(values[place]) for name, values in raw.items() if not np.isnan(values[place])}
    return as_is | {f"+{name}": float(part) for name, part in zip(FEATURES, parts[:, place], strict=True)}


def _by_speaker(plan: Plan, shown: Shown, asker: str) -> Floats:
    """1 for each memory whose speaker is asked about. Names are few, so each is looked at once."""
    who = list(zip(shown.speakers, shown.roles, strict=True))
    asked = {each for each in set(who) if is_asked_about(plan, *each, asker)}
    return np.fromiter(map(asked.__contains__, who), np.float64, len(who)) if asked else np.zeros(len(who))


def _in_window(plan: Plan, times: Sequence[datetime | None]) -> Floats:
    """1 for each time that lies in the time asked about."""
    window = plan.window
    if window is None:
        return np.zeros(len(times))
    return np.array([float(at is not None and window.start <= at < window.end) for at in times])
