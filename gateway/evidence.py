"""Shows what recall found to people: each memory with date and speaker, and what every channel gave to its score."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from gateway.terminal import day, number
from shared.contract.bundle import Bundle, Item, Verdict

if TYPE_CHECKING:
    from rich.console import Console

_NAMES: Final[Mapping[str, str]] = {
    "words_before": "words pair",
    "words_session": "words session",
    "words_neighbour": "words beside",
    "meaning_before": "meaning pair",
    "meaning_neighbour": "meaning beside",
}
"""Channels and features of a score in a person's words; the others are called what they are."""
LEGEND: Final = (
    "under each memory: what a channel measured and, after the +, what that gave to the score "
    "(pair: together with the turn before it; beside: its neighbours)"
)
_CONTRIBUTION: Final = "+"
_LEAST_PART: Final = 0.015
_DATE_WIDTH: Final = 11
_WHOLE_FROM_MS: Final = 10
_INDENT: Final = 6
_OTHERS: Final = " · others +.99"
_STEPS: Final = ("plan", "embed", "search", "fuse", "expand", "assemble")


def show_bundle(out: Console, bundle: Bundle, *, explain: bool) -> None:
    """The whole of a bundle: verdict, evidence in the order of the block, and with `explain` why and how long."""
    out.print(verdict_line(bundle))
    if bundle.items:
        out.print()
        show_items(out, bundle.items, scores=explain)
    out.print(bundle.summary, style="dim")
    if explain:
        for line in bundle.plan:
            out.print(f"plan: {line}", style="dim")
    out.print(cost_line(bundle), style="dim")


def verdict_line(bundle: Bundle) -> Text:
    """The verdict, why, and what could not be asked."""
    colour = "green" if bundle.verdict is Verdict.SUPPORTED else "yellow"
    line = Text.assemble((str(bundle.verdict), f"bold {colour}"), f" · {bundle.reason}")
    if bundle.degraded:
        line.append(f" · degraded: without {', '.join(bundle.degraded)}", "red")
    return line


def best(bundle: Bundle, most: int) -> list[Item]:
    """The best-ranked hits that are in the bundle, best first."""
    hits = [item for item in bundle.items if item.rank is not None or item.fresh]
    return sorted(hits, key=lambda item: -item.score)[:most]


def show_items(out: Console, items: Sequence[Item], *, scores: bool, marked: Collection[str] = ()) -> None:
    """A line for each memory, and with `scores` one for its channels. Messages whose id is in `marked` get a star."""
    width = max((len(_who(item)) for item in items), default=0)
    for item in items:
        out.print(_line(item, width, starred=any(source.message_id in marked for source in item.sources)))
        if scores and item.scores:
            out.print(Padding(channels(item.scores, out.width - _INDENT), (0, 0, 0, _INDENT)))


def channels(scores: Mapping[str, float], width: int) -> Text:
    """What each channel measured, and what of the score it gave: `meaning 0.71 +.25`, the greatest parts first.

    As many as fit into `width` characters; what the others gave is summed.
    """
    parts = {name.removeprefix(_CONTRIBUTION): part for name, part in scores.items() if name.startswith(_CONTRIBUTION)}
    parts = parts or dict(scores)  # of a message on its way there is one score only
    ranked = sorted(parts.items(), key=lambda each: -each[1])
    line, rest = Text(), 0.0
    for name, part in ranked:
        piece = _part(_NAMES.get(name, name.replace("_", " ")), scores.get(name), part)
        joined = Text(" · ", "dim").join([line, piece]) if line else piece
        if part >= _LEAST_PART and joined.cell_len + len(_OTHERS) <= width:
            line = joined
        else:
            rest += part
    return Text(" · ", "dim").join([line, _part("others", None, rest)]) if rest >= _LEAST_PART else line


def _part(name: str, raw: float | None, part: float) -> Text:
    measured = "" if raw is None else f"{raw:.2f} " if raw < 1 else f"{raw:.1f} "
    return Text.assemble((f"{name} {measured}", "dim"), (f"+{part:.2f}".replace("0.", "."), "cyan"))


def _line(item: Item, width: int, *, starred: bool) -> Table:
    line = Table.grid(padding=(0, 1, 0, 0))
    line.add_column(width=_INDENT - 2, justify="right", style="bold cyan")
    line.add_column(width=_DATE_WIDTH, justify="right", style="dim")
    line.add_column(width=width, style="bold")
    line.add_column(width=1, style="green")
    line.add_column(ratio=1)
    line.add_row(f"{item.score:.2f}", day(item.event_time), _who(item), "★" if starred else "", item.text)
    return line


def _who(item: Item) -> str:
    return item.speaker or item.role or item.origin


def cost_line(bundle: Bundle) -> str:
    """Tokens, and milliseconds by step."""
    took = bundle.timings_ms
    steps = " ".join(f"{step} {_ms(took[step])}" for step in _STEPS if step in took)
    database = f" (Postgres {_ms(took['database'])})" if took.get("database") else ""
    return f"{number(bundle.tokens)} tokens · {_ms(took.get('total', 0.0))} ms{database}: {steps}"


def _ms(value: float) -> str:
    return f"{value:.0f}" if value >= _WHOLE_FROM_MS else f"{value:.1f}"
