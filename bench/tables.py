"""Cells and tables of Markdown. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bench.figures import Quantiles
    from bench.metrics import Estimate


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table whose first column is text and whose others are figures."""
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *rows))


def per_cent(share: Estimate, *, signed: bool = False) -> str:
    """A share with its interval, in per cent."""
    return plain(share, factor=100, signed=signed)


def plain(value: Estimate, *, factor: float = 1, signed: bool = False, digits: int = 1) -> str:
    """A figure with its interval."""
    shown = f"{'+' if signed else ''},.{digits}f"
    mean, low, high = (format(factor * each, shown) for each in (value.mean, value.low, value.high))
    return f"{mean} [{low}, {high}]"


def spread(values: Quantiles, digits: int) -> tuple[str, str]:
    """Median and 95th percentile, with their intervals where there are some."""
    both = ((values.p50, values.p50_interval), (values.p95, values.p95_interval))
    p50, p95 = (
        f"{value:,.{digits}f}" + (f" [{interval[0]:,.{digits}f}, {interval[1]:,.{digits}f}]" if interval else "")
        for value, interval in both
    )
    return p50, p95
