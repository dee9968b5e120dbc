"""What a command writes: one JSON document for machines, or tables and lines for people."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

import click

from shared import clock

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from shared.contract.errors import DaybookError

_USUAL_WIDTH: Final = 100
_WIDEST: Final = 120
_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400


@dataclass(slots=True)
class Terminal:
    """Where a command writes to, and how. Results go to stdout; progress, remarks and errors to stderr."""

    as_json: bool = False
    debug: bool = False

    @property
    def out(self) -> Console:
        """For results."""
        return _console(stderr=False)

    @property
    def err(self) -> Console:
        """For progress and remarks; silent to machines only in that they read the other one."""
        return _console(stderr=True)

    def document(self, value: object) -> None:
        """Write the one JSON document."""
        from pydantic_core import to_json

        click.echo(to_json(value, indent=2, inf_nan_mode="null").decode())

    def failure(self, error: DaybookError) -> None:
        """Say what was wrong: a line for people, with `as_json` a document too."""
        if self.as_json:
            details = {name: str(value) for name, value in error.details.items()}
            with suppress(OSError):  # stdout may be the very thing that failed
                self.document({"error": {"code": error.code, "message": str(error), "details": details}})
        self.complain(str(error))

    def complain(self, message: str) -> None:
        """Write an error on stderr."""
        from rich.text import Text

        self.err.print(Text.assemble(("error: ", "bold red"), message))

    @contextmanager
    def bar(self, doing: str) -> Iterator[Callable[[int, int | None], None]]:
        """Show how far a long work has come, on stderr, where somebody looks; it is gone once the work is done.

        Call what it gives with how much is done and how much there is (None: not known yet).
        """
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        bars = Progress(*columns, console=self.err, transient=True, disable=not self.err.is_terminal)
        with bars:
            task = bars.add_task(doing, total=None)
            yield lambda done, total: bars.update(task, completed=done, total=total)


def columns(*names: str, title: str | None = None) -> Table:
    """A table without lines around it; a name that begins with > is of a column of numbers."""
    from rich import box
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False)
    for name in names:
        table.add_column(name.removeprefix(">"), justify="right" if name.startswith(">") else "left", overflow="fold")
    return table


def ago(at: datetime | None) -> str:
    """How long ago, in one unit."""
    return "" if at is None else span(max(0.0, (clock.now() - at).total_seconds()))


def span(seconds: float) -> str:
    """How long, in one unit."""
    for unit, name in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "min")):
        if seconds >= 2 * unit:
            return f"{seconds / unit:.0f} {name}"
    return f"{seconds:.0f} s"


def day(at: datetime | None) -> str:
    """A date as people write it; empty where it is not known."""
    return f"{at:%-d %b %Y}" if at else ""


def instant(at: datetime) -> str:
    """A moment, to the second, in UTC."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S}"


def counted(count: int, things: str) -> str:
    """A count with what is counted, given in the plural: `1 message`, `1,200 messages`, `3 redacted`."""
    one = f"{things.removesuffix('ies')}y" if things.endswith("ies") else things.removesuffix("s")
    return f"{number(count)} {one if count == 1 else things}"


def number(value: float) -> str:
    """A whole number with its thousands apart."""
    return f"{value:,.0f}"


def money(usd: float | None) -> str:
    """What something cost; unknown is not nothing."""
    return "cost unknown" if usd is None else f"{usd:.4f} USD"


def _console(*, stderr: bool) -> Console:
    from rich.console import Console

    width = min(shutil.get_terminal_size((_USUAL_WIDTH, 24)).columns, _WIDEST)
    return Console(stderr=stderr, width=width, highlight=False, soft_wrap=False, markup=False, emoji=False)
