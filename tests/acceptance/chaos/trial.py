"""A point carried out, and judged."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from coldpath.replay import replay
from coldpath.verify import verify
from shared import clock
from shared.contract.errors import DaybookError
from shared.store import streams
from shared.store.db import database
from tests.acceptance.chaos.fingerprint import Fingerprint
from tests.acceptance.chaos.points import Point
from tests.acceptance.chaos.scene import NotInjectedError, Scene
from tests.acceptance.chaos.traffic import Said
from tests.acceptance.chaos.world import World, until

RECOVERY_S: Final = 60.0
"""How long everything may take to be done once the fault is over."""

_SHOWN_CHARS: Final = 48
"""Of the first thing that differs; `--json` has all of all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What became of a point."""

    point: Point
    lost: tuple[str, ...] = ()
    """What the undisturbed end state has, and this one has not."""
    twice: tuple[str, ...] = ()
    """What is there once more than in the undisturbed end state."""
    problem: str | None = None
    """Why there is no end state to compare, or what else is wrong with it."""
    recovered_s: float = 0.0
    """From the end of the fault until everything was done."""
    took_s: float = 0.0
    digest: str = ""

    @property
    def passed(self) -> bool:
        """Whether it came out as it must."""
        if self.point.caught:
            return self.problem is None and bool(self.lost or self.twice)
        return not (self.lost or self.twice or self.problem)

    @property
    def outcome(self) -> str:
        """In one line."""
        found = [f"{len(things)} {what}: {things[0][:_SHOWN_CHARS]}" for things, what in self._differences if things]
        told = "; ".join([*found, *([self.problem] if self.problem else [])])
        if self.point.caught and not self.problem:
            return f"caught: {told}" if told else "NOT caught"
        return told or "nothing lost, nothing twice"

    @property
    def _differences(self) -> Iterable[tuple[Sequence[str], str]]:
        return (self.lost, "lost"), (self.twice, "too many")


def carry_out(world: World, point: Point) -> Verdict:
    """Do the harm, let whatever died be started again, wait until all is done, and compare. Never raises."""
    began = clock.monotonic_s()
    scene = Scene(world, world.fresh_tenant(point.family))
    try:
        verdict = _judged(scene, point, began)
    except Exception as error:  # noqa: BLE001 - a point that raises is a row that fails, and the next one is tried
        verdict = _failed(point, _told(error), began)
    try:
        world.heal()
        scene.close()
    except Exception as error:  # noqa: BLE001 - likewise
        return _failed(point, f"what it killed cannot be started again: {_told(error)}", began)
    return verdict


def _told(error: Exception) -> str:
    expected = isinstance(error, NotInjectedError | TimeoutError | DaybookError)
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = "" if expected else f" ({place.name}, line {place.lineno})"
    return f"{type(error).__name__}: {error}{where}"


def _judged(scene: Scene, point: Point, began: float) -> Verdict:
    point.act(scene)
    over = clock.monotonic_s()
    scene.world.heal()
    late = _await_end(scene)
    recovered_s = clock.monotonic_s() - over
    found = scene.world.fingerprint(scene.tenant)
    expected = scene.world.reference(_expected(scene), erased=scene.erased)
    kept = without(found, scene.parked)
    return Verdict(
        point=point,
        lost=tuple(expected.minus(kept)),
        twice=tuple(kept.minus(expected)),
        problem=late or None if point.caught else late or _fault(scene),
        recovered_s=recovered_s,
        took_s=clock.monotonic_s() - began,
        digest=kept.digest,
    )


def _await_end(scene: Scene) -> str:
    """Wait until nothing waits; what still does after the time allowed is in the words returned."""
    try:
        until(lambda: not scene.waiting(), "all is done", timeout_s=RECOVERY_S)
    except TimeoutError:
        rows = scene.ask(
            "select run_id, stage, attempts, coalesce(last_error, '-') from inbox "
            "where tenant_id = %s and state = 'waiting' order by 1"
        )
        first = " ".join(map(str, rows[0])) if rows else "-"
        return f"{len(rows)} runs not done {RECOVERY_S:g} s after the fault, the first: {first}"
    return ""


def _expected(scene: Scene) -> list[Said]:
    return [run for run in scene.runs if run.run_id not in scene.parked]


def without(found: Fingerprint, runs: Iterable[str]) -> Fingerprint:
    """The fingerprint without the rows of some runs."""
    left_out = set(runs)
    return Fingerprint(counts={thing: n for thing, n in found.counts.items() if not left_out.intersection(thing)})


def _fault(scene: Scene) -> str | None:
    """What no comparison of rows would show."""
    for run_id in sorted(scene.parked):
        rows = scene.ask(
            "select state, receipt.outcome from inbox left join receipt on receipt.tenant_id = inbox.tenant_id "
            "and subject = inbox_id and receipt.outcome = 'failed' where inbox.tenant_id = %s and inbox.run_id = %s",
            run_id,
        )
        if rows != [("parked", "failed")]:
            return f"{run_id} is not parked with a receipt that says so: {rows}"
    opened = database(scene.world.endpoints.database_url, scene.world.configured)
    for tenant_id, owner, _ in streams.of_tenant(opened, scene.tenant):
        checked = verify(opened, tenant_id, owner)
        if checked.fault:
            return f"the chain of {checked.stream} breaks at {checked.fault.sequence}: {checked.fault.reason}"
        replayed = replay(opened, tenant_id, owner, verify=True)
        if not replayed.is_equal:
            return f"{checked.stream} is not what its ledger comes to: {[*replayed.differences, replayed.damage][0]}"
    return None


def _failed(point: Point, problem: str, began: float) -> Verdict:
    return Verdict(point=point, problem=problem.replace("\n", " "), took_s=clock.monotonic_s() - began)
