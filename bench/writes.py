"""How good what rules store of labelled runs is, and how fast they read: `python -m bench.writes [FOLDER]`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gateway.evaluating import evaluate, load_runs
from warmpath._rule_extractor import rule_extractor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gateway.evaluating import LabelledRun, Score

GOLDEN: Final = Path(__file__).parent.parent / "tests" / "golden"
_PASSES: Final = 3
"""Runs are read so often; the fastest pass counts, as the least disturbed one."""


def measure(runs: Sequence[LabelledRun]) -> Score:
    """Score the rules on labelled runs, timed by the fastest of some passes after one that loads the tagger."""
    extractor = rule_extractor()
    evaluate(extractor, runs[:1])
    return min((evaluate(extractor, runs) for _ in range(_PASSES)), key=lambda score: score.seconds)


def main(arguments: Sequence[str]) -> None:
    """Print the figures of a folder of labelled runs."""
    score = measure(load_runs(Path(arguments[0]) if arguments else GOLDEN))
    print(f"{len(score.verdicts)} runs, {score.messages} messages, read by {score.extractor}")
    for name, rate in (("precision", score.precision), ("recall", score.recall)):
        low, high = rate.interval or (0.0, 0.0)
        print(f"{name:<14} {rate.value or 0.0:.3f} ({low:.3f} to {high:.3f}, n={rate.of})")
    print(f"{'duplicates':<14} {score.duplicates}")
    print(f"{'wrong updates':<14} {score.wrong_updates}")
    ms = 1000 * score.seconds / score.messages
    print(f"{'time':<14} {ms:.2f} ms a message, {1000 / ms:.0f} messages a second")


if __name__ == "__main__":
    main(sys.argv[1:])
