"""The rules read what they are developed on as their version says: who has them read otherwise gives them another one.

Stored readings are compared with what their version reads (`daybook rederive --check`), so it reads alike for ever.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from gateway.evaluating.runs import load_runs
from warmpath._rule_extractor import NAME, rule_extractor

GOLDEN = Path(__file__).parents[2] / "golden"
HELP = "give the rules another version (`NAME`), or, where this one was never released, write this line into READINGS"


def readings() -> str:
    """A digest of what is proposed of the labelled runs, run by run."""
    digest, rules = hashlib.sha256(), rule_extractor()
    for run in load_runs(GOLDEN):
        for each in rules.extract(run.reading, deadline_s=60).candidates:
            digest.update(each.model_dump_json(exclude_none=True).encode())
    return f"{NAME} {digest.hexdigest()}"


def test_a_version_of_the_rules_reads_alike_for_ever() -> None:
    found = readings()
    assert found in (GOLDEN / "READINGS").read_text(encoding="utf-8").splitlines(), f"{HELP}: {found}"
