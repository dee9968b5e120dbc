"""Workers killed, asked to end, and frozen, at each stage, before and after its commit."""

from __future__ import annotations

import signal
from collections.abc import Callable
from functools import partial
from typing import Final

from shared.contract.receipts import Stage
from shared.work.queues import FOLLOWING
from tests.acceptance.chaos.points import Point, enter, point
from tests.acceptance.chaos.scene import Held, Moment, Scene
from tests.acceptance.chaos.signals import Worker, gone
from tests.acceptance.chaos.world import DEADLINE_S, STOP_TIMEOUT_S

_STEADY_S: Final = 0.3
"""How long a worker that was asked to end is watched to go on with what it is at."""
_LONG_S: Final = DEADLINE_S + 2.0
"""Longer than a lease and than the broker waits for an acknowledgement."""


def _caught_at(scene: Scene, stage: str, held: Held) -> tuple[Worker, str, int]:
    """The worker that is held, the delivery it is at, and its session's pid."""
    held.wait()
    session, subject, _ = held.waiting()[0]
    return scene.world.worker(stage), subject, session


def _roll_back(scene: Scene, stage: str, held: Held, subject: str, session: int) -> None:
    """Release, and see that the transaction of a dead worker came to nothing."""
    scene.require(not scene.has_receipt(subject, stage), "the stage was committed too early")
    scene.require(session in {pid for pid, *_ in held.waiting()}, "the transaction ended before the worker did")
    held.release()


def _kill_child_before(scene: Scene, stage: str) -> None:
    with scene.holding(stage, Moment.BEFORE) as held:
        scene.observe()
        worker, subject, session = _caught_at(scene, stage, held)
        worker.send(signal.SIGKILL, worker.children)
        scene.until(lambda: gone(worker.children), "the child is dead")
        _roll_back(scene, stage, held, subject, session)


def _kill_both_before(scene: Scene, stage: str) -> None:
    with scene.holding(stage, Moment.BEFORE) as held:
        scene.observe()
        worker, subject, session = _caught_at(scene, stage, held)
        worker.send(signal.SIGKILL, worker.both)
        scene.until(lambda: gone(worker.both), "the worker is dead")
        _roll_back(scene, stage, held, subject, session)


def _kill_parent_before(scene: Scene, stage: str) -> None:
    with scene.holding(stage, Moment.BEFORE) as held:
        scene.observe()
        worker, subject, session = _caught_at(scene, stage, held)
        worker.send(signal.SIGKILL, [worker.parent])
        scene.until(lambda: gone(worker.both), "the child has died with its parent")
        _roll_back(scene, stage, held, subject, session)


def _ask_parent_before(scene: Scene, stage: str) -> None:
    with scene.holding(stage, Moment.BEFORE) as held:
        scene.observe()
        worker, subject, _ = _caught_at(scene, stage, held)
        worker.send(signal.SIGTERM, [worker.parent])
        scene.pause(_STEADY_S)
        scene.require(not gone([worker.parent]), "the worker left its task alone")
        held.release()
        scene.until(lambda: gone(worker.both), "the worker has ended", timeout_s=STOP_TIMEOUT_S)
        scene.require(scene.has_receipt(subject, stage), "the task it was at is done")


def _freeze_child_before(scene: Scene, stage: str) -> None:
    with scene.holding(stage, Moment.BEFORE) as held:
        scene.observe()
        worker, subject, _ = _caught_at(scene, stage, held)
        worker.send(signal.SIGSTOP, worker.children)
        held.release()
        scene.until(lambda: gone(worker.children), "its deadline ended the frozen child")
    scene.require(worker.parent, subject)


def _freeze_both_before(scene: Scene, stage: str) -> None:
    with scene.holding(stage, Moment.BEFORE) as held:
        scene.observe()
        worker, *_ = _caught_at(scene, stage, held)
        worker.send(signal.SIGSTOP, worker.both)
        held.release()
        scene.pause(_LONG_S)
        worker.send(signal.SIGCONT, worker.both)


def _kill_both_after(scene: Scene, stage: str) -> None:
    with scene.holding(stage, Moment.AFTER) as held:
        scene.observe()
        worker, subject, _ = _caught_at(scene, stage, held)
        worker.send(signal.SIGKILL, worker.both)
        scene.until(lambda: gone(worker.both), "the worker is dead")
        scene.require(not scene.has_receipt(subject, stage), "the commit had not ended")
        held.release()
        scene.until(lambda: scene.has_receipt(subject, stage), "Postgres has committed")


def _ask_both_after(scene: Scene, stage: str) -> None:
    with scene.holding(stage, Moment.AFTER) as held:
        scene.observe()
        worker, subject, _ = _caught_at(scene, stage, held)
        worker.send(signal.SIGSTOP, worker.both)  # a child that is told sooner would have Postgres cancel the commit
        held.release()
        scene.until(lambda: scene.has_receipt(subject, stage), "Postgres has committed")
        worker.send(signal.SIGTERM, worker.both)
        worker.send(signal.SIGCONT, worker.both)
        scene.until(lambda: gone(worker.both), "the worker has ended", timeout_s=STOP_TIMEOUT_S)


def _ask_both_at(scene: Scene, stage: str) -> None:
    with scene.holding(stage, Moment.AFTER) as held:
        scene.observe()
        worker, *_ = _caught_at(scene, stage, held)
        worker.send(signal.SIGTERM, worker.both)
        scene.until(lambda: gone(worker.children), "the child has ended")
        held.release()
        scene.until(lambda: gone(worker.both), "the worker has ended", timeout_s=STOP_TIMEOUT_S)


def _freeze_both_after(scene: Scene, stage: str) -> None:
    with scene.holding(stage, Moment.AFTER) as held:
        scene.observe()
        worker, subject, _ = _caught_at(scene, stage, held)
        worker.send(signal.SIGSTOP, worker.both)
        held.release()
        scene.until(lambda: scene.has_receipt(subject, stage), "Postgres has committed")
        scene.pause(_LONG_S)
        worker.send(signal.SIGCONT, worker.both)


_MATRIX: Final[dict[str, tuple[str, Callable[[Scene, str], None]]]] = {
    "before/SIGKILL": ("the child killed in its transaction; rolled back", _kill_child_before),
    "before/SIGTERM": ("the worker asked to end in its transaction; it finishes the task", _ask_parent_before),
    "before/SIGSTOP": ("the child frozen in its transaction until its deadline kills it", _freeze_child_before),
    "after/SIGKILL": (
        "the whole worker killed while Postgres commits; neither acknowledged nor rung for",
        _kill_both_after,
    ),
    "after/SIGTERM": (
        "parent and child sent SIGTERM after the commit, before they have heard of it",
        _ask_both_after,
    ),
    "after/SIGSTOP": (
        "the whole worker frozen after the commit, until the broker has handed the message out again",
        _freeze_both_after,
    ),
}


def _act(scene: Scene, act: Callable[[Scene, str], None], stage: Stage) -> None:
    act(scene, stage.value)


for _stage in FOLLOWING:
    for _moment, (_done, _harm) in _MATRIX.items():
        enter(Point(name=f"workers/{_stage}/{_moment}", done=_done, act=partial(_act, act=_harm, stage=_stage)))


@point("workers/append/before/SIGKILL-all", "the whole worker killed in its transaction; rolled back")
def _all_of_append(scene: Scene) -> None:
    _kill_both_before(scene, Stage.APPEND)


@point("workers/index/before/SIGKILL-all", "the whole worker killed with vectors written and not committed")
def _all_of_index(scene: Scene) -> None:
    _kill_both_before(scene, Stage.INDEX)


@point("workers/append/before/SIGKILL-parent", "the parent alone killed; its child dies with it; rolled back")
def _parent_of_append(scene: Scene) -> None:
    _kill_parent_before(scene, Stage.APPEND)


@point("workers/append/at/SIGTERM-all", "parent and child sent SIGTERM while Postgres commits: the child cancels it")
def _ended_append(scene: Scene) -> None:
    _ask_both_at(scene, Stage.APPEND)


@point("workers/append/before/SIGSTOP-all", "the whole worker frozen in its transaction for longer than its lease")
def _frozen_append(scene: Scene) -> None:
    _freeze_both_before(scene, Stage.APPEND)


@point("workers/all/SIGKILL", "every worker and beat killed at once, with runs at every stage")
def _everything_killed(scene: Scene) -> None:
    scene.observe()
    scene.until(lambda: scene.waiting("gate", "index"), "runs are under way")
    world = scene.world
    everybody = [world.worker(stage) for stage in FOLLOWING]
    for worker in everybody:
        worker.send(signal.SIGKILL, worker.both)
    everybody[0].send(signal.SIGKILL, [world.beat()])
    scene.require(scene.waiting(), "something was left to be done")
    scene.until(lambda: all(gone(worker.both) for worker in everybody), "all are dead")
