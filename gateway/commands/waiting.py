"""dead, spool: runs that do not come on by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gateway.commands.options import Id, for_machines, pass_terminal
from gateway.terminal import Terminal, ago, columns, counted, instant, number

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gateway import Daybook
    from gateway.dead import DeadLetter
    from shared.contract.errors import NotFound

_TENANT = click.option("--tenant", required=True, metavar="ID", help="Whose it is.")


@click.group(
    epilog="""\b
Examples:
  daybook dead list
  daybook dead redrive --all --tenant acme"""
)
@for_machines
def dead() -> None:
    """Show the runs that were given up, or have them tried again.

    A run is given up where a stage failed too often (DAYBOOK_TASK_ATTEMPTS) or cannot succeed. Its content stays.
    """


@dead.command(
    name="list",
    epilog="""\b
Examples:
  daybook dead list
  daybook dead list --tenant acme --json""",
)
@click.option("--tenant", metavar="ID", help="Only this tenant's.")
@for_machines
@pass_terminal
def list_(terminal: Terminal, tenant: str | None) -> int:
    """List dead letters, the newest first."""
    from gateway import Daybook
    from gateway.cli import OK

    with Daybook() as daybook:
        found = daybook.dead_letters(tenant)
    if terminal.as_json:
        terminal.document({"dead": found})
        return OK
    table = columns("id", "tenant", "owner", "stage", ">attempts", "given up")
    for each in found:
        attempts, parked = number(each.attempts), ago(each.parked_at)
        table.add_row(str(each.inbox_id), each.tenant_id, each.owner, each.stage, attempts, parked)
    if found:
        terminal.out.print(table)
    terminal.out.print(counted(len(found), "dead letters"))
    return OK


@dead.command(
    epilog="""\b
Examples:
  daybook dead show 0a7d6c1e-6f0e-5a2b-9f53-6a3c1e2b4d5f --tenant acme"""
)
@click.argument("inbox_id", metavar="ID", type=Id())
@_TENANT
@for_machines
@pass_terminal
def show(terminal: Terminal, inbox_id: str, tenant: str) -> int:
    """Show why a run was given up; the first 12 digits of its id will do."""
    from gateway import Daybook
    from gateway.cli import OK
    from gateway.dead import dead_letter

    with Daybook() as daybook:
        found = dead_letter(daybook.database(), tenant, inbox_id)
    if terminal.as_json:
        terminal.document(found)
    else:
        _show(terminal, found)
    return OK


@dead.command(
    epilog="""\b
Examples:
  daybook dead redrive 0a7d6c1e-6f0e-5a2b-9f53-6a3c1e2b4d5f --tenant acme
  daybook dead redrive --all --tenant acme"""
)
@click.argument("inbox_ids", metavar="[ID]...", nargs=-1, type=Id())
@_TENANT
@click.option("--all", "everything", is_flag=True, help="All of the tenant's.")
@for_machines
@pass_terminal
def redrive(terminal: Terminal, inbox_ids: tuple[str, ...], tenant: str, everything: bool) -> int:  # noqa: FBT001
    """Have given-up runs tried again, from the stage they stopped at, as if for the first time.

    Mend first what made them fail, or they are given up again.
    """
    from gateway import Daybook
    from gateway.cli import FAILED, OK

    if bool(inbox_ids) == everything:
        raise click.UsageError("name the dead letters, or give --all")
    with Daybook() as daybook:
        found, missing = (daybook.redrive_all(tenant), []) if everything else _redrive(daybook, tenant, inbox_ids)
    if missing and not found:
        raise missing[0]
    if terminal.as_json:
        terminal.document({"redriven": found})
    else:
        terminal.out.print(f"{counted(len(found), 'runs')} will be tried again; `daybook status` shows how it goes")
    for error in missing:
        terminal.complain(str(error))
    return FAILED if missing else OK


def _redrive(daybook: Daybook, tenant: str, inbox_ids: Iterable[str]) -> tuple[list[DeadLetter], list[NotFound]]:
    """Redrive each that there is; one that somebody else has redriven keeps none of the others from it."""
    from shared.contract.errors import NotFound

    found, missing = [], []
    for inbox_id in inbox_ids:
        try:
            found.append(daybook.redrive(tenant, inbox_id))
        except NotFound as error:
            missing.append(error)
    return found, missing


def _show(terminal: Terminal, letter: DeadLetter) -> None:
    table = columns("what", "")
    rows = {
        "run": letter.run_id or "",
        "tenant": letter.tenant_id,
        "owner": letter.owner,
        "messages": number(letter.messages or 0),
        "stage": letter.stage,
        "attempts": number(letter.attempts),
        "accepted": instant(letter.accepted_at),
        "given up": instant(letter.parked_at),
        "reason": letter.reason or "",
    }
    for name, value in rows.items():
        table.add_row(name, value)
    terminal.out.print(table)


@click.group(
    epilog="""\b
Examples:
  daybook spool list
  daybook spool send --json"""
)
@for_machines
def spool() -> None:
    """Show the runs that are kept on this machine's disk, or send them on.

    `observe` keeps a run there, if asked to (DAYBOOK_SPOOL), where Postgres does not take it.
    """


@spool.command(
    name="list",
    epilog="""\b
Examples:
  daybook spool list
  daybook spool list --json""",
)
@for_machines
@pass_terminal
def list_spooled(terminal: Terminal) -> int:
    """List them, the oldest first."""
    from gateway.cli import OK
    from shared.accept import spool as kept
    from shared.settings import settings

    paths = [str(path) for path in kept.waiting(settings())]
    if terminal.as_json:
        terminal.document({"spooled": paths})
        return OK
    for path in paths:
        terminal.out.print(path, soft_wrap=True, highlight=False)
    terminal.out.print(counted(len(paths), "runs"))
    return OK


@spool.command(
    epilog="""\b
Examples:
  daybook spool send
  daybook spool send --json"""
)
@for_machines
@pass_terminal
def send(terminal: Terminal) -> int:
    """Have them accepted now. A worker's sweep on this machine does so too."""
    from gateway import Daybook
    from gateway.cli import FAILED, OK

    with Daybook() as daybook:
        found = daybook.send_spooled()
    if terminal.as_json:
        terminal.document(found)
    else:
        terminal.out.print(f"{counted(found.accepted, 'runs')} accepted, {number(found.left)} left")
        if found.refused:
            folder = daybook.settings.data_dir / "spool" / "refused"
            terminal.complain(f"{counted(found.refused, 'runs')} can never be accepted: see the reasons in {folder}")
    return FAILED if found.refused else OK
