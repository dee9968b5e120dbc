"""Figures as Markdown tables and as JSON. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from bench.figures import LEVELS, MEASURES, Level
from bench.metrics import ALL
from bench.product import DEPTH
from shared.language.tokens import DEFAULT_COUNTER

if TYPE_CHECKING:
    from bench.figures import ByMeasure, Quality, Quantiles
    from bench.metrics import Estimate
    from bench.ratios import Ratio
    from bench.rebuilding import Rebuilding
    from bench.speed import Speed
    from bench.work import WorkDone


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Everything that one run measured."""

    model: str
    """Id of the embedding model."""
    quality: tuple[Quality, ...]
    speed: Speed | None = None
    work: WorkDone | None = None
    rebuilding: Rebuilding | None = None

    @property
    def bounds_hold(self) -> bool:
        """Whether every ratio is within its bound."""
        return all(ratio.holds for part in self.parts.values() for ratio in part.ratios)

    @property
    def parts(self) -> Mapping[str, Speed | WorkDone | Rebuilding]:
        """What has ratios and was measured, by its field's name."""
        every = {"speed": self.speed, "work": self.work, "rebuilding": self.rebuilding}
        return {name: part for name, part in every.items() if part is not None}


def as_markdown(report: Report) -> str:
    """The whole report, for reading."""
    parts = [f"# Daybook's benchmark\n\nEmbedding model: {report.model}"]
    for quality in report.quality:
        parts += _quality(quality)
    if report.speed is not None:
        parts += _speed(report.speed)
    if report.work is not None:
        parts += _work(report.work)
    if report.rebuilding is not None:
        parts += _rebuilding(report.rebuilding)
    return "\n\n".join(parts) + "\n"


def as_json(report: Report) -> str:
    """The same figures, for programs: shares and quantities, not rounded."""
    made = asdict(report)
    for name, part in report.parts.items():
        for ratio, entry in zip(part.ratios, made[name]["ratios"], strict=True):
            entry |= {"value": ratio.value, "holds": ratio.holds}
    return json.dumps(made, indent=2)


def _quality(quality: Quality) -> Iterator[str]:
    yield f"## {quality.corpus}"
    yield _counts(quality)
    yield (
        f"Per cent, with 95 % bootstrap intervals over questions. Rankings are of distinct turns before expansion, cut "
        f"after {DEPTH} hits; a session stands where its first turn does. RRF is of each one's last form above it."
    )
    for level in LEVELS:
        for kind, systems in quality.ranking[level].items():
            yield from _ranking(level, kind, systems)
    yield from _comparison(quality)
    yield from _verdicts(quality)
    yield from _latency(quality)


def _counts(quality: Quality) -> str:
    size = f"{quality.conversations} conversations, {quality.turns:,} turns (fed in {quality.feeding_s:.0f} s)"
    asked = f"{quality.questions} questions, {quality.answerable} of them answerable."
    remarks = "\n".join(f"- {what}: {count}" for what, count in quality.remarks.items())
    return f"{size}, {asked}\n\nThe loader, in the whole file:\n\n{remarks or '- mended nothing'}"


def _ranking(level: Level, kind: str, systems: Mapping[str, ByMeasure]) -> Iterator[str]:
    n = next(iter(systems.values()))["MRR"].n
    yield f"### {level} level, {'all kinds' if kind == ALL else kind} (n = {n})"
    rows = [(name, *(_per_cent(by_measure[measure]) for measure in MEASURES)) for name, by_measure in systems.items()]
    yield _table(("system", *MEASURES), rows)


def _comparison(quality: Quality) -> Iterator[str]:
    yield "### recall against the others, on the same questions"
    rows = [
        (gain.system, f"{gain.level} {gain.measure}", _per_cent(gain.difference, signed=True)) for gain in quality.gains
    ]
    yield _table(("system", "figure", "recall is better by"), rows)
    if not quality.behind:
        yield "✓ On every overall figure, recall is at least as good as its best channel alone."
    for behind in quality.behind:
        figure = f"{behind.level} {behind.measure}"
        yield f"✗ {figure}: {behind.channel} has {100 * behind.alone:.1f}, recall {100 * behind.whole:.1f}."


def _verdicts(quality: Quality) -> Iterator[str]:
    yield "### Verdict"
    rows = [(name, _per_cent(share), str(share.n)) for name, share in quality.supported.items()]
    yield _table(("questions", "supported", "n"), rows)
    if len(quality.supported) > 1:
        kept, let_through = quality.supported["answerable"].mean, quality.supported["unanswerable"].mean
        yield f"Balanced accuracy: {100 * (kept + 1 - let_through) / 2:.1f}."


def _latency(quality: Quality) -> Iterator[str]:
    yield f"### Latency and size of a default recall (n = {quality.tokens.n}, warm)"
    rows = [(f"{step}, ms", *_spread(spent, 1)) for step, spent in quality.timings_ms.items()]
    tokens = f"tokens of the bundle, as {DEFAULT_COUNTER.name} counts"
    yield _table(("", "p50", "p95"), [*rows, (tokens, *_spread(quality.tokens, 0))])
    if quality.degraded:
        yield f"✗ {quality.degraded} of these recalls were degraded."


def _speed(speed: Speed) -> Iterator[str]:
    yield "## Speed"
    yield "Ratios of medians; what is compared was measured in turn, in one process, warm."
    yield _ratios(speed.ratios)
    steps = list(next(iter(speed.timings_ms.values())))
    columns = [f"{size:,} memories, {name}" for size in speed.timings_ms for name in ("p50", "p95")]
    rows = [
        (f"{step}, ms", *(cell for timings in speed.timings_ms.values() for cell in _spread(timings[step], 1)))
        for step in steps
    ]
    yield _table(("", *columns), rows)


def _work(work: WorkDone) -> Iterator[str]:
    yield "## Work"
    yield "Ratios of medians over rounds; what is compared did the same runs in turn, in processes of its own, warm."
    yield _ratios(work.ratios)


def _rebuilding(rebuilding: Rebuilding) -> Iterator[str]:
    yield "## Rebuilding"
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
    yield _table(("medians", *columns), rows)


def _ratios(ratios: Iterable[Ratio]) -> str:
    return _table(("what", "ratio", "bound", "", "measured", "against", "unit", "n"), map(_ratio, ratios))


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


def _per_cent(share: Estimate, *, signed: bool = False) -> str:
    sign = "+" if signed else ""
    return f"{100 * share.mean:{sign}.1f} [{100 * share.low:{sign}.1f}, {100 * share.high:{sign}.1f}]"


def _spread(values: Quantiles, digits: int) -> tuple[str, str]:
    return f"{values.p50:,.{digits}f}", f"{values.p95:,.{digits}f}"


def _table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *rows))
