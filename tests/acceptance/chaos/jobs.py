"""Jobs of the cold path killed in the middle of their work, and run again."""

from __future__ import annotations

import signal
import subprocess
from contextlib import ExitStack
from typing import Final

from tests.acceptance.chaos.points import point
from tests.acceptance.chaos.scene import Moment, Scene
from tests.acceptance.chaos.signals import gone
from tests.acceptance.chaos.traffic import PEOPLE

_PATIENCE_S: Final = 60
_USER: Final = PEOPLE[0]
_MOST_AT_ONCE: Final = 12
"""How many of the runs are there before the job; the others come while it is half done."""


def _erase_user(scene: Scene) -> subprocess.Popen[str]:
    return scene.daybook("erase", "--user", _USER, "--yes")


def _settled(scene: Scene) -> None:
    scene.observe(scene.runs[:_MOST_AT_ONCE])
    scene.until(lambda: not scene.waiting(), "the first runs are done")


def _killed(scene: Scene, process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    scene.require(process.wait(_PATIENCE_S) == -signal.SIGKILL, "the job was killed at its work")


def _build_of(scene: Scene, view: str) -> tuple[int, int | None]:
    ((live, building),) = scene.ask("select live, building from generation where tenant_id = %s and view = %s", view)
    return live, building


def _rebuilt(scene: Scene, view: str, before: int) -> None:
    """Until the build is live, whoever finished it: a worker that took it over or an operator who called again."""

    def live() -> bool:
        found, building = _build_of(scene, view)
        return found > before and building is None

    scene.until(live, f"the new generation of the {view} view is live", timeout_s=_PATIENCE_S)


def _rebuild_killed(scene: Scene, job: str, view: str, table: str) -> None:
    _settled(scene)
    before, _ = _build_of(scene, view)
    with scene.holding(table, Moment.BEFORE) as held:
        process = scene.daybook(job)
        held.wait()
        _killed(scene, process)
    scene.observe(scene.runs[_MOST_AT_ONCE:])
    _rebuilt(scene, view, before)


@point("jobs/reindex/killed", "reindex killed while it enters words; runs come in; a worker goes on with it")
def _reindex(scene: Scene) -> None:
    _rebuild_killed(scene, "reindex", "sparse", "posting")


@point("jobs/reembed/killed", "reembed killed while it writes vectors; runs come in; a worker goes on with it")
def _reembed(scene: Scene) -> None:
    _rebuild_killed(scene, "reembed", "dense", "memory_vector")


@point("jobs/reindex/killed-at-switch", "reindex killed while Postgres commits the switch to what it built")
def _switch(scene: Scene) -> None:
    _settled(scene)
    before, _ = _build_of(scene, "sparse")
    with ExitStack() as stack:
        building = stack.enter_context(scene.holding("posting", Moment.BEFORE))
        process = scene.daybook("reindex")
        building.wait()
        switching = stack.enter_context(scene.holding("generation", Moment.AFTER))
        building.release()
        switching.wait()
        _killed(scene, process)
    _rebuilt(scene, "sparse", before)
    scene.observe(scene.runs[_MOST_AT_ONCE:])


@point("jobs/reindex/worker-killed", "the worker that does a reindex killed; another goes on when its lease is over")
def _worker(scene: Scene) -> None:
    _settled(scene)
    before, _ = _build_of(scene, "sparse")
    with scene.holding("posting", Moment.BEFORE) as held:
        scene.require(scene.daybook("reindex", "--background").wait(_PATIENCE_S) == 0, "the reindex was left to them")
        held.wait()
        worker = scene.world.worker("reindex")
        worker.send(signal.SIGKILL, worker.both)
        scene.until(lambda: gone(worker.both), "the worker is dead")
    scene.observe(scene.runs[_MOST_AT_ONCE:])
    scene.world.heal()
    _rebuilt(scene, "sparse", before)


@point("jobs/replay/killed", "replay killed with memories written anew and not committed; run again while runs come in")
def _replay(scene: Scene) -> None:
    _settled(scene)
    with scene.holding("memory", Moment.BEFORE) as held:
        process = scene.daybook("replay")
        held.wait()
        _killed(scene, process)
    scene.observe(scene.runs[_MOST_AT_ONCE:])
    scene.require(scene.daybook("replay").wait(_PATIENCE_S) == 0, "run again it ends well")


@point("jobs/erase/killed", "erase killed before its commit: nothing is erased; run again, all of it is")
def _erase(scene: Scene) -> None:
    scene.observe()
    scene.until(lambda: not scene.waiting(), "all is done")
    before = scene.world.fingerprint(scene.tenant)
    with scene.holding("event", Moment.BEFORE) as held:
        process = _erase_user(scene)
        held.wait()
        _killed(scene, process)
        held.release()
        scene.until(lambda: not held.waiting(), "Postgres has rolled back")
    scene.require(scene.world.fingerprint(scene.tenant).digest == before.digest, "half of it was erased")
    scene.require(_erase_user(scene).wait(_PATIENCE_S) == 0, "run again it ends well")
    scene.erased = _USER


@point("jobs/erase/killed-at-commit", "erase killed while Postgres commits: all of it is erased")
def _erase_committed(scene: Scene) -> None:
    scene.observe()
    scene.until(lambda: not scene.waiting(), "all is done")
    with scene.holding("event", Moment.AFTER) as held:
        process = _erase_user(scene)
        held.wait()
        _killed(scene, process)
    scene.erased = _USER


@point("jobs/erase/while-waiting", "a user erased while runs of theirs wait and one is being appended")
def _erase_waiting(scene: Scene) -> None:
    with scene.holding("append", Moment.BEFORE) as held:
        scene.observe()
        held.wait()
        process = _erase_user(scene)
        scene.pause(2.0)
        held.release()
        scene.require(process.wait(_PATIENCE_S) == 0, "it ends well")
    scene.erased = _USER
