"""What the points came to: as a table for people, as Markdown for the docs, as JSON for machines."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gateway.terminal import columns
from tests.acceptance.chaos.trial import Verdict

if TYPE_CHECKING:
    from rich.table import Table


def line(verdict: Verdict) -> str:
    """A verdict as it is told while the next point is under way."""
    mark = "ok  " if verdict.passed else "FAIL"
    times = f"{verdict.recovered_s:5.1f} s" if not verdict.problem else " " * 7
    return f"{mark} {times}  {verdict.point.name}  {'' if verdict.passed else verdict.outcome}".rstrip()


def table(verdicts: Sequence[Verdict]) -> Table:
    """One row a point."""
    made = columns("point", "what was done", "outcome", ">recovered in s")
    for each in verdicts:
        made.add_row(each.point.name, each.point.done, each.outcome, _seconds(each))
    return made


def markdown(verdicts: Sequence[Verdict], took_s: float) -> str:
    """The table, with a line on where and how long."""
    rows = ["| point | what was done | outcome | recovered in s |", "| --- | --- | --- | ---: |"]
    rows += [f"| `{each.point.name}` | {each.point.done} | {each.outcome} | {_seconds(each)} |" for each in verdicts]
    return "\n".join([summary(verdicts, took_s), "", *rows, ""])


def summary(verdicts: Sequence[Verdict], took_s: float) -> str:
    """How many points there were, how many came out as they must, and how long all took."""
    faults = [each for each in verdicts if not each.point.caught]
    well = sum(each.passed for each in faults)
    controls = [each for each in verdicts if each.point.caught]
    caught = sum(each.passed for each in controls)
    return (
        f"{well} of {len(faults)} faults with nothing lost and nothing twice; {caught} of {len(controls)} damaged end "
        f"states caught; {took_s:.0f} s on {platform.machine()}, Python {platform.python_version()}."
    )


def document(verdicts: Sequence[Verdict], took_s: float) -> dict[str, Any]:
    """Everything, for machines."""
    return {
        "passed": all(each.passed for each in verdicts),
        "took_s": round(took_s, 1),
        "points": [
            {
                "point": each.point.name,
                "done": each.point.done,
                "passed": each.passed,
                "outcome": each.outcome,
                "lost": each.lost,
                "twice": each.twice,
                "recovered_s": round(each.recovered_s, 2),
                "took_s": round(each.took_s, 2),
                "fingerprint": each.digest,
            }
            for each in verdicts
        ],
    }


def _seconds(verdict: Verdict) -> str:
    return "" if verdict.problem or verdict.point.caught else f"{verdict.recovered_s:.1f}"
