"""profile: what is held of a user, field by field, how that came about, and the view of it built anew."""

from __future__ import annotations

import json
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, Final

import click

from gateway.commands.options import Moment, for_machines, pass_terminal
from gateway.terminal import Terminal, columns, counted, day, number
from shared.belief.predicates import RECORD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from shared.belief.blocks import Shown, Value
    from shared.belief.profiles import Instance, Profile

_ID_CHARS: Final = 13
_BLOCK_CHARS: Final = 8
_MOST_VERSIONS: Final = 200


@click.command(
    epilog="""\b
Examples:
  daybook profile --tenant acme --user mira
  daybook profile --tenant acme --user mira --as-of 2026-01-01
  daybook profile --tenant acme --user mira --history lives_in
  daybook profile --tenant acme --user mira --json
  daybook profile --tenant acme --rebuild"""
)
@click.option("--tenant", required=True, metavar="ID", help="Which tenant's memory.")
@click.option("--user", metavar="ID", help="Whose memory, within the tenant; always needed but for --rebuild.")
@click.option("--agent", metavar="ID", help="Only what this agent may read.")
@click.option("--as-of", type=Moment(), help="What was so then.")
@click.option("--known-at", type=Moment(), help="What was known then.")
@click.option("--history", metavar="FIELD|BLOCK", help="Version by version, of a block or of what a field says.")
@click.option(
    "--newest", type=click.IntRange(1, _MOST_VERSIONS), default=20, show_default=True, help="How many versions."
)
@click.option("--rebuild", is_flag=True, help="Build the view of the whole tenant anew, beside the one that serves.")
@for_machines
@pass_terminal
def profile(
    terminal: Terminal,
    *,
    tenant: str,
    user: str | None,
    agent: str | None,
    as_of: datetime | None,
    known_at: datetime | None,
    history: str | None,
    newest: int,
    rebuild: bool,
) -> int:
    """Show what is held of a user and of those around them, field by field.

    Of each subject and topic a block, with its version; each value with since when it is so, how certain it is, and a
    memory that says so. Fields of records are merged from all that speak of the thing, as its schema says. --json has
    the ids of blocks, and with each value all memories and the evidence behind it. Exit code 1: the view could not be
    built; 2: nothing is known of the user, or there is no such block or field.
    """
    if rebuild:
        if user or agent or as_of or known_at or history:
            raise click.UsageError("--rebuild is for all of a tenant: leave the other options away")
        return _rebuild(terminal, tenant)
    if not user:
        raise click.UsageError("name the user with --user: a missing one is never read as everybody")
    if history and (as_of or known_at):
        raise click.UsageError("--history shows all times: leave --as-of and --known-at away")
    return _read(terminal, tenant, user, agent, (as_of, known_at), (history, newest))


def _read(
    terminal: Terminal,
    tenant: str,
    user: str,
    agent: str | None,
    times: tuple[datetime | None, datetime | None],
    versions: tuple[str | None, int],
) -> int:
    from gateway import Daybook
    from gateway.cli import OK
    from gateway.knowing import require_known
    from shared.contract.scope import Scope

    (as_of, known_at), (named, newest) = times, versions
    scope = Scope(tenant_id=tenant, user_id=user, agent_id=agent)
    with Daybook() as daybook:
        require_known(daybook.database(), scope)
        if named is not None:
            _show_history(terminal, daybook.profile_history(scope, named, newest=newest))
        else:
            _show_profile(terminal, daybook.profile(scope, as_of=as_of, known_at=known_at))
    return OK


def _rebuild(terminal: Terminal, tenant: str) -> int:
    from gateway import Daybook, profiles
    from gateway.cli import FAILED, OK

    with Daybook() as daybook, terminal.bar("profile") as heard:
        done = profiles.rebuild(daybook.database(), daybook.settings, tenant, heard)
    if terminal.as_json:
        terminal.document(done)
    else:
        terminal.out.print(f"{counted(done.memories, 'memories')} taken in: {done.outcome}")
    if done.error:
        terminal.complain(done.error)
    return OK if done.outcome == "done" else FAILED


def _show_history(terminal: Terminal, found: Sequence[Shown]) -> None:
    if terminal.as_json:
        terminal.document({"versions": found})
        return
    for _, versions in groupby(found, key=lambda each: each.block_id):
        terminal.out.print(_life(list(versions)))


def _life(versions: Sequence[Shown]) -> Table:
    last = versions[-1]
    title = f"{last.topic} of {last.subject}{_whose(last)} (block {last.block_id.hex[:_BLOCK_CHARS]})"
    table = columns(">version", "recorded", "field", "value", "since", "until", ">sure", title=title)
    for each in versions:
        head = [number(each.version), day(each.recorded_at)]
        for field in each.fields:
            for value in field.values:
                times, sure = (day(value.since), day(value.until)), f"{value.confidence:.2f}"
                table.add_row(*head, field.name, _written(value.value), *times, sure)
                head = ["", ""]
        if not each.fields:
            table.add_row(*head, "(nothing)", "", "", "", "")
    return table


def _show_profile(terminal: Terminal, found: Profile) -> None:
    if terminal.as_json:
        terminal.document(found)
        return
    table = columns("of", "field", "value", "since", ">sure", "memory")
    blocks = [each for each in found.blocks if not each.topic.startswith(RECORD)]
    for block in blocks:
        of = f"{block.topic} of {block.subject}{_whose(block)} (version {number(block.version)})"
        for field in block.fields:
            for value in field.values:
                table.add_row(of, field.name, *_cells(value))
                of = ""
    for name, instances in found.schemas.items():
        for each in instances:
            _add(table, name, each)
    if found.schemas or blocks:
        terminal.out.print(table)
    records = sum(map(len, found.schemas.values()))
    terminal.out.print(f"{counted(len(blocks), 'blocks')}, {counted(records, 'records')}")
    if found.unreadable:
        left_out = counted(len(found.unreadable), "records")
        terminal.complain(f"{left_out} left out, which no registered schema takes: `daybook schemas check` says why")


def _whose(block: Shown) -> str:
    parts = [*([f"by {block.agent_id}"] if block.agent_id else []), *([block.owner] if ":" in block.owner else [])]
    return f", {', '.join(parts)}" if parts else ""


def _cells(value: Value) -> tuple[str, str, str, str]:
    return _written(value.value), day(value.since), f"{value.confidence:.2f}", str(value.memory_id)[:_ID_CHARS]


def _written(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _add(table: object, name: str, instance: Instance) -> None:
    of = f"{name} of {instance.subject}"
    for field, value in instance.fields.items():
        shown = _written(value.value)
        since, sure, memory = day(value.since), f"{value.confidence:.2f}", str(value.memory_ids[-1])[:_ID_CHARS]
        table.add_row(of, field, shown, since, sure, memory)  # type: ignore[attr-defined]
        of = ""
    if instance.succeeded or instance.failed:
        fared = f"served {number(instance.succeeded)}, misled {number(instance.failed)}"
        table.add_row("", "(in recalls)", fared, "", "", "")  # type: ignore[attr-defined]
