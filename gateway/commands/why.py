"""why: why something is remembered, or is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from gateway.commands.options import for_machines, for_scope, pass_terminal
from gateway.terminal import Terminal, columns, day, instant

if TYPE_CHECKING:
    from gateway.accounts import Considered, Heard, Why

_ID_CHARS: Final = 12


@click.command(
    epilog="""\b
Examples:
  daybook why "Where does Mira live?" --tenant acme --user mira
  daybook why "allergic to walnuts" --tenant acme --user mira --json
\b
Exit codes of its own:
  0    some of it is remembered, as a belief or word for word
  1    none of it is, though something like it may be"""
)
@click.argument("text")
@for_scope
@for_machines
@pass_terminal
def why(terminal: Terminal, *, text: str, tenant: str, user: str) -> int:
    """Say why TEXT is remembered, or why not.

    Looks for messages that say at least half of its words. The answer is about those that say more than half and every
    name and number in it, which come first; the others are merely like it. Of each is shown what was decided when it
    came in, what was proposed of it, which rule decided on that and by what, whom it waits for, and what is held by
    now, version by version. What is forgotten is as if it was never said.
    """
    from gateway import Daybook
    from gateway.cli import FAILED, OK
    from shared.contract.scope import Scope

    with Daybook() as daybook:
        found = daybook.why(Scope(tenant_id=tenant, user_id=user), text)
    if terminal.as_json:
        terminal.document({"is_remembered": found.is_remembered, "why": found})
    else:
        _show(terminal, found)
    return OK if found.is_remembered else FAILED


def _show(terminal: Terminal, found: Why) -> None:
    like_it = found.finding == "unheard" and (found.heard or found.considered)
    terminal.out.print(MERELY_LIKE_IT if like_it else ANSWERS[found.finding], style="bold")
    for each in found.considered:
        _show_considered(terminal, each)
    if not found.heard:
        return
    table = columns("said", "by", "message", "as it came in", "text", title="What was said of it, or like it")
    for heard in found.heard:
        said = heard.said
        table.add_row(day(said.said_at), said.speaker or said.role or said.origin, said.message_id or "",
                      _came_in(heard), said.text)  # fmt: skip
    terminal.out.print(table)
    for heard in found.heard:
        if heard.refused:
            why = ", ".join(f"{number} {fault}" for fault, number in heard.refused.items())
            terminal.out.print(f"refused of what was read of {heard.said.message_id or 'it'}: {why}")


MERELY_LIKE_IT: Final = "It was never said here, or it is forgotten; what follows is merely like it."
ANSWERS: Final = {
    "believed": "It is remembered.",
    "in_review": "Not yet: a person is to decide on it; see `daybook review list`.",
    "deferred": "Not yet: it waits for a second piece of evidence.",
    "on_its_way": "Not yet: it was proposed, and is not decided on.",
    "ended": "It was remembered, and no longer holds.",
    "verbatim": "It is kept word for word, as it was said; nothing was made of it.",
    "ignored": "It was said, and nothing of it is kept but the evidence.",
    "unheard": "Nothing like it was ever said here, or it is forgotten.",
}


def _show_considered(terminal: Terminal, each: Considered) -> None:
    proposal, verdict = each.proposal, each.proposal.verdict
    like = "" if each.says_it else "like it: "
    terminal.out.print(f"\n{like}{proposal.candidate.text}  (of run {proposal.run_id}, {proposal.standing})")
    if verdict is not None:
        terminal.out.print(
            f"  {verdict.action} by the rule {verdict.rule} ({verdict.confidence:.2f}): {verdict.reason}"
        )
        told = ", ".join(f"{name} {_plain(value)}" for name, value in sorted(verdict.fields.items()))
        terminal.out.print(f"  {told}", style="dim")
    if proposal.due_at is not None:
        terminal.out.print(f"  until {instant(proposal.due_at)}")
    if proposal.asked is not None:
        by = f" by {proposal.asked.decided_by}" if proposal.asked.decided_by else ""
        terminal.out.print(f"  review {str(proposal.asked.review_id)[: _ID_CHARS + 1]}: {proposal.asked.state}{by}")
    for one in each.memories:
        closed = f", closed by {one.closed_reason}" if one.closed_reason else ""
        holds = " to ".join((day(one.valid_from) or "…", day(one.valid_to) or "…"))
        terminal.out.print(
            f"  memory {str(one.memory_id)[: _ID_CHARS + 1]} version {one.version}: {one.text} ({holds}{closed})"
        )


def _plain(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else f"{value}"


def _came_in(heard: Heard) -> str:
    return f"{heard.verdict.action}: {heard.verdict.rule}" if heard.verdict else ""
