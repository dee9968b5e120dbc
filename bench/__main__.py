"""`python -m bench`: measure recall on conversations given by path, and ratios of speed, work and rebuilding."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from bench import locomo, longmemeval, rebuilding, scopes, speed, work
from bench.corpus import Corpus, spread
from bench.embedders import Remembering
from bench.figures import Quality, figures
from bench.place import Place, place
from bench.product import Product, inline_services
from bench.quality import answer
from bench.report import Report, as_json, as_markdown
from shared.contract.errors import DaybookError
from shared.log import write_to_stderr
from shared.settings import load

CORRECTIONS = "audited_evidence.json"
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which parts are to be measured beside the corpora."""

    sizes: tuple[int, ...] = ()
    """Memories in the scopes, ascending."""
    speed: bool = False
    work: bool = False
    rebuilding: bool = False

    @property
    def parts(self) -> bool:
        """Whether there are any."""
        return self.speed or self.work or self.rebuilding


@click.command(context_settings={"max_content_width": 100})
@click.option("--locomo", "locomo_file", type=FILE, help="A LoCoMo file.")
@click.option(
    "--locomo-corrections", type=FILE, help=f"Corrected evidence for it. Default: {CORRECTIONS} beside it, if there."
)
@click.option("--longmemeval", "longmemeval_file", type=FILE, help="A LongMemEval file, gzipped or not.")
@click.option("--questions", type=click.IntRange(min=1), help="Ask only so many of LongMemEval, spread over the file.")
@click.option("--speed/--no-speed", "wants_speed", default=True, show_default=True, help="Measure the ratios of speed.")
@click.option(
    "--work/--no-work", "wants_work", default=True, show_default=True, help="Measure how fast runs get into the ledger."
)
@click.option(
    "--rebuilding/--no-rebuilding",
    "wants_rebuilding",
    default=True,
    show_default=True,
    help="Measure what reindex, reembed and replay cost.",
)
@click.option(
    "--sizes", default="10000,100000", show_default=True, help="Memories in the scopes of speed and rebuilding."
)
@click.option(
    "--json", "json_file", type=click.Path(dir_okay=False, path_type=Path), help="Write the figures here too."
)
def main(
    *,
    locomo_file: Path | None,
    locomo_corrections: Path | None,
    longmemeval_file: Path | None,
    questions: int | None,
    wants_speed: bool,
    wants_work: bool,
    wants_rebuilding: bool,
    sizes: str,
    json_file: Path | None,
) -> None:
    """Measure recall beside plain baselines and the ratios of speed, work and rebuilding, and print Markdown tables.

    Exit code 1 says that a ratio is not within its bound, 2 that something could not be measured. Everything
    happens in a database of its own, which is deleted, unless DAYBOOK_DATABASE_URL names one.
    """
    wanted = Wanted(
        sizes=_sizes(sizes) if wants_speed or wants_rebuilding else (),
        speed=wants_speed,
        work=wants_work,
        rebuilding=wants_rebuilding,
    )
    if not (locomo_file or longmemeval_file or wanted.parts):
        raise click.UsageError("nothing to measure: give --locomo, --longmemeval, --speed, --work or --rebuilding")
    write_to_stderr("WARNING")
    try:
        corpora = _corpora(locomo_file, locomo_corrections, longmemeval_file, questions)
        report = _measure(corpora, wanted)
    except DaybookError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(2)
    click.echo(as_markdown(report))
    if json_file:
        json_file.write_text(as_json(report), encoding="utf-8")
    sys.exit(0 if report.bounds_hold else 1)


def _sizes(given: str) -> tuple[int, ...]:
    try:
        sizes = tuple(sorted({int(size) for size in given.split(",")}))
    except ValueError:
        sizes = ()
    if not sizes or sizes[0] < 1:
        raise click.BadParameter(f"{given!r} is not a list of numbers like 10000,100000", param_hint="--sizes")
    return sizes


def _corpora(
    locomo_file: Path | None, corrections: Path | None, longmemeval_file: Path | None, questions: int | None
) -> list[Corpus]:
    corpora = []
    if locomo_file:
        beside = locomo_file.with_name(CORRECTIONS)
        corpora.append(locomo.load(locomo_file, corrections or (beside if beside.exists() else None)))
    if longmemeval_file:
        loaded = longmemeval.load(longmemeval_file)
        corpora.append(spread(loaded, questions) if questions else loaded)
    return corpora


def _measure(corpora: list[Corpus], wanted: Wanted) -> Report:
    with place(load(mode="inline")) as where, _progress() as progress:
        quality = tuple(_quality(corpus, where, progress) for corpus in corpora)
        done = work.measure(where, progress) if wanted.work else None
        filled = scopes.fill(where, wanted.sizes, progress) if wanted.sizes else {}
        return Report(
            model=where.embedder.model.key,
            quality=quality,
            work=done,
            speed=speed.measure(where, filled, progress) if wanted.speed else None,
            rebuilding=rebuilding.measure(where, filled, progress) if wanted.rebuilding else None,
        )


def _quality(corpus: Corpus, where: Place, progress: Progress) -> Quality:
    encoder = Remembering(where.embedder)
    return figures(corpus, answer(corpus, Product(inline_services(where, encoder)), encoder, progress))


def _progress() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=Console(stderr=True))


if __name__ == "__main__":
    main()
