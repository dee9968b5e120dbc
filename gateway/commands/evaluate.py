"""evaluate: how good what Daybook does is, measured."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from gateway.commands.options import for_machines, for_scope, pass_terminal
from gateway.terminal import Terminal, columns, counted, day, number

if TYPE_CHECKING:
    from gateway.evaluating import Score
    from gateway.evaluating.scoring import Rate, Stored
    from gateway.measuring import Answered, Evaluation
    from shared.belief.measuring import Judged, Measured
    from shared.contract.candidates import Extractor


@click.group()
def evaluate() -> None:
    """Measure how good what Daybook does is: what it writes, what it finds, and how a tenant's memory does."""


@evaluate.command(
    epilog="""\b
Examples:
  daybook evaluate writes
  daybook evaluate writes --runs tests/golden --extractor model --json"""
)
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
def writes(terminal: Terminal, *, runs: Path, extractor: str) -> int:
    """Have an extractor read labelled runs, and compare what would be stored with the labels.

    Prints precision and recall of stored claims, each with its interval of 95 %, duplicates and wrong
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


@evaluate.command(
    epilog="""Exit code 1: a gate is tripped, or the counting failed; 2: wrong input; 3: a service cannot be reached.

\b
Examples:
  daybook evaluate memory --tenant acme
  daybook evaluate memory --tenant acme --dry-run
  daybook evaluate memory --tenant acme --release --by lena
  daybook evaluate memory --tenant acme --json"""
)
@click.option("--tenant", required=True, metavar="ID", help="Which tenant's memory.")
@click.option("--dry-run", is_flag=True, help="Look at what was counted last; count nothing, and have no gate act.")
@click.option("--release", is_flag=True, help="Let go of all that gates have set, until they trip again.")
@click.option("--by", metavar="WHO", help="With --release: who says so.")
@for_machines
@pass_terminal
def memory(terminal: Terminal, *, tenant: str, dry_run: bool, release: bool, by: str | None) -> int:
    """Count how a tenant's memory does, show its metrics, and have its gates act.

    Metrics are of the last DAYBOOK_EVALUATE_DAYS days. One without a value has nothing to count in, which is not 0. A
    gate that trips does something until its metric is well again: see docs/operations.md, Metrics of memory.
    """
    from coldpath.evaluate import release as let_go
    from gateway import Daybook
    from gateway.cli import FAILED, OK
    from gateway.measuring import evaluate as measure

    if release != bool(by):
        raise click.UsageError("--release and --by go together: what gates have set is let go of by somebody")
    with Daybook() as daybook, terminal.bar("counting streams") as heard:
        if release:
            let_go(daybook.database(), tenant, by=by or "")
        looks = dry_run or release
        found = measure(daybook.database(), daybook.settings, tenant, heard, counts=not looks)
    _show_memory(terminal, found)
    is_well = not any(each.state == "tripped" for each in found.gates) and found.outcome in ("done", "looked")
    return OK if is_well else FAILED


def _show_memory(terminal: Terminal, found: Evaluation) -> None:
    if terminal.as_json:
        terminal.document(found)
        return
    table = columns("metric", ">value", ">of", "what", title=f"{found.tenant_id}, {found.first} to {found.last}")
    for each in found.metrics:
        table.add_row(each.name, _value(each), number(each.counted) if each.is_rate else "", each.says)
    terminal.out.print(table)
    for gate in found.gates:
        if gate.state == "tripped":
            terminal.complain(f"{gate.gate.metric} is {_value(gate.measured)}, {_bound(gate)}: {gate.gate.says}")
    for hold in found.holds:
        terminal.out.print(f"{hold.act} since {day(hold.since)}, for {hold.metric} was {hold.value:.3g}")
    unknown = [gate.gate.metric for gate in found.gates if gate.state == "unknown"]
    if unknown:
        terminal.out.print(f"not judged, for there is too little to count in: {', '.join(unknown)}")
    if found.error:
        terminal.complain(found.error)


def _value(each: Measured) -> str:
    if each.value is None:
        return "none"
    return f"{each.value:.3f}" if each.is_rate else number(each.value)


def _bound(gate: Judged) -> str:
    return f"at most {gate.gate.most:g}" if gate.gate.most is not None else f"at least {gate.gate.least:g}"


@evaluate.command(
    epilog="""\b
Examples:
  daybook evaluate retrieval questions.jsonl --tenant acme --user mira
  echo '{"query": "Where is the boat?", "expected": ["0b9f1c5e-7a53-4c0e-8f0e-7f3c5d1f2a11"]}' > questions.jsonl"""
)
@click.argument("file", type=click.Path(dir_okay=False, exists=True, path_type=Path))
@for_scope
@click.option("-k", type=click.IntRange(1, 1000), default=10, show_default=True, help="How many hits count.")
@for_machines
@pass_terminal
def retrieval(terminal: Terminal, *, file: Path, tenant: str, user: str, k: int) -> int:
    """Ask labelled questions, and count how much of what they expect is among the first hits.

    FILE has a JSON object a line: `query`, and `expected`, the ids of memories. It is today's `retrieval.recall_at_k`.
    """
    from gateway import Daybook
    from gateway.cli import OK
    from gateway.measuring import answer, cases
    from shared.contract.scope import Scope

    given = cases(file)
    with Daybook() as daybook, terminal.bar("asking") as heard:
        found = answer(daybook, Scope(tenant_id=tenant, user_id=user), given, k, heard)
    _show_answered(terminal, found, k)
    return OK


def _show_answered(terminal: Terminal, found: list[Answered], k: int) -> None:
    expected, hit = sum(each.expected for each in found), sum(each.found for each in found)
    if terminal.as_json:
        terminal.document({"k": k, "expected": expected, "found": hit, "questions": found})
        return
    table = columns("question", ">expected", ">found")
    for each in found:
        if each.missed:
            table.add_row(each.query, number(each.expected), number(each.found))
    if table.row_count:
        terminal.out.print(table)
    terminal.out.print(f"{hit / expected:.3f} of {counted(expected, 'memories')} among the first {k} hits")


def _reader(which: str) -> Extractor:
    from shared.contract.errors import Misconfigured
    from shared.settings import settings
    from shared.store.allowance import Allowance
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
