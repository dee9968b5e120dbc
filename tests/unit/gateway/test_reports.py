from __future__ import annotations

from datetime import UTC, datetime, timedelta

from gateway.reports import progress_of
from shared.contract.receipts import Stage

AT = datetime(2026, 1, 1, tzinfo=UTC)


def _row(stage: str, state: str, runs: int, minutes: int = 0) -> dict[str, object]:
    return {"stage": stage, "state": state, "runs": runs, "oldest": AT + timedelta(minutes=minutes)}


PROGRESS = progress_of(
    [
        _row("done", "done", 5),
        _row("index", "waiting", 3, minutes=2),
        _row("append", "waiting", 2, minutes=9),
        _row("append", "parked", 1),
        _row("gate", "waiting", 4, minutes=4),
    ]
)


def test_the_backlog_is_in_the_order_of_the_stages() -> None:
    assert [each.stage for each in PROGRESS.backlog] == ["append", "append", "gate", "index", "done"]


def test_each_state_is_counted() -> None:
    assert (PROGRESS.waiting, PROGRESS.parked, PROGRESS.done) == (9, 1, 5)


def test_a_run_is_past_the_stages_before_the_one_it_waits_for() -> None:
    past = {stage: PROGRESS.past(stage) for stage in Stage}
    assert past == {
        Stage.OBSERVE: 15,
        Stage.APPEND: 12,
        Stage.GATE: 8,
        Stage.EXTRACT: 8,
        Stage.RESOLVE: 8,
        Stage.INDEX: 5,
    }


def test_the_oldest_is_of_those_that_wait() -> None:
    assert PROGRESS.oldest == AT + timedelta(minutes=2)
    assert progress_of([_row("done", "done", 1)]).oldest is None
    assert progress_of([]).waiting == 0
