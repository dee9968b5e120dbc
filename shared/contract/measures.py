"""What is counted of a memory's work, the metrics that the counts come to, and the gates on these.

A metric is one count in another, or a count by itself. Where there is nothing to count in, it has no value: that is
neither 0 nor 1, and no gate passes or trips on it. Every count has one producer, `shared.store.measures` or the command
that is named with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from shared.contract import _checks as check


class Counted(StrEnum):
    """Everything that is counted, day by day in UTC. A day is that on which it was written down."""

    # the gate's decisions on candidates
    STORED = "stored"
    CORROBORATED = "corroborated"
    DEFERRED = "deferred"
    REVIEWED = "reviewed"
    IGNORED = "ignored"
    DUPLICATES = "duplicates"
    """Of all these, those that the rules on duplicates decided."""
    # operations on memories
    SUPERSEDED = "superseded"
    ENDED = "ended"
    RETRACTED = "retracted"
    # what jobs proposed
    ACCEPTED = "accepted"
    REFUSED = "refused"
    TAKEN_BACK = "taken_back"
    """Of what was accepted, what somebody took back."""
    # how things stand, at the day's last look
    HELD = "held"
    """Open memories in words of their own."""
    UNSUPPORTED = "unsupported"
    """Of these, those that cite an event which the ledger does not have."""
    JUDGED = "judged"
    """Memories in words of their own that an outcome spoke of, or that were retracted."""
    PROVED = "proved"
    """Of these, those that are not retracted, and served more often than they misled."""
    WAITING = "waiting"
    """Reviews that nobody has decided."""
    OVERDUE = "overdue"
    """Of these, those whose time is over."""
    # recalls
    TURNS = "turns"
    EMPTY = "empty"
    """Those that showed nothing."""
    TOKENS = "tokens"
    SHOWN = "shown"
    """Memories that they showed."""
    STALE = "stale"
    """Of these, those that were closed by then; not where another time was asked for."""
    ORDERS = "orders"
    """Of these, those that read like orders to a model."""
    CONFLICTS = "conflicts"
    """Contradictions among what was found."""
    CONFLICTS_SHOWN = "conflicts_shown"
    """Of these, those that were shown, which is whole."""
    # outcomes, on the day of their recall
    REPORTED = "reported"
    REPORTED_SHOWN = "reported_shown"
    """Memories shown by recalls that an outcome was reported of."""
    USED = "used"
    MISLED = "misled"
    CORRECTED = "corrected"
    ABSTAINED = "abstained"
    # labelled questions: `daybook evaluate retrieval`
    EXPECTED = "expected"
    """Memories that labelled questions ask for."""
    FOUND = "found"
    """Of these, those among the first hits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One count in another, or by itself."""

    name: str
    """`layer.metric`, with the layers write, retrieval, context and outcome."""
    part: tuple[Counted, ...]
    """Added up."""
    whole: tuple[Counted, ...] = ()
    """Added up; none where the metric is a count."""
    says: str
    """For people, in a few words."""


_DECIDED: Final = (Counted.STORED, Counted.CORROBORATED, Counted.DEFERRED, Counted.REVIEWED, Counted.IGNORED)

METRICS: Final = tuple(
    Metric(name=name, part=part, whole=whole, says=says)
    for name, part, whole, says in (
        ("write.decisions", _DECIDED, (), "candidates decided on"),
        ("write.store_rate", (Counted.STORED,), _DECIDED, "candidates that became memories"),
        ("write.duplicate_rate", (Counted.DUPLICATES,), _DECIDED, "candidates that were held already"),
        ("write.precision", (Counted.PROVED,), (Counted.JUDGED,), "judged memories that proved good"),
        ("write.unsupported_rate", (Counted.UNSUPPORTED,), (Counted.HELD,), "memories without their evidence"),
        (
            "write.wrong_update_rate", (Counted.RETRACTED,),
            (Counted.RETRACTED, Counted.SUPERSEDED, Counted.ENDED), "changes that said it never was so",
        ),
        ("write.proposal_precision", (Counted.ACCEPTED,), (Counted.ACCEPTED, Counted.REFUSED), "proposals that passed"),
        ("write.taken_back_rate", (Counted.TAKEN_BACK,), (Counted.ACCEPTED,), "accepted proposals taken back"),
        ("write.approval_queue", (Counted.WAITING,), (), "reviews that wait"),
        ("write.overdue_rate", (Counted.OVERDUE,), (Counted.WAITING,), "waiting reviews whose time is over"),
        ("retrieval.evidence_precision", (Counted.USED,), (Counted.REPORTED_SHOWN,), "shown memories that served"),
        ("retrieval.misled_rate", (Counted.MISLED,), (Counted.REPORTED_SHOWN,), "shown memories that misled"),
        (
            "retrieval.contradiction_coverage", (Counted.CONFLICTS_SHOWN,), (Counted.CONFLICTS,),
            "contradictions that the budget had room for",
        ),
        ("retrieval.recall_at_k", (Counted.FOUND,), (Counted.EXPECTED,), "labelled memories among the first hits"),
        ("context.tokens_per_turn", (Counted.TOKENS,), (Counted.TURNS,), "tokens of a recall"),
        ("context.memories_per_turn", (Counted.SHOWN,), (Counted.TURNS,), "memories of a recall"),
        ("context.stale_rate", (Counted.STALE,), (Counted.SHOWN,), "shown memories that were closed"),
        ("context.injection_hit_rate", (Counted.ORDERS,), (Counted.SHOWN,), "shown memories that read like orders"),
        ("context.no_inject_rate", (Counted.EMPTY,), (Counted.TURNS,), "recalls that showed nothing"),
        ("outcome.turns", (Counted.TURNS,), (), "recalls"),
        ("outcome.reported_rate", (Counted.REPORTED,), (Counted.TURNS,), "recalls with a reported outcome"),
        ("outcome.correction_rate", (Counted.CORRECTED,), (Counted.REPORTED,), "answers that the user corrected"),
        ("outcome.abstention_rate", (Counted.ABSTAINED,), (Counted.REPORTED,), "answers that were not given"),
    )
)  # fmt: skip
"""What retrieval chose not to show (`no_inject_rate`) and what the agent chose not to answer (`abstention_rate`) are
two. The names and the rule on missing values follow section 10 of learn-agent-memory."""

_BY_NAME: Final[Mapping[str, Metric]] = MappingProxyType({metric.name: metric for metric in METRICS})


class Act(StrEnum):
    """What a gate does while it is tripped."""

    HOLD_MODEL = "hold_model"
    """Runs are read by rules and by no model, until the gate is well or somebody lets go of it."""
    RAISE_BUDGET = "raise_budget"
    """Recalls that state no budget have half as much again."""
    REINDEX = "reindex"
    """The views of words and names are built anew, once each time it trips."""
    REVIEW = "review"
    """What would be remembered waits for a person, each with a review of its own. It takes somebody who decides, so no
    built-in gate asks for it."""
    NOTIFY = "notify"
    """Nothing but the event, a metric, and the exit code of `daybook evaluate`: a person has to see to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """A bound on a metric, and what happens beyond it.

    Raises:
        InvalidInput: there is no such metric, neither or both bounds are given, or `fewest` is less than 1.
    """

    metric: str
    most: float | None = None
    least: float | None = None
    fewest: int = 1
    """How much the metric must count in before it is judged."""
    act: Act
    says: str
    """What is wrong where it trips, and what to do, for people."""

    def __post_init__(self) -> None:
        if self.metric not in _BY_NAME:
            check.refuse("metric", self.metric, f"there is no such metric; there are {', '.join(_BY_NAME)}")
        if (self.most is None) == (self.least is None):
            check.refuse("most", self.most, f"the gate on {self.metric} needs one of most and least")
        check.at_least("fewest", self.fewest, 1)
        check.text("says", self.says)


GATES: Final = (
    Gate(
        metric="write.unsupported_rate", most=0.0, act=Act.HOLD_MODEL,
        says="memories cite events that the ledger does not have: run `daybook replay --verify`",
    ),
    Gate(
        metric="retrieval.misled_rate", most=0.2, fewest=50, act=Act.HOLD_MODEL,
        says="one memory in five misled: see which by `daybook turn`, and what the model read of them by `daybook why`",
    ),
    Gate(
        metric="retrieval.contradiction_coverage", least=1.0, fewest=5, act=Act.RAISE_BUDGET,
        says="contradictions did not fit the budget: a recall said less than is known",
    ),
    Gate(
        metric="context.stale_rate", most=0.05, fewest=50, act=Act.REINDEX,
        says="what is closed reaches prompts: the views are behind",
    ),
    Gate(
        metric="context.injection_hit_rate", most=0.0, act=Act.NOTIFY,
        says="text that reads like orders to a model reaches prompts, framed as data: `daybook quarantine` its source",
    ),
    Gate(
        metric="write.taken_back_rate", most=0.2, fewest=10, act=Act.NOTIFY,
        says="one change of a job in five was taken back: look at `daybook batches`, and stop that job",
    ),
    Gate(
        metric="write.overdue_rate", most=0.5, fewest=5, act=Act.NOTIFY,
        says="reviews run out undecided, and what they are about is not remembered: `daybook review list`",
    ),
)  # fmt: skip
"""The gates where no others are configured. The first bounds are those of section 10 of learn-agent-memory; `fewest`
keeps a handful of recalls from tripping one, but where the bound is none at all."""
