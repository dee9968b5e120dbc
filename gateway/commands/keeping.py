"""forget, erase, replay: what is kept, what must not be, and whether the tables say what the ledger says."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from gateway.commands.options import Id, for_machines, for_scope, pass_terminal
from gateway.terminal import Terminal, columns, counted, number

if TYPE_CHECKING:
    from coldpath.forget import Erased, ForgetReceipt
    from coldpath.replay import Replayed
    from gateway import Daybook


@click.command(
    epilog="""\b
Examples:
  daybook forget 0f3c9a1b77e2 --tenant acme --user mira
  daybook forget 0f3c9a1b-77e2-5c1d-9b1e-3f6f3f1f2a10 --tenant acme --user mira --content
  daybook forget 0f3c9a1b77e2 --tenant acme --user mira --json"""
)
@click.argument("memory", metavar="ID", type=Id())
@for_scope
@click.option("--content", is_flag=True, help="Erase the words from the ledger too; they cannot be had back.")
@for_machines
@pass_terminal
def forget(terminal: Terminal, memory: str, tenant: str, user: str, content: bool) -> int:  # noqa: FBT001 - click's
    """Forget one memory, with all that was made from what it was made from.

    ID is a memory's as recall shows it (the first 12 digits are enough), or a delivery's as observe and receipts give
    it. No recall, rebuild or retry brings it back; the same words said again later are a new memory. In a room one may
    forget what one has said oneself. What was forgotten without --content can be given once more with it. An id of
    nobody's and an id of somebody else's are answered alike (exit code 2).
    """
    from gateway import Daybook
    from gateway.cli import OK
    from shared.contract.scope import Scope

    with Daybook() as daybook:
        receipt = daybook.forget(Scope(tenant_id=tenant, user_id=user), memory, erase_content=content)
    if terminal.as_json:
        terminal.document(receipt)
    else:
        _show_forgotten(terminal, receipt)
    return OK


def _show_forgotten(terminal: Terminal, receipt: ForgetReceipt) -> None:
    for each in receipt.forgotten:
        terminal.out.print(f"forgotten {each}")
    for each in receipt.revised:
        terminal.out.print(f"held on with less to rest on {each}")
    kept = "erased from the ledger" if receipt.erased else "sealed in the ledger (--content erases them there too)"
    terminal.out.print(f"{counted(receipt.messages, 'messages')} {kept}; nothing rests on them any more")


@click.command(
    epilog="""\b
Examples:
  daybook erase --tenant acme --user mira
  daybook erase --tenant acme --user mira --yes --json"""
)
@for_scope
@click.option("--yes", is_flag=True, help="Do not ask.")
@for_machines
@pass_terminal
def erase(terminal: Terminal, tenant: str, user: str, yes: bool) -> int:  # noqa: FBT001 - click's
    """Erase everything of a user, from the ledger on, with what is still on its way. It cannot be had back.

    In rooms, what the user said goes, and what others said stays. Headers of events stay, so that the ledger can be
    verified and an erased run that is sent again is known. Asks first; --json needs --yes. A user of whom nothing is
    known is wrong input (exit code 2).
    """
    from gateway import Daybook
    from gateway.cli import INTERRUPTED, OK
    from shared.contract.scope import Scope

    scope = Scope(tenant_id=tenant, user_id=user)
    if terminal.as_json and not yes:
        raise click.UsageError("--json asks nothing: add --yes if everything of this user is to be erased")
    if not yes and not _agreed(f"Erase everything of user {user} of tenant {tenant} for good?"):
        terminal.complain("nothing was erased")
        return INTERRUPTED
    with Daybook() as daybook:
        found = daybook.erase(scope)
    if terminal.as_json:
        terminal.document(found)
    else:
        _show_erased(terminal, found)
    return OK


def _agreed(question: str) -> bool:
    """Whether whoever is at the terminal, or a file in its place, says yes."""
    try:
        return click.confirm(question, err=True)
    except click.Abort:
        if sys.stdin is not None and sys.stdin.isatty():
            raise
        raise click.UsageError("there is nobody to ask: without a terminal, add --yes to erase") from None


def _show_erased(terminal: Terminal, found: Erased) -> None:
    table = columns("table", ">rows erased")
    for name, rows in sorted(found.rows.items()):
        table.add_row(name, number(rows))
    terminal.out.print(table)
    in_rooms = f", and {number(found.in_rooms)} in rooms" if found.in_rooms else ""
    terminal.out.print(f"{counted(found.memories, 'memories')} of user {found.owner} erased{in_rooms}")


@click.command(
    epilog="""\b
Examples:
  daybook replay --verify
  daybook replay --verify --tenant acme --json
  daybook replay --tenant acme --user mira"""
)
@click.option("--verify", is_flag=True, help="Only compare; change nothing.")
@click.option("--tenant", metavar="ID", help="Only this tenant's streams.")
@click.option("--user", metavar="ID", help="Only the stream of this user, or of a room as room:ID.")
@for_machines
@pass_terminal
def replay(terminal: Terminal, verify: bool, tenant: str | None, user: str | None) -> int:  # noqa: FBT001 - click's
    """Work memories and words out of the ledger anew, and put them in the place of those that are there.

    No model is called; vectors that fit are kept, and `daybook reembed --missing` makes those that are lacking. A
    stream takes no run while it is written. With --verify, the tables are compared with what the ledger comes to, and
    the first differences are named by table, row and column. Equal fingerprints say that nothing differs; where
    something still does, or the ledger is damaged, the exit code is 1.
    """
    from gateway import Daybook
    from gateway.cli import FAILED, OK

    if user and not tenant:
        raise click.UsageError("--user needs --tenant: ids are a tenant's own")
    with Daybook() as daybook:
        found = _replayed(terminal, daybook, tenant, user, verify=verify)
    equal = all(each.is_equal for each in found)
    if terminal.as_json:
        terminal.document({"equal": equal, "streams": found})
    else:
        _show_replayed(terminal, found, verify=verify)
    return OK if equal else FAILED


def _replayed(
    terminal: Terminal, daybook: Daybook, tenant: str | None, user: str | None, *, verify: bool
) -> list[Replayed]:
    with terminal.bar("replaying events") as heard:
        return list(daybook.replay(tenant, user, verify=verify, progress=heard))


def _show_replayed(terminal: Terminal, found: list[Replayed], *, verify: bool) -> None:
    table = columns("tenant", "stream", ">memories", "fingerprint", "tables")
    for each in found:
        state = "damaged" if each.damage else "equal" if each.is_equal else counted(each.count, "differences")
        if each.mended:
            state += f", {number(each.mended)} mended"
        table.add_row(each.tenant_id, each.owner, number(each.memories), each.expected_fingerprint[:16], state)
        if each.damage:
            terminal.complain(f"tenant {each.tenant_id}: {each.damage}")
        for one in each.differences:
            terminal.complain(f"tenant {each.tenant_id}, {each.owner}: {one.table}, {one.key}: {one.column}")
    if found:
        terminal.out.print(table)
    done = "compared" if verify else "written anew"
    terminal.out.print(f"{counted(len(found), 'streams')} {done}")
