"""`python -m tests.acceptance.chaos`: every point, or some, and a table of what became of them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from gateway.terminal import Terminal
from shared import clock
from shared.contract.errors import DaybookError
from shared.settings import PREFIX, load
from tests.acceptance.chaos import report
from tests.acceptance.chaos.points import Point, chosen
from tests.acceptance.chaos.trial import Verdict, carry_out
from tests.acceptance.chaos.world import running

_SET_UP_WRONG = 2


@click.command()
@click.option("--only", "patterns", multiple=True, metavar="PATTERN", help="Points by name; * is any text. Repeatable.")
@click.option("--list", "lists", is_flag=True, help="Name the points, and do nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
@click.option("--markdown", type=click.Path(path_type=Path), metavar="FILE", help="Write the table there too.")
@click.option("--data-dir", type=click.Path(path_type=Path), metavar="FOLDER", help="Work there; it is emptied.")
def main(
    *, patterns: tuple[str, ...], lists: bool, as_json: bool, markdown: Path | None, data_dir: Path | None
) -> None:
    """Put faults into real processes and compare the end states with an undisturbed one.

    Exit code 1: something was lost or there twice, or did not recover.
    """
    points = chosen(patterns)
    if lists:
        for each in points:
            click.echo(f"{each.name:38} {each.done}")
        return
    if not points:
        raise click.UsageError(f"no point is called like {' or '.join(patterns)}; --list names them")
    folder = data_dir or load().data_dir.expanduser() / "chaos"
    terminal = Terminal(as_json=as_json)
    began = clock.monotonic_s()
    try:
        verdicts = _carry_out(terminal, points, folder)
    except DaybookError as error:
        terminal.failure(error)
        sys.exit(_SET_UP_WRONG)
    took_s = clock.monotonic_s() - began
    if markdown:
        markdown.write_text(report.markdown(verdicts, took_s), encoding="utf-8")
    _tell(terminal, verdicts, took_s)
    sys.exit(0 if all(each.passed for each in verdicts) else 1)


def _carry_out(terminal: Terminal, points: list[Point], folder: Path) -> list[Verdict]:
    say = terminal.err.print
    for name in [name for name in os.environ if name.startswith(PREFIX)]:
        del os.environ[name]  # the points need their own, and nobody's servers are to be harmed
    verdicts = []
    with running(folder, say) as world:
        for number, point in enumerate(points, 1):
            verdicts.append(carry_out(world, point))
            say(f"{number:3}/{len(points)} {report.line(verdicts[-1])}")
    return verdicts


def _tell(terminal: Terminal, verdicts: list[Verdict], took_s: float) -> None:
    if terminal.as_json:
        terminal.document(report.document(verdicts, took_s))
        return
    terminal.out.print(report.table(verdicts))
    terminal.out.print(report.summary(verdicts, took_s))


if __name__ == "__main__":
    main()
