"""Shows the demonstration to people: how far the workers are, answers with their evidence, beliefs, numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Self

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from gateway.demo.run import FIRST
from gateway.demo.show_beliefs import show_told
from gateway.demo.show_night import show_night
from gateway.evidence import LEGEND, best, cost_line, show_items, verdict_line
from gateway.terminal import counted, number
from shared import clock
from shared.contract.receipts import Stage

if TYPE_CHECKING:
    from gateway.demo.believing import Told
    from gateway.demo.night import Night
    from gateway.demo.run import Answer, Outcome
    from gateway.reports import Progress as RunProgress
    from gateway.terminal import Terminal

SHOWN: Final = 4
_LINE_EVERY_S: Final = 2.0
_STAGES: Final = {
    Stage.OBSERVE: "accepted",
    Stage.APPEND: "appended",
    Stage.GATE: "gated",
    Stage.EXTRACT: "read",
    Stage.RESOLVE: "resolved",
    Stage.INDEX: "indexed",
}


class Screen:
    """An audience at a terminal, or at the other end of a pipe: there it is told in lines."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._out, self._err = terminal.out, terminal.err
        self._bars: Progress | None = None
        self._told: tuple[int, ...] = ()
        self._told_s = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end_bars()

    def say(self, step: str) -> None:
        """Write what begins."""
        self._end_bars()
        self._err.print(f"• {step}", style="yellow" if step.startswith("warning") else "dim")

    def moved(self, progress: RunProgress, runs: int) -> None:
        """Move the bars."""
        counts = tuple(progress.past(stage) for stage in _STAGES)
        if self._err.is_terminal:
            self._move(counts, runs)
        elif counts != self._told and (counts[-1] == runs or clock.monotonic_s() - self._told_s > _LINE_EVERY_S):
            self._told, self._told_s = counts, clock.monotonic_s()
            shown = ", ".join(f"{word} {count}" for word, count in zip(_STAGES.values(), counts, strict=True))
            self._err.print(f"  of {runs} runs: {shown}")

    def answered(self, place: int, places: int, answer: Answer) -> None:
        """Show a question with its evidence."""
        if self._terminal.as_json:
            return
        self._end_bars()
        question, bundle = answer.question, answer.bundle
        self._out.print()
        if place == 1:
            self._out.print(f"★ expected evidence; {LEGEND}", style="dim")
            self._out.print()
        self._out.print(Rule(f"{place} of {places} · {question.asked_by} asks", align="left", style="dim"))
        self._out.print(question.query, style="bold")
        self._out.print(verdict_line(bundle))
        show_items(self._out, best(bundle, SHOWN), scores=True, marked=question.evidence)
        self._out.print(expected_line(answer))
        self._out.print(cost_line(bundle), style="dim")

    def told(self, place: int, places: int, told: Told) -> None:
        """Show a point of what is believed."""
        if not self._terminal.as_json:
            self._end_bars()
            show_told(self._out, place, places, told)

    def slept(self, night: Night) -> None:
        """Show what a night came to."""
        self._end_bars()
        if not self._terminal.as_json:
            show_night(self._out, night)

    def summary(self, outcome: Outcome) -> None:
        """Show the whole in numbers."""
        self._out.print()
        self._out.print(Rule(f"in all · {outcome.title}", align="left", style="dim"))
        table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
        for name, value in summary_lines(outcome):
            table.add_row(name, value)
        self._out.print(table)

    def _move(self, counts: tuple[int, ...], runs: int) -> None:
        if self._bars is None:
            self._bars = Progress(
                TextColumn("  runs {task.description:<9}"),
                BarColumn(bar_width=40),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                console=self._err,
            )
            for word in _STAGES.values():
                self._bars.add_task(word, total=runs)
            self._bars.start()
        for bar, count in zip(self._bars.task_ids, counts, strict=True):
            self._bars.update(bar, completed=count)

    def _end_bars(self) -> None:
        if self._bars is not None:
            self._bars.stop()
            self._bars = None


def expected_line(answer: Answer) -> Text:
    """Whether what was expected was found."""
    mark = ("✓ ", "bold green") if answer.right else ("✗ ", "bold red")
    evidence = answer.question.evidence
    if not evidence:
        said = "unknown, as it should be" if answer.right else "should have been unknown"
        return Text.assemble(mark, f"{said}: {answer.question.answer}")
    counted = f"{len(answer.found)} of {len(evidence)} ★ among the first {FIRST}"
    return Text.assemble(mark, f"expected: {answer.question.answer} ", (f"({counted})", "dim"))


def summary_lines(outcome: Outcome) -> list[tuple[str, str]]:
    """The numbers, by name."""
    answerable = [answer for answer in outcome.answers if answer.question.evidence]
    others = [answer for answer in outcome.answers if not answer.question.evidence]
    pace = outcome.messages / outcome.seconds if outcome.seconds else 0.0
    parked = f", {outcome.parked} given up" if outcome.parked else ""
    lines = [
        ("runs processed", f"{outcome.done} of {outcome.runs}{parked}"),
        (
            "messages processed",
            f"{number(outcome.messages)} in {outcome.seconds:.1f} s, {number(pace)} a second, through real workers",
        ),
        (f"evidence in the first {FIRST}", f"{_right(answerable)} of {len(answerable)} questions"),
    ]
    if others:
        lines.append(("unanswerable, known as such", f"{_right(others)} of {len(others)}"))
    lines.append(
        ("believed as it should be", f"{sum(told.right for told in outcome.told)} of {len(outcome.told)} points")
    )
    changes = counted(sum(each.accepted for each in outcome.night.jobs), "changes")
    back = counted(outcome.night.taken_back, "operations")
    lines.append(("a night", f"{changes}, and {back} to take a batch back"))
    state = "sound" if outcome.sound else "DAMAGED: run `daybook verify`"
    lines += [
        ("recall, median", f"{outcome.recall_p50_ms:.1f} ms"),
        ("ledger", f"{number(outcome.events)} events, hash chains {state}"),
    ]
    return lines


def _right(answers: list[Answer]) -> int:
    return sum(answer.right for answer in answers)
