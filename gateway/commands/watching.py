"""verify, status, health, doctor: is all well?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gateway.commands.options import for_machines, pass_terminal
from gateway.terminal import Terminal, ago, columns, counted, number

if TYPE_CHECKING:
    from rich.table import Table

    from coldpath.verify import Verification
    from gateway import Daybook
    from gateway.reports import Check, Liveness, Progress


@click.command(
    epilog="""\b
Examples:
  daybook verify
  daybook verify --tenant acme --user mira
  daybook verify --json"""
)
@click.option("--tenant", metavar="ID", help="Only this tenant's streams.")
@click.option("--user", metavar="ID", help="Only the stream of this user, or of a room as room:ID.")
@for_machines
@pass_terminal
def verify(terminal: Terminal, tenant: str | None, user: str | None) -> int:
    """Check that the ledger still says what was written.

    Goes through each stream's hash chain from its first event, and names the place where it breaks (exit code 1).
    What was found is written into the tenant's audit stream.
    """
    from gateway import Daybook
    from gateway.cli import FAILED, OK

    if user and not tenant:
        raise click.UsageError("--user needs --tenant: ids are a tenant's own")
    with Daybook() as daybook:
        found = _verified(terminal, daybook, tenant, user)
    if terminal.as_json:
        terminal.document({"sound": not any(each.fault for each in found), "streams": found})
    else:
        _show_verified(terminal, found)
    return FAILED if any(each.fault for each in found) else OK


def _verified(terminal: Terminal, daybook: Daybook, tenant: str | None, user: str | None) -> list[Verification]:
    streams = daybook.streams(tenant, user)
    total, found = sum(events for *_, events in streams), []
    with terminal.bar("verifying events") as heard:
        for each in daybook.verify(tenant, user):
            found.append(each)
            heard(sum(one.events for one in found), total)
    return found


def _show_verified(terminal: Terminal, found: list[Verification]) -> None:
    damaged = [each for each in found if each.fault]
    for each in damaged:
        assert each.fault is not None
        terminal.complain(
            f"tenant {each.tenant_id}, stream {each.stream}: damaged at event {each.fault.sequence}: "
            f"{each.fault.reason}; sound before it: {counted(each.events, 'events')}"
        )
    events, erased = sum(each.events for each in found), sum(each.erased for each in found)
    state = f"{len(damaged)} damaged" if damaged else "all sound"
    gone = f", {number(erased)} of them erased" if erased else ""
    terminal.out.print(f"{counted(len(found), 'streams')}, {counted(events, 'events')}{gone}: {state}")


@click.command(
    epilog="""\b
Examples:
  daybook status
  daybook status --json"""
)
@for_machines
@pass_terminal
def status(terminal: Terminal) -> int:
    """Show what runs, what waits, what was done lately, and whether that is well. Starts and changes nothing.

    The exit code is 3 where a configured server or the database does not answer, and 1 where work does not get done or
    something that `daybook up` started has died.
    """
    from gateway import Daybook
    from gateway.cli import FAILED, OK, UNREACHABLE
    from gateway.commands.serving import show_running

    found = Daybook().status()
    if terminal.as_json:
        terminal.document(found)
    else:
        show_running(terminal, found.services, found.processes)
        if found.progress:
            show_progress(terminal, found.progress)
        elif found.problem:
            terminal.complain(found.problem)
        if found.health:
            show_health(terminal, found.health)
    reasons = found.health.reasons if found.health else ()
    for line in (*found.advice, *reasons):
        terminal.complain(line)
    if found.problem or any(service.problem for service in found.services):
        return UNREACHABLE
    return FAILED if found.advice or reasons else OK


@click.command(
    epilog="""\b
Examples:
  daybook health
  daybook health --json
  daybook health --serve"""
)
@click.option("--serve", is_flag=True, help="Answer GET /health on DAYBOOK_HEALTH_PORT of 127.0.0.1 until ended.")
@for_machines
@pass_terminal
def health(terminal: Terminal, *, serve: bool) -> int:
    """Say whether work gets done; exit code 1 where it does not. Starts and changes nothing.

    It is judged by what waits, for how long, and by what was done lately, not by which processes are up. With --serve,
    process managers ask by HTTP: 200 where all is well, 503 where it is not, and the same document as --json.
    """
    from gateway import Daybook, endpoint
    from gateway.cli import FAILED, OK

    daybook = Daybook()
    if serve:
        endpoint.serve(daybook.settings)
        return OK
    found = daybook.health()
    if terminal.as_json:
        terminal.document(found)
    else:
        show_health(terminal, found)
    for line in found.reasons:
        terminal.complain(line)
    return OK if found.healthy else FAILED


def show_health(terminal: Terminal, found: Liveness) -> None:
    """Tables of what was done and of jobs, the views' lag, and what to see to."""
    minutes = f"{found.lately_s / 60:.0f} min"
    stages = columns("stage", ">waiting", ">oldest", f">done in {minutes}", ">last active")
    for stage in found.stages:
        stages.add_row(stage.stage, number(stage.waiting), ago(stage.oldest), number(stage.done), ago(stage.active_at))
    terminal.out.print(stages)
    if found.jobs:
        terminal.out.print(_jobs(found))
    for view in found.views:
        whole = f"{number(view.memories)} of {number(view.memories + view.behind)} memories"
        terminal.out.print(
            f"{view.view}: {whole}" + (f", {counted(view.tenants_behind, 'tenants')} behind" * bool(view.behind))
        )
    for build in found.builds:
        terminal.out.print(
            f"{build.view} of {build.tenant_id}: generation {build.generation} is being built, "
            f"{number(build.done)} of {number(build.total)}"
        )
    for warning in found.warnings:
        terminal.err.print(f"warning: {warning}")
    if found.healthy:
        terminal.out.print("work gets done")


def _jobs(found: Liveness) -> Table:
    table = columns("job", "tenant", "state", ">attempts", ">progress", ">since", "error")
    for each in found.jobs:
        state = "left" if each.lapsed_at else each.state
        progress = f"{number(each.done)}/{number(each.total)}" if each.total else ""
        table.add_row(
            *(each.name, each.tenant_id, state, number(each.attempts)),
            *(progress, ago(each.changed_at), each.last_error or ""),
        )
    return table


def show_progress(terminal: Terminal, progress: Progress) -> None:
    """A table of the backlog."""
    if not progress.backlog:
        terminal.out.print("no run has been accepted yet")
        return
    table = columns("runs at stage", "state", ">runs", ">for up to")
    for each in progress.backlog:
        waits = ago(each.oldest) if each.state != "done" else ""
        table.add_row(each.stage, each.state, number(each.runs), waits)
    terminal.out.print(table)
    if progress.oldest:
        terminal.out.print(f"the oldest has waited {ago(progress.oldest)}")
    else:
        terminal.out.print("nothing waits")


@click.command(
    epilog="""\b
Examples:
  daybook doctor
  daybook doctor --json"""
)
@for_machines
@pass_terminal
def doctor(terminal: Terminal) -> int:
    """Check everything that must be right, and say what to do where it is not (exit code 1)."""
    from gateway import Daybook
    from gateway.cli import FAILED, OK
    from gateway.reports import Health

    found: list[Check] = []
    with terminal.err.status("looking…"):
        for check in Daybook().doctor():
            found.append(check)
            if not terminal.as_json:
                _show_check(terminal, check)
    failed = any(check.health is Health.FAIL for check in found)
    if terminal.as_json:
        terminal.document({"healthy": not failed, "checks": found})
    return FAILED if failed else OK


def _show_check(terminal: Terminal, check: Check) -> None:
    from rich.table import Table
    from rich.text import Text

    colour = {"ok": "green", "warn": "yellow", "fail": "red"}[check.health]
    line = Table.grid(padding=(0, 1, 0, 0))
    line.add_column(width=4, style=f"bold {colour}")
    line.add_column(width=17, style="bold")
    line.add_column(ratio=1)
    advice = ("\n→ " + check.advice, "yellow") if check.advice else ""
    line.add_row(check.health, check.name, Text.assemble(check.found, advice))
    terminal.out.print(line)
