"""wiki: what is held as pages for people, a folder of them, what is wrong there, and what somebody wrote in it."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gateway.commands.options import for_machines, for_scope, pass_terminal
from gateway.terminal import Terminal, columns, counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gateway import Daybook
    from gateway.wiki.folder import Folder
    from gateway.wiki.importing import Taken
    from gateway.wiki.reading import Wiki
    from shared.belief.wiki.lint import Finding
    from shared.contract.scope import Scope

_FOLDER = click.Path(file_okay=False, path_type=Path)


@click.group()
def wiki() -> None:
    """Read what is held as pages: of each person and thing, and of each topic, every sentence with its evidence.

    Pages are compiled as they are asked for. What somebody writes in an exported page is taken in as said by the user.
    """


@wiki.command(
    epilog="""\b
Examples:
  daybook wiki show --tenant acme --user mira
  daybook wiki show Kestrel --tenant acme --user mira
  daybook wiki show entity-mira --tenant acme --user mira --json"""
)
@click.argument("page", default="index")
@for_scope
@click.option("--agent", metavar="ID", help="Only what this agent may read.")
@for_machines
@pass_terminal
def show(terminal: Terminal, *, page: str, tenant: str, user: str, agent: str | None) -> int:
    """Show PAGE: the name of who or what it is about, or its file; by default the index of all.

    Exit code 2: no page is called so.
    """
    from gateway import Daybook
    from gateway.cli import OK
    from gateway.wiki.reading import page_named
    from shared.contract.scope import Scope

    with Daybook() as daybook:
        found = page_named(_compiled(daybook, Scope(tenant_id=tenant, user_id=user, agent_id=agent)), page)
    if terminal.as_json:
        terminal.document(found)
    else:
        click.echo(found.text, nl=False)
    return OK


@wiki.command(
    epilog="""\b
Examples:
  daybook wiki export notes --tenant acme --user mira
  daybook wiki export notes --tenant acme --user mira --json"""
)
@click.argument("folder", type=_FOLDER)
@for_scope
@for_machines
@pass_terminal
def export(terminal: Terminal, *, folder: Path, tenant: str, user: str) -> int:
    """Write all pages into FOLDER, or bring those there up to date.

    Pages that stay the same are not written, and nothing else in the folder is touched. Where somebody has changed a
    page, nothing is written until that is imported. Exit code 2: there are such pages, or the folder is another one.
    """
    from gateway import Daybook
    from gateway.cli import OK
    from gateway.wiki import folder as folders
    from shared.contract.scope import Scope

    scope = Scope(tenant_id=tenant, user_id=user)
    with Daybook() as daybook:
        found = _compiled(daybook, scope)
    if not folders.is_export(folder):
        folders.write_new(folder, scope, found.texts)
    else:
        with folders.opened(folder, scope) as there:
            _require_imported(there, found)
            there.write(found.texts)
    if terminal.as_json:
        terminal.document({"folder": str(folder), "pages": sorted(found.texts)})
    else:
        terminal.out.print(f"{counted(len(found.pages), 'pages')} in {folder}")
    return OK


@wiki.command(
    epilog="""\b
Examples:
  daybook wiki lint --tenant acme --user mira
  daybook wiki lint notes --tenant acme --user mira --json"""
)
@click.argument("folder", type=_FOLDER, required=False)
@for_scope
@for_machines
@pass_terminal
def lint(terminal: Terminal, *, folder: Path | None, tenant: str, user: str) -> int:
    """Check the pages in FOLDER, or as they are compiled now: by rules, without a model.

    Finds links and citations that lead nowhere, sentences without evidence, sentences that quote what is held no
    longer, pages that none points to, and pages that somebody has changed or taken away since the export. Exit code 1:
    something was found.
    """
    from gateway import Daybook
    from gateway.cli import FAILED, OK
    from shared.contract.scope import Scope

    scope = Scope(tenant_id=tenant, user_id=user)
    with Daybook() as daybook:
        found = _linted(folder, scope, _compiled(daybook, scope))
    if terminal.as_json:
        terminal.document({"findings": found})
    else:
        _list(terminal, found)
    return FAILED if found else OK


@wiki.command(
    name="import",
    epilog="""\b
Examples:
  daybook wiki import notes --tenant acme --user mira
  daybook wiki import notes --tenant acme --user mira --inline --json""",
)
@click.argument("folder", type=_FOLDER)
@for_scope
@click.option("--inline", is_flag=True, help="Do the workers' part in this process.")
@for_machines
@pass_terminal
def import_(terminal: Terminal, *, folder: Path, tenant: str, user: str, inline: bool) -> int:
    """Take in what somebody has changed or added in the pages of FOLDER, as what the user says.

    A new sentence goes the way of any message, is scrubbed and judged, and stands under the page's Notes from the next
    export on. A sentence or page that is gone deletes nothing: `daybook forget` does.
    """
    from gateway import Daybook
    from gateway.cli import OK
    from gateway.knowing import require_known
    from gateway.wiki.folder import opened
    from gateway.wiki.importing import take_in
    from shared import clock
    from shared.contract.scope import Scope

    scope = Scope(tenant_id=tenant, user_id=user)
    with Daybook() as daybook:
        require_known(daybook.database(), scope)
        with opened(folder, scope) as there:
            missing = there.missing
            taken = take_in(there, scope, partial(daybook.observe, inline=inline or None), clock.now())
    if terminal.as_json:
        terminal.document({"pages": taken, "missing": missing})
    else:
        _tell(terminal, taken, missing)
    return OK


def _compiled(daybook: Daybook, scope: Scope) -> Wiki:
    from gateway.knowing import require_known
    from gateway.wiki.reading import wiki_of

    require_known(daybook.database(), scope)
    return wiki_of(daybook.database(), daybook.settings, scope)


def _require_imported(there: Folder, found: Wiki) -> None:
    from gateway.wiki.importing import on_their_way
    from shared.contract.errors import InvalidInput

    if there.changed:
        msg = f"changed by hand: {_first(there.changed)}; take that in first: `daybook wiki import {there.place}`"
        raise InvalidInput(msg, field="folder")
    waiting = on_their_way(there, found.noted)
    if waiting:
        msg = (
            f"what was imported of {_first(waiting)} is on its way: export once workers have taken it in (`daybook up`)"
        )
        raise InvalidInput(msg, field="folder")


def _first(files: Sequence[str]) -> str:
    most = 5
    return ", ".join(files[:most]) + (f" and {len(files) - most} more" if len(files) > most else "")


def _linted(folder: Path | None, scope: Scope, compiled: Wiki) -> list[Finding]:
    from gateway.wiki.folder import opened
    from shared.belief.wiki.lint import Fault, Finding
    from shared.belief.wiki.lint import lint as check

    if folder is None:
        return check(compiled.texts, compiled.quoted)
    with opened(folder, scope) as there:
        found = check(there.texts, compiled.quoted, there.own)
        changed = [
            (Fault.CHANGED_BY_HAND, file, "changed since the export, and not imported") for file in there.changed
        ]
        gone = [(Fault.MISSING_PAGE, file, "taken away; the next export writes it again") for file in there.missing]
    by_hand = [Finding(code=code, file=file, line=None, detail=detail) for code, file, detail in (*changed, *gone)]
    return sorted([*found, *by_hand], key=lambda each: (each.file, each.line or 0, each.code))


def _list(terminal: Terminal, found: Sequence[Finding]) -> None:
    table = columns("page", ">line", "what", "")
    for each in found:
        table.add_row(each.file, str(each.line or ""), each.code, each.detail)
    if found:
        terminal.out.print(table)
    terminal.out.print(f"{counted(len(found), 'findings')}")


def _tell(terminal: Terminal, taken: Sequence[Taken], missing: Sequence[str]) -> None:
    for each in taken:
        terminal.out.print(f"{each.file}: {counted(each.added, 'new sentences')} taken in")
        if each.gone:
            gone = f"{each.file} says {counted(each.gone, 'sentences')} no longer, which are held as before"
            terminal.err.print(f"{gone}: `daybook forget` is for what should go", style="yellow")
    for file in missing:
        terminal.err.print(f"{file} is gone; nothing was deleted, and the next export writes it again", style="yellow")
    if not taken:
        terminal.out.print("no page was changed")
