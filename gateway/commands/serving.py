"""up, down, migrate: what must run, and on which schema."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gateway.commands.options import for_machines, pass_terminal
from gateway.terminal import Terminal, ago, columns

if TYPE_CHECKING:
    from rich.text import Text

    from gateway.processes import State
    from gateway.reports import ServiceState


@click.command(
    epilog="""\b
Examples:
  daybook up
  daybook up --json
  DAYBOOK_DATABASE_URL=postgresql://… DAYBOOK_REDIS_URL=redis://… daybook up"""
)
@for_machines
@pass_terminal
def up(terminal: Terminal) -> None:
    """Start servers and workers; return when they are ready.

    With no servers configured, a Postgres and a Valkey of Daybook's own are started on the data folder. What runs
    already is left alone. All of it goes on running until `daybook down`. What a demonstration that was killed has left
    running is ended.
    """
    from gateway import lifecycle
    from gateway.demo import stage
    from gateway.status import status
    from shared.contract.errors import DaybookError
    from shared.settings import settings

    with terminal.err.status("starting servers and workers…"):
        try:
            stage.sweep(settings())
        except DaybookError as error:
            terminal.complain(f"a demonstration that was killed still runs: {error}")
        lifecycle.up(settings())
        found = status(settings())
    if terminal.as_json:
        terminal.document(found)
        return
    show_running(terminal, found.services, found.processes)
    terminal.out.print("ready; `daybook down` ends it")


@click.command(
    epilog="""\b
Examples:
  daybook down"""
)
@for_machines
@pass_terminal
def down(terminal: Terminal) -> None:
    """End workers and embedded servers, whoever started them.

    Workers may finish the task they are at. Nothing is lost: work that was accepted waits for the next `daybook up`.
    """
    from gateway import lifecycle
    from shared.settings import settings

    with terminal.err.status("ending workers and servers…"):
        ended = lifecycle.down(settings())
    if terminal.as_json:
        terminal.document(ended)
        return
    names = [process.name for process in ended.processes] + [service.name for service in ended.services]
    terminal.out.print(f"ended: {', '.join(names)}" if names else "nothing was running")


@click.command(
    epilog="""\b
Examples:
  daybook migrate
  DAYBOOK_MIGRATE_URL=postgresql://owner:…@host/db DAYBOOK_DATABASE_URL=postgresql://app:…@host/db daybook migrate"""
)
@for_machines
@pass_terminal
def migrate(terminal: Terminal) -> None:
    """Bring the database to this version's schema, as DAYBOOK_MIGRATE_URL.

    Makes Daybook's roles, and lets the login of DAYBOOK_DATABASE_URL act as them. Killed at any point and run again it
    ends right; run twice it does nothing.
    """
    from gateway import Daybook

    with Daybook() as daybook, terminal.err.status("migrating…"):
        revision = daybook.migrate()
    if terminal.as_json:
        terminal.document({"revision": revision})
    else:
        terminal.out.print(f"the database has schema version {revision}")


def show_running(terminal: Terminal, services: tuple[ServiceState, ...], processes: tuple[State, ...]) -> None:
    """A table of what runs."""
    table = columns("name", "state", ">pid", ">since", "where")
    for service in services:
        kind = " (embedded)" if service.embedded else ""
        state = "running" if service.running else "down"
        table.add_row(
            service.name + kind,
            _coloured(state),
            _pid(service.pid),
            ago(service.since),
            service.problem or service.where,
        )
    for process in processes:
        state = "running" if process.running else "died" if process.died else "down"
        table.add_row(process.name, _coloured(state), _pid(process.pid), ago(process.since), str(process.log or ""))
    terminal.out.print(table)


def _coloured(state: str) -> Text:
    from rich.text import Text

    return Text(state, "green" if state == "running" else "red")


def _pid(pid: int | None) -> str:
    return str(pid) if pid else ""
