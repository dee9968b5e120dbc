"""The figures that recall is held to, beside what was measured. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bench.figures import TOKENS_OF_TEN
from bench.metrics import ALL

if TYPE_CHECKING:
    from bench.figures import Quality
    from bench.metrics import Estimate
    from bench.pooling import Pooled

Unit = Literal["%", "points", "tokens"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """A figure and what it is to be."""

    corpus: str
    figure: str
    measured: Estimate
    """Shares, differences of shares, or tokens."""
    unit: Unit
    reach: float
    """In the unit, as is `aim`."""
    aim: float
    at_most: bool = False
    surely: bool = False
    """Whether the whole interval has to be above `reach`."""

    @property
    def value(self) -> float:
        """What is measured, in its unit."""
        return self.measured.mean if self.unit == "tokens" else 100 * self.measured.mean

    @property
    def reached(self) -> bool:
        """Whether it is as far as it has to be."""
        if self.surely:
            return 100 * self.measured.low > self.reach
        return self.value <= self.reach if self.at_most else self.value >= self.reach

    @property
    def aimed(self) -> bool:
        """Whether it is as far as is aimed at."""
        return self.value <= self.aim if self.at_most else self.value >= self.aim


def goals(qualities: Iterable[Quality], longmemeval: Pooled | None) -> tuple[Goal, ...]:
    """Those of the corpora that were asked."""
    found: list[Goal] = []
    for quality in qualities:
        if quality.corpus.startswith("LoCoMo"):
            found += _of_locomo(quality)
        elif quality.corpus.startswith("MuSiQue"):
            found += _of_hops(quality, reach=2, aim=5)
        elif quality.corpus.startswith("HotpotQA"):
            found += _of_hops(quality, reach=0, aim=3)
    if longmemeval is not None:
        found += _of_longmemeval(longmemeval)
    return tuple(found)


def _of_locomo(quality: Quality) -> Iterator[Goal]:
    turns = quality.ranking["turn"]
    for kind, measure, reach, aim in (
        (ALL, "r@10", 75, 83),
        ("multi-hop", "r@10", 45, 55),
        ("open-domain", "r@10", 42, 52),
        (ALL, "all@10", 69, 77),
    ):
        if kind in turns:
            name = f"turn level {measure}{'' if kind == ALL else f', {kind}'}"
            yield _share(quality.corpus, name, turns[kind][quality.best][measure], reach, aim)
    adversarial = quality.verdicts.accuracy.get("adversarial")
    if adversarial is not None:
        yield _share(quality.corpus, "balanced accuracy of the verdict on adversarial questions", adversarial, 65, 80)
    yield Goal(
        corpus=quality.corpus,
        figure=TOKENS_OF_TEN,
        measured=quality.bundle[TOKENS_OF_TEN],
        unit="tokens",
        reach=1500,
        aim=900,
        at_most=True,
    )


def _of_hops(quality: Quality, *, reach: float, aim: float) -> Iterator[Goal]:
    """r@5 against the better of BM25 and the embedder in the same run."""
    overall = quality.ranking["turn"][ALL]
    rivals = [name for name in overall if _is_words(name) or name.startswith("bare embedder")]
    best = max(rivals, key=lambda name: overall[name]["r@5"].mean)
    found = (gain for gain in quality.gains if (gain.system, gain.level, gain.measure) == (best, "turn", "r@5"))
    for gain in found:
        yield _points(quality.corpus, f"r@5 of {quality.best} less that of {best}", gain.difference, reach, aim)


def _of_longmemeval(pooled: Pooled) -> Iterator[Goal]:
    name = " + ".join(pooled.corpora)
    for level, measure, aim in (("turn", "r@10", 7), ("session", "all@5", 5)):
        found = [gain for gain in pooled.gains if gain.level == level and gain.measure == measure]
        rival = min((gain for gain in found if _is_words(gain.system)), key=lambda gain: gain.difference.mean)
        figure = f"{level} {measure} less that of {rival.system}, interval above 0"
        yield _points(name, figure, rival.difference, 0, aim, surely=True)


def _share(corpus: str, figure: str, measured: Estimate, reach: float, aim: float) -> Goal:
    return Goal(corpus=corpus, figure=figure, measured=measured, unit="%", reach=reach, aim=aim)


def _points(corpus: str, figure: str, measured: Estimate, reach: float, aim: float, *, surely: bool = False) -> Goal:
    return Goal(corpus=corpus, figure=figure, measured=measured, unit="points", reach=reach, aim=aim, surely=surely)


def _is_words(system: str) -> bool:
    return system.startswith("rank-bm25")
