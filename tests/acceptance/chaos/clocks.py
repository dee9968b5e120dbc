"""Machines whose clocks are wrong: a worker, the beat or an agent lives in another hour than Postgres and the rest."""

from __future__ import annotations

import os
import signal
import sys
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Final

from shared.clock import now
from tests.acceptance.chaos.points import Point, enter, point
from tests.acceptance.chaos.scene import ROOT, Scene
from tests.acceptance.chaos.signals import gone, send

_ENDS_S: Final = 20.0
_HOUR_S: Final = 3600.0


def skewed(seconds: float) -> dict[str, str]:
    """What to add to a Python process's environment to have its clock run `seconds` ahead."""
    folder = Path(str(resources.files(__package__).joinpath("skew")))
    return {"PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]), "CHAOS_CLOCK_AHEAD_S": str(seconds)}


def _in_the_place_of(scene: Scene, word: str, **variables: str) -> None:
    """Have one of the Procfile's processes end, and run it with another environment until the point is over."""
    process = scene.world.process(lambda words: word in words or any(word in each.split(",") for each in words))
    worker = scene.world.worker(word) if word != "beat" else None
    whole = worker.both if worker else (scene.world.beat(),)
    send(signal.SIGTERM, whole[0])
    scene.until(lambda: gone(whole), f"{word} has ended", timeout_s=_ENDS_S)
    scene.start(process.command, **variables)


def _worker(scene: Scene, stage: str, ahead_s: float) -> None:
    _require_deceived(scene, ahead_s)
    _in_the_place_of(scene, stage, **skewed(ahead_s))
    scene.observe()
    scene.until(lambda: not scene.waiting(), "a worker with a wrong clock does its work")


def _require_deceived(scene: Scene, ahead_s: float) -> None:
    """See that our own clock is moved: a change of how it is read would make the points prove nothing."""
    words = [sys.executable, "-c", "from shared.clock import now; print(now().timestamp())"]
    told, _ = scene.start(words, feed="", **skewed(ahead_s)).communicate(timeout=_ENDS_S)
    scene.require(abs(float(told) - now().timestamp() - ahead_s) < _ENDS_S, f"its clock says {told}")


for _stage, _ahead_s, _words in (
    ("append", _HOUR_S, "an hour ahead"),
    ("gate", -_HOUR_S, "an hour behind"),
    ("index", 3 * 24 * _HOUR_S, "three days ahead"),
):
    _act = partial(_worker, stage=_stage, ahead_s=_ahead_s)
    enter(Point(name=f"clocks/{_stage}", done=f"the {_stage} worker's clock {_words}", act=_act))


@point("clocks/agent", "an agent's clock an hour behind: its rings are void when they are sent")
def _agent(scene: Scene) -> None:
    client = scene.client(scene.runs[0], **skewed(-_HOUR_S))
    scene.require(client.wait(timeout=30) == 0, "the run was accepted")
    scene.observe(scene.runs[1:])


@point("clocks/zone", "the append worker in a time zone 14 hours away")
def _zone(scene: Scene) -> None:
    _in_the_place_of(scene, "append", TZ="Pacific/Kiritimati")
    scene.observe()
    scene.until(lambda: not scene.waiting(), "a worker elsewhere does its work")
