"""Runs that cannot be done, beside runs that can."""

from __future__ import annotations

import signal
from typing import Final

from tests.acceptance.chaos.points import point
from tests.acceptance.chaos.scene import Moment, Scene
from tests.acceptance.chaos.signals import gone
from tests.acceptance.chaos.world import HASTY

_POISON: Final = "run-03"
_GIVEN_UP_S: Final = 60.0


def _parked(scene: Scene) -> bool:
    return bool(scene.ask("select from inbox where tenant_id = %s and run_id = %s and state = 'parked'", _POISON))


@point("poison/fails", "a run whose append always fails: given up, with a receipt; the others done")
def _fails(scene: Scene) -> None:
    scene.fail("append", _POISON)
    scene.parked.add(_POISON)
    scene.observe()
    scene.until(lambda: scene.waiting() <= 1, "the good runs are done, or nearly")
    scene.until(lambda: _parked(scene), "the run is given up", timeout_s=_GIVEN_UP_S)


@point("poison/mended", "a run whose index always fails, given up; the cause mended, the run taken up again")
def _mended(scene: Scene) -> None:
    scene.fail("index", _POISON)
    scene.observe()
    scene.until(lambda: _parked(scene), "the run is given up", timeout_s=_GIVEN_UP_S)
    scene.mend()
    scene.redrive()


@point("poison/kills", "a run that kills its worker each time: given up; the others done")
def _kills(scene: Scene) -> None:
    scene.parked.add(_POISON)
    for _ in range(HASTY["task_attempts"]):
        with scene.holding("append", Moment.BEFORE, run_id=_POISON) as held:
            if not scene.work():
                scene.observe()
            held.wait()
            worker = scene.world.worker("append")
            worker.send(signal.SIGKILL, worker.children)
            scene.until(lambda worker=worker: gone(worker.children), "the child is dead")  # type: ignore[misc]
