"""reflect: a question answered rung by rung, and questions that stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gateway.commands.options import for_machines, pass_terminal
from gateway.commands.tidying import ask_option, carry_out, tell_of_asking
from gateway.terminal import Terminal, columns, counted, day, number
from shared.work.queues import REFLECT

if TYPE_CHECKING:
    from gateway.reflecting import Reflected
    from shared.store.asked import Standing


@click.command(
    epilog="""\b
Examples:
  daybook reflect "Where does Mira stay in Lisbon?" --tenant acme --user mira
  daybook reflect "Where does Mira stay in Lisbon?" --tenant acme --user mira --file
  daybook reflect --tenant acme --user mira --list
  daybook reflect --tenant acme --user mira --remove 42
  daybook reflect --tenant acme --dry-run
  daybook reflect --tenant acme --dry-run --ask
  daybook reflect --tenant acme --background
  daybook reflect --tenant acme --json"""
)
@click.argument("question", required=False)
@click.option("--tenant", required=True, metavar="ID", help="Which tenant's memory.")
@click.option("--user", metavar="ID", help="Whose memory, within the tenant; by default all for whom questions stand.")
@click.option("--file", "files", is_flag=True, help="Have the question stand, and file the answer now and each night.")
@click.option("--list", "lists", is_flag=True, help="Show the questions that stand for the user.")
@click.option("--remove", type=click.IntRange(min=1), metavar="NUMBER", help="Have a question stand no more.")
@click.option("--dry-run", is_flag=True, help="Show what would be filed, and change nothing.")
@click.option("--background", is_flag=True, help="Leave it to the workers, at once; see `daybook schedule`.")
@ask_option(hidden=False)
@for_machines
@pass_terminal
def reflect(  # noqa: PLR0913 - an argument an option
    terminal: Terminal, question: str | None, *, tenant: str, user: str | None, files: bool, lists: bool,
    remove: int | None, dry_run: bool, background: bool, ask: bool,
) -> int:  # fmt: skip
    """Answer a QUESTION from what is held, and have questions stand that are answered anew.

    The answer is of the first rung that says anything: the profile, else the pages of whom and what the question names,
    else inferences, else facts, else what was said; each with how new it is. What contradicts itself is said and not
    decided. With no QUESTION, those that stand are answered, and each answer is filed as an inference that cites its
    facts and replaces the former one only where it differs. With DAYBOOK_REFLECTION_BY_MODEL a language model composes
    it, sentence by sentence of memories that it names; one that stands is shown to whoever asks the same. What that
    changes is one batch, which `daybook revert` takes back.
    """
    about_one = question is not None or lists or remove is not None
    if about_one and not user:
        raise click.UsageError("name the user with --user: a missing one is never read as everybody")
    if about_one and (dry_run or background):
        raise click.UsageError("--dry-run and --background are for the questions that stand: leave the rest away")
    if (files and question is None) or (background and user) or (dry_run and background):
        raise click.UsageError("--file needs a QUESTION; --background is for all of a tenant, and rehearses nothing")
    if ask and not dry_run:
        raise click.UsageError("--ask is for a --dry-run; whatever is filed is asked about where a model is configured")
    if dry_run and not ask:
        tell_of_asking(terminal)
    if not about_one:
        return carry_out(terminal, tenant, user, REFLECT, dry_run=dry_run, background=background, ask=ask)
    return _about_one(terminal, tenant, user or "", question, files=files, remove=remove)


def _about_one(
    terminal: Terminal, tenant: str, user: str, question: str | None, *, files: bool, remove: int | None
) -> int:
    from gateway import Daybook, reflecting
    from gateway.cli import OK
    from gateway.knowing import require_known
    from shared.contract.scope import Scope

    scope = Scope(tenant_id=tenant, user_id=user)
    with Daybook() as daybook:
        database = daybook.database()
        require_known(database, scope)
        if remove is not None:
            _show_standing(terminal, [reflecting.remove(database, scope, remove)], "stands no more")
        elif question is None:
            _show_standing(terminal, reflecting.asked_of(database, scope), "stands")
        elif files:
            standing = reflecting.file(database, scope, question)
            if not terminal.as_json:  # which shows one document, of what was filed
                _show_standing(terminal, [standing], "stands")
        else:
            _show(terminal, reflecting.reflect(daybook, scope, question))
    if files:
        return carry_out(terminal, tenant, user, REFLECT, dry_run=False, background=False, ask=False)
    return OK


def _show_standing(terminal: Terminal, found: list[Standing], how: str) -> None:
    if terminal.as_json:
        terminal.document({"questions": found})
        return
    for each in found:
        terminal.out.print(f"{each.number} {how}: {each.question}")
    if not found:
        terminal.out.print("no questions stand")


def _show(terminal: Terminal, found: Reflected) -> None:
    if terminal.as_json:
        terminal.document(found)
        return
    table = columns("rung", ">memories", "newest", ">events behind")
    for rung in found.rungs:
        behind = "" if rung.behind is None else number(rung.behind)
        table.add_row(rung.name, number(len(rung.says)), day(rung.newest) if rung.newest else "", behind)
    terminal.out.print(table)
    for text in found.answer:
        terminal.out.print(text)
    for step in found.composed:
        newest = day(step.newest) if step.newest else "no day"
        terminal.out.print(f"  of the {step.rung}, {newest}: {', '.join(map(str, step.memory_ids))}")
    if found.dropped:
        told = ", ".join(f"{number(of)} {why}" for why, of in sorted(found.dropped.items()))
        terminal.out.print(f"sentences that do not follow were dropped: {told}")
    terminal.out.print(f"{found.verdict}: {found.reason}" + (f", from the {found.rung}" if found.rung else ""))
    for page in (file for rung in found.rungs for file in rung.pages):
        terminal.out.print(f"more: daybook wiki show {page}")
    if found.conflicts:
        terminal.out.print(f"{counted(found.conflicts, 'contradictions')} not decided: daybook review list")
