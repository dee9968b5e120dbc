"""turn: what a recall put before a model, and what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gateway.commands.options import Id, for_machines, for_scope, pass_terminal
from gateway.terminal import Terminal, columns, number

if TYPE_CHECKING:
    from gateway.turns import TurnHistory


@click.command(
    epilog="""\b
Examples:
  daybook turn 019dedb3-8400-7031-b233-343536373839 --tenant acme --user mira
  daybook turn 019dedb3-8400-7031-b233-343536373839 --tenant acme --user mira --json
\b
Recall shows a turn's id; its first 12 digits will do."""
)
@click.argument("turn_id", type=Id())
@for_scope
@for_machines
@pass_terminal
def turn(terminal: Terminal, *, turn_id: str, tenant: str, user: str) -> int:
    """Show what the recall TURN_ID put before the model: when, how it was judged, which memories, what came of them.

    By ids alone, as it is logged for DAYBOOK_RECALL_LOG_DAYS: what was asked is not kept, and what was forgotten since
    is gone from it. A turn that searched nothing, as of small talk, is not logged.
    """
    from gateway import Daybook
    from gateway.cli import OK
    from shared.contract.scope import Scope

    with Daybook() as daybook:
        found = daybook.turn(Scope(tenant_id=tenant, user_id=user), turn_id)
    if terminal.as_json:
        terminal.document(found)
    else:
        _show(terminal, found)
    return OK


def _show(terminal: Terminal, found: TurnHistory) -> None:
    whose = "".join(
        f", {name} {value}" for name, value in (("agent", found.agent_id), ("session", found.session_id)) if value
    )
    terminal.out.print(f"{found.recalled_at:%Y-%m-%d %H:%M:%S %Z}{whose}")
    terminal.out.print(
        f"{found.verdict}, by the recipe {found.recipe}, {number(found.tokens)} tokens, searched up to event "
        f"{number(found.watermark)}"
    )
    table = columns("shown as", ">rank", ">score", "memory", "of", "said")
    for each in found.memories:
        cited = f"m{each.ordinal}" if each.ordinal else "not shown"
        rank = number(each.rank) if each.rank else "beside"
        table.add_row(cited, rank, f"{each.score:.3f}", str(each.memory_id), each.owner, each.said or "")
    if found.memories:
        terminal.out.print(table)
    else:
        terminal.out.print("no memory was put before the model")
    terminal.out.print(_came(found))


def _came(found: TurnHistory) -> str:
    if not found.reported:
        return "nothing was reported of it"
    said = [name for name in ("corrected", "abstained") if getattr(found, name)]
    return f"reported: {', '.join(said)}" if said else "reported"
