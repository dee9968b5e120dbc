"""Beat killed, asked to end, frozen and doubled, while only the sweep that it starts can find the work."""

from __future__ import annotations

import signal
from typing import Final

from gateway import procfile
from tests.acceptance.chaos.points import point
from tests.acceptance.chaos.scene import Scene
from tests.acceptance.chaos.signals import gone, send

_SWEEPS_S: Final = 2.0
"""Several periods of the sweep."""


def _without(scene: Scene, number: signal.Signals) -> None:
    beat = scene.world.beat()
    send(number, beat)
    if number is signal.SIGSTOP:
        scene.world.frozen.add(beat)
    else:
        scene.until(lambda: gone([beat]), "beat has ended")
    scene.pause(_SWEEPS_S)  # sweeps that were started before have come to their end
    scene.observe(ring=False)
    scene.pause(_SWEEPS_S)
    scene.require(scene.waiting("append") == len(scene.runs), "nobody found the runs without beat")


@point("beat/SIGKILL", "beat killed; runs accepted that nobody was rung for; beat started again")
def _killed(scene: Scene) -> None:
    _without(scene, signal.SIGKILL)


@point("beat/SIGTERM", "beat asked to end; runs accepted that nobody was rung for; beat started again")
def _ended(scene: Scene) -> None:
    _without(scene, signal.SIGTERM)


@point("beat/SIGSTOP", "beat frozen while runs are accepted that nobody was rung for, then let go")
def _frozen(scene: Scene) -> None:
    _without(scene, signal.SIGSTOP)


@point("beat/two", "two beats, the second as on another machine, and no run rung for")
def _two(scene: Scene) -> None:
    entry = next(entry for entry in procfile.read() if "beat" in entry.command)
    elsewhere = scene.world.settings.data_dir / "elsewhere"
    second = scene.start(entry.command, DAYBOOK_DATA_DIR=str(elsewhere))
    scene.until(lambda: list(elsewhere.glob("beat-schedule*")), "the second beat has begun")
    scene.observe(ring=False)
    scene.until(lambda: not scene.waiting(), "all is done")
    scene.require(second.poll() is None, "the second beat ran to the end")
