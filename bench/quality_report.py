"""The figures of one corpus as Markdown tables. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from bench.figures import GAINS, LEVELS, LOSSES, TABLED, TOKENS_OF_TEN
from bench.metrics import ALL
from bench.product import DEPTH
from bench.systems import OUT_OF_FOLD, WHOLE
from bench.tables import per_cent, plain, spread, table
from shared.contract.bundle import Verdict
from shared.language.tokens import DEFAULT_COUNTER

if TYPE_CHECKING:
    from bench.figures import Ablation, Quality

BY_KIND: Final = ("r@10", "all@10")
"""What is told apart by kind of question, of turns."""


def quality_tables(quality: Quality) -> Iterator[str]:
    """Paragraphs and tables, in order."""
    yield f"## {quality.corpus}"
    yield _counts(quality)
    yield (
        f"Per cent, with 95 % bootstrap intervals over questions. Rankings are of distinct turns before expansion, cut "
        f"after {DEPTH} hits; a session stands where its first turn does. RRF is of each one's last form above it."
    )
    if quality.best == OUT_OF_FOLD:
        yield (
            f"The shipped weights of fusion were fitted on these questions: what stands under `{WHOLE}`, the ablations "
            f"and the bundle are in sample. `{OUT_OF_FOLD}` ranks each question by weights fitted on the other folds, "
            "and stands for recall in what follows from this corpus."
        )
    yield from _rankings(quality)
    yield from _kinds(quality)
    yield from _gains(quality)
    yield from _ablations(quality)
    yield from _bundle(quality)
    yield from _verdicts(quality)
    yield from _latency(quality)


def _counts(quality: Quality) -> str:
    size = f"{quality.conversations} conversations, {quality.turns:,} turns (fed in {quality.feeding_s:.0f} s)"
    asked = f"{quality.questions} questions, {quality.answerable} of them answerable."
    remarks = "\n".join(f"- {what}: {count}" for what, count in quality.remarks.items())
    left_out = "".join(f"\n- left out: `{question}`, {reason}" for question, reason in quality.left_out.items())
    return f"{size}, {asked}\n\nThe loader, in the whole file:\n\n{remarks or '- mended nothing'}{left_out}"


def _rankings(quality: Quality) -> Iterator[str]:
    same = quality.ranking["turn"] == quality.ranking["session"]  # where each turn is a session of its own
    for level in LEVELS[:1] if same else LEVELS:
        systems = quality.ranking[level][ALL]
        yield f"### {level} level, all kinds (n = {quality.answerable})"
        rows = [(name, *(per_cent(found[measure]) for measure in TABLED)) for name, found in systems.items()]
        yield table(("system", *TABLED), rows)


def _kinds(quality: Quality) -> Iterator[str]:
    kinds = [kind for kind in quality.ranking["turn"] if kind != ALL]
    if len(kinds) == 1:
        return
    sizes = {kind: next(iter(quality.ranking["turn"][kind].values()))["MRR"].n for kind in kinds}
    for measure in BY_KIND:
        yield f"### turn level {measure}, by kind of question"
        rows = [
            (name, *(per_cent(quality.ranking["turn"][kind][name][measure]) for kind in kinds))
            for name in quality.ranking["turn"][ALL]
        ]
        yield table(("system", *(f"{kind} (n = {size})" for kind, size in sizes.items())), rows)


def _gains(quality: Quality) -> Iterator[str]:
    yield f"### By how much {quality.best} is better, on the same questions (n = {quality.answerable})"
    systems = dict.fromkeys(gain.system for gain in quality.gains)
    found = {(gain.system, gain.level, gain.measure): gain.difference for gain in quality.gains}
    rows = [
        (system, *(per_cent(found[system, level, measure], signed=True) for level, measure in GAINS))
        for system in systems
    ]
    yield table(("than", *(f"{level} {measure}" for level, measure in GAINS)), rows)
    if not quality.behind:
        yield "✓ On every overall figure, recall is at least as good as its best channel alone."
    for behind in quality.behind:
        figure = f"{behind.level} {behind.measure}"
        yield f"✗ {figure}: {behind.channel} has {100 * behind.alone:.1f}, recall {100 * behind.whole:.1f}."


def _ablations(quality: Quality) -> Iterator[str]:
    yield f"### Ablations, turn level (n = {quality.answerable})"
    head = ("recall", "r@10", *(f"change of {measure}" for measure in LOSSES), "against", "ranked otherwise")
    yield table(head, map(_ablation, quality.ablations))


def _ablation(ablation: Ablation) -> tuple[str, ...]:
    differences = (per_cent(ablation.differences[measure], signed=True) for measure in LOSSES)
    r_at_10 = per_cent(ablation.figures["r@10"])
    return (ablation.name, r_at_10, *differences, ablation.against, str(ablation.changed))


def _bundle(quality: Quality) -> Iterator[str]:
    yield f"### What the bundle shows at the default budget (n = {quality.answerable})"
    rows = [
        (name, plain(found, digits=0) if name == TOKENS_OF_TEN else per_cent(found))
        for name, found in quality.bundle.items()
    ]
    yield table(("of answerable questions", "mean"), rows)


def _verdicts(quality: Quality) -> Iterator[str]:
    yield "### Verdicts"
    names = [verdict.value for verdict in Verdict]
    rows = [
        (
            f"{row.kind}{'' if row.answerable else ' (no answer)'}",
            *(str(row.counts[name]) for name in names),
            per_cent(row.right),
            str(row.right.n),
        )
        for row in quality.verdicts.rows
    ]
    yield table(("questions", *names, "right", "n"), rows)
    for kind, accuracy in quality.verdicts.accuracy.items():
        yield f"Balanced accuracy, answerable against {kind}: {per_cent(accuracy)} (n = {accuracy.n})."


def _latency(quality: Quality) -> Iterator[str]:
    yield f"### Latency and size of a default recall (n = {quality.tokens.n}, warm)"
    rows = [(f"{step}, ms", *spread(spent, 1)) for step, spent in quality.timings_ms.items()]
    tokens = f"tokens of the bundle, as {DEFAULT_COUNTER.name} counts"
    yield table(("", "p50", "p95"), [*rows, (tokens, *spread(quality.tokens, 0))])
    if quality.degraded:
        yield f"✗ {quality.degraded} of these recalls were degraded."
