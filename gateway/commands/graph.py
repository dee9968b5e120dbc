"""graph: whose names stand together in somebody's memory, and what is around one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gateway.commands.options import for_machines, for_scope, pass_terminal
from gateway.terminal import Terminal, columns, counted, number

if TYPE_CHECKING:
    from gateway.graph import Around, Whole

_ID_CHARS = 13
_NAMES_SHOWN = 12


@click.command(
    epilog="""\b
Examples:
  daybook graph --tenant acme --user mira
  daybook graph --tenant acme --user mira --regroup
  daybook graph --tenant acme --user mira "Oskar Brandt"
  daybook graph --tenant acme --user mira --dot

Exit code 2: no memory mentions the name, or nothing is stored of the user."""
)
@click.argument("entity", required=False, metavar="[ENTITY]")
@for_scope
@click.option("--agent", metavar="ID", help="Only what this agent may read.")
@click.option("--regroup", is_flag=True, help="Find the groups anew first; otherwise as the last pass left them.")
@click.option("--dot", is_flag=True, help="Write the groups in the language of Graphviz.")
@for_machines
@pass_terminal
def graph(
    terminal: Terminal, *, entity: str | None, tenant: str, user: str, agent: str | None, regroup: bool, dot: bool
) -> int:
    """Show which names are spoken of together, or what is around the name ENTITY.

    Of a name: the names that the same memories mention, with the newest of those; other forms under which it is found;
    names that may stand for the same, which are never merged by that; and what its group is about. A room's names are
    shown with --user room:ID.
    """
    from coldpath.graph import regroup as find
    from gateway import Daybook
    from gateway import graph as reading
    from gateway.cli import OK
    from shared.contract.scope import Owner

    owner = Owner(user)
    with Daybook() as daybook:
        database = daybook.database()
        if regroup:
            find(database, tenant, owner)
        if dot:
            terminal.out.print(reading.drawn(database, tenant, owner, agent_id=agent), soft_wrap=True)
            return OK
        found = (
            reading.around(database, tenant, owner, entity, agent_id=agent)
            if entity
            else reading.whole(database, tenant, owner, agent_id=agent)
        )
    if terminal.as_json:
        terminal.document(found)
    else:
        _show(terminal, found)
    return OK


def _show(terminal: Terminal, found: Around | Whole) -> None:
    from gateway.graph import Whole

    if isinstance(found, Whole):
        _show_whole(terminal, found)
    else:
        _show_around(terminal, found)


def _show_whole(terminal: Terminal, found: Whole) -> None:
    table = columns(">names", "about", "names")
    for group in found.communities:
        more = len(group.members) - _NAMES_SHOWN
        shown = ", ".join(group.members[:_NAMES_SHOWN]) + (f" and {more} more" if more > 0 else "")
        table.add_row(number(len(group.members)), group.label, shown)
    if found.communities:
        terminal.out.print(table)
    age = "" if found.is_fresh else "; something has come since: --regroup finds them anew"
    terminal.out.print(f"{counted(found.names, 'names')} in {number(len(found.communities))} groups and alone{age}")


def _show_around(terminal: Terminal, found: Around) -> None:
    of = f", of the group {found.community}" if found.community else ""
    terminal.out.print(f"{found.name}: {number(found.memories)} of the memories held mention it{of}", style="bold")
    if found.aliases:
        terminal.out.print(f"found as: {', '.join(found.aliases)}")
    for likeness in found.may_be:
        terminal.out.print(f"may be the same: {likeness.name} ({likeness.how})")
    table = columns("beside it", ">memories", "the newest of them")
    for each in found.neighbours:
        table.add_row(each.name, number(each.memories), ", ".join(str(one)[:_ID_CHARS] for one in each.cited))
    if found.neighbours:
        terminal.out.print(table)
