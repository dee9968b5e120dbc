"""Shows people a night: what each job changed, the profile with its versions, and what was taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

from gateway.terminal import columns, counted, day
from shared.work.queues import CONSOLIDATE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console
    from rich.table import Table

    from gateway.demo.night import Night
    from shared.belief.blocks import Shown


def show_night(out: Console, night: Night) -> None:
    """All of it."""
    out.print()
    out.print(Rule("a night · what jobs make of what nils said", align="left", style="dim"))
    out.print(_changes(night))
    out.print(Text("profile", "bold"))
    out.print(_blocks(night.profile))
    out.print(Text("where nils lives, version by version", "bold"))
    out.print(_blocks(night.history))
    out.print(Text("the page of nils", "bold"))
    out.print(Padding(Text(night.page.strip()), (0, 0, 1, 2)))
    back = f"daybook revert, of the batch of {CONSOLIDATE}: {counted(night.taken_back, 'operations')}; of what had been"
    out.print(Text(f"{back} concluded {counted(len(night.left), 'sentences')} are believed now", "dim"))
    mark = (
        ("\u2713 as it should be", "bold green") if night.right else (f"\u2717 {', '.join(night.faults)}", "bold red")
    )
    out.print(Text(*mark))


def _changes(night: Night) -> Table:
    table = columns("job", "", "what", "rule")
    for job in night.jobs:
        for change in job.changes:
            table.add_row(job.job, change.operation, change.left, change.refused or change.rule)
            for text in (*change.gone, *change.tied):
                table.add_row("", "", Text(text, "dim"), "")
        if not job.changes:
            table.add_row(job.job, "", Text("nothing to do", "dim"), "")
    return table


def _blocks(shown: Iterable[Shown]) -> Table:
    table = columns("", "field", "value", "since", "until", ">version")
    for block in shown:
        for field in block.fields:
            for value in field.values:
                table.add_row(
                    block.topic, field.name, str(value.value), day(value.since), day(value.until), str(block.version)
                )
    return table
