"""`python -m bench`: measure recall on conversations given by path, and ratios of speed, work and rebuilding."""

# Above 300 lines: the options of one command, and what each of them asks for, are read together.

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from bench import (
    cold,
    loading,
    locomo,
    longmemeval,
    multihop,
    night,
    page,
    plots,
    rebuilding,
    scopes,
    speed,
    stages,
    tidying,
    work,
)
from bench.carried import Carried
from bench.cold import Cold
from bench.corpus import Corpus, first, spread
from bench.embedders import Remembering
from bench.figures import figures
from bench.kept import Kept
from bench.night import Night
from bench.place import Place, place
from bench.pooling import pooled
from bench.product import Product, inline_services
from bench.quality import Answered, answer
from bench.report import Report, as_json, as_markdown, quality_part
from bench.unfitted import is_in_sample, recipes
from shared.contract.errors import DaybookError
from shared.log import write_to_stderr
from shared.settings import load, using

CORRECTIONS = "audited_evidence.json"
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which parts are to be measured beside the corpora."""

    sizes: tuple[int, ...] = ()
    """Memories in the scopes, ascending."""
    speed: bool = False
    work: bool = False
    rebuilding: bool = False
    tidying: bool = False
    vectors: Path | None = None
    """Folder in which the vectors of what is fed are kept for later runs."""
    costs: Path | None = None
    """File in which what was measured of tidying is kept, for a run that goes on."""
    jobs: tuple[str, ...] = ()
    """Done on each conversation before it is asked."""
    night: bool = False
    """Whether recall alone is asked, before a night and after it."""
    cold: bool = False
    """Or before and after what is old has left the hot tier."""

    @property
    def parts(self) -> bool:
        """Whether there are any."""
        return self.speed or self.work or self.rebuilding or self.tidying


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """The options, as they are declared below."""

    locomo_files: tuple[Path, ...]
    locomo_corrections: Path | None
    longmemeval_files: tuple[Path, ...]
    multihop_files: tuple[Path, ...]
    questions: int | None
    conversations: int | None
    wants_speed: bool
    wants_work: bool
    wants_rebuilding: bool
    wants_tidying: bool
    sizes: str
    vectors: Path | None
    costs: Path | None
    jobs: tuple[str, ...]
    night: bool
    cold: bool
    json_file: Path | None
    plots_folder: Path | None
    page_file: Path | None

    @property
    def wanted(self) -> Wanted:
        """What they ask for beside the corpora."""
        return Wanted(
            sizes=_sizes(self.sizes) if self.wants_speed or self.wants_rebuilding or self.wants_tidying else (),
            speed=self.wants_speed,
            work=self.wants_work,
            rebuilding=self.wants_rebuilding,
            tidying=self.wants_tidying,
            vectors=self.vectors,
            costs=self.costs,
            jobs=self.jobs,
            night=self.night,
            cold=self.cold,
        )


@click.command(context_settings={"max_content_width": 100})
@click.option("--locomo", "locomo_files", type=FILE, multiple=True, help="A LoCoMo file; repeatable.")
@click.option(
    "--locomo-corrections", type=FILE, help=f"Corrected evidence for it. Default: {CORRECTIONS} beside it, if there."
)
@click.option(
    "--longmemeval",
    "longmemeval_files",
    type=FILE,
    multiple=True,
    help="A LongMemEval file, gzipped or not; repeatable.",
)
@click.option("--multihop", "multihop_files", type=FILE, multiple=True, help="A HotpotQA or MuSiQue file; repeatable.")
@click.option("--questions", type=click.IntRange(min=1), help="Ask only so many of each file, spread over it.")
@click.option("--conversations", type=click.IntRange(min=1), help="Take only the first so many of each file.")
@click.option("--speed/--no-speed", "wants_speed", default=True, show_default=True, help="Measure the ratios of speed.")
@click.option(
    "--work/--no-work",
    "wants_work",
    default=True,
    show_default=True,
    help="Measure how fast runs get into the ledger, and become beliefs.",
)
@click.option(
    "--rebuilding/--no-rebuilding",
    "wants_rebuilding",
    default=True,
    show_default=True,
    help="Measure what reindex, reembed and replay cost.",
)
@click.option(
    "--tidying/--no-tidying",
    "wants_tidying",
    default=True,
    show_default=True,
    help="Measure what the jobs of a night cost.",
)
@click.option("--sizes", default="10000,100000", show_default=True, help="Memories in the scopes that are measured.")
@click.option(
    "--vectors", type=FOLDER, help="Keep the vectors of what is fed in this folder, and take from there what it has."
)
@click.option(
    "--costs",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Keep what each job of a night cost in this file, and go on from there; of a database that stays.",
)
@click.option(
    "--json", "json_file", type=click.Path(dir_okay=False, path_type=Path), help="Write the figures here too."
)
@click.option("--after", "jobs", multiple=True, help="Do this job on each conversation before it is asked; repeatable.")
@click.option("--night", is_flag=True, help="Ask recall alone, before a night's jobs and after.")
@click.option("--cold", is_flag=True, help="Ask recall alone, before old sessions leave the hot tier and after.")
@click.option("--plots", "plots_folder", type=FOLDER, help="Write pictures of recall into this folder, as PNG.")
@click.option("--page", "page_file", type=FILE, help="Put the tables of recall between the marked lines of this page.")
def main(**values: Any) -> None:
    """Measure recall beside plain baselines and the ratios of speed, work and rebuilding, and print Markdown tables.

    Exit code 1 says that a ratio is not within its bound, 2 that something could not be measured. Everything
    happens in a database of its own, which is deleted, unless DAYBOOK_DATABASE_URL names one.
    """
    given = Given(**values)
    wanted = given.wanted
    if not (given.locomo_files or given.longmemeval_files or given.multihop_files or wanted.parts):
        parts = "--speed, --work, --rebuilding or --tidying"
        raise click.UsageError(f"nothing to measure: give --locomo, --longmemeval, --multihop, {parts}")
    write_to_stderr("WARNING")
    try:
        if given.page_file:
            page.check(given.page_file)
        report = _measure(_corpora(given), wanted)
        click.echo(as_markdown(report))
        _keep(report, given)
    except DaybookError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(2)
    sys.exit(0 if report.bounds_hold else 1)


def _sizes(given: str) -> tuple[int, ...]:
    try:
        sizes = tuple(sorted({int(size) for size in given.split(",")}))
    except ValueError:
        sizes = ()
    if not sizes or sizes[0] < 1:
        raise click.BadParameter(f"{given!r} is not a list of numbers like 10000,100000", param_hint="--sizes")
    return sizes


def _corpora(given: Given) -> list[Corpus]:
    def locomo_with_corrections(path: Path) -> Corpus:
        return locomo.load(path, given.locomo_corrections or _beside(path))

    return [
        *_read(given.locomo_files, locomo_with_corrections, given),
        *_read(given.longmemeval_files, longmemeval.load, given),
        *_read(given.multihop_files, multihop.load, given),
    ]


def _read(paths: Sequence[Path], load_file: Callable[[Path], Corpus], given: Given) -> Iterator[Corpus]:
    """The corpora of files of one kind. Where there are several, or one is a part, they bear their file's name too."""
    loaded = [load_file(path) for path in paths]
    names = [corpus.name for corpus in loaded]
    for path, corpus in zip(paths, loaded, strict=True):
        told_apart = names.count(corpus.name) > 1 or corpus.name == longmemeval.NAME
        named = replace(corpus, name=f"{corpus.name} ({path.name.partition('.')[0]})") if told_apart else corpus
        part = first(named, given.conversations) if given.conversations else named
        yield spread(part, given.questions) if given.questions else part


def _beside(path: Path) -> Path | None:
    """Corrected evidence beside a file, if there is some."""
    found = path.with_name(CORRECTIONS)
    return found if found.exists() else None


def _measure(corpora: list[Corpus], wanted: Wanted) -> Report:
    with place(load(mode="inline")) as where, _progress() as progress:
        carried = Carried(wanted.costs, where.settings)  # first: what cannot be gone on with is said at once
        answered, nights, colds = _answered(corpora, where, wanted, progress)
        histories = [each for each in answered if each[0].name.startswith(longmemeval.NAME)]
        worked = stages.measure(where, progress) if wanted.work else None  # first: what is appended waits on at gate
        done = work.measure(where, progress) if wanted.work else None
        filled = scopes.fill(where, wanted.sizes, progress) if wanted.speed or wanted.rebuilding else {}
        return Report(
            model=where.embedder.model.key,
            quality=tuple(figures(*each) for each in answered),
            nights=nights,
            colds=colds,
            longmemeval=pooled(histories) if histories else None,
            work=done,
            stages=worked,
            speed=speed.measure(where, filled, progress) if wanted.speed else None,
            rebuilding=rebuilding.measure(where, filled, progress) if wanted.rebuilding else None,
            tidying=_tidied(where, wanted, carried, progress) if wanted.tidying else None,
        )


def _tidied(where: Place, wanted: Wanted, carried: Carried, progress: Progress) -> rebuilding.Rebuilding:
    """In scopes of its own: others hold no beliefs, and have vectors of another model by then."""
    made = {size: carried.scope(size) for size in wanted.sizes}
    loading.fill(where, made, progress)
    return tidying.measure(where, made, progress, carried=carried)


def _answered(
    corpora: Sequence[Corpus], where: Place, wanted: Wanted, progress: Progress
) -> tuple[list[tuple[Corpus, Answered]], tuple[Night, ...], tuple[Cold, ...]]:
    """What came of each corpus; or, where that is wanted, how recall was before and after a night, or some ageing."""
    kept = Kept(wanted.vectors, where.embedder.model) if wanted.vectors else None
    encoder = Remembering(where.embedder, kept)
    product = Product(inline_services(where, encoder), wanted.jobs)
    with using(where.settings.model_copy(update={"bundle_cache": 0})):  # one that is given again is no measure
        if wanted.night or wanted.cold:
            asked = (product, where, encoder, progress)
            nights = [night.measure(corpus, *asked) for corpus in corpora if wanted.night]
            colds = [each for corpus in corpora if wanted.cold for each in cold.measure(corpus, *asked)]
            return [], tuple(nights), tuple(colds)
        return (
            [
                (corpus, answer(corpus, product, encoder, progress, unfitted=recipes if is_in_sample(corpus) else None))
                for corpus in corpora
            ],
            (),
            (),
        )


def _keep(report: Report, given: Given) -> None:
    """Write what was asked for beside what is printed."""
    if given.json_file:
        given.json_file.write_text(as_json(report), encoding="utf-8")
    pictures = plots.write(given.plots_folder, report.quality) if given.plots_folder and report.quality else []
    if given.page_file:
        shown = [f"![{each.stem}]({page.relative(each, given.page_file)})" for each in pictures]
        page.put(given.page_file, "\n\n".join([f"Embedding model: {report.model}", *quality_part(report), *shown]))


def _progress() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=Console(stderr=True))


if __name__ == "__main__":
    main()
