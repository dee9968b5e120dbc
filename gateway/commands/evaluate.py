"""evaluate: how good what Daybook does is, measured."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from gateway.commands.options import for_machines, pass_terminal
from gateway.terminal import Terminal, columns, number

if TYPE_CHECKING:
    from gateway.evaluating import Score
    from gateway.evaluating.scoring import Rate, Stored
    from shared.contract.candidates import Extractor


@click.command(
    epilog="""\b
Examples:
  daybook evaluate writes
  daybook evaluate writes --runs tests/golden --extractor model --json"""
)
@click.argument("what", type=click.Choice(["writes"]))
@click.option(
    "--runs",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("tests/golden"),
    show_default=True,
    help="A folder of labelled runs: tests/golden/README.md says how they are written.",
)
@click.option(
    "--extractor",
    type=click.Choice(["rules", "model"]),
    default="rules",
    show_default=True,
    help="Who reads them: the rules, or the model of DAYBOOK_EXTRACTION_MODEL.",
)
@for_machines
@pass_terminal
def evaluate(terminal: Terminal, *, what: str, runs: Path, extractor: str) -> int:  # noqa: ARG001 - writes, by now
    """Have an extractor read labelled runs, and compare what would be stored with the labels.

    WHAT is `writes`. Prints precision and recall of stored claims, each with its interval of 95 %, duplicates and wrong
    updates, and each claim that is wrong or missing. Asks no database; a model is asked, and costs what it costs.
    """
    from gateway.cli import OK
    from gateway.evaluating import evaluate as score_of
    from gateway.evaluating import load_runs

    score = score_of(_reader(extractor), load_runs(runs))
    if terminal.as_json:
        terminal.document(_document(score))
    else:
        _show(terminal, score)
    return OK


def _reader(which: str) -> Extractor:
    from shared.contract.errors import Misconfigured
    from shared.settings import settings
    from warmpath._allowance import Allowance
    from warmpath._extractors import by_rules, model_of

    if which == "rules":
        return by_rules()
    model = model_of(settings(), Allowance())
    if model is None:
        raise Misconfigured("no model reads runs: set DAYBOOK_EXTRACTION_MODEL, or pass --extractor rules")
    return model


def _show(terminal: Terminal, score: Score) -> None:
    table = columns("run", "", "subject", "predicate", "object", "change")
    for verdict in score.verdicts:
        for stored in verdict.wrong:
            table.add_row(verdict.run_id, "wrong", stored.subject, stored.predicate, stored.object, stored.change)
        for label in verdict.missed:
            what = " or ".join(label.object) or " ".join(label.words)
            table.add_row(verdict.run_id, "missed", label.subject[0], label.predicate[0], what, label.change)
    if table.row_count:
        terminal.out.print(table)
    terminal.out.print(f"{score.extractor} on {number(len(score.verdicts))} runs, {number(score.messages)} messages")
    terminal.out.print(f"precision      {_rate(score.precision)} of stored claims are right")
    terminal.out.print(f"recall         {_rate(score.recall)} of labelled claims are stored")
    terminal.out.print(f"duplicates     {number(score.duplicates)}")
    terminal.out.print(f"wrong updates  {number(score.wrong_updates)}")
    terminal.out.print(f"time           {1000 * score.seconds / max(1, score.messages):.1f} ms a message")


def _rate(rate: Rate) -> str:
    if rate.value is None or rate.interval is None:
        return "none"
    low, high = rate.interval
    return f"{rate.value:.3f} ({low:.3f} to {high:.3f}; {number(rate.hits)} of {number(rate.of)})"


def _document(score: Score) -> dict[str, object]:
    return {
        "extractor": score.extractor,
        "runs": len(score.verdicts),
        "messages": score.messages,
        "precision": _fields(score.precision),
        "recall": _fields(score.recall),
        "duplicates": score.duplicates,
        "wrong_updates": score.wrong_updates,
        "statuses": score.statuses,
        "seconds": score.seconds,
        "of_runs": [
            {
                "run": each.run_id,
                "wrong": [_claim(stored) for stored in each.wrong],
                "missed": [label.model_dump(mode="json", exclude_defaults=True) for label in each.missed],
                "forbidden": list(each.forbidden),
            }
            for each in score.verdicts
            if each.wrong or each.missed or each.forbidden
        ],
    }


def _fields(rate: Rate) -> dict[str, object]:
    return {"value": rate.value, "interval": rate.interval, "hits": rate.hits, "of": rate.of}


def _claim(stored: Stored) -> dict[str, object]:
    return {
        "subject": stored.subject,
        "predicate": stored.predicate,
        "object": stored.object,
        "change": stored.change,
        "since": stored.since,
        "until": stored.until,
        "text": stored.text,
    }
