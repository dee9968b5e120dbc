"""How good what is stored is: extractors on labelled runs.

runs        labelled runs from TOML files
scoring     what was stored against the labels: pure
writes      an extractor on runs, through the gate
"""

from gateway.evaluating.runs import LabelledRun, load_runs
from gateway.evaluating.scoring import Score, Verdict
from gateway.evaluating.writes import evaluate

__all__ = ["LabelledRun", "Score", "Verdict", "evaluate", "load_runs"]
