"""profile and schemas: what an application's records come to, and whether they fit its schemas."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING

import click

from gateway.commands.options import Moment, for_machines, for_scope, pass_terminal
from gateway.terminal import Terminal, columns, counted, day, number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.belief.profiles import Instance, Profile
    from warmpath.refit import Checked


@click.command(
    epilog="""\b
Examples:
  daybook profile --tenant acme --user mira
  daybook profile --tenant acme --user mira --as-of 2026-01-01
  daybook profile --tenant acme --user mira --json"""
)
@for_scope
@click.option("--agent", metavar="ID", help="Only what this agent may read.")
@click.option("--as-of", type=Moment(), help="What was so then.")
@click.option("--known-at", type=Moment(), help="What was known then.")
@for_machines
@pass_terminal
def profile(
    terminal: Terminal,
    *,
    tenant: str,
    user: str,
    agent: str | None,
    as_of: datetime | None,
    known_at: datetime | None,
) -> int:
    """Show what a user's records come to, field by field.

    Each field is merged from all records that speak of the thing, as its schema says. --json has with each value the
    memories and the evidence behind it. Exit code 2: nothing is known of the user.
    """
    from gateway import Daybook
    from gateway.cli import OK
    from gateway.knowing import require_known
    from shared.contract.scope import Scope

    with Daybook() as daybook:
        scope = Scope(tenant_id=tenant, user_id=user, agent_id=agent)
        require_known(daybook.database(), scope)
        found = daybook.profile(scope, as_of=as_of, known_at=known_at)
    if terminal.as_json:
        terminal.document(found)
    else:
        _show_profile(terminal, found)
    return OK


def _show_profile(terminal: Terminal, found: Profile) -> None:
    table = columns("of", "field", "value", "since", ">sure", "memory")
    for name, instances in found.schemas.items():
        for each in instances:
            _add(table, name, each)
    if found.schemas:
        terminal.out.print(table)
    terminal.out.print(counted(sum(map(len, found.schemas.values())), "records"))
    if found.unreadable:
        left_out = counted(len(found.unreadable), "records")
        terminal.complain(f"{left_out} left out, which no registered schema takes: `daybook schemas check` says why")


def _add(table: object, name: str, instance: Instance) -> None:
    of = f"{name} of {instance.subject}"
    for field, value in instance.fields.items():
        shown = value.value if isinstance(value.value, str) else json.dumps(value.value, ensure_ascii=False)
        since, sure, memory = day(value.since), f"{value.confidence:.2f}", str(value.memory_ids[-1])[:13]
        table.add_row(of, field, shown, since, sure, memory)  # type: ignore[attr-defined]
        of = ""
    if instance.succeeded or instance.failed:
        fared = f"served {number(instance.succeeded)}, misled {number(instance.failed)}"
        table.add_row("", "(in recalls)", fared, "", "", "")  # type: ignore[attr-defined]


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
