"""An extractor on labelled runs: what it proposes goes through the gate, and what passes is held against the labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime, tzinfo
from typing import Final

from gateway.evaluating.runs import LabelledRun
from gateway.evaluating.scoring import Score, Stored, Verdict, judge_run
from shared import clock
from shared.belief.predicates import BUILT_IN
from shared.belief.rules.context import GateContext
from shared.belief.rules.gate import judge
from shared.contract.candidates import Candidate, Extraction, Extractor
from shared.contract.records import Action, Kind

_PASSES: Final = frozenset({Action.STORE, Action.CORROBORATE, Action.DEFER, Action.REVIEW})
"""What waits for more evidence or for a person is proposed to be stored, and judged as such."""
DEADLINE_S: Final = 120.0


def evaluate(extractor: Extractor, runs: Sequence[LabelledRun]) -> Score:
    """Have an extractor read labelled runs, each by itself, and compare what would be stored with the labels."""
    by_rules = extractor.name.startswith("rules/")
    verdicts: list[Verdict] = []
    statuses: Counter[str] = Counter()
    seconds = 0.0
    for run in runs:
        began = clock.monotonic_s()
        extraction = extractor.extract(run.reading, deadline_s=DEADLINE_S)
        seconds += clock.monotonic_s() - began
        statuses[extraction.status] += 1
        verdicts.append(judge_run(run, stored_of(run, extraction), canonical=_canonical(run), by_rules=by_rules))
    return Score(
        extractor=extractor.name, verdicts=verdicts, messages=sum(len(run.lines) for run in runs), seconds=seconds,
        statuses=dict(statuses),
    )  # fmt: skip


def stored_of(run: LabelledRun, extraction: Extraction) -> list[Stored]:
    """What of an extraction passes the gate and claims something."""
    reading = run.reading
    context = GateContext(
        lines={line.sequence: line for line in reading.lines}, run_id=run.id, holds_secret=lambda _: False,
        owner_speaker=run.owner, room=run.owner is None,
    )  # fmt: skip
    zones = {line.sequence: line.zone for line in reading.lines}
    return [
        _stored(each, zones[each.evidence[-1].sequence])
        for each in extraction.candidates
        if each.kind is not Kind.EPISODIC and judge(each, context).decision.action in _PASSES
    ]


def _stored(candidate: Candidate, zone: tzinfo) -> Stored:
    claim = candidate.claim
    return Stored(
        subject=claim.subject if claim else "", predicate=claim.predicate if claim else "",
        object=claim.object if claim else "", change=candidate.change, text=candidate.text,
        since=_day(candidate.since, zone), until=_day(candidate.until, zone),
    )  # fmt: skip


def _day(at: datetime | None, zone: tzinfo) -> date | None:
    return at.astimezone(zone).date() if at else None


def _canonical(run: LabelledRun) -> dict[str, str]:
    named = {name for label in run.should for name in label.predicate}
    named |= {name for each in run.never for name in each.predicate}
    return {name: BUILT_IN.find(name).name for name in named}
