"""`python -m bench.fit`: fit the shipped weights, print what they are worth out of fold, and write their file.

What each was fitted on is written into the file. The weights of fusion are fitted on LongMemEval dev, those of the
second reading and the threshold of the premise on questions of our own; each is measured out of fold on what it was
fitted on, and as it is on the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Final

import click
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import Progress

from bench import fitting, longmemeval, metrics, multihop, own
from bench.embedders import Remembering
from bench.gathered import Gathered, gather
from bench.place import place
from bench.product import Product, inline_services
from bench.tables import table
from hotpath import weights
from hotpath._fuse import FEATURES
from shared.settings import load

Floats = NDArray[np.float64]
Rank = Callable[[Gathered, int], list[str]]
"""Of a question and its place among those with gold to be found: distinct turn ids."""

FUSION_L2: Final = 0.01
FUSION_SCALE: Final = 4.0
LEAST: Final = 0.05
"""No feature of fusion is worth less: each counts for a hit."""
READ_L2: Final = 0.001
READ_SCALE: Final = 20.0
"""What a difference of 1 in the fused score counts in the loss of the second reading."""
NOT_FITTED: Final = frozenset({"date", "graph"})
MEASURES: Final = {
    "r@5": partial(metrics.recall_at, k=5),
    "r@10": partial(metrics.recall_at, k=10),
    "all@10": partial(metrics.all_at, k=10),
    "nDCG@10": partial(metrics.ndcg_at, k=10),
}
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.option("--longmemeval", "longmemeval_file", type=FILE, help="LongMemEval dev, on which fusion is fitted.")
@click.option("--musique", "musique_file", type=FILE, help="MuSiQue, which is only measured.")
@click.option("--write/--no-write", help="Write the weights into the shipped file.")
def main(*, longmemeval_file: Path | None, musique_file: Path | None, write: bool) -> None:
    """Fit the shipped weights and print old against new. Without LongMemEval those of fusion stay as they are."""
    corpora = [own.load()]
    corpora += [longmemeval.load(longmemeval_file)] if longmemeval_file else []
    corpora += [multihop.load(musique_file)] if musique_file else []
    with place(load(mode="inline", reranker="features")) as where, Progress(console=Console(stderr=True)) as progress:
        product = Product(inline_services(where, Remembering(where.embedder)))
        found = {each.name: list(gather(each, product, progress)) for each in corpora}
    fitted = Fitted(found)
    for line in fitted.report():
        click.echo(line)
    if write:
        weights.FILE.write_text(fitted.as_toml(), encoding="utf-8")
        click.echo(f"written: {weights.FILE}")


class Fitted:
    """What was fitted on what was gathered, by the corpora's names."""

    def __init__(self, found: dict[str, list[Gathered]]) -> None:
        """`found` holds the own questions, and what else is to be fitted on or measured."""
        self._found = found
        self._own, self._lme = _with_gold(found[own.NAME]), _with_gold(found.get(longmemeval.NAME, []))
        self.fusion = _fit_fusion([_fusion_pairs(each) for each in self._lme]) if self._lme else _shipped_fusion()
        self.rerank = _fit_rerank([_read_pairs(each, self.fusion) for each in self._own])
        judged = [each for each in found[own.NAME] if each.compared is not None]
        self._margins = np.array([each.compared.margin for each in judged if each.compared is not None])
        self._answerable = np.array([each.question.answerable for each in judged], np.bool_)
        self.elsewhere = fitting.threshold(self._margins, self._answerable)

    def report(self) -> list[str]:
        """Tables: the weights old and new, and figures on each corpus."""
        rows = [(name, f"{old:.4g}", f"{new:.4g}") for name, old, new in self._numbers()]
        lines = [table(("weight", "shipped", "fitted"), rows)]
        for name, questions in self._found.items():
            lines += ["", f"{name}: n = {len(_answerable(questions))}", *self._figures(name, _answerable(questions))]
        kept = self._margins >= -self.elsewhere
        accuracy = fitting.balanced(self._margins, self._answerable, self.elsewhere)
        false_alarms = int((~kept[self._answerable]).sum())
        premise = (
            f"premise, own questions, at {self.elsewhere:g}: balanced accuracy {100 * accuracy:.1f}, "
            f"{false_alarms} of {int(self._answerable.sum())} answerable called unsupported, "
            f"{int((~kept[~self._answerable]).sum())} of {int((~self._answerable).sum())} of another person"
        )
        return [*lines, "", premise]

    def as_toml(self) -> str:
        """The file that is shipped."""
        parts = [
            "# The weights that recall fuses and reads again with, as `hotpath/weights.py` explains them.",
            "# Written by `python -m bench.fit --write`; nothing of LoCoMo was used.",
            "\n[fitted_on]",
            *(f'{name} = "{what}"' for name, what in self._fitted_on().items()),
            "\n[fusion]",
            *(f"{name} = {value:.2f}" for name, value in self.fusion.items()),
            "\n[rerank]",
            *(f"{name} = {value:.4f}" for name, value in self.rerank.items()),
            "\n[premise]",
            f"elsewhere = {self.elsewhere:.2f}",
        ]
        return "\n".join(parts) + "\n"

    def _fitted_on(self) -> dict[str, str]:
        loss = "pairwise logistic loss, L2"
        n, kept = len(self._answerable), int(self._answerable.sum())
        fusion = f"LongMemEval_S dev: {len(self._lme)} questions, {loss} {FUSION_L2:g} towards equal weights"
        here = "own questions on the demonstration's conversation"
        return {
            "fusion": fusion if self._lme else weights.FITTED_ON["fusion"],
            "rerank": f"{here}: {len(self._own)} questions, {loss} {READ_L2:g} towards 0",
            "premise": f"{here}: {kept} answerable of one who speaks, {n - kept} put of another",
        }

    def _numbers(self) -> list[tuple[str, float, float]]:
        new = {**self.fusion, **self.rerank, "elsewhere": self.elsewhere}
        held = {each.name: getattr(weights.DEFAULT, each.name) for each in fields(weights.Weights)}
        held |= {each.name: getattr(weights.RERANK, each.name) for each in fields(weights.Rerank)}
        held["elsewhere"] = weights.ELSEWHERE
        return [(name, held[name], value) for name, value in new.items()]

    def _figures(self, name: str, questions: Sequence[Gathered]) -> list[str]:
        """Fused as shipped, fused as fitted, and read again; out of fold on what each was fitted on."""
        shipped, fitted = _row(_shipped_fusion()), _row(self.fusion)
        read = np.array(list(self.rerank.values()))
        systems: dict[str, Rank] = {
            "fused, shipped": lambda each, _: fitting.ranking(each, each.fused @ shipped),
            "fused, fitted": lambda each, _: fitting.ranking(each, each.fused @ fitted),
            "read again": lambda each, _: fitting.ranking(each, _again(each, self.fusion, read)),
        }
        if name == longmemeval.NAME:
            folds = fitting.out_of_fold(
                [_fusion_pairs(each) for each in questions], lambda part: _row(_fit_fusion(part))
            )
            systems["fused, out of fold"] = lambda each, at: fitting.ranking(each, each.fused @ folds[at])
        if name == own.NAME:
            held = fitting.out_of_fold(
                [_read_pairs(each, self.fusion) for each in questions],
                lambda part: np.array(list(_fit_rerank(part).values())),
            )
            systems["read again, out of fold"] = lambda each, at: fitting.ranking(
                each, _again(each, self.fusion, held[at])
            )
        return [table(("system", *MEASURES), [(system, *_scored(questions, rank)) for system, rank in systems.items()])]


def _answerable(questions: Sequence[Gathered]) -> list[Gathered]:
    return [each for each in questions if each.question.answerable]


def _with_gold(questions: Sequence[Gathered]) -> list[Gathered]:
    """The answerable ones that fusion found something of, and something else."""
    found = (each for each in questions if each.question.answerable)
    return [each for each in found if each.gold[: len(each.read)].any() and not each.gold[: len(each.read)].all()]


def _fusion_pairs(found: Gathered) -> Floats:
    others = found.fused[~found.gold]
    hardest = np.argsort(-others.sum(axis=1), kind="stable")[: fitting.HARDEST]
    return fitting.pairs(found.fused[found.gold], others[hardest])


def _read_pairs(found: Gathered, fusion: dict[str, float]) -> Floats:
    """The fused score, and the features of the second reading."""
    size = len(found.read)
    both = np.column_stack([found.fused[:size] @ _row(fusion), found.read])
    return fitting.pairs(both[found.gold[:size]], both[~found.gold[:size]])


def _fit_fusion(questions: Sequence[Floats]) -> dict[str, float]:
    free = [place for place, name in enumerate(FEATURES) if name not in NOT_FITTED]
    fitted = fitting.fit(
        [each[:, free] for each in questions], np.ones(len(free)), l2=FUSION_L2, scale=FUSION_SCALE, least=LEAST
    )
    return {FEATURES[place]: float(value) for place, value in zip(free, fitted, strict=True)}


def _fit_rerank(questions: Sequence[Floats]) -> dict[str, float]:
    names = [each.name for each in fields(weights.Rerank)]
    start = np.array([1.0, *[0.0] * len(names)])
    l2 = READ_L2 * READ_SCALE**2  # of what is fitted, which the loss sees times its scale
    fitted = fitting.fit(questions, start, l2=l2, scale=READ_SCALE, fixed=1)
    return dict(zip(names, map(float, fitted[1:]), strict=True))


def _shipped_fusion() -> dict[str, float]:
    return {name: getattr(weights.DEFAULT, name) for name in FEATURES if name not in NOT_FITTED}


def _row(fusion: dict[str, float]) -> Floats:
    """By feature, what it is of all; those that are not fitted as they are shipped."""
    row = np.array([fusion.get(name, getattr(weights.DEFAULT, name)) for name in FEATURES])
    shares: Floats = row / row.sum()
    return shares


def _again(found: Gathered, fusion: dict[str, float], read: Floats) -> Floats:
    fused = found.fused[: len(found.read)] @ _row(fusion)
    scores: Floats = fused + found.read @ read
    return scores


def _scored(questions: Sequence[Gathered], rank: Rank) -> list[str]:
    ranked = [rank(each, at) for at, each in enumerate(questions)]
    gold = [each.question.gold_turn_ids for each in questions]
    return [
        f"{100 * np.mean([measure(ids, wanted) for ids, wanted in zip(ranked, gold, strict=True)]):.1f}"
        for measure in MEASURES.values()
    ]


if __name__ == "__main__":
    main()
