"""import: conversations from other products, taken in."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gateway.commands.options import Moment, for_machines, for_scope, pass_terminal
from gateway.importing.sources import FORMATS
from gateway.terminal import Terminal, columns, counted, day, money

if TYPE_CHECKING:
    from gateway.importing.bringing import Brought, Price, Survey

_SHOWN = 20
"""Refusals that are shown to people; machines get all."""


@click.command(
    name="import",
    epilog="""\b
Examples:
  daybook import chatgpt-export.zip --tenant acme --user mira --dry-run
  daybook import chatgpt-export.zip --tenant acme --user mira
  daybook import ~/.claude/projects --format claude-code --tenant acme --user mira --since 2026-01-01
  daybook import notes.md --tenant acme --user mira --inline
\b
Formats:
  chatgpt      conversations.json of the data export, or the archive with it
  claude       conversations.json of the data export, or the archive with it
  claude-code  transcripts (JSON Lines), or a folder with such
  mem0         memories as get_all gives them; each counts as a tool's word
  jsonl        a line a message (role, content), or a line a conversation (messages)
  markdown     User: and Assistant: before what is said, or headings""",
)
@click.argument("path", type=click.Path(path_type=Path))
@for_scope
@click.option("--format", "given", type=click.Choice(FORMATS), help="What it is; by default told from the files.")
@click.option("--agent", metavar="ID", help="The agent that these are conversations with.")
@click.option("--since", type=Moment(), help="Only conversations in which something was said then or later.")
@click.option("--all", "everything", is_flag=True, help="Also what tools answered and what was attached.")
@click.option("--dry-run", is_flag=True, help="Say what there is and what reading it may cost; change nothing.")
@click.option("--yes", is_flag=True, help="Go on without being asked where a model would read it for money.")
@click.option("--inline", is_flag=True, help="Do the workers' part before returning.")
@for_machines
@pass_terminal
def import_(  # noqa: PLR0913 - an argument an option
    terminal: Terminal,
    *,
    path: Path,
    tenant: str,
    user: str,
    given: str | None,
    agent: str | None,
    since: datetime | None,
    everything: bool,
    dry_run: bool,
    yes: bool,
    inline: bool,
) -> int:
    """Take in conversations from other products: PATH is a file, a folder, or an archive.

    Each conversation becomes a run, and a session; ids are made of those that the source gives. So the same export
    again changes nothing, and a newer one adds what is new. Secrets are cut out as everywhere. What is refused is told,
    and does not stop the rest: then the exit code is 1.
    """
    from gateway import Daybook
    from gateway.cli import FAILED, OK
    from gateway.importing.bringing import bring, most_of_a_run, price_of, read, survey, time_rule
    from gateway.importing.sources import sources
    from shared.contract.scope import Scope

    scope, found = Scope(tenant_id=tenant, user_id=user, agent_id=agent), sources(path, given)
    with Daybook() as daybook:
        rule = time_rule(daybook.settings)
        reading = partial(read, found, rule, since=since, everything=everything)
        damaged: list[tuple[str, str]] = []
        with terminal.bar("looking") as heard:
            conversations = reading(damaged=lambda *each: damaged.append(each))
            told = survey(found, conversations, rule, most=most_of_a_run(daybook.settings), heard=heard)
        price = price_of(told, daybook.settings)
        if dry_run:
            return _tell_survey(terminal, told, price, damaged)
        if price and not yes:
            _ask(terminal, told, price)
        with terminal.bar("taking in") as heard:
            brought = bring(daybook, scope, reading(), total=told.messages, inline=inline, heard=heard)
    brought.refused[:0] = damaged
    _tell_brought(terminal, brought)
    return FAILED if brought.refused else OK


def _tell_survey(terminal: Terminal, told: Survey, price: Price | None, damaged: Sequence[tuple[str, str]]) -> int:
    from gateway.cli import FAILED, OK

    code = FAILED if damaged else OK
    if terminal.as_json:
        terminal.document({"survey": told, "price": price, "refused": _refusals(damaged)})
        return code
    table = columns("file", "format")
    for name, known in list(told.files.items())[:_SHOWN]:
        table.add_row(name, known)
    terminal.out.print(table)
    if len(told.files) > _SHOWN:
        terminal.out.print(f"and {counted(len(told.files) - _SHOWN, 'files')} more")
    terminal.out.print(_summary(told, price))
    _complain(terminal, damaged)
    return code


def _summary(told: Survey, price: Price | None) -> str:
    when = f", {day(told.first)} to {day(told.last)}" if told.first else ""
    undated = f" ({counted(told.undated, 'messages')} without a time)" if told.undated else ""
    what = f"{counted(told.conversations, 'conversations')}, {counted(told.messages, 'messages')}{undated}{when}"
    if price is None:
        return f"{what}; rules read it, for nothing"
    return f"{what}; {price.model} would read it in {counted(price.calls, 'calls')}, about {money(price.usd)}"


def _ask(terminal: Terminal, told: Survey, price: Price) -> None:
    """Have somebody agree to what it may cost.

    Raises:
        UsageError: nobody is there to be asked.
        Abort: they do not.
    """
    summary = _summary(told, price)
    if terminal.as_json or not sys.stdin.isatty():
        raise click.UsageError(f"{summary}: agree to that with --yes, or look first with --dry-run")
    click.confirm(f"{summary}. The daily budgets hold all the same. Go on?", abort=True, err=True)


def _tell_brought(terminal: Terminal, brought: Brought) -> None:
    if terminal.as_json:
        terminal.document({"brought": replace(brought, refused=[]), "refused": _refusals(brought.refused)})
        return
    known = f", {counted(brought.repeated, 'runs')} were known already" if brought.repeated else ""
    secrets = f", {counted(brought.redacted, 'secrets')} cut out" if brought.redacted else ""
    terminal.out.print(
        f"{counted(brought.conversations, 'conversations')}: {counted(brought.runs, 'runs')} of "
        f"{counted(brought.messages, 'messages')} taken in{known}{secrets}"
    )
    _complain(terminal, brought.refused)


def _refusals(refused: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"what": what, "reason": reason} for what, reason in refused]


def _complain(terminal: Terminal, refused: Sequence[tuple[str, str]]) -> None:
    for what, reason in refused[:_SHOWN]:
        terminal.complain(reason if reason.startswith(what) else f"{what}: {reason}")
    if len(refused) > _SHOWN:
        terminal.complain(f"and {counted(len(refused) - _SHOWN, 'refusals')} more")
