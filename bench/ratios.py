"""A figure beside what it is compared with, and the bound that the two are held to."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from bench.figures import Quantiles

Unit = Literal["ms", "s", "MB", "runs/s", "recalls/s"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """How many times what it is measured against what was measured is."""

    name: str
    measured: Quantiles
    against: Quantiles
    bound: float
    unit: Unit = "ms"
    """Of both; the ratio has none."""
    at_least: bool = False
    """Whether the bound is the least that will do, or the most."""
    at: Literal["p50", "p95"] = "p50"
    """Which quantile of both is compared."""

    @property
    def value(self) -> float:
        """The ratio of the two quantiles."""
        return self.quantile(self.measured) / self.quantile(self.against)

    @property
    def holds(self) -> bool:
        """Whether it is within its bound."""
        return self.value >= self.bound if self.at_least else self.value <= self.bound

    def quantile(self, of: Quantiles) -> float:
        """The quantile of either side that is compared."""
        return of.p50 if self.at == "p50" else of.p95


def n_log_n(small: int, large: int) -> float:
    """How many times as long `large` may take as `small`, both above 1, of what takes n log n."""
    return large * log(large) / (small * log(small))
