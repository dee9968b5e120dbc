"""observe, recall, receipts: what an agent does, from the command line."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, BinaryIO

import click

from gateway.commands.options import Moment, for_machines, for_scope, pass_terminal
from gateway.terminal import Terminal, columns, counted, instant

if TYPE_CHECKING:
    from gateway import Daybook
    from gateway.reading import RunDocument
    from gateway.reports import RunHistory
    from shared.contract.receipts import Receipt
    from shared.contract.scope import Scope

_COLD_DEADLINE_MS = 10_000
"""A command begins cold: what an agent does once, loading the model and connecting, is part of each call here."""


@click.command(
    epilog="""\b
Examples:
  daybook observe run.json --tenant acme --user mira
  daybook observe - --tenant acme --user mira --run-id run-7 < messages.jsonl
  daybook observe run.json --tenant acme --user mira --inline --json
\b
A run:
  {"run_id": "run-7", "messages": [{"role": "user", "text": "I keep two beehives."}]}
  A message takes also: id, speaker, ts, origin. A group's run takes: room, participants."""
)
@click.argument("file", type=click.File("rb"), default="-")
@for_scope
@click.option("--session", metavar="ID", help="The session that the run belongs to; by default the run itself.")
@click.option("--agent", metavar="ID", help="The agent that it is a run of.")
@click.option("--run-id", metavar="ID", help="The run's id, where the file gives none.")
@click.option("--inline", is_flag=True, help="Do the workers' part before returning.")
@for_machines
@pass_terminal
def observe(
    terminal: Terminal,
    *,
    file: BinaryIO,
    tenant: str,
    user: str,
    session: str | None,
    agent: str | None,
    run_id: str | None,
    inline: bool,
) -> int:
    """Take in runs that have ended, from FILE or stdin: JSON, or JSON Lines.

    When it returns, they are in the database and cannot be lost. The same run again is answered with its first receipt.
    """
    from gateway import Daybook
    from gateway.reading import runs_in, text_of
    from shared.contract.errors import DaybookError
    from shared.contract.scope import Scope

    scope = Scope(tenant_id=tenant, user_id=user, session_id=session, agent_id=agent)
    runs = runs_in(text_of(file.read()))
    receipts: list[Receipt] = []
    failure: DaybookError | None = None
    with Daybook() as daybook:
        try:
            receipts.extend(_accept(daybook, scope, run, run_id, inline=inline) for run in runs)
        except DaybookError as error:
            if not receipts:
                raise
            failure = error
        served = inline or _is_served(daybook)
    return _told(terminal, receipts, failure, served=served)


def _accept(daybook: Daybook, scope: Scope, run: RunDocument, run_id: str | None, *, inline: bool) -> Receipt:
    from shared.contract.errors import InvalidRun

    if not (run.run_id or run_id):
        raise InvalidRun("the run has no id: put `run_id` into the file, or give --run-id")
    return daybook.observe(
        scope,
        run.messages,
        run_id=run.run_id or run_id or "",
        room=run.room,
        participants=run.participants,
        inline=inline or None,
    )


def _is_served(daybook: Daybook) -> bool:
    """Whether somebody does the workers' part; of a configured database we cannot know, and are silent."""
    configured = daybook.settings
    if configured.mode == "inline" or configured.database_url is not None:
        return True
    return any(process.running for process in daybook.processes().states())


def _told(terminal: Terminal, receipts: list[Receipt], failure: Exception | None, *, served: bool) -> int:
    from gateway.cli import OK, exit_code
    from shared.contract.errors import DaybookError

    wrong = {"error": {"code": failure.code, "message": str(failure)}} if isinstance(failure, DaybookError) else {}
    if terminal.as_json:
        terminal.document({"receipts": receipts, **wrong})
    else:
        for each in receipts:
            counts = ", ".join(counted(count, name) for name, count in each.counts.items() if count)
            terminal.out.print(f"{each.outcome} {each.run_id}: {counts or 'no messages'}; {each.reason}")
            for warning in each.warnings:
                terminal.err.print(f"  {warning}", style="yellow")
    if failure:
        terminal.complain(str(failure))
        return exit_code(failure)
    if not served:
        terminal.err.print("no worker runs here: it waits in the inbox until `daybook up` (recall finds it already)")
    return OK


@click.command(
    epilog="""\b
Examples:
  daybook recall "Where are the beehives?" --tenant acme --user mira
  daybook recall "What did we plan in May?" --tenant acme --user mira --budget 500 --explain
  daybook recall "Where did I live?" --tenant acme --user mira --as-of 2024-01-01 --json"""
)
@click.argument("query")
@for_scope
@click.option(
    "--budget",
    type=click.IntRange(min=0),
    help="Most tokens of the block, whose frame alone takes 90; useful from about 200 on. By default "
    "DAYBOOK_RECALL_BUDGET_TOKENS, 1500.",
)
@click.option("--agent", metavar="ID", help="Only what this agent may read.")
@click.option("--session", metavar="ID", help="The session that goes on: what it holds is the nearest context.")
@click.option("--k", type=click.IntRange(min=1), help="Most hits.")
@click.option("--as-of", type=Moment(), help="What was true then.")
@click.option("--known-at", type=Moment(), help="What was known then.")
@click.option(
    "--deadline-ms",
    type=click.IntRange(min=1),
    default=_COLD_DEADLINE_MS,
    show_default=True,
    help="When to answer with what there is.",
)
@click.option(
    "--recipe",
    default="balanced",
    show_default=True,
    metavar="NAME",
    help="How much is done for it: fast, balanced or thorough.",
)
@click.option("--explain", is_flag=True, help="Show each channel's score, the plan, and timings.")
@for_machines
@pass_terminal
def recall(  # noqa: PLR0913 - an argument an option
    terminal: Terminal,
    *,
    query: str,
    tenant: str,
    user: str,
    agent: str | None,
    session: str | None,
    budget: int | None,
    k: int | None,
    as_of: datetime | None,
    known_at: datetime | None,
    deadline_ms: int,
    recipe: str,
    explain: bool,
) -> int:
    """Find the evidence for QUERY, within a token budget and a deadline.

    Always answers; what could not be asked is named, and the exit code is 3 where that was the database.
    """
    from gateway import Daybook
    from gateway.cli import OK, UNREACHABLE
    from gateway.evidence import show_bundle
    from shared.contract.scope import Scope

    scope = Scope(tenant_id=tenant, user_id=user, agent_id=agent, session_id=session)
    with Daybook() as daybook:
        bundle = daybook.recall(
            scope,
            query,
            budget_tokens=budget,
            deadline_ms=deadline_ms,
            as_of=as_of,
            known_at=known_at,
            k=k,
            recipe=recipe,
            explain=explain,
        )
    if terminal.as_json:
        terminal.document(bundle)
    else:
        show_bundle(terminal.out, bundle, explain=explain)
        terminal.out.print(f"turn {bundle.turn_id}")
    return UNREACHABLE if "database" in bundle.degraded else OK


@click.command(
    epilog="""\b
Examples:
  daybook receipts run-7 --tenant acme --user mira
  daybook receipts run-7 --tenant acme --user mira --json"""
)
@click.argument("run")
@for_scope
@for_machines
@pass_terminal
def receipts(terminal: Terminal, run: str, tenant: str, user: str) -> int:
    """Show all that became of RUN: where it stands, each stage's receipt, and what was decided about each message.

    A room's run is shown to its participants, from the moment it is in the ledger.
    """
    from gateway import Daybook
    from gateway.cli import FAILED, OK
    from shared.contract.scope import Scope

    with Daybook() as daybook:
        found = daybook.receipts(Scope(tenant_id=tenant, user_id=user), run)
    if terminal.as_json:
        terminal.document(found)
    else:
        _show_history(terminal, found)
    return FAILED if any(each.state == "parked" for each in found.deliveries) else OK


def _show_history(terminal: Terminal, found: RunHistory) -> None:
    for each in found.deliveries:
        next_step = "all stages are done" if each.state == "done" else f"{each.state} at {each.stage}"
        error = f"; last error: {each.last_error}" if each.last_error else ""
        terminal.out.print(f"{found.run_id} of {each.owner}, accepted {instant(each.accepted_at)}: {next_step}{error}")
    table = columns("stage", "outcome", "counts", ">ms", "reason")
    for receipt in found.receipts:
        took_ms = (receipt.finished_at - receipt.started_at).total_seconds() * 1000
        counts = ", ".join(f"{name} {count}" for name, count in receipt.counts.items())
        table.add_row(receipt.stage, receipt.outcome, counts, f"{took_ms:.0f}", receipt.reason)
    terminal.out.print(table)
    judged = columns("message", "speaker", "decision", "rule", "reason")
    for each_decision in found.decisions:
        decision = f"{each_decision.action} ({each_decision.confidence:.2f})"
        judged.add_row(
            each_decision.message_id, each_decision.speaker or "", decision, each_decision.rule, each_decision.reason
        )
    if found.decisions:
        terminal.out.print(judged)
