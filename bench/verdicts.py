"""Verdicts, counted where there is an answer to be found and where there is none. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bench import metrics
from shared.contract.bundle import Verdict

if TYPE_CHECKING:
    from bench.metrics import Estimate
    from bench.quality import Answered

REFUSED: Final = frozenset({Verdict.UNKNOWN, Verdict.PREMISE_UNSUPPORTED})
"""What says that the question cannot be answered as it is asked."""
ELSEWHERE: Final = "asked of another conversation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The verdicts on one kind of question."""

    kind: str
    answerable: bool
    counts: Mapping[str, int]
    """By verdict, every one there is."""
    right: Estimate
    """Share that is not refused where there is an answer, and that is refused where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """All verdicts of a corpus."""

    rows: tuple[Row, ...]
    """Answerable kinds first, each by name."""
    accuracy: Mapping[str, Estimate]
    """Balanced accuracy of the answerable questions against each unanswerable kind; of half either, whatever there
    are."""


def verdicts(answered: Answered) -> Verdicts:
    """Count them."""
    answerable: dict[str, list[Verdict]] = {}
    unanswerable: dict[str, list[Verdict]] = {}
    for outcome in answered.outcomes:
        kinds = answerable if outcome.question.answerable else unanswerable
        kinds.setdefault(outcome.question.kind, []).append(outcome.verdict)
    if unanswerable and (len(unanswerable) > 1 or not answerable.keys().isdisjoint(unanswerable)):
        # Of the kinds of the answerable, a few each.
        unanswerable = {"without an answer": [verdict for each in unanswerable.values() for verdict in each]}
    if answered.elsewhere:
        unanswerable[ELSEWHERE] = list(answered.elsewhere)
    kept = [_kept(verdict) for each in answerable.values() for verdict in each]
    return Verdicts(
        rows=(
            *(_row(kind, answerable[kind], answerable=True) for kind in sorted(answerable)),
            *(_row(kind, each, answerable=False) for kind, each in unanswerable.items()),
        ),
        accuracy={
            kind: metrics.balanced(kept, [1 - _kept(verdict) for verdict in each])
            for kind, each in unanswerable.items()
            if kept
        },
    )


def _row(kind: str, found: Iterable[Verdict], *, answerable: bool) -> Row:
    found = list(found)
    counts = Counter(found)
    return Row(
        kind=kind,
        answerable=answerable,
        counts={verdict.value: counts[verdict] for verdict in Verdict},
        right=metrics.estimate([_kept(verdict) if answerable else 1 - _kept(verdict) for verdict in found]),
    )


def _kept(verdict: Verdict) -> float:
    return float(verdict not in REFUSED)
