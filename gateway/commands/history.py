"""history: the life of a memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from gateway.commands.options import Id, for_machines, for_scope, pass_terminal
from gateway.terminal import Terminal, columns, day, instant

if TYPE_CHECKING:
    from gateway.versions import MemoryHistory

_ID_CHARS: Final = 13


@click.command(
    epilog="""\b
Examples:
  daybook history 0f3c9a1b77e2 --tenant acme --user mira
  daybook history 0f3c9a1b-77e2-5c1d-9b1e-3f6f3f1f2a10 --tenant acme --user mira --json
\b
Recall and why show the ids of memories; the first 12 digits are enough."""
)
@click.argument("memory", metavar="ID", type=Id())
@for_scope
@for_machines
@pass_terminal
def history(terminal: Terminal, *, memory: str, tenant: str, user: str) -> int:
    """Show all that became of the memory ID: its versions, the operations behind them, its evidence and its ties.

    Each version has two times: since when it was so in the world, and since when it was held here. An id of nobody's
    and an id of somebody else's are answered alike (exit code 2).
    """
    from gateway import Daybook
    from gateway.cli import OK
    from shared.contract.scope import Scope

    with Daybook() as daybook:
        found = daybook.history(Scope(tenant_id=tenant, user_id=user), memory)
    if terminal.as_json:
        terminal.document(found)
    else:
        _show(terminal, found)
    return OK


def _show(terminal: Terminal, found: MemoryHistory) -> None:
    last = found.versions[-1]
    terminal.out.print(found.text, style="bold")
    terminal.out.print(
        f"{found.memory_id} of {found.owner}: {last.kind}, {last.epistemic_type}, trust {last.trust} of 4"
    )
    if last.claim is not None:
        terminal.out.print(f"claims: {last.claim.subject} · {last.claim.predicate} · {last.claim.object}")
    _show_versions(terminal, found)
    _show_evidence(terminal, found)
    for tie in found.ties:
        way = "→" if tie.is_source else "←"
        terminal.out.print(f"{way} {tie.relation} {str(tie.memory_id)[:_ID_CHARS]} {tie.text or ''}")


def _show_versions(terminal: Terminal, found: MemoryHistory) -> None:
    table = columns(">version", "true from", "true until", "held from", "held until", ">confidence")
    for each in found.versions:
        held_until = instant(each.closed_at) if each.closed_at else ""
        table.add_row(
            str(each.version), day(each.valid_from), day(each.valid_to), instant(each.recorded_at), held_until,
            f"{each.confidence:.2f}",
        )  # fmt: skip
    terminal.out.print(table)
    done = columns("at", "operation", "why", "by run", ">closes", ">opens")
    for step in found.steps:
        closes, opens = (str(number) if number else "" for number in (step.closed, step.opened))
        done.add_row(
            instant(step.recorded_at), step.operation, step.reason or "(erased)", step.run_id or "", closes, opens
        )
    terminal.out.print(done)


def _show_evidence(terminal: Terminal, found: MemoryHistory) -> None:
    table = columns("said", "by", "run", "message", "text", title="What it rests on")
    for each in found.evidence:
        echo = "" if each.is_independent else "(echo) "
        table.add_row(
            day(each.said_at), each.speaker or each.origin, each.run_id or "", each.message_id or "",
            f"{echo}{'(erased)' if each.text is None else each.text}",
        )  # fmt: skip
    terminal.out.print(table)
