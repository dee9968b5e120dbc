"""Whatever a metric reads is made somewhere in the code: a count that nobody makes is 0 for good, and looks well."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from inspect import getsource
from itertools import chain
from pathlib import Path

import pytest
from prometheus_client import Counter, Gauge, Histogram

import gateway.measuring
from shared import metrics
from shared.belief.rules import gate
from shared.contract.measures import METRICS, Counted
from shared.contract.records import Action, Operation
from shared.store import measures
from shared.store.measures import BY_COMMAND, STANDING
from shared.store.queries import queries

ROOT = Path(__file__).parents[3]
PACKAGES = ("hotpath", "warmpath", "coldpath", "schedules", "gateway", "shared")
SOURCE, BY_COMMANDS_SOURCE = getsource(measures), getsource(gateway.measuring)
STANDING_SQL = "\n".join(str(queries("measures")[name]) for name in ("standing", "reviews"))
READ = {count for metric in METRICS for count in (*metric.part, *metric.whole)}


def counts_in(tree: ast.AST) -> Iterator[Counted]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "Counted":
            yield Counted[node.attr]


def produced(source: str, standing_sql: str, by_commands: str) -> set[Counted]:
    """The counts that something is put under: in a function, by an action's or an operation's name, or by a column."""
    made: set[Counted] = set()
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) or (
            isinstance(node, ast.AnnAssign) and getattr(node.target, "id", "") in {"_ACTIONS", "_OPERATIONS"}
        ):
            made.update(counts_in(node))
    columns = set(re.findall(r"\bas (\w+)", standing_sql))
    made.update(count for count in STANDING if count.value in columns)
    made.update(count for count in counts_in(ast.parse(by_commands)) if count in BY_COMMAND)
    return made


def test_every_count_that_a_metric_reads_is_made_somewhere_and_every_count_that_is_made_is_read() -> None:
    made = produced(SOURCE, STANDING_SQL, BY_COMMANDS_SOURCE)
    assert made >= READ, f"nothing is ever counted as {sorted(READ - made)}"
    assert made == set(Counted) == READ


@pytest.mark.parametrize(
    ("source", "sql", "by_commands", "missing"),
    [
        (SOURCE.replace('found[row["day"], Counted.STALE]', "_"), STANDING_SQL, BY_COMMANDS_SOURCE, Counted.STALE),
        (SOURCE.replace('"retract": Counted.RETRACTED,', ""), STANDING_SQL, BY_COMMANDS_SOURCE, Counted.RETRACTED),
        (SOURCE.replace("Counted.TOKENS, ", ""), STANDING_SQL, BY_COMMANDS_SOURCE, Counted.TOKENS),
        (SOURCE, STANDING_SQL.replace("as overdue", ""), BY_COMMANDS_SOURCE, Counted.OVERDUE),
        (SOURCE, STANDING_SQL, BY_COMMANDS_SOURCE.replace("Counted.FOUND", "found"), Counted.FOUND),
    ],
)
def test_a_count_whose_producer_is_gone_is_missed(source: str, sql: str, by_commands: str, missing: Counted) -> None:
    assert READ - produced(source, sql, by_commands) == {missing}


def test_actions_operations_and_rules_are_counted_by_the_names_that_they_have() -> None:
    assert set(measures._ACTIONS) == {action.value for action in Action}
    assert set(measures._OPERATIONS) <= {operation.value.lower() for operation in Operation}
    counted = re.findall(r"'(\w+)'", re.search(r"rule in \((.*?)\)", str(queries("measures")["decided"]))[1])  # type: ignore[index]
    assert counted
    assert set(counted) <= constants(gate), "the gate has no rule of that name"


def constants(module: object) -> set[object]:
    tree = ast.parse(getsource(module))  # type: ignore[arg-type]
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}


def test_every_metric_of_the_process_is_written_by_some_line_of_code() -> None:
    names = {name for name, each in vars(metrics).items() if isinstance(each, Counter | Gauge | Histogram)}
    files = chain.from_iterable((ROOT / package).rglob("*.py") for package in PACKAGES)
    assert names
    assert names == set(chain.from_iterable(written(file.read_text()) for file in files))


def written(source: str) -> set[str]:
    """The metrics that a file writes, as `metrics.NAME.inc()` or `metrics.NAME.labels(…).observe(…)`."""
    found = re.findall(
        r"\bmetrics\s*\.([A-Z_]+)\s*(?:\.labels\((?:[^()]|\([^()]*\))*\)\s*)?\.(?:inc|set|observe)\(", source
    )
    return set(found)


def test_a_metric_that_is_only_named_is_not_written() -> None:
    assert written("metrics.GATES.labels(job=a(b), gate=c).inc(); metrics.RINGS_LOST.inc()") == {"GATES", "RINGS_LOST"}
    assert written("found = metrics.GATES.labels(job=job)") == set()
