"""Figures as Markdown tables and as JSON. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from bench.cold import Cold, cold_tables
from bench.figures import GAINS
from bench.goals import Goal, goals
from bench.night import Night, night_tables
from bench.quality_report import quality_tables
from bench.tables import per_cent, plain, spread, table
from hotpath.weights import FITTED_ON

if TYPE_CHECKING:
    from bench.figures import Quality
    from bench.pooling import Pooled
    from bench.ratios import Ratio
    from bench.rebuilding import Rebuilding
    from bench.speed import Speed
    from bench.stages import StagesDone
    from bench.work import WorkDone


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Everything that one run measured."""

    model: str
    """Id of the embedding model."""
    quality: tuple[Quality, ...]
    longmemeval: Pooled | None = None
    """All files of LongMemEval together."""
    speed: Speed | None = None
    work: WorkDone | None = None
    stages: StagesDone | None = None
    rebuilding: Rebuilding | None = None
    tidying: Rebuilding | None = None
    """What the jobs of a night cost, likewise."""
    nights: tuple[Night, ...] = ()
    """What a night did to recall, where that was asked for."""
    colds: tuple[Cold, ...] = ()
    """And what it did that old sessions left the hot tier."""

    @property
    def bounds_hold(self) -> bool:
        """Whether every ratio is within its bound."""
        return all(ratio.holds for part in self.parts.values() for ratio in part.ratios)

    @property
    def parts(self) -> Mapping[str, Speed | WorkDone | StagesDone | Rebuilding]:
        """What has ratios and was measured, by its field's name."""
        names = ("speed", "work", "stages", "rebuilding", "tidying")
        every = {name: getattr(self, name) for name in names}
        return {name: part for name, part in every.items() if part is not None}

    @property
    def goals(self) -> tuple[Goal, ...]:
        """What recall is held to, of the corpora that were asked."""
        return goals(self.quality, self.longmemeval)


def as_markdown(report: Report) -> str:
    """The whole report, for reading."""
    parts = [f"# Daybook's benchmark\n\nEmbedding model: {report.model}", *quality_part(report)]
    if report.speed is not None:
        parts += _speed(report.speed)
    if report.work is not None:
        parts += _work(report.work)
    if report.stages is not None:
        parts += _stages(report.stages)
    if report.rebuilding is not None:
        parts += _rebuilding("Rebuilding", report.rebuilding)
    if report.tidying is not None:
        parts += _rebuilding("Tidying", report.tidying)
    return "\n\n".join(parts) + "\n"


def quality_part(report: Report) -> Iterator[str]:
    """What was measured of ranking, bundles and verdicts: paragraphs and tables."""
    if report.quality:
        yield "## What was fitted on what"
        yield "\n".join(f"- {what}: {on}" for what, on in FITTED_ON.items())
    if report.goals:
        yield "## What is to be reached"
        yield table(("corpus", "figure", "measured", "n", "reach", "aim", ""), map(_goal, report.goals))
    for quality in report.quality:
        yield from quality_tables(quality)
    for night in report.nights:
        yield from night_tables(night)
    for cold in report.colds:
        yield from cold_tables(cold)
    if report.longmemeval is not None:
        yield from _pooled(report.longmemeval)


def _goal(goal: Goal) -> tuple[str, ...]:
    signed = goal.unit == "points"
    measured = plain(goal.measured, digits=0) if goal.unit == "tokens" else per_cent(goal.measured, signed=signed)
    bounds = (f"{'≤' if goal.at_most else '>' if goal.surely else '≥'} {each:g}" for each in (goal.reach, goal.aim))
    mark = "✓✓" if goal.reached and goal.aimed else "✓" if goal.reached else "✗"
    return (goal.corpus, goal.figure, measured, str(goal.measured.n), *bounds, mark)


def _pooled(pooled: Pooled) -> Iterator[str]:
    yield f"## {' + '.join(pooled.corpora)} (n = {pooled.n})"
    yield "Stands for recall: " + ", ".join(f"{system} of {corpus}" for corpus, system in pooled.corpora.items()) + "."
    names = [f"{level} {measure}" for level, measure in GAINS]
    yield table(("system", *names), [(name, *map(per_cent, found)) for name, found in pooled.figures.items()])
    by_system: dict[str, list[str]] = {}
    for gain in pooled.gains:
        by_system.setdefault(gain.system, []).append(per_cent(gain.difference, signed=True))
    yield table(("recall is better than", *names), [(name, *cells) for name, cells in by_system.items()])


def as_json(report: Report) -> str:
    """The same figures, for programs: shares and quantities, not rounded."""
    made = asdict(report)
    made["goals"] = [asdict(goal) | {"reached": goal.reached, "aimed": goal.aimed} for goal in report.goals]
    for name, part in report.parts.items():
        for ratio, entry in zip(part.ratios, made[name]["ratios"], strict=True):
            entry |= {"value": ratio.value, "holds": ratio.holds}
    return json.dumps(made, indent=2)


def _speed(speed: Speed) -> Iterator[str]:
    yield "## Speed"
    yield "Ratios of medians; what is compared was measured in turn, in one process, warm."
    yield _ratios(speed.ratios)
    steps = list(next(iter(speed.timings_ms.values())))
    columns = [f"{size:,} memories, {name}" for size in speed.timings_ms for name in ("p50", "p95")]
    rows = [
        (f"{step}, ms", *(cell for timings in speed.timings_ms.values() for cell in spread(timings[step], 1)))
        for step in steps
    ]
    yield table(("", *columns), rows)


def _work(work: WorkDone) -> Iterator[str]:
    yield "## Work"
    yield "Ratios of medians over rounds; what is compared did the same runs in turn, in processes of its own, warm."
    yield _ratios(work.ratios)


def _stages(stages: StagesDone) -> Iterator[str]:
    yield "## Stages"
    yield "Short English runs through append, gate, extract (by rules) and resolve; each worker does all four."
    yield _ratios(stages.ratios)
    rows = [
        (stage.value, f"{cost.mean_ms:.1f}", f"{cost.p95_ms:.1f}", str(cost.n)) for stage, cost in stages.costs.items()
    ]
    total = sum(cost.mean_ms for cost in stages.costs.values())
    yield table(("ms a run, one worker", "mean", "p95", "runs"), [*rows, ("all of them", f"{total:.1f}", "", "")])
    yield f"Candidates a run: {stages.candidates:.1f}."


def _rebuilding(name: str, rebuilding: Rebuilding) -> Iterator[str]:
    yield f"## {name}"
    yield "Growth is bounded by n log n. Each pass was in a process of its own; memory is what it took above its start."
    yield _ratios(rebuilding.ratios)
    sizes = next(iter(rebuilding.costs.values()))
    columns = [f"{size:,} memories, {name}" for size in sizes for name in ("s", "MB")]
    rows = [
        (
            job,
            *(cell for costs in by_size.values() for cell in (f"{costs.seconds.p50:.1f}", f"{costs.peak_mb.p50:.1f}")),
        )
        for job, by_size in rebuilding.costs.items()
    ]
    yield table(("medians", *columns), rows)


def _ratios(ratios: Iterable[Ratio]) -> str:
    return table(("what", "ratio", "bound", "", "measured", "against", "unit", "n"), map(_ratio, ratios))


def _ratio(ratio: Ratio) -> tuple[str, ...]:
    return (
        ratio.name,
        f"{ratio.value:.2f}",
        f"{'≥' if ratio.at_least else '≤'} {ratio.bound:.3g}",
        "✓" if ratio.holds else "✗",
        f"{ratio.quantile(ratio.measured):.2f}",
        f"{ratio.quantile(ratio.against):.2f}",
        ratio.unit,
        str(ratio.measured.n),
    )
