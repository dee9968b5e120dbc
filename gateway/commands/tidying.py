"""The jobs that change memories, one by one, what they have changed, batch by batch, and the way back."""

# Above 300 lines: the help of each job is here, and how all of them are called and shown.

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Final, cast

import click

from gateway.commands.options import Id, for_machines, pass_terminal
from gateway.terminal import Terminal, columns, counted, day, number
from shared.work.queues import ANTICIPATE, COMPRESS, CONSOLIDATE, DEDUPE, LINK, PROMOTE, PRUNE, RETAIN, SUPERSEDE

if TYPE_CHECKING:
    from rich.table import Table

    from coldpath.proposals import Reverted
    from gateway.rehearsing import Change
    from gateway.tidying import Tidied
    from shared.store.batches import Listed

_FOR_TENANT = click.option("--tenant", required=True, metavar="ID", help="Which tenant's memory.")
_MOST_LISTED = 200
_SIGNS: Final = {
    "ask": "?",
    "forget": "-",
    "supersede": ">",
    "reopen": "<",
    "abstract": "+",
    "expire": "-",
    "demote": "~",
    "end": ">",
}
"""What is done to a text, in a list; `=` stands for those below it by itself, `+` is new beside them."""
_STAYS: Final = {
    "changed": "it was changed since",
    "forgotten": "it was forgotten since",
    "taken": "another is held in its place",
    "quarantined": "what it rests on is in quarantine; it is held again once that is lifted",
    "together": "the same change touched another that stays",
}

_EXIT_CODES = "Exit code 1: somebody else is at it, or it failed; 2: wrong input; 3: a service cannot be reached."


def _command(job: str, text: str, *, asks: bool = False) -> click.Command:
    """The command of a job that proposes: every one is called, rehearsed and taken back in the same way.

    One that asks a model does not for a rehearsal, unless it is told to.
    """

    @click.option("--tenant", required=True, metavar="ID", help="Which tenant's memory.")
    @click.option("--user", metavar="ID", help="Only this user's, or room's; by default every one's of the tenant.")
    @click.option("--dry-run", is_flag=True, help="Show what it would change, and change nothing.")
    @click.option("--background", is_flag=True, help="Leave it to the workers, at once; see `daybook schedule`.")
    @ask_option(hidden=not asks)
    @for_machines
    @pass_terminal
    def command(
        terminal: Terminal, tenant: str, user: str | None, *, dry_run: bool, background: bool, ask: bool
    ) -> int:
        if ask and not (asks and dry_run):
            raise click.UsageError("--ask is for a --dry-run of a job that asks a model")
        if background and (dry_run or user):
            raise click.UsageError("--background is for all of a tenant: leave --dry-run and --user away")
        if dry_run and asks and not ask:
            tell_of_asking(terminal)
        return carry_out(terminal, tenant, user, job, dry_run=dry_run, background=background, ask=ask)

    ways = ("--dry-run", *(["--dry-run --ask"] if asks else []), "", "--user mira", "--background", "--json")
    examples = "".join(f"\n  daybook {job} --tenant acme {way}".rstrip() for way in ways)
    return click.command(job, help=text, epilog=f"{_EXIT_CODES}\n\n\b\nExamples:{examples}")(command)


def tell_of_asking(terminal: Terminal) -> None:
    """Say that a rehearsal shows less than a pass might."""
    terminal.err.print("no model is asked for a rehearsal; with --ask it is, and its answer is kept")


def ask_option(*, hidden: bool) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """`--ask`, of a job that asks a model; hidden, of one that asks none."""
    text = "With --dry-run: ask the model, which costs what it costs, and keep its answer for the next pass."
    return click.option("--ask", is_flag=True, hidden=hidden, help=text)


dedupe = _command(
    DEDUPE,
    """Make one of memories that say the same twice, with all that either rests on.

    Only of what was put into words of its own, never of what was said. Two that differ in a number, a date, a name or a
    negation stay two. What it changes is one batch, which `daybook revert` takes back.
    """,
)

promote = _command(
    PROMOTE,
    """Hold episodes as semantic that recalls often rest on, by what was reported of them.

    On several days and without misleading much: `daybook outcome` reports it. Nothing becomes a fact or more certain by
    it, and what serves no more is an episode again. What it changes is one batch, which `daybook revert` takes back.
    """,
)

supersede = _command(
    SUPERSEDE,
    """End what a later memory contradicts, where both came without a common key, and ask where that is not sure.

    Ended is what has one value at a time and began earlier in the world, when the later one began; and what the later
    one says in the same words is otherwise now. What no rule decides waits in `daybook review` as a question which is
    right, and all of it is held until somebody has answered. Where a language model reads runs, it may be asked besides
    which of what is worded differently contradicts each other, at most once a day and stream. What the command changes
    is one batch, which `daybook revert` takes back.
    """,
    asks=True,
)


consolidate = _command(
    CONSOLIDATE,
    """Make one memory of what was said, or done with success, again and again; it cites every time.

    What one person said in the same words in three sessions on three days becomes a preference or an inference, and
    calls of tools that led to success in two sessions a procedure. It is never more certain than its evidence, and goes
    when that is forgotten, quarantined or denied. Where a language model reads runs, it is asked besides what follows
    from several memories together, at most once a day and stream. What the command changes is one batch, which `daybook
    revert` takes back.
    """,
    asks=True,
)


compress = _command(
    COMPRESS,
    """Let old sessions leave what recall searches, behind a summary that cites all of them.

    A session is old when its last message is older than DAYBOOK_COMPRESS_AFTER_DAYS. A first pass makes the summaries
    that are lacking, and one after they have their vectors lets the sessions leave. Nothing that was said goes: old
    episodes are found through the summary, by id and by date, and by words with --as-of. What it changes is one batch,
    which `daybook revert` takes back.
    """,
)

link = _command(
    LINK,
    """Tie memories that have to do with each other.

    Those that name what few memories name, or claim something of one subject; and what somebody said is the reason for
    something else. No text is changed. What it changes is one batch, which `daybook revert` takes back; a single link
    is taken back by `daybook unlink`, and `daybook links` lists them.
    """,
)


anticipate = _command(
    ANTICIPATE,
    """Put together ahead of time what somebody is likely to ask next.

    What was asked on several days, or has another answer since, and what is planned for the next days: the facts that
    speak of it become one inference, which cites them all and adds nothing. It ends by itself, and goes at once when
    any of them changes or is forgotten. With DAYBOOK_ANTICIPATION_BY_MODEL a language model says what else is likely,
    at most once a day and stream, of memories that it names. What the command changes is one batch, which `daybook
    revert` takes back.
    """,
    asks=True,
)


prune = _command(
    PRUNE,
    """Hold what is of little worth as less certain, or hold it no longer, by the policy of DAYBOOK_POLICIES.

    Without one, what misled more than it served is demoted. What was said stays in the ledger. What an app called
    important, what the policy spares, and what anything else rests on is left alone. What it changes is one batch,
    which `daybook revert` takes back.
    """,
)

retain = _command(
    RETAIN,
    """Hold no longer, or forget for good, what has been kept for as long as the policy of DAYBOOK_POLICIES says.

    Without one everything is kept. Look first: --dry-run shows what would go, by which rule, and how many of the logged
    recalls showed it. What is held no longer is one batch, which `daybook revert` takes back; what is forgotten is gone
    from the ledger, with all that was made from it. Nothing goes that a rule keeps.
    """,
)


def carry_out(
    terminal: Terminal, tenant: str, user: str | None, job: str, *, dry_run: bool, background: bool, ask: bool
) -> int:
    """Do, rehearse or request a job for a tenant or one user of it, and show what came of it; the exit code."""
    from gateway import Daybook, tidying
    from gateway.cli import FAILED, OK

    does = partial(tidying.rehearse, ask=ask) if dry_run else tidying.tidy
    with Daybook() as daybook, terminal.bar(job) as heard:
        if background:
            found = tidying.request(daybook.database(), daybook.settings, tenant, job)
        else:
            found = does(daybook.database(), daybook.settings, tenant, job, heard, user_id=user)
    _show(terminal, found)
    return OK if found.outcome in {"done", "rehearsed", "requested"} else FAILED


def _show(terminal: Terminal, found: Tidied) -> None:
    if terminal.as_json:
        terminal.document(found)
        return
    if found.changes:
        terminal.out.print(_diff(found))
    if found.outcome == "requested":
        terminal.out.print("left to the workers")
        return
    for line in _said(found):
        terminal.out.print(line)
    if found.error:
        terminal.complain(found.error)


def _diff(found: Tidied) -> Table:
    table = columns("whose", "", "what", "rule", "becomes")
    for change in found.changes:
        table.add_row(change.owner, _sign(change), change.left, change.refused or change.rule, _becomes(change))
        for text in change.tied:
            table.add_row("", "\u2192", text, "", "")
        for text in change.gone:
            table.add_row("", "-", text, "", "")
    return table


def _said(found: Tidied) -> Iterator[str]:
    is_rehearsed = found.outcome == "rehearsed"
    does = "would be done" if is_rehearsed else "done"
    yield f"{counted(found.accepted, 'changes')} {does}, {number(found.refused)} refused: {found.outcome}"
    if found.asked:
        waits = "would be asked" if is_rehearsed else "wait for an answer: daybook review list"
        yield f"{counted(found.asked, 'questions')} {waits}"
    if found.gates:
        told = ", ".join(f"{number(of)} {name}" for name, of in sorted(found.gates.items()))
        yield f"on the way to the model: {told}"
    yield from _told_of_going(found)
    if found.batch_id:
        yield f"batch {found.batch_id}; take it back: daybook revert --tenant {found.tenant_id} {found.batch_id}"


def _told_of_going(found: Tidied) -> Iterator[str]:
    if found.forgotten or found.kept:
        goes = "would be forgotten" if found.outcome == "rehearsed" else "forgotten"
        yield f"{counted(found.forgotten, 'messages')} {goes}, {number(found.kept)} kept, as what rests on them is"
    if found.unlisted:
        yield f"{counted(found.unlisted, 'messages')} of them not listed here"
    if found.recalls:
        newest = ", ".join(map(str, found.newest_recalls))
        yield f"{counted(found.recalls, 'recalls')} showed what would go, the newest first: {newest}"
    if found.waiting:
        makes = f"`index` makes it, or `daybook reembed --missing --tenant {found.tenant_id}`; then call this again"
        yield f"{counted(found.waiting, 'memories')} it will look at once they have a vector: {makes}"
    yield from found.notes


def _sign(change: Change) -> str:
    if change.refused:
        return "x"
    return _SIGNS.get(change.operation, "=")


def _becomes(change: Change) -> str:
    if change.tokens is not None:
        many = f"{counted(change.messages, 'messages')} of {change.session_id or 'no session'}"
        return "{}: {:,} tokens, then {:,}".format(many, *change.tokens)
    before, after = change.footing
    if change.relation:
        return change.relation
    if not before:
        return after
    if before != after:
        return f"{before}, then {after or 'held no more'}"
    return "{:.2f} to {:.2f}".format(*change.confidence)


@click.command(
    epilog="""\b
Examples:
  daybook batches --tenant acme
  daybook batches --tenant acme --json"""
)
@_FOR_TENANT
@click.option(
    "--limit", type=click.IntRange(1, _MOST_LISTED), default=20, show_default=True, help="How many, the newest first."
)
@for_machines
@pass_terminal
def batches(terminal: Terminal, tenant: str, limit: int) -> int:
    """List what jobs have changed, batch by batch, the newest first."""
    from gateway import Daybook, tidying
    from gateway.cli import OK

    with Daybook() as daybook:
        found = tidying.listed(daybook.database(), tenant, limit)
        held = tidying.held(daybook.database(), tenant)
    if terminal.as_json:
        terminal.document({"batches": found, "held": held})
        return OK
    _list(terminal, found)
    for each in held:
        terminal.out.print(each.says)
    return OK


def _list(terminal: Terminal, found: list[Listed]) -> None:
    table = columns("batch", "job", "when", "streams", "reverted in")
    for each in found:
        taken_back = "" if not each.reverted else "all" if each.reverted == each.streams else number(each.reverted)
        table.add_row(str(each.batch_id), each.job, day(each.committed_at), number(each.streams), taken_back)
    terminal.out.print(table if found else "no batches")


@click.command(
    epilog="""\b
Examples:
  daybook revert --tenant acme 0b9f1c5e-7a53-4c0e-8f0e-7f3c5d1f2a11"""
)
@_FOR_TENANT
@click.argument("batch", type=Id())
@for_machines
@pass_terminal
def revert(terminal: Terminal, tenant: str, batch: str) -> int:
    """Hold again what was held before a batch; its first 12 digits will do.

    What has changed once more since then, or was forgotten, or whose place another has, stays as it is, together with
    what the same change touched; it is listed, with why. So is what was made from what is in quarantine by now: it is
    held again once that is lifted (`daybook quarantine --lift`). What was said to have ended meanwhile is held as
    ended. Nothing is deleted. Exit code 1: some of it could not be taken back, or nothing was left to take back, since
    it all stays or had been reverted before.
    """
    from coldpath import proposals
    from gateway import Daybook
    from gateway.cli import FAILED, OK
    from shared.contract.errors import RevertedInPart
    from warmpath._policies import verified_sources

    with Daybook() as daybook:
        try:
            found = proposals.revert(daybook.database(), tenant, batch, verified=verified_sources(daybook.settings))
        except RevertedInPart as error:
            found = cast("Reverted", error.details["reverted"])
    _tell(terminal, found)
    return OK if found.is_whole else FAILED


def _tell(terminal: Terminal, found: Reverted) -> None:
    if terminal.as_json:
        terminal.document(found)
        return
    if found.operations:
        by = counted(found.operations, "operations")
        terminal.out.print(f"taken back in {counted(found.streams, 'streams')} by {by}")
    else:
        terminal.out.print("nothing was left to take back")
    if found.already:
        terminal.out.print(f"in {counted(found.already, 'streams')} it had been reverted before")
    for each in found.kept:
        terminal.out.print(f"{each.memory} stays: {_STAYS[each.why]}")
    if found.unknown:
        terminal.out.print(f"{counted(found.unknown, 'operations')} stay: what they touched was erased")
    for failure in found.failed:
        terminal.complain(f"{failure.owner}: not taken back ({failure.error}); call this again")
