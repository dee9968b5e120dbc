"""The same message twice and three times, too early, too late, and to two workers at once."""

from __future__ import annotations

from typing import Final

from celery import Celery

from gateway import procfile
from shared.work.broker import answering, make_app, send
from shared.work.queues import FOLLOWING
from tests.acceptance.chaos.points import point
from tests.acceptance.chaos.scene import Moment, Scene
from tests.acceptance.chaos.signals import gone
from tests.acceptance.chaos.world import queues_of

_LIFE_S: Final = 60.0
_NOBODYS: Final = "00000000-0000-4000-8000-000000000000"


def _app(scene: Scene) -> Celery:
    url = scene.world.endpoints.redis_url
    return make_app("chaos", scene.world.configured, lambda: url, only_sends=True)


def _deliver(scene: Scene, *stages: str, times: int) -> None:
    app = _app(scene)
    for owner, delivery, _ in scene.work():
        for stage in stages:
            for _ in range(times):
                send(app, stage, scene.tenant, owner, delivery, expires_s=_LIFE_S)


@point("delivery/twice", "each message of each stage delivered twice more while the run is at that stage")
def _twice(scene: Scene) -> None:
    for stage in FOLLOWING:
        with scene.holding(stage, Moment.BEFORE) as held:
            if stage == "append":
                scene.observe()
            held.wait()
            _deliver(scene, stage, times=2)


@point("delivery/thrice-of-all", "three messages of every stage for every run, in whatever order they are heard")
def _thrice(scene: Scene) -> None:
    scene.observe(ring=False)
    _deliver(scene, *reversed([stage.value for stage in FOLLOWING]), times=3)


@point("delivery/too-late", "messages of every stage for runs that are done")
def _too_late(scene: Scene) -> None:
    scene.observe()
    scene.until(lambda: not scene.waiting(), "all is done")
    _deliver(scene, *[stage.value for stage in FOLLOWING], times=2)
    _drained(scene)


@point(
    "delivery/of-nothing", "messages for a run that nobody knows, of another owner, and with arguments that are none"
)
def _of_nothing(scene: Scene) -> None:
    scene.observe(scene.runs[:8])
    app = _app(scene)
    for stage in FOLLOWING:
        send(app, stage, scene.tenant, "mira", _NOBODYS, expires_s=_LIFE_S)
        for _, delivery, _ in scene.work():
            send(app, stage, scene.tenant, "somebody", delivery, expires_s=_LIFE_S)
        send(app, stage, "not enough", expires_s=_LIFE_S)
        send(app, stage, scene.tenant, "mira", "no id", expires_s=_LIFE_S)
    scene.observe(scene.runs[8:])
    _drained(scene)


@point(
    "delivery/rubbish", "what is no message pushed into each queue by another program: it ends the worker that reads it"
)
def _rubbish(scene: Scene) -> None:
    workers = {scene.world.worker(stage).parent: stage for stage in FOLLOWING}  # one serves two stages
    with scene.world.broker() as broker:
        for stage in workers.values():
            broker.lpush(stage.value, "this is no message")
    scene.observe()
    scene.until(lambda: any(gone([parent]) for parent in workers), "a worker has read it")
    scene.pause(1.0)


@point("delivery/two-workers", "a second worker of every stage, and each message given to both")
def _two_workers(scene: Scene) -> None:
    app = _app(scene)
    stages = {stage.value for stage in FOLLOWING}
    serving = [entry for entry in procfile.read() if not stages.isdisjoint(queues_of(entry.command))]
    for entry in serving:
        scene.start([word.replace("@%h", "-second@%h") for word in entry.command])
    scene.until(lambda: _seconds(app) >= len(serving), "the second workers answer")
    scene.observe()
    _deliver(scene, *[stage.value for stage in FOLLOWING], times=2)
    scene.until(lambda: not scene.waiting(), "all is done")


def _seconds(app: Celery) -> int:
    return sum("-second@" in name for name in answering(app, timeout_s=0.5))


def _drained(scene: Scene) -> None:
    with scene.world.broker() as broker:
        scene.until(lambda: not any(broker.llen(stage.value) for stage in FOLLOWING), "all messages were heard")
