"""Corpora of one kind taken together, each by the ranking that was not fitted on it. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bench import metrics
from bench.figures import GAINS, Level, Scores, gains, scores
from bench.systems import OUT_OF_FOLD, WHOLE

if TYPE_CHECKING:
    from bench.corpus import Corpus
    from bench.figures import Gain
    from bench.metrics import Estimate
    from bench.quality import Answered

UNFITTED: Final = "recall, not fitted on what it is asked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pooled:
    """Figures over the questions of several corpora."""

    corpora: Mapping[str, str]
    """By name, the system that stands for recall."""
    n: int
    figures: Mapping[str, Sequence[Estimate]]
    """By system, on `GAINS`, in their order."""
    gains: tuple[Gain, ...]


def pooled(parts: Sequence[tuple[Corpus, Answered]]) -> Pooled:
    """Take corpora together, at least one.

    Raises:
        InvalidInput: no question was answerable.
    """
    found = [scores(corpus, answered.outcomes) for corpus, answered in parts]
    best = [OUT_OF_FOLD if OUT_OF_FOLD in each["turn"] else WHOLE for each in found]
    every = {system for each in found for system in each["turn"]} - {WHOLE, OUT_OF_FOLD}
    shared = [
        system for system in found[0]["turn"] if system in every and all(system in each["turn"] for each in found)
    ]
    taken = {UNFITTED: best, **{system: [system] * len(found) for system in shared}}
    values = {level: _together(found, taken, level) for level in found[0]}
    figures = {
        system: [metrics.estimate(values[level][system][measure]) for level, measure in GAINS]
        for system in (UNFITTED, *(gain.system for gain in gains(values, UNFITTED)))
        if system in values["turn"]
    }
    return Pooled(
        corpora={corpus.name: system for (corpus, _), system in zip(parts, best, strict=True)},
        n=len(values["turn"][UNFITTED]["r@10"]),
        figures=figures,
        gains=tuple(gain for gain in gains(values, UNFITTED) if gain.system != UNFITTED),
    )


def _together(found: Sequence[Mapping[Level, Scores]], taken: Mapping[str, Sequence[str]], level: Level) -> Scores:
    """The values of the taken systems, one corpus after the other."""
    return {
        name: {
            measure: [
                value for each, system in zip(found, systems, strict=True) for value in each[level][system][measure]
            ]
            for measure in found[0][level][systems[0]]
        }
        for name, systems in taken.items()
    }
