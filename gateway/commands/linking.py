"""links, unlink: what has to do with what, and the way back from a link that is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gateway.commands.options import Id, for_machines, for_scope, pass_terminal
from gateway.terminal import Terminal, columns, counted

if TYPE_CHECKING:
    from gateway.linking import ShownLink

_MOST_LISTED = 1_000


@click.command(
    epilog="""\b
Examples:
  daybook links --tenant acme --user mira
  daybook links --tenant acme --user mira --memory 0f3c9a1b-77e2-5c1d-9b1e-3f6f3f1f2a10
  daybook links --tenant acme --user mira --json"""
)
@for_scope
@click.option(
    "--memory", type=Id(), metavar="ID", help="Only the links of this memory; the first 12 digits of its id will do."
)
@click.option(
    "--limit", type=click.IntRange(1, _MOST_LISTED), default=50, show_default=True, help="How many, the newest first."
)
@for_machines
@pass_terminal
def links(terminal: Terminal, *, tenant: str, user: str, memory: str | None, limit: int) -> int:
    """Show the links that hold between a user's memories, the newest first.

    A link is no firmer than the less trusted of its two memories, and holds while both do.
    """
    from gateway import Daybook, linking
    from gateway.cli import OK
    from shared.contract.scope import Scope

    with Daybook() as daybook:
        found = linking.listed(daybook.database(), Scope(tenant_id=tenant, user_id=user), memory, limit)
    if terminal.as_json:
        terminal.document({"links": found})
    else:
        _list(terminal, found)
    return OK


def _list(terminal: Terminal, found: list[ShownLink]) -> None:
    table = columns(">number", "relation", ">score", ">trust", "memories")
    for each in found:
        score = "" if each.score is None else f"{each.score:.2f}"
        relation = each.relation if each.via is None else f"{each.relation}, from {each.via}"
        table.add_row(str(each.number), relation, score, f"{each.trust} of 4", each.source_text)
        table.add_row("", "", "", "", f"\u2192 {each.target_text}")
    terminal.out.print(table if found else "no links")


@click.command(
    epilog="""\b
Examples:
  daybook unlink 4711 --tenant acme --user mira

Exit code 2: the number is of no link."""
)
@click.argument("number", type=click.IntRange(min=1))
@for_scope
@for_machines
@pass_terminal
def unlink(terminal: Terminal, *, number: int, tenant: str, user: str) -> int:
    """Take back the link NUMBER (`daybook links` shows it), with all that came of it.

    The links that were drawn from it go too, and what was written because of any of them. Nothing is deleted, and no
    later pass proposes them again.
    """
    from coldpath import unlink as unlinking
    from gateway import Daybook
    from gateway.cli import OK
    from shared.contract.scope import Scope

    with Daybook() as daybook:
        found = unlinking.unlink(daybook.database(), tenant, Scope(tenant_id=tenant, user_id=user).owner, number)
    if terminal.as_json:
        terminal.document(found)
        return OK
    if not found.links:
        terminal.out.print(f"link {number} had been taken back before")
        return OK
    written = counted(len(found.memories), "memories") if len(found.memories) != 1 else "1 memory"
    terminal.out.print(f"{counted(len(found.links), 'links')} taken back, and {written} that came of them")
    return OK
