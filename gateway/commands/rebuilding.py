"""reindex, reembed: views built anew while the old ones serve."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gateway.commands.options import for_machines, pass_terminal
from gateway.terminal import Terminal, columns, counted, number

if TYPE_CHECKING:
    from gateway import Daybook
    from gateway.rebuilding import Rebuild, Rebuilding
    from shared.store.generations import View
    from shared.store.streams import Numbered

_FOR_TENANT = click.option("--tenant", metavar="ID", help="Only this tenant; by default every one, in order.")
_BACKGROUND = click.option(
    "--background",
    is_flag=True,
    help="Leave it to the workers and return at once; see `daybook status` for how far it is.",
)
_BACK = click.option(
    "--back", is_flag=True, help="Make the generation before the live one live again (needs --tenant)."
)

_BUSY = (
    "a {job} of it is under way, waits for a worker, or lost its worker less than DAYBOOK_JOB_LEASE_S ago; "
    "`daybook status` says which: run this again when nobody is at it, and it goes on from there"
)
_EXIT_CODES = "Exit code 1: a tenant failed, or somebody else is at it; 2: wrong input; 3: a service cannot be reached."


@click.command(
    epilog=f"""{_EXIT_CODES}

\b
Examples:
  daybook reindex
  daybook reindex --tenant acme
  daybook reindex --view graph
  daybook reindex --tenant acme --back
  daybook reindex --background"""
)
@_FOR_TENANT
@click.option("--view", type=click.Choice(["sparse", "graph"]), help="Only words, or only names; by default both.")
@_BACKGROUND
@_BACK
@for_machines
@pass_terminal
def reindex(
    terminal: Terminal,
    tenant: str | None,
    view: Numbered | None,
    background: bool,  # noqa: FBT001 - click's
    back: bool,  # noqa: FBT001
) -> int:
    """Build the sparse view (the words) and the graph view (the names) anew while the old ones serve, then switch.

    What was stopped, killed or left half done is gone on with: by the next call or, where workers run, by them. What is
    observed or forgotten meanwhile is in the new one too. The generation before stays, and is written, until the next
    build; `--back` makes it live again, that of the words or of the `--view` named.
    """
    if view and background:
        raise click.UsageError("workers rebuild both views: leave --view or --background away")
    return _rebuild(terminal, "reindex", view or "sparse", tenant, background=background, back=back, only=view)


@click.command(
    epilog=f"""{_EXIT_CODES}

\b
Examples:
  daybook reembed
  DAYBOOK_EMBEDDING_MODEL=/models/e5-small daybook reembed --tenant acme
  daybook reembed --missing
  daybook reembed --tenant acme --back"""
)
@_FOR_TENANT
@click.option("--missing", is_flag=True, help="Only make the vectors that the live generation lacks.")
@_BACKGROUND
@_BACK
@for_machines
@pass_terminal
def reembed(
    terminal: Terminal,
    tenant: str | None,
    missing: bool,  # noqa: FBT001 - click's
    background: bool,  # noqa: FBT001
    back: bool,  # noqa: FBT001
) -> int:
    """Build the dense view (the vectors) anew with the model of DAYBOOK_EMBEDDING_MODEL, then switch to it.

    Vectors of the same model are taken over, and only what lacks one is embedded. The old generation serves until the
    new one is whole. Processes that are set to another model than the live one go on by words alone and say so, so set
    the variable for all of them and restart them once this is done. The generation before stays until the next build;
    `--back` makes it live again.
    """
    if not back:
        _prepare(terminal)
    return _rebuild(terminal, "fill" if missing else "reembed", "dense", tenant, background=background, back=back)


def _prepare(terminal: Terminal) -> None:
    """Make the vector index of the configured model, where this machine may."""
    from gateway import Daybook

    with Daybook() as daybook:
        if daybook.settings.database_url is None or daybook.settings.migrate_url is not None:
            daybook.migrate()
        else:
            terminal.complain("no DAYBOOK_MIGRATE_URL here: run `daybook migrate` with this model for its vector index")


def _rebuild(
    terminal: Terminal,
    job: Rebuilding,
    view: View,
    tenant: str | None,
    *,
    background: bool,
    back: bool,
    only: Numbered | None = None,
) -> int:
    from gateway import Daybook
    from gateway.cli import FAILED, OK

    if back and (background or not tenant):
        raise click.UsageError("--back needs --tenant and stands alone: it is one statement, for one tenant")
    with Daybook() as daybook:
        if back:
            return _go_back(terminal, daybook, view, tenant or "")
        found = list(_rebuilt(terminal, daybook, job, tenant, only, background=background))
    if terminal.as_json:
        terminal.document({"rebuilt": found})
    else:
        _show(terminal, found)
    return FAILED if any(each.outcome in ("failed", "skipped") for each in found) else OK


def _rebuilt(
    terminal: Terminal,
    daybook: Daybook,
    job: Rebuilding,
    tenant: str | None,
    only: Numbered | None,
    *,
    background: bool,
) -> list[Rebuild]:
    from gateway.rebuilding import rebuild, request, tenants

    database = daybook.database()
    found = []
    for each in tenants(database, tenant):
        if background:
            found.append(request(database, daybook.settings, job, each))
            continue
        with terminal.bar(f"{job} {each}") as heard:
            found.append(rebuild(database, daybook.settings, job, each, heard, only))
    return found


def _go_back(terminal: Terminal, daybook: Daybook, view: View, tenant: str) -> int:
    from gateway.cli import OK
    from gateway.rebuilding import go_back

    now = go_back(daybook.database(), tenant, view)
    if terminal.as_json:
        terminal.document(now)
        return OK
    model = f", of {now.live.model_id}" if now.live.model_id else ""
    terminal.out.print(f"generation {now.live.generation} of the {view} view is live again{model}")
    if now.lacking_vectors:
        terminal.err.print(
            f"{counted(now.lacking_vectors, 'memories')} came in under the other model and only words find them: "
            "`daybook reembed --missing`, with this model configured, makes their vectors"
        )
    return OK


def _show(terminal: Terminal, found: list[Rebuild]) -> None:
    table = columns("tenant", "outcome", ">memories")
    for each in found:
        table.add_row(each.tenant_id, each.outcome, number(each.memories))
        if each.error:
            terminal.complain(f"tenant {each.tenant_id}: {each.error}")
        elif each.outcome == "skipped":
            terminal.complain(f"tenant {each.tenant_id}: {_BUSY.format(job=each.job)}")
    if found:
        terminal.out.print(table)
    terminal.out.print(counted(len(found), "tenants"))
