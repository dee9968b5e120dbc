"""The figures as pictures, one PNG a kind of figure, with a panel for each corpus."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from bench.figures import CURVE
from bench.metrics import ALL
from shared.contract.errors import Misconfigured

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from bench.figures import Quality
    from bench.metrics import Estimate

STEPS: Final = ("plan", "search", "fuse", "rerank", "expand", "assemble")
"""Steps of a recall that come one after the other; the rest of the total is waiting for the query's vector."""
_PANEL_INCHES: Final = (7.0, 4.6)
_DPI: Final = 110


def write(folder: Path, qualities: Sequence[Quality]) -> list[Path]:
    """Write every picture into the folder, which is made if need be; returns their paths.

    Raises:
        Misconfigured: matplotlib is not installed, or the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return [_written(folder / f"{name}.png", panel, qualities) for name, panel in PICTURES.items()]
    except ImportError as error:
        raise Misconfigured("pictures need matplotlib: pip install --group dev") from error
    except OSError as error:
        raise Misconfigured(f"cannot write pictures into {folder}: {error}") from error


def _written(path: Path, panel: Callable[[Axes, Quality], None], qualities: Sequence[Quality]) -> Path:
    figure = _figure(len(qualities))
    for axes, quality in zip(figure.axes, qualities, strict=True):
        panel(axes, quality)
        axes.set_title(axes.get_title() or f"{quality.corpus} (n = {quality.answerable})", fontsize=10)
    figure.savefig(path, dpi=_DPI)
    return path


def _figure(panels: int) -> Figure:
    """A figure of its own, with no window and no state that others share."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    columns = min(2, panels)
    rows = -(-panels // columns)
    figure = Figure(figsize=(_PANEL_INCHES[0] * columns, _PANEL_INCHES[1] * rows), layout="constrained")
    FigureCanvasAgg(figure)
    for place in range(panels):
        figure.add_subplot(rows, columns, place + 1)
    return figure


def _curves(axes: Axes, quality: Quality) -> None:
    """Recall at k of turns by system, with the interval of the whole of recall."""
    systems = quality.ranking["turn"][ALL]
    for name, found in systems.items():
        means = [100 * found[f"r@{k}"].mean for k in CURVE]
        axes.plot(CURVE, means, label=name, linewidth=2.4 if name == quality.best else 1.1, marker=".")
    best = [systems[quality.best][f"r@{k}"] for k in CURVE]
    axes.fill_between(CURVE, [100 * each.low for each in best], [100 * each.high for each in best], alpha=0.2)
    axes.set_xscale("log")
    axes.set_xticks(CURVE, map(str, CURVE))
    axes.minorticks_off()
    axes.set(xlabel="k", ylabel="recall@k of turns, per cent", ylim=(0, 100))
    axes.grid(alpha=0.3)
    axes.legend(fontsize=7)


def _kinds(axes: Axes, quality: Quality) -> None:
    """Recall at 10 by kind of question and system, with intervals."""
    by_kind = quality.ranking["turn"]
    kinds = [kind for kind in by_kind if kind != ALL] or [ALL]
    systems = [name for name in by_kind[ALL] if "alone" not in name]
    width = 0.8 / len(systems)
    for number, name in enumerate(systems):
        found = [by_kind[kind][name]["r@10"] for kind in kinds]
        places = [place + number * width for place in range(len(kinds))]
        axes.bar(places, [100 * each.mean for each in found], width, yerr=_errors(found), label=name, error_kw=_THIN)
    sizes = [by_kind[kind][systems[0]]["r@10"].n for kind in kinds]
    labels = [f"{kind}\nn = {size}" for kind, size in zip(kinds, sizes, strict=True)]
    axes.set_xticks([place + 0.4 - width / 2 for place in range(len(kinds))], labels, fontsize=8)
    axes.set(ylabel="r@10 of turns, per cent", ylim=(0, 135), yticks=range(0, 101, 20))
    axes.legend(fontsize=7, loc="upper center", ncols=2)


def _stages(axes: Axes, quality: Quality) -> None:
    """Milliseconds by step, one on the other, at the median and the 95th percentile of each."""
    spent = quality.timings_ms
    steps = [step for step in STEPS if step in spent]
    below = {"p50": 0.0, "p95": 0.0}
    for step in steps:
        values = [spent[step].p50, spent[step].p95]
        axes.bar(list(below), values, bottom=list(below.values()), label=step, width=0.5)
        below = {name: low + value for (name, low), value in zip(below.items(), values, strict=True)}
    totals = [spent["total"].p50, spent["total"].p95]
    waits = [max(0.0, total - low) for total, low in zip(totals, below.values(), strict=True)]
    axes.bar(list(below), waits, bottom=list(below.values()), label="waiting for the vector, and between", width=0.5)
    axes.set_title(f"{quality.corpus} (n = {spent['total'].n})")
    axes.set(ylabel="milliseconds; steps' own quantiles, one on the other")
    axes.set_ylim(0, 1.45 * max(*totals, *below.values()))
    axes.legend(fontsize=7, loc="upper center", ncols=2)


def _ablations(axes: Axes, quality: Quality) -> None:
    """What each ablation changes of r@10, with intervals."""
    found = [each.differences["r@10"] for each in quality.ablations]
    names = [f"{each.name}\n({each.changed} ranked otherwise)" for each in quality.ablations]
    places = range(len(found))
    axes.barh(places, [100 * each.mean for each in found], xerr=_errors(found), error_kw=_THIN)
    axes.set_yticks(places, names, fontsize=6)
    axes.invert_yaxis()
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set(xlabel="r@10 of turns, in points against what differs in that alone")


def _verdicts(axes: Axes, quality: Quality) -> None:
    """Share of right verdicts by kind of question, with intervals."""
    rows = quality.verdicts.rows
    found = [row.right for row in rows]
    colours = ["tab:blue" if row.answerable else "tab:orange" for row in rows]
    places = range(len(rows))
    axes.barh(places, [100 * each.mean for each in found], xerr=_errors(found), color=colours, error_kw=_THIN)
    axes.set_yticks(places, [f"{row.kind}\nn = {row.right.n}" for row in rows], fontsize=7)
    axes.invert_yaxis()
    axes.set_title(f"{quality.corpus} (n = {sum(row.right.n for row in rows)})")
    axes.set(xlabel="right verdicts, per cent; orange: no answer to be found", xlim=(0, 100))


_THIN: Final[dict[str, Any]] = {"linewidth": 0.8}


def _errors(found: Sequence[Estimate]) -> tuple[list[float], list[float]]:
    """How far each interval reaches down and up, in per cent."""
    return [100 * (each.mean - each.low) for each in found], [100 * (each.high - each.mean) for each in found]


PICTURES: Final[dict[str, Callable[[Axes, Quality], None]]] = {
    "recall-at-k": _curves,
    "by-kind": _kinds,
    "latency": _stages,
    "ablations": _ablations,
    "verdicts": _verdicts,
}
"""By file name, what a panel shows."""
