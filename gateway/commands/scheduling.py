"""schedule: what is done when, what became of it, and what is late."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gateway.commands.options import for_machines, pass_terminal
from gateway.terminal import Terminal, ago, columns, instant, number, span

if TYPE_CHECKING:
    from gateway.scheduling import Scheduled


@click.command(
    epilog="""Exit code 1: a pass of the slot that is now failed, or the newest pass of a job; 3: a service cannot be
reached.

\b
Examples:
  daybook schedule
  daybook schedule --why
  daybook schedule --json"""
)
@click.option("--why", is_flag=True, help="Say of each why it is done then.")
@for_machines
@pass_terminal
def schedule(terminal: Terminal, *, why: bool) -> int:
    """Show what is done when, what became of it, and what is late.

    A job has one pass in each of its slots; what was missed while nothing ran is made up for by one pass of the slot
    that is now. Any job can be done at once by its own command, for a tenant: `daybook dedupe --tenant acme`.
    """
    from gateway import Daybook
    from gateway.cli import FAILED, OK

    with Daybook() as daybook:
        found = daybook.schedule()
    if terminal.as_json:
        terminal.document({"schedule": found})
    else:
        _show(terminal, found, why=why)
    return FAILED if any(each.is_ill for each in found) else OK


def _show(terminal: Terminal, found: list[Scheduled], *, why: bool) -> None:
    table = columns("job", "when (UTC)", "last", "outcome", "next", ">done", ">failed", ">running", ">due", ">late")
    for each in found:
        table.add_row(
            *(each.job, _when(each), ago(each.ended_at), each.outcome or "", instant(each.next_at)),
            *(_count(number) for number in (each.done, each.failed, each.running, each.due)),
            span(each.lag_s) if each.lag_s else "",
        )
    terminal.out.print(table)
    for each in found:
        for held in each.held:
            terminal.out.print(held.says)
        if each.error:
            terminal.complain(f"{each.job}: {each.error}")
        if why:
            terminal.out.print(f"{each.job}: {each.reason}")


def _when(each: Scheduled) -> str:
    if each.at_hour is None:
        return f"every {span(each.every_s)}"
    return f"daily at {each.at_hour}:00" + (f", within {span(each.spread_s)}" if each.spread_s else "")


def _count(count: int | None) -> str:
    return number(count) if count else ""
