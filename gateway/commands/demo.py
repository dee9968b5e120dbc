"""demo: everything at once, on a machine that has nothing."""

from __future__ import annotations

import shlex
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gateway.commands.options import for_machines, pass_terminal
from gateway.terminal import Terminal

if TYPE_CHECKING:
    from gateway.demo.believing import Told
    from gateway.demo.night import Night
    from gateway.demo.run import Answer, Outcome
    from shared.settings import Settings


@click.command(
    epilog="""\b
Examples:
  daybook demo
  daybook demo --input locomo10.json --questions 20
  daybook demo --keep"""
)
@click.option(
    "--input",
    "file",
    type=click.Path(path_type=Path),
    help="A conversation of the demonstration's own kind, or a LoCoMo file, of which the first conversation is taken.",
)
@click.option(
    "--questions", type=click.IntRange(min=1), default=10, show_default=True, help="Most questions of a LoCoMo file."
)
@click.option("--keep", is_flag=True, help="Leave it running, to ask more.")
@for_machines
@pass_terminal
def demo(terminal: Terminal, file: Path | None, questions: int, *, keep: bool) -> int:
    """Feed a long conversation through real workers, ask it ten questions, and show what is believed.

    For the last, short runs are read: a changed address, a preference that is no more, two speakers, a planted order, a
    secret, a plan. Of each it says what is held since when, why, and what is recalled now and of an earlier time.
    At the end the jobs of a night tidy up: what they change, a profile with its versions, a batch that is taken back.

    With no servers configured, it starts its own, on a folder of its own that is emptied before and after. With
    DAYBOOK_DATABASE_URL set, it works there, as a tenant of its own. The exit code is 0 only if every run was processed
    and the ledger is sound.
    """
    from gateway.cli import FAILED, OK
    from gateway.demo.believing import shipped
    from gateway.demo.corpus import SHIPPED
    from gateway.demo.files import read
    from gateway.demo.run import demonstrate
    from gateway.demo.show import Screen
    from shared.settings import settings

    corpus = read(file or SHIPPED, questions=questions)
    with Screen(terminal) as screen:
        outcome = demonstrate(settings(), corpus, shipped(), screen, keep=keep)
    if terminal.as_json:
        terminal.document(_document(outcome))
    else:
        screen.summary(outcome)
        click.echo(_farewell(settings(), outcome, keep=keep))  # not through rich: a command is not to be wrapped
    return OK if outcome.complete else FAILED


def _farewell(configured: Settings, outcome: Outcome, *, keep: bool) -> str:
    from gateway.demo.stage import demo_settings

    if not keep:
        kept = f"; its memory stays in your database as tenant {outcome.tenant_id}" if configured.database_url else ""
        return f"\neverything stopped{kept}"
    here = f"DAYBOOK_DATA_DIR={shlex.quote(str(demo_settings(configured).data_dir))} daybook"
    asker = shlex.quote(outcome.answers[0].question.asked_by)
    ask = f'{here} recall "…" --tenant {outcome.tenant_id} --user {asker} --explain'
    return f"\neverything goes on running; ask more with\n  {ask}\nend it with\n  {here} down"


def _document(outcome: Outcome) -> dict[str, Any]:
    told = {each.name: getattr(outcome, each.name) for each in fields(outcome)}
    return told | {
        "complete": outcome.complete,
        "recall_p50_ms": outcome.recall_p50_ms,
        "answers": [_answer(answer) for answer in outcome.answers],
        "told": [_told(each) for each in outcome.told],
        "night": _night(outcome.night),
    }


def _answer(answer: Answer) -> dict[str, Any]:
    return {"question": answer.question, "right": answer.right, "found": answer.found, "bundle": answer.bundle}


def _told(told: Told) -> dict[str, Any]:
    every = {each.name: getattr(told, each.name) for each in fields(told)}
    return every | {"right": told.right, "faults": told.faults}


def _night(night: Night) -> dict[str, Any]:
    every = {each.name: getattr(night, each.name) for each in fields(night)}
    return every | {"right": night.right, "faults": night.faults}
