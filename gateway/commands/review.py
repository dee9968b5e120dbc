"""review: writes that wait for a person."""

# Above 300 lines: one group of commands, each a few lines beside its options and its help.

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Final, TypeVar

import click

from gateway.commands.options import Id, Moment, for_machines, pass_terminal
from gateway.terminal import Terminal, columns, counted, day, instant

if TYPE_CHECKING:
    from gateway.reviewing import Waiting
    from shared.contract.scope import Scope
    from shared.store.reviews import Review
    from warmpath._shown import Shown

Function = TypeVar("Function", bound=Callable[..., object])
_ID_CHARS: Final = 13
_WHICH: Final = "which is right?"
_TENANT = click.option("--tenant", required=True, metavar="ID", help="Which tenant's memory.")
_USER = click.option("--user", metavar="ID", help="Whose memory, within the tenant.")
_SHARED = click.option(
    "--tenant-wide", is_flag=True, help="What all users of the tenant share, in the place of --user."
)
_BY = click.option("--by", required=True, metavar="NAME", help="Who decides; noted in the audit stream.")


def _for_whose(function: Function) -> Function:
    return _TENANT(_USER(_SHARED(function)))


@click.group(
    epilog="""\b
Examples:
  daybook review list --tenant acme --user mira
  daybook review approve 0f3c9a1b77e2 --tenant acme --user mira --by ana"""
)
@for_machines
def review() -> None:
    """Show what waits for a person before it is remembered, and decide on it.

    A policy has what is delicate, comes from a source of low trust, or would be shared by all users of a tenant wait
    here. No worker need run: approving has it remembered before the command returns. What nobody decides on in time
    expires, and is not remembered. A decision is for the one write; it changes no policy.

    Memories that contradict each other wait here too, where no rule decides: `answer` says which is right. Until then,
    and where nobody answers in time, all of them are held.
    """


@review.command(
    name="list",
    epilog="""\b
Examples:
  daybook review list --tenant acme --user mira
  daybook review list --tenant acme --tenant-wide --state any --json
  daybook review list --tenant acme""",
)
@_for_whose
@click.option(
    "--state",
    type=click.Choice(["open", "approved", "rejected", "expired", "settled", "any"]),
    default="open",
    show_default=True,
    help="How they stand.",
)
@for_machines
@pass_terminal
def list_(terminal: Terminal, *, tenant: str, user: str | None, tenant_wide: bool, state: str) -> int:
    """List reviews, those due first at the head.

    Without --user and --tenant-wide: whose reviews wait in the tenant, and until when, but nothing of what they say.
    """
    from gateway import Daybook
    from gateway.cli import OK
    from shared.store.reviews import ReviewState

    with Daybook() as daybook:
        if user is None and not tenant_wide:
            if state != "open":
                raise click.UsageError("of a whole tenant only what is open is listed: name a --user, or --tenant-wide")
            return _tell_waiting(terminal, daybook.reviews_waiting(tenant))
        found = daybook.reviews(_scope(tenant, user, tenant_wide), None if state == "any" else ReviewState(state))
    if terminal.as_json:
        terminal.document({"reviews": found})
        return OK
    table = columns("id", "owner", "policy", "state", "due", "for", "what would be remembered")
    for each in found:
        _add(table.add_row, each)
    if found:
        terminal.out.print(table)
    terminal.out.print(counted(len(found), "reviews"))
    return OK


@review.command(
    epilog="""\b
Examples:
  daybook review show 0f3c9a1b77e2 --tenant acme --user mira"""
)
@click.argument("review_id", metavar="ID", type=Id())
@_for_whose
@for_machines
@pass_terminal
def show(terminal: Terminal, *, review_id: str, tenant: str, user: str | None, tenant_wide: bool) -> int:
    """Show a review: what it rests on, what is held of the same, and what approving would change."""
    from gateway import Daybook
    from gateway.cli import OK

    with Daybook() as daybook:
        found = daybook.review(_scope(tenant, user, tenant_wide), review_id)
    if terminal.as_json:
        terminal.document(found)
    else:
        _show(terminal, found)
    return OK


@review.command(
    epilog="""\b
Examples:
  daybook review approve 0f3c9a1b77e2 --tenant acme --user mira --by ana"""
)
@click.argument("review_id", metavar="ID", type=Id())
@_for_whose
@_BY
@for_machines
@pass_terminal
def approve(terminal: Terminal, *, review_id: str, tenant: str, user: str | None, tenant_wide: bool, by: str) -> int:
    """Have it remembered, with all that this changes of what is believed, before the command returns."""
    from gateway import Daybook
    from gateway.cli import OK

    with Daybook() as daybook:
        found = daybook.approve(_scope(tenant, user, tenant_wide), review_id, by=by)
    if terminal.as_json:
        terminal.document(found)
    else:
        _show_differences(terminal, found)
        terminal.out.print(f"approved {found.review.review_id}")
    return OK


@review.command(
    epilog="""\b
Examples:
  daybook review reject 0f3c9a1b77e2 --tenant acme --user mira --by ana"""
)
@click.argument("review_id", metavar="ID", type=Id())
@_for_whose
@_BY
@for_machines
@pass_terminal
def reject(terminal: Terminal, *, review_id: str, tenant: str, user: str | None, tenant_wide: bool, by: str) -> int:
    """Have it not remembered, by another reading of the same words neither. What it rests on stays evidence."""
    from gateway import Daybook
    from gateway.cli import OK

    with Daybook() as daybook:
        found = daybook.reject(_scope(tenant, user, tenant_wide), review_id, by=by)
    if terminal.as_json:
        terminal.document(found)
    else:
        terminal.out.print(f"rejected {found.review_id}")
    return OK


@review.command(
    epilog="""\b
Examples:
  daybook review answer 0f3c9a1b77e2 second --tenant acme --user mira --by ana
  daybook review answer 0f3c9a1b77e2 both --tenant acme --user mira --by ana"""
)
@click.argument("review_id", metavar="ID", type=Id())
@click.argument("given", metavar="ANSWER")
@_for_whose
@_BY
@for_machines
@pass_terminal
def answer(
    terminal: Terminal, *, review_id: str, given: str, tenant: str, user: str | None, tenant_wide: bool, by: str
) -> int:
    """Say which of the memories is right that a review asks about: first, second and so on, both, or neither.

    What is not right is held as having ended when the right one began, or as never so. With both nothing changes, and
    it is not asked again. `daybook review show` lists the answers and what each does.
    """
    from gateway import Daybook
    from gateway.cli import OK

    with Daybook() as daybook:
        found = daybook.answer(_scope(tenant, user, tenant_wide), review_id, given, by=by)
    if terminal.as_json:
        terminal.document(found)
    else:
        terminal.out.print(f"{given}: answered {found.review.review_id}")
    return OK


@review.command(
    epilog="""\b
Examples:
  daybook review assign 0f3c9a1b77e2 --tenant acme --user mira --to ana
  daybook review assign 0f3c9a1b77e2 --tenant acme --user mira --to ana --due 2031-03-01
  daybook review assign 0f3c9a1b77e2 --tenant acme --user mira --to-anybody"""
)
@click.argument("review_id", metavar="ID", type=Id())
@_for_whose
@click.option("--to", metavar="NAME", help="Who is to decide; nobody else may then.")
@click.option("--to-anybody", is_flag=True, help="Whoever decides first may.")
@click.option("--due", type=Moment(), help="Until when; as before without it.")
@for_machines
@pass_terminal
def assign(
    terminal: Terminal,
    *,
    review_id: str,
    tenant: str,
    user: str | None,
    tenant_wide: bool,
    to: str | None,
    to_anybody: bool,
    due: datetime | None,
) -> int:
    """Say who is to decide on a review, and until when."""
    from gateway import Daybook
    from gateway.cli import OK

    if (to is None) is not to_anybody:
        raise click.UsageError("say who is to decide: --to NAME, or --to-anybody")
    with Daybook() as daybook:
        found = daybook.assign(_scope(tenant, user, tenant_wide), review_id, reviewer=to, due_at=due)
    if terminal.as_json:
        terminal.document(found)
    else:
        terminal.out.print(
            f"{found.review_id} is {found.reviewer or 'anybody'}'s to decide, until {instant(found.due_at)}"
        )
    return OK


@review.command(
    epilog="""\b
Examples:
  daybook review expire
  daybook review expire --tenant acme --json"""
)
@click.option("--tenant", metavar="ID", help="Only this tenant's.")
@for_machines
@pass_terminal
def expire(terminal: Terminal, *, tenant: str | None) -> int:
    """Let go now of what nobody has decided on in time; without it, that is done by the workers."""
    from gateway import Daybook
    from gateway.cli import OK

    with Daybook() as daybook:
        expired = daybook.expire_reviews(tenant)
    if terminal.as_json:
        terminal.document({"expired": expired})
    else:
        terminal.out.print(f"{counted(expired, 'reviews')} expired")
    return OK


def _scope(tenant: str, user: str | None, tenant_wide: bool) -> Scope:  # noqa: FBT001 - as click gives it
    from shared.contract.scope import Scope

    if (user is None) is not tenant_wide:
        raise click.UsageError("say whose memory it is: --user ID, or --tenant-wide for what all users share")
    return Scope.tenant_wide(tenant) if user is None else Scope(tenant_id=tenant, user_id=user)


def _tell_waiting(terminal: Terminal, found: list[Waiting]) -> int:
    from gateway.cli import OK

    if terminal.as_json:
        terminal.document({"waiting": found})
        return OK
    table = columns("id", "owner", "due")
    for each in found:
        table.add_row(str(each.review_id), each.owner, instant(each.due_at))
    if found:
        terminal.out.print(table)
    terminal.out.print(f"{counted(len(found), 'reviews')} waiting")
    return OK


def _add(add_row: Callable[..., None], each: Review) -> None:
    text = each.candidate.text if each.candidate else _WHICH
    add_row(str(each.review_id)[:_ID_CHARS], each.owner or "", each.policy, each.state, instant(each.due_at),
            each.reviewer or "anybody", text)  # fmt: skip


def _show(terminal: Terminal, found: Shown) -> None:
    review = found.review
    by = f" by {review.decided_by}" if review.decided_by else ""
    terminal.out.print(review.candidate.text if review.candidate else _WHICH, style="bold")
    terminal.out.print(
        f"{review.review_id} of {review.owner}: {review.state}{by}; asked for by the rule {review.policy}, "
        f"{review.reviewer or 'anybody'} may decide until {instant(review.due_at)}"
    )
    for text in found.said:
        terminal.out.print(f"said: {text}")
    for version in found.held:
        holds = " to ".join((day(version.valid_from) or "…", day(version.valid_to) or "…"))
        terminal.out.print(f"held: {version.text} ({holds})")
    _show_differences(terminal, found)
    _show_choices(terminal, found)


def _show_choices(terminal: Terminal, found: Shown) -> None:
    if not found.choices:
        return
    table = columns("answer", "operation", "text", "until", title="What each answer does")
    for choice in found.choices:
        table.add_row(choice.answer, "" if choice.differences else "nothing", "", "")
        for each in choice.differences:
            table.add_row("", each.operation, each.text, day(each.valid_to))
    terminal.out.print(table)


def _show_differences(terminal: Terminal, found: Shown) -> None:
    if not found.differences:
        return
    table = columns("operation", "memory", "text", "from", "until", title="What approving does")
    for each in found.differences:
        memory = str(each.memory_id)[:_ID_CHARS] if each.memory_id else "new"
        table.add_row(each.operation, memory, each.text, day(each.valid_from), day(each.valid_to))
    terminal.out.print(table)
