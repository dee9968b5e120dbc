"""rederive and quarantine: what is believed, read anew, or without a source that is not to be trusted any more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from gateway.commands.options import Moment, for_machines, for_scope, pass_terminal
from gateway.terminal import Terminal, columns, counted, day, money, number
from shared.contract.trust import Origin

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from coldpath.quarantine import Radius
    from shared.contract.records import MemoryVersion
    from shared.contract.scope import Scope
    from warmpath._work import Services
    from warmpath.rederive import Diff, Prepared


@click.command(
    epilog="""\b
Examples:
  daybook rederive --tenant acme --user mira
  daybook rederive --tenant acme --user mira --apply
  daybook rederive --tenant acme --user mira --back
  daybook rederive --tenant acme --check
  DAYBOOK_EXTRACTION_MODEL=openai:gpt-5-mini daybook rederive --tenant acme --user mira --json"""
)
@click.option("--tenant", required=True, metavar="ID", help="Which tenant's memory.")
@click.option("--user", metavar="ID", help="Whose memory, within the tenant; --check takes all of it without.")
@click.option("--check", "checks", is_flag=True, help="Only compare what the rules of now have read with what they do.")
@click.option("--apply", "applies", is_flag=True, help="Switch to what was read anew.")
@click.option("--back", is_flag=True, help="Undo the last switch.")
@click.option("--discard", is_flag=True, help="Let go of what was read anew and not switched to.")
@for_machines
@pass_terminal
def rederive(
    terminal: Terminal, *, tenant: str, user: str | None, checks: bool, applies: bool, back: bool, discard: bool
) -> int:
    """Read all of a user's runs anew, by the model or the rules that are set now, and show what that would change.

    What was read is kept, so a call that was stopped is gone on with, and the one with --apply reads nothing twice. The
    switch is one transaction: recall sees what was believed before, or all of what is new. Evidence and the readings
    before stay in the ledger, and --back makes them count again. What a person approved, rejected or answered in
    `daybook review` stands, and how many decisions were kept is told. With --check nothing is kept or changed, and no
    model is asked: what the rules of this version have read must come to the same again, and what does not is shown
    (exit code 1). Exit code 2: there is nothing to switch to, or back, or nothing is known of the user.
    """
    from gateway.cli import FAILED, OK
    from gateway.commands._rereading import check
    from gateway.knowing import require_known
    from shared.contract.scope import Scope

    if checks + applies + back + discard > 1:
        raise click.UsageError("--check, --apply, --back and --discard exclude each other")
    if checks:
        return OK if check(terminal, tenant, user) else FAILED
    if user is None:
        raise click.UsageError("Missing option '--user'.")
    scope = Scope(tenant_id=tenant, user_id=user)
    with _services() as services:
        require_known(services.database, scope)
        _rederive(terminal, services, scope, applies=applies, back=back, discard=discard)
    return OK


def _rederive(
    terminal: Terminal, services: Services, scope: Scope, *, applies: bool, back: bool, discard: bool
) -> None:
    from warmpath import rederive as anew

    if discard:
        _tell_discarded(terminal, anew.discard(services, scope))
    elif back:
        _show_diff(terminal, anew.back(services, scope), "believed again", None)
    else:
        prepared = _prepared(terminal, services, scope)
        diff = anew.switch(services, scope) if applies else anew.compare(services, scope)
        _show_diff(terminal, diff, "switched" if applies else "compared; --apply switches", prepared)


def _services() -> AbstractContextManager[Services]:
    from gateway import Daybook

    return Daybook().working()


def _prepared(terminal: Terminal, services: Services, scope: Scope) -> Prepared:
    from warmpath import rederive as anew

    with terminal.bar("reading runs") as heard:
        return anew.prepare(services, scope, heard)


def _tell_discarded(terminal: Terminal, candidates: int) -> None:
    if terminal.as_json:
        terminal.document({"discarded": candidates})
    else:
        terminal.out.print(f"{counted(candidates, 'candidates')} let go of")


def _kind(version: MemoryVersion) -> str:
    """What tells apart two beliefs in the same words: what it is held as, and what it claims."""
    claim = f" {version.claim.predicate} {version.claim.object}" if version.claim else ""
    return f"{version.epistemic_type}{claim}"


def _show_diff(terminal: Terminal, diff: Diff, done: str, prepared: Prepared | None) -> None:
    if terminal.as_json:
        told = {"opened": diff.opened, "closed": diff.closed, "kept": diff.kept, "decided": diff.decided}
        terminal.document({"prepared": prepared, **told})
        return
    table = columns("", "since", "until", "what", "as")
    for sign, versions in (("-", diff.closed), ("+", diff.opened)):
        for each in versions:
            table.add_row(sign, day(each.valid_from), day(each.valid_to) if each.valid_to else "",
                          each.text, _kind(each))  # fmt: skip
    if diff.opened or diff.closed:
        terminal.out.print(table)
    if prepared:
        cost = money(prepared.usage.cost_usd)
        terminal.err.print(f"{counted(prepared.runs, 'runs')} read now, {cost}", style="dim")
    if diff.decided:
        terminal.out.print(f"{counted(diff.decided, 'decisions')} of people kept")
    terminal.out.print(
        f"{number(len(diff.opened))} new, {number(len(diff.closed))} gone, {number(diff.kept)} the same: {done}"
    )


@click.command(
    epilog="""\b
Examples:
  daybook quarantine --tenant acme --user mira --origin web
  daybook quarantine --tenant acme --user mira --run run-17 --apply
  daybook quarantine --tenant acme --user mira --agent scraper --since 2026-11-01 --apply
  daybook quarantine --tenant acme --user mira --room kitchen --speaker bot --apply
  daybook quarantine --tenant acme --user mira --run run-17 --lift --json"""
)
@for_scope
@click.option(
    "--origin",
    type=click.Choice([each.value for each in Origin if each is not Origin.RECALLED]),
    help="Evidence of this origin.",
)
@click.option("--speaker", metavar="NAME", help="What this speaker said.")
@click.option("--run", "run_id", metavar="ID", help="What was said in this run.")
@click.option("--agent", metavar="ID", help="What this agent heard.")
@click.option("--since", type=Moment(), help="Only what came into the ledger from then on.")
@click.option("--room", "room_id", metavar="ID", help="In this room, which the user takes part in.")
@click.option("--apply", "applies", is_flag=True, help="Do it; without, it is only shown.")
@click.option("--lift", is_flag=True, help="Undo it: what was closed so is held again.")
@for_machines
@pass_terminal
def quarantine(
    terminal: Terminal,
    /,
    tenant: str,
    user: str,
    room_id: str | None,
    applies: bool,  # noqa: FBT001 - click's
    lift: bool,  # noqa: FBT001
    **named: Any,
) -> int:
    """Hold nothing any more that came from a source which is not to be trusted, and show first what that would be.

    Name the source by any of the options; all that are given must agree. Nothing is deleted: memories made from it are
    closed, beliefs that it had ended are what they were before, and --lift undoes it. Exit code 2: nothing is known of
    the user, the run or the room.
    """
    from coldpath import quarantine as source
    from gateway import Daybook
    from gateway.cli import OK
    from gateway.knowing import require_known
    from shared.contract.scope import Scope
    from warmpath._policies import verified_sources

    if applies and lift:
        raise click.UsageError("--apply and --lift exclude each other")
    with Daybook() as daybook:
        scope = Scope(tenant_id=tenant, user_id=user)
        require_known(daybook.database(), scope)
        verified, of = verified_sources(daybook.settings), source.Source(**named)
        if applies or lift:
            act = source.quarantine if applies else source.lift
            radius = act(daybook.database(), scope, of, room_id=room_id, verified=verified)
        else:
            radius = source.blast_radius(daybook.database(), scope, of, room_id=room_id)
    if terminal.as_json:
        terminal.document({"radius": radius, "applied": applies, "lifted": lift})
    else:
        done = "held again" if lift else "closed" if applies else "would be closed; --apply does it"
        _show_radius(terminal, radius, done)
    return OK


def _show_radius(terminal: Terminal, radius: Radius, done: str) -> None:
    kinds = ", ".join(f"{number(count)} {kind}" for kind, count in sorted(radius.kinds.items())) or "none"
    if not radius.messages:
        terminal.complain("nothing in the ledger is from it: names are compared exactly")
    terminal.out.print(f"{counted(radius.messages, 'messages')} from it")
    terminal.out.print(f"{counted(len(radius.closed), 'memories')} made from them ({kinds}) {done}")
    terminal.out.print(f"{counted(len(radius.confirmed), 'memories')} that they only confirm: held on")
    terminal.out.print(f"{counted(radius.claims, 'claims')} resolved without them")
