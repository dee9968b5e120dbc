"""Agents' processes killed while a run is being accepted, and runs sent again by those that never heard an answer."""

from __future__ import annotations

import json
import signal

from tests.acceptance.chaos.points import point
from tests.acceptance.chaos.scene import Moment, Scene


def _killed(scene: Scene, moment: Moment, *, accepted: bool) -> None:
    first, *others = scene.runs
    with scene.holding("observe", moment, run_id=first.run_id) as held:
        client = scene.client(first)
        held.wait()
        client.send_signal(signal.SIGKILL)
        client.wait()
        scene.require(not scene.work(first.run_id), "nothing was committed before")
        held.release()
    if accepted:
        scene.until(lambda: scene.work(first.run_id), "Postgres has committed")
    scene.observe(others)
    scene.require(bool(scene.work(first.run_id)) is accepted, "the run is in the inbox, or it is not")
    scene.observe([first])


@point("clients/killed-before-commit", "an agent killed before its run was accepted; the run is sent again")
def _killed_before(scene: Scene) -> None:
    _killed(scene, Moment.BEFORE, accepted=False)


@point("clients/killed-after-commit", "an agent killed while Postgres commits its run; the run is sent again")
def _killed_after(scene: Scene) -> None:
    _killed(scene, Moment.AFTER, accepted=True)


@point("clients/sent-again", "a run sent by three processes at once, the first of them slow to be answered")
def _sent_again(scene: Scene) -> None:
    first, *others = scene.runs
    with scene.holding("observe", Moment.AFTER, run_id=first.run_id) as held:
        clients = [scene.client(first)]
        held.wait()
        clients += [scene.client(first), scene.client(first)]
        scene.observe(others)
    answers = [client.communicate(timeout=30)[0] for client in clients]
    receipts = [json.loads(answer)["receipts"][0] for answer in answers]
    scene.require(len({receipt["subject"] for receipt in receipts}) == 1, "all three were given one delivery")
    scene.require([receipt["repeated"] for receipt in receipts].count(False) == 1, "one of them was the first")
