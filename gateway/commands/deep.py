"""deep: a question that may take minutes, answered by an agent that reads files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gateway.commands.options import for_machines, for_scope, pass_terminal
from gateway.terminal import Terminal, counted, day, number

if TYPE_CHECKING:
    from gateway import Daybook
    from gateway.runbook import Budget, DeepAnswer
    from gateway.runbook.answers import Evidence


@click.command(
    epilog="""\b
Examples:
  daybook deep "What did we change our minds about?" --tenant acme --user mira
  daybook deep "Which trips were cancelled?" --tenant acme --user mira --states 40 --timeout 300
  daybook deep "Who is Tomas?" --tenant acme --user mira --keep --json
\b
The agent:
  DAYBOOK_DEEP_COMMAND='["agent", "--print"]'
  Any program that reads a prompt on stdin (or in the place of {question}), looks at the
  files of its working directory, and writes one JSON document."""
)
@click.argument("question")
@for_scope
@click.option("--states", type=click.IntRange(1, 10_000), help="Most looks (default: DAYBOOK_DEEP_STATES).")
@click.option(
    "--timeout",
    type=click.FloatRange(0, 86_400, min_open=True),
    metavar="SECONDS",
    help="When to end the agent (default: DAYBOOK_DEEP_TIMEOUT_S).",
)
@click.option("--keep", is_flag=True, help="Leave the files there and say where; they hold what people said.")
@for_machines
@pass_terminal
def deep(
    terminal: Terminal,
    *,
    question: str,
    tenant: str,
    user: str,
    states: int | None,
    timeout: float | None,
    keep: bool,
) -> int:
    """Have an agent search all that is remembered for QUESTION, as files, read-only and within a budget.

    Only what it cites is evidence, and only if the lines are there. Costs what the agent costs, and takes up to the
    time given; `daybook recall` is for everything else. The exit code is 1 where the agent gave no answer that holds.
    """
    from gateway import Daybook
    from gateway.cli import FAILED, OK
    from shared.contract.scope import Scope

    scope = Scope(tenant_id=tenant, user_id=user)
    with Daybook() as daybook:
        found = daybook.deep(scope, question, budget=_budget(daybook, states, timeout), keep=keep)
    if terminal.as_json:
        terminal.document(found)
    else:
        _show(terminal, found)
    gave_none = found.failure is not None or (found.stopped is not None and not found.spans)
    return FAILED if gave_none else OK


def _budget(daybook: Daybook, states: int | None, timeout_s: float | None) -> Budget:
    from dataclasses import replace

    from gateway.runbook import Budget

    budget = Budget.configured(daybook.settings)
    return replace(budget, states=states or budget.states, timeout_s=timeout_s or budget.timeout_s)


def _show(terminal: Terminal, found: DeepAnswer) -> None:
    from gateway.runbook.pages import escaped

    ended = "".join(f" · {name}" for name in (found.failure, found.stopped) if name)
    terminal.out.print(f"{found.verdict} · {found.reason}{ended}", style="green" if found.spans else "yellow")
    if found.answer:
        terminal.out.print(f"the agent's words: {escaped(found.answer)}")
    for span in found.spans:
        terminal.out.print(f"{span.file}:{span.start_line}-{span.end_line}", style="dim")
        for each in span.evidence:
            terminal.out.print(_line(each))
    terminal.out.print(_cost(found), style="dim")
    if found.folder:
        terminal.err.print(f"the files are in {found.folder}")


def _line(each: Evidence) -> str:
    from gateway.runbook.pages import escaped

    who = each.speaker or each.role or each.origin
    return escaped(f"  {day(each.event_time)} {who}: {each.text}").replace("\n", "\n    ")


def _cost(found: DeepAnswer) -> str:
    used, left = found.used, found.left_out
    lacking = f"; {number(left.memories)} of {counted(left.of, 'memories')} left out" if left.memories else ""
    looks = f"{number(used.states)} of {number(found.budget.states)} looks, {number(used.read_bytes)} bytes"
    return f"{looks}, {used.elapsed_s:.1f} of {found.budget.timeout_s:g} s{lacking}"
