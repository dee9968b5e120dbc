"""The trajectories of a scope as a tree of files, and which memory stands on which lines: pure.

The same memories and the same budget give the same bytes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Final

from gateway.runbook import pages
from gateway.runbook.answers import Budget, LeftOut
from gateway.runbook.names import names
from gateway.runbook.picking import picked
from shared.contract.scope import Owner, stream_of
from shared.store.trajectories import Told

HELPER: Final = "search.py"
"""Given to an interpreter; no file of the tree can be executed."""
INDEX: Final = "index.md"
GUIDE: Final = "README.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The lines of a memory, from 1, both inclusive."""

    start: int
    end: int
    told: Told


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """Files by their path in the folder, with `/` between its parts."""

    files: Mapping[str, bytes]
    places: Mapping[str, Sequence[Place]]
    """Of each file that holds messages: where they are, in order."""
    left_out: LeftOut

    def on(self, file: str, start: int, end: int) -> list[Told]:
        """The memories that have a line among these; none where there is no such file, or no such line in it."""
        places = self.places.get(file, ())
        if not places or end > places[-1].end:
            return []
        first = bisect_left(places, start, key=lambda place: place.end)
        return [place.told for place in places[first:] if place.start <= end]

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(map(len, self.files.values()))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Session:
    folder: str
    told: Sequence[Told]
    runs: Mapping[str, Sequence[Place]]
    """Places by the name of the run's file."""


def grown(told: Sequence[Told], *, of: int, budget: Budget) -> Tree:
    """Lay memories out, the newest first in `told`; those at its end go where they do not fit. `of` are in scope."""
    kept = list(told[: budget.memories])
    while True:
        tree = _tree(kept, of=of, budget=budget)
        excess = tree.size - budget.tree_bytes
        if excess <= 0 or not kept:
            return tree
        while excess > 0 and kept:
            excess -= cost(kept.pop())


def cost(told: Told) -> int:
    """Bytes of a message in its file."""
    return len(_bytes(pages.entry(told))) + 1


def _tree(told: Sequence[Told], *, of: int, budget: Budget) -> Tree:
    left_out = LeftOut(memories=of - len(told), of=of)
    sessions = list(_sessions(told))
    files: dict[str, bytes] = {}
    lines = []
    for session, chosen in zip(sessions, picked([each.told for each in sessions]), strict=True):
        best, *_ = _extracts(session, chosen[:1])
        extracts = _extracts(session, sorted(chosen))
        files[f"{session.folder}/summary.md"] = _bytes(pages.summary(session.told, len(session.runs), extracts))
        lines.append(pages.index_line(session.folder, session.told, best))
        for file, found in session.runs.items():
            files[f"{session.folder}/{file}"] = _bytes(_page(found))
    files[INDEX] = _bytes([*_index(told, left_out), *lines, ""])
    files[GUIDE] = _guide(budget)
    files[HELPER] = resources.files("gateway.runbook").joinpath(HELPER).read_bytes()
    places = {f"{each.folder}/{file}": found for each in sessions for file, found in each.runs.items()}
    return Tree(files=dict(sorted(files.items())), places=places, left_out=left_out)


def _sessions(told: Sequence[Told]) -> Iterable[_Session]:
    owners = sorted({each.owner for each in told}, key=_order)
    for owner, stream in zip(owners, names([stream_of(each) for each in owners]), strict=True):
        by_session: dict[str | None, list[Told]] = {}
        for each in sorted((each for each in told if each.owner == owner), key=lambda each: each.doc):
            by_session.setdefault(each.session_id, []).append(each)
        folders = names([session or "" for session in by_session])
        for folder, found in zip(folders, by_session.values(), strict=True):
            yield _Session(folder=f"streams/{stream}/{folder}", told=found, runs=_runs(found))


def _order(owner: Owner) -> tuple[bool, str]:
    """A user's own stream before those that are shared."""
    return owner.startswith(("room:", "tenant:")), owner


def _runs(told: Sequence[Told]) -> dict[str, list[Place]]:
    by_run: dict[str | None, list[Told]] = {}
    for each in told:
        by_run.setdefault(each.run_id, []).append(each)
    found = zip(names([run or "" for run in by_run]), by_run.values(), strict=True)
    return {f"{name}.md": _placed(run) for name, run in found}


def _placed(told: Sequence[Told]) -> list[Place]:
    number = len(pages.run_heading(told[0])) + 1
    places = []
    for each in told:
        end = number + len(pages.entry(each)) - 1
        places.append(Place(start=number, end=end, told=each))
        number = end + 2
    return places


def _page(places: Sequence[Place]) -> list[str]:
    lines = pages.run_heading(places[0].told)
    for place in places:
        lines += [*pages.entry(place.told), ""]
    return lines


def _extracts(session: _Session, chosen: Sequence[int]) -> list[str]:
    where = {
        place.told.memory_id: (f"{session.folder}/{file}", (place.start, place.end))
        for file, places in session.runs.items()
        for place in places
    }
    return [pages.extract(session.told[place], *where[session.told[place].memory_id]) for place in chosen]


def _index(told: Sequence[Told], left_out: LeftOut) -> list[str]:
    streams = len({each.owner for each in told})
    lines = ["# Index", "", f"{len(told)} messages of {left_out.of}, in {streams} streams; {pages.span_of(told)}."]
    if left_out.memories:
        lines.append(f"{left_out.memories} did not fit and are NOT here: the oldest ones.")
    else:
        lines.append("Nothing was left out.")
    lines.append("What was said after this folder was made, or had not reached the ledger then, is not here.")
    return [*lines, ""]


def _guide(budget: Budget) -> bytes:
    guide = resources.files("gateway.runbook").joinpath("guide.md").read_text("utf-8")
    bounds = [
        "",
        "## Your budget",
        "",
        f"- {budget.states} looks, a search or an opened span each, and {budget.read_bytes} bytes of what they give",
        f"- {budget.timeout_s:g} seconds, then you are ended",
        f"- {budget.cited} cited messages and {budget.output_bytes} bytes of output",
        "",
    ]
    return (guide + "\n".join(bounds)).encode()


def _bytes(lines: Sequence[str]) -> bytes:
    return "\n".join(lines).encode("utf-8", "backslashreplace")
