"""Views built anew and ledgers replayed in processes of their own, beside recalls."""

from __future__ import annotations

import psycopg
import pytest
from rich.progress import Progress

from bench import rebuilding, scopes
from bench.children import children, peak_bytes
from bench.place import Place
from shared.contract.errors import Permanent

LARGE = 96_000_000


def test_growth_and_what_recall_pays_are_measured_on_real_scopes(where: Place) -> None:
    filled = scopes.fill(where, (60, 120), Progress(disable=True))
    measured = rebuilding.measure(where, filled, Progress(disable=True), passes=1, recalls=4, warm_up=1)
    beside, *growth = measured.ratios
    assert (beside.bound, beside.at, beside.measured.n, beside.against.n) == (2, "p95", 4, 4)
    assert len(growth) == 2 * len(rebuilding.JOBS)
    assert [ratio.bound for ratio in growth] == pytest.approx([2.338] * len(growth), abs=1e-3)
    assert all(costs[size].seconds.p50 > 0 for costs in measured.costs.values() for size in filled)
    assert all(costs[size].peak_mb.p50 >= rebuilding.LEAST_MB for costs in measured.costs.values() for size in filled)


def test_a_replay_that_finds_a_difference_is_no_measure_of_one(where: Place, owner: psycopg.Connection) -> None:
    filled = scopes.fill(where, (10,), Progress(disable=True))
    owner.execute("update memory set text = 'Something else.' where doc = 3")
    with pytest.raises(Permanent, match="places differ"):
        rebuilding.measure(where, filled, Progress(disable=True), passes=1, recalls=2, warm_up=0)


def test_a_childs_memory_is_its_own_and_not_what_its_parent_had() -> None:
    held = bytearray(LARGE)
    with children(1) as process:
        assert process.ask(peak_bytes).result() < len(held) < peak_bytes()
        assert process.ask(len, b"x" * LARGE).result() == LARGE
        assert process.ask(peak_bytes).result() > LARGE
