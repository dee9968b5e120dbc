"""outcome: what came of a recall, from the command line."""

from __future__ import annotations

import click

from gateway.commands.options import Id, for_machines, for_scope, pass_terminal
from gateway.terminal import Terminal, number


@click.command(
    epilog="""\b
Examples:
  daybook outcome 019dedb3-8400-7031-b233-343536373839 --used m1 --used m3 --tenant acme --user mira
  daybook outcome 019dedb3-8400-7031-b233-343536373839 --misled m2 --corrected --tenant acme --user mira
\b
Recall shows a turn's id. Items are named as its block cites them, or by their memories' ids; of each id the first 12
digits will do."""
)
@click.argument("turn", type=Id())
@for_scope
@click.option("--used", multiple=True, metavar="ITEM", help="The answer rests on it. Can be given several times.")
@click.option("--misled", multiple=True, metavar="ITEM", help="It made the answer wrong. Can be given several times.")
@click.option("--corrected", is_flag=True, help="The user had to correct the answer.")
@click.option("--abstained", is_flag=True, help="No answer was given.")
@click.option("--inline", is_flag=True, help="Do the workers' part before returning.")
@for_machines
@pass_terminal
def outcome(
    terminal: Terminal,
    *,
    turn: str,
    tenant: str,
    user: str,
    used: tuple[str, ...],
    misled: tuple[str, ...],
    corrected: bool,
    abstained: bool,
    inline: bool,
) -> int:
    """Report what came of the recall TURN: which of its memories were of use, and which misled.

    Recall ranks by it from then on. When it returns, it is in the database and cannot be lost.
    """
    from gateway import Daybook
    from gateway.cli import OK
    from shared.contract.scope import Scope

    with Daybook() as daybook:
        receipt = daybook.outcome(
            Scope(tenant_id=tenant, user_id=user),
            turn,
            used=used,
            misled=misled,
            corrected=corrected,
            abstained=abstained,
            inline=inline or None,
        )
    if terminal.as_json:
        terminal.document(receipt)
    else:
        counts = ", ".join(f"{name} {number(count)}" for name, count in receipt.counts.items())
        terminal.out.print(f"{receipt.outcome} {receipt.run_id}: {counts}; {receipt.reason}")
        for warning in receipt.warnings:
            terminal.err.print(f"  {warning}", style="yellow")
    return OK
