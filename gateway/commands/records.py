"""schemas: whether an application's records fit its schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gateway.commands.options import for_machines, pass_terminal
from gateway.terminal import Terminal, columns, number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warmpath.refit import Checked


@click.group(
    epilog="""\b
Examples:
  daybook schemas check --tenant acme
  daybook schemas check --tenant acme --user mira --apply"""
)
@for_machines
def schemas() -> None:
    """Compare stored records with the schemas that are registered, those of DAYBOOK_SCHEMAS and those built in."""


@schemas.command(
    epilog="""\b
Examples:
  daybook schemas check --tenant acme
  daybook schemas check --tenant acme --user mira --json
  daybook schemas check --tenant acme --user mira --apply"""
)
@click.option("--tenant", required=True, metavar="ID", help="Which tenant's records.")
@click.option("--user", metavar="ID", help="Only the records of this user, or of a room as room:ID.")
@click.option("--apply", "applies", is_flag=True, help="Upgrade what can be, and have a person asked about the rest.")
@for_machines
@pass_terminal
def check(terminal: Terminal, tenant: str, user: str | None, applies: bool) -> int:  # noqa: FBT001 - click's
    """Say how many records fit, how many an upgrade makes fit, and which do not; never what they say.

    With --apply, what is upgraded gets a successor that it is merged into, and what does not fit is held no longer and
    waits in `daybook review`; each user's records in one transaction. Exit code 1: some did not fit.
    """
    from gateway import Daybook
    from gateway.cli import FAILED, OK

    with Daybook() as daybook:
        found = list(daybook.check_schemas(tenant, user, applies=applies))
    if terminal.as_json:
        terminal.document({"streams": found, "applied": applies})
    else:
        _show_checked(terminal, found, applies=applies)
    return FAILED if any(each.invalid for each in found) else OK


def _show_checked(terminal: Terminal, found: Sequence[Checked], *, applies: bool) -> None:
    table = columns("memory", "of", "schema", "does not fit")
    misfits = [(each.owner, misfit) for each in found for misfit in each.invalid]
    for owner, misfit in misfits:
        table.add_row(str(misfit.memory_id), owner, misfit.schema_name, misfit.field or misfit.fault or "(as a whole)")
    if misfits:
        terminal.out.print(table)
    upgraded = number(sum(each.upgraded for each in found))
    fit, invalid = number(sum(each.fit for each in found)), number(len(misfits))
    done = ("upgraded", "wait for a person") if applies else ("to be upgraded (--apply)", "invalid")
    terminal.out.print(f"{fit} fit, {upgraded} {done[0]}, {invalid} {done[1]}")
