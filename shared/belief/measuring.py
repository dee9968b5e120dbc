"""What counts come to, and which gates trip on it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from shared.contract.measures import METRICS, Counted, Gate, Metric


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A metric and what it is over some days."""

    name: str
    says: str
    value: float | None
    """None where there was nothing to count in. It is not 0."""
    counted: int
    """What it counts in: of a rate its denominator, of a count itself."""
    is_rate: bool


class State(StrEnum):
    """How a gate stands."""

    PASSES = "passes"
    TRIPPED = "tripped"
    UNKNOWN = "unknown"
    """Its metric has no value, or counts in too little."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A gate and how it stands."""

    gate: Gate
    state: State
    measured: Measured


def measured(counts: Mapping[Counted, int]) -> tuple[Measured, ...]:
    """Every metric, in their order; what is not among the counts was counted 0 times."""
    return tuple(_measured(metric, counts) for metric in METRICS)


def judged(gates: Iterable[Gate], counts: Mapping[Counted, int]) -> tuple[Judged, ...]:
    """How each gate stands."""
    by_name = {each.name: each for each in measured(counts)}
    return tuple(
        Judged(gate=gate, state=_state(gate, by_name[gate.metric]), measured=by_name[gate.metric]) for gate in gates
    )


def _measured(metric: Metric, counts: Mapping[Counted, int]) -> Measured:
    part, whole = _sum(metric.part, counts), _sum(metric.whole, counts)
    is_rate = bool(metric.whole)
    value = part if not is_rate else part / whole if whole else None
    return Measured(
        name=metric.name, says=metric.says, value=value, counted=whole if is_rate else part, is_rate=is_rate
    )


def _sum(names: Iterable[Counted], counts: Mapping[Counted, int]) -> int:
    return sum(counts.get(name, 0) for name in names)


def _state(gate: Gate, found: Measured) -> State:
    if found.value is None or found.counted < gate.fewest:
        return State.UNKNOWN
    beyond = found.value > gate.most if gate.most is not None else found.value < (gate.least or 0.0)
    return State.TRIPPED if beyond else State.PASSES
