"""rederive --check: whether the rules read what they have read as they did then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gateway.terminal import Terminal, columns, counted, number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gateway import Daybook
    from shared.contract.candidates import Candidate
    from shared.contract.scope import Owner
    from warmpath.rederive import Part, Reread, Unlike


def check(terminal: Terminal, tenant: str, user: str | None) -> bool:
    """Read anew all that the rules of now have read of a tenant or a user; whether it comes to what is stored."""
    from gateway import Daybook

    with Daybook() as daybook:
        found = _checked(terminal, daybook, tenant, user)
    alike = not any(each.unlike for each in found.values())
    if terminal.as_json:
        streams = [{"stream": owner, "compared": each.compared, "reread": each} for owner, each in found.items()]
        terminal.document({"alike": alike, "streams": streams})
    else:
        _show(terminal, found)
    return alike


def _checked(terminal: Terminal, daybook: Daybook, tenant: str, user: str | None) -> Mapping[Owner, Reread]:
    from warmpath.rederive import check as read_again

    streams = daybook.streams(tenant, user)
    done, total = 0, sum(events for *_, events in streams)
    found: dict[Owner, Reread] = {}
    with terminal.bar("reading again") as heard, daybook.working() as services:
        for _, owner, events in streams:
            begun = done
            found[owner] = read_again(services, tenant, owner, lambda at, begun=begun: heard(begun + at, total))  # type: ignore[misc]
            done += events
    return found


def _show(terminal: Terminal, found: Mapping[Owner, Reread]) -> None:
    for each in (one for reread in found.values() for one in reread.unlike):
        _show_unlike(terminal, each)
    counts = {
        name: sum(getattr(each, name) for each in found.values())
        for name in ("compared", "older", "by_others", "gone", "left_out", "replaced")
    }
    unlike = sum(len(each.unlike) for each in found.values())
    state = f"{number(unlike)} of them otherwise than what is stored" if unlike else "all of them as they are stored"
    terminal.out.print(f"{counted(counts['compared'], 'readings')} read again, {state}")
    if counts["older"]:
        was = "was" if counts["older"] == 1 else "were"
        terminal.out.print(
            f"{counted(counts['older'], 'readings')} {was} made by older rules: `daybook rederive` without --check "
            "reads anew, and shows what that would change"
        )
    apart = [
        *([f"{number(counts['by_others'])} by a model or other rules"] if counts["by_others"] else []),
        *([f"{number(counts['gone'])} of what is forgotten or quarantined"] if counts["gone"] else []),
        *([f"{number(counts['left_out'])} cut short"] if counts["left_out"] else []),
        *([f"{number(counts['replaced'])} that gave way to another reading"] if counts["replaced"] else []),
    ]
    if apart:
        terminal.err.print(f"not read again: {', '.join(apart)}", style="dim")


def _show_unlike(terminal: Terminal, each: Unlike) -> None:
    terminal.complain(
        f"{each.owner}, run {each.run_id}: read otherwise than {each.extractor} did (event {each.reading})"
    )
    table = columns("", "what", "as", "differs in")
    for part in each.parts:
        for sign, candidate in _signed(part):
            table.add_row(sign, candidate.text, _kind(candidate), ", ".join(part.fields))
        if part.stored is None and part.anew is None:
            table.add_row("!", "cannot be read", "", ", ".join(part.fields))
    terminal.out.print(table)


def _signed(part: Part) -> Iterator[tuple[str, Candidate]]:
    if part.stored is not None and part.stored == part.anew:
        yield "!", part.stored
        return
    if part.stored is not None:
        yield "-", part.stored
    if part.anew is not None:
        yield "+", part.anew


def _kind(candidate: Candidate) -> str:
    claim = f" {candidate.claim.predicate} {candidate.claim.object}" if candidate.claim else ""
    return f"{candidate.epistemic_type}{claim}"
