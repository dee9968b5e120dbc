"""The report says what was measured, and whether bounds hold."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from rich.progress import Progress

from bench.embedders import Remembering
from bench.figures import Quantiles, figures
from bench.pooling import pooled
from bench.quality import answer
from bench.ratios import Ratio
from bench.rebuilding import Costs, Rebuilding
from bench.report import Report, as_json, as_markdown
from bench.speed import Speed
from bench.stages import Cost, StagesDone
from bench.work import WorkDone
from hotpath.recipes import FAST
from shared.contract.receipts import Stage
from shared.testing import HashEmbedder


def spent(p50: float) -> Quantiles:
    return Quantiles(p50=p50, p95=2 * p50, n=200)


def speed(measured_ms: float) -> Speed:
    ratio = Ratio(name="this against that", measured=spent(measured_ms), against=spent(2), bound=1.5)
    return Speed(ratios=(ratio,), timings_ms={1_000: {"total": spent(4)}, 9_000: {"total": spent(5)}})


def work(share: float) -> WorkDone:
    ratio = Ratio(
        name="one rate against another", measured=spent(100 * share), against=spent(100), bound=0.4, unit="runs/s",
        at_least=True,
    )  # fmt: skip
    return WorkDone(ratios=(ratio,))


def stages(share: float) -> StagesDone:
    ratio = Ratio(name="two", measured=spent(30 * share), against=spent(30), bound=1.4, unit="runs/s", at_least=True)
    costs = {Stage.APPEND: Cost(mean_ms=4, p95_ms=6, n=24), Stage.EXTRACT: Cost(mean_ms=20.25, p95_ms=31, n=24)}
    return StagesDone(ratios=(ratio,), costs=costs, candidates=2.5)


def rebuilding(growth: float) -> Rebuilding:
    small, large = Costs(seconds=spent(2), peak_mb=spent(1)), Costs(seconds=spent(2 * growth), peak_mb=spent(7))
    ratio = Ratio(name="time", measured=large.seconds, against=small.seconds, bound=5, unit="s")
    return Rebuilding(ratios=(ratio,), costs={"reindex": {1_000: small, 4_000: large}})


@pytest.fixture
def quality(corpus, product):
    return figures(corpus, answer(corpus, product, Remembering(HashEmbedder()), Progress(disable=True)))


def test_a_ratio_at_its_bound_holds_and_one_above_it_does_not() -> None:
    assert Report(model="m", quality=(), speed=speed(3)).bounds_hold
    assert not Report(model="m", quality=(), speed=speed(3.01)).bounds_hold


def test_a_rate_below_its_bound_does_not_hold_and_one_at_it_does() -> None:
    assert Report(model="m", quality=(), work=work(0.4)).bounds_hold
    missed = Report(model="m", quality=(), work=work(0.39))
    assert not missed.bounds_hold
    assert "| one rate against another | 0.39 | ≥ 0.4 | ✗ | 39.00 | 100.00 | runs/s | 200 |" in as_markdown(missed)


def test_a_part_that_misses_its_bound_is_not_made_good_by_another() -> None:
    assert not Report(model="m", quality=(), speed=speed(3), work=work(1), rebuilding=rebuilding(6)).bounds_hold


def test_what_each_stage_costs_is_told_and_what_they_cost_together() -> None:
    text = as_markdown(Report(model="m", quality=(), stages=stages(1.5)))
    assert "| two | 1.50 | ≥ 1.4 | ✓ | 45.00 | 30.00 | runs/s | 200 |" in text
    assert "| extract | 20.2 | 31.0 | 24 |" in text
    assert "| all of them | 24.2 |  |  |" in text
    assert "Candidates a run: 2.5." in text
    assert not Report(model="m", quality=(), stages=stages(1.3)).bounds_hold


def test_what_rebuilding_costs_is_told_for_each_size() -> None:
    text = as_markdown(Report(model="m", quality=(), rebuilding=rebuilding(4)))
    assert "| time | 4.00 | ≤ 5 | ✓ | 8.00 | 2.00 | s | 200 |" in text
    assert "| reindex | 2.0 | 1.0 | 8.0 | 7.0 |" in text


def test_what_was_not_measured_is_not_held_against_anybody() -> None:
    assert Report(model="m", quality=(), speed=None).bounds_hold


def test_a_missed_bound_is_marked() -> None:
    kept = as_markdown(Report(model="m", quality=(), speed=speed(3)))
    missed = as_markdown(Report(model="m", quality=(), speed=speed(4)))
    assert "| this against that | 1.50 | ≤ 1.5 | ✓ | 3.00 | 2.00 | ms | 200 |" in kept
    assert "| this against that | 2.00 | ≤ 1.5 | ✗ | 4.00 | 2.00 | ms | 200 |" in missed
    assert "| total, ms | 4.0 | 8.0 | 5.0 | 10.0 |" in kept


def test_tables_give_every_system_for_every_kind_with_n(quality) -> None:
    text = as_markdown(Report(model="m", quality=(quality,), speed=None))
    assert "### turn level, all kinds (n = 2)" in text
    assert "### session level, all kinds (n = 2)" in text
    assert "| multi-hop (n = 1) | single-hop (n = 1) |" in text
    assert text.count("| rank-bm25 |") == 5  # two levels, two measures by kind, one comparison
    assert "- repaired: zero-padded id: 1" in text
    assert "| single-hop | 1 | 0 | 0 | 0 | 0 | 100.0 [100.0, 100.0] | 1 |" in text
    assert "Balanced accuracy, answerable against adversarial: 75.0 [50.0, 100.0] (n = 3)." in text
    assert "| without sparse | 25.0 [0.0, 50.0] | -75.0 [" in text
    assert "| all gold turns are in the text | 100.0 [100.0, 100.0] |" in text


def test_a_question_that_was_left_out_is_printed_with_the_reason(quality) -> None:
    text = as_markdown(Report(model="m", quality=(replace(quality, left_out={"c/30": "no evidence"}),)))
    assert "- left out: `c/30`, no evidence" in text


def test_several_histories_are_taken_together_each_by_what_was_not_fitted_on_it(corpus, product) -> None:
    def asked(**more):
        return answer(corpus, product, Remembering(HashEmbedder()), Progress(disable=True), **more)

    fitted, as_shipped = replace(corpus, name="dev"), replace(corpus, name="val")
    both = pooled([(fitted, asked(unfitted=lambda *_: {"q1": FAST, "q2": FAST})), (as_shipped, asked())])
    text = as_markdown(Report(model="m", quality=(), longmemeval=both))
    assert both.n == 4
    assert "## dev + val (n = 4)" in text
    assert "Stands for recall: recall, out of fold of dev, recall of val." in text
    assert "| turn r@10 less that of rank-bm25, interval above 0 | +0.0 [+0.0, +0.0] | 4 | > 0 | > 7 | ✗ |" in text


def test_what_is_to_be_reached_is_marked(quality) -> None:
    locomo = as_markdown(Report(model="m", quality=(replace(quality, corpus="LoCoMo"),)))
    assert "| LoCoMo | turn level r@10 | 100.0 [100.0, 100.0] | 2 | ≥ 75 | ≥ 83 | ✓✓ |" in locomo
    assert "adversarial questions | 75.0 [50.0, 100.0] | 3 | ≥ 65 | ≥ 80 | ✓ |" in locomo
    assert "tokens of the ten best hits as rendered | " in locomo
    hops = as_markdown(Report(model="m", quality=(replace(quality, corpus="MuSiQue"),)))
    assert "| MuSiQue | r@5 of recall less that of rank-bm25 | +0.0 [+0.0, +0.0] | 2 | ≥ 2 | ≥ 5 | ✗ |" in hops


def test_every_row_of_a_table_has_the_cells_of_its_head(quality) -> None:
    rebuilt = rebuilding(growth=4)
    text = as_markdown(Report(model="m", quality=(quality,), speed=speed(3), work=work(0.5), rebuilding=rebuilt))
    for table in text.split("\n\n"):
        if table.startswith("|"):
            assert len({line.count("|") for line in table.splitlines()}) == 1, table


def test_degraded_recalls_and_channels_that_beat_the_whole_are_marked(corpus, product) -> None:
    product.memory.degraded = ("dense",)
    quality = figures(corpus, answer(corpus, product, Remembering(HashEmbedder()), Progress(disable=True)))
    text = as_markdown(Report(model="m", quality=(quality,), speed=None))
    assert "✗ 3 of these recalls were degraded." in text
    assert "✓ On every overall figure" in text


def test_the_json_holds_the_same_figures_and_what_holds(quality) -> None:
    made = json.loads(as_json(Report(model="m", quality=(quality,), speed=speed(4))))
    assert made["speed"]["ratios"][0] | {"measured": 0, "against": 0} == {
        "name": "this against that",
        "measured": 0,
        "against": 0,
        "bound": 1.5,
        "unit": "ms",
        "at_least": False,
        "at": "p50",
        "value": 2.0,
        "holds": False,
    }
    assert made["quality"][0]["ranking"]["turn"]["all"]["recall"]["r@10"]["mean"] == 1


def test_what_the_jobs_of_a_night_cost_is_told_apart_and_held_to_its_bounds() -> None:
    text = as_markdown(Report(model="m", quality=(), tidying=rebuilding(4)))
    assert "## Tidying" in text
    assert "## Rebuilding" not in text
    missed = Report(model="m", quality=(), tidying=rebuilding(6))
    assert not missed.bounds_hold
    assert json.loads(as_json(missed))["tidying"]["ratios"][0]["holds"] is False
