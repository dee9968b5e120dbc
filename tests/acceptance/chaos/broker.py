"""The broker killed, emptied, full, evicting, slow and cut off. Postgres knows what waits; the broker only rings."""

from __future__ import annotations

import secrets
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from shared.work.queues import QUEUES
from tests.acceptance.chaos.points import point
from tests.acceptance.chaos.scene import Moment, Scene
from tests.acceptance.chaos.signals import gone, send

_DOWN_S: Final = 1.0
_FILLING_KEYS: Final = 400
_FILLING_BYTES: Final = 4_000
_FAR_OVER_BYTES: Final = _FILLING_KEYS * _FILLING_BYTES // 2
"""So that what ends meanwhile and gives its memory back makes no room."""
_MOST_OBSERVE_S: Final = 5.0
"""Above what accepting a run may take with the broker away."""


def _kill(scene: Scene) -> None:
    broker = scene.world.server("valkey")
    send(signal.SIGKILL, broker)
    scene.until(lambda: gone([broker]), "the broker is dead")


@point("broker/killed", "killed with runs waiting, more accepted meanwhile, started again on what it had saved")
def _killed(scene: Scene) -> None:
    with scene.holding("append", Moment.BEFORE) as held:
        scene.observe(scene.runs[:8])
        held.wait()
        _kill(scene)
        scene.observe(scene.runs[8:])
        scene.pause(_DOWN_S)
    scene.world.serve()


@point("broker/dropped-thrice", "killed three times within seconds while runs come in")
def _dropped(scene: Scene) -> None:
    for part in (scene.runs[:5], scene.runs[5:10], scene.runs[10:]):
        scene.observe(part)
        _kill(scene)
        scene.pause(_DOWN_S)
        scene.world.serve()
        scene.pause(_DOWN_S)


@point("broker/flushed", "FLUSHALL with runs waiting in its queues")
def _flushed(scene: Scene) -> None:
    with scene.holding("append", Moment.BEFORE) as held, scene.world.broker() as broker:
        scene.observe()
        held.wait()
        scene.until(lambda: broker.llen("append"), "messages wait")
        broker.flushall()


@point("broker/queues-deleted", "the queues' keys deleted one by one, as an evicting server would")
def _deleted(scene: Scene) -> None:
    with scene.holding("gate", Moment.BEFORE) as held, scene.world.broker() as broker:
        scene.observe()
        held.wait()
        scene.until(lambda: broker.llen("gate"), "messages wait")
        broker.delete(*QUEUES, "unacked", "unacked_index")


@point("broker/evicting", "maxmemory reached under allkeys-lru: keys of queues evicted while runs come in")
def _evicting(scene: Scene) -> None:
    with _full(scene, "allkeys-lru") as evicted_before, scene.world.broker() as broker:
        scene.observe()
        scene.pause(_DOWN_S)
        scene.require(broker.info("stats")["evicted_keys"] > evicted_before, "keys were evicted")


@point("broker/full", "maxmemory reached under noeviction: every message refused while runs come in")
def _refusing(scene: Scene) -> None:
    with _full(scene, "noeviction", over=_FAR_OVER_BYTES):
        scene.observe()
        scene.pause(_DOWN_S)
        _require_full(scene)


@point("broker/full-at-work", "maxmemory reached with messages waiting: whoever takes one cannot say so")
def _refusing_at_work(scene: Scene) -> None:
    with scene.holding("gate", Moment.BEFORE) as held, scene.world.broker() as broker:
        scene.observe()
        held.wait()
        scene.until(lambda: broker.llen("gate"), "messages wait")
        with _full(scene, "noeviction", over=_FAR_OVER_BYTES):
            waiting = broker.llen("gate")
            held.release()
            scene.until(lambda: broker.llen("gate") < waiting, "a message was taken")
            scene.pause(_DOWN_S)
            _require_full(scene)


def _require_full(scene: Scene) -> None:
    from redis.exceptions import OutOfMemoryError

    with scene.world.broker() as broker:
        try:
            broker.set("filling-more", "")
        except OutOfMemoryError:
            return
    scene.require(False, "the broker refuses")


@contextmanager
def _full(scene: Scene, policy: str, *, over: int = _FILLING_BYTES) -> Iterator[int]:
    """Fill the broker's memory to `over` bytes above its bound, and free it again.

    Yields how many keys had been evicted before.
    """
    with scene.world.broker() as broker:
        before = int(broker.info("stats")["evicted_keys"])
        names = [f"filling-{number}" for number in range(_FILLING_KEYS)]
        try:
            for name in names:
                broker.set(name, secrets.token_bytes(_FILLING_BYTES))
            broker.config_set("maxmemory-policy", policy)
            broker.config_set("maxmemory", int(broker.info("memory")["used_memory"]) - over)
            yield before
        finally:
            broker.config_set("maxmemory", 0)
            broker.config_set("maxmemory-policy", "noeviction")
            broker.delete(*names)


@point("broker/slow", "frozen six times for longer than a ring may take, while runs come in")
def _slow(scene: Scene) -> None:
    broker = scene.world.server("valkey")
    for start in range(0, len(scene.runs), 3):
        send(signal.SIGSTOP, broker)
        scene.world.frozen.add(broker)
        began = scene.now_s()
        scene.observe(scene.runs[start : start + 3])
        scene.require(scene.now_s() - began < _MOST_OBSERVE_S, "runs are accepted at once without the broker")
        scene.pause(_DOWN_S)
        send(signal.SIGCONT, broker)
        scene.pause(_DOWN_S / 4)


@point("broker/cut-off", "every connection to it cut, again and again, while runs come in")
def _cut_off(scene: Scene) -> None:
    with scene.world.broker() as broker:
        for run in scene.runs:
            scene.observe([run])
            broker.client_kill_filter(_type="normal", skipme=True)
