"""The crash harness itself: some of its points, and end states that it must not let pass."""

from __future__ import annotations

import logging
import signal
from collections.abc import Iterator

import pytest

from tests.acceptance.chaos import points, trial
from tests.acceptance.chaos.fingerprint import Fingerprint
from tests.acceptance.chaos.points import Point
from tests.acceptance.chaos.scene import Scene
from tests.acceptance.chaos.trial import Verdict, carry_out, without
from tests.acceptance.chaos.world import World, running

NAMES = [each.name for each in points.every()]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    handler, level = signal.getsignal(signal.SIGINT), logging.getLogger("daybook").level
    with running(tmp_path_factory.mktemp("chaos"), print) as made:
        yield made
    assert signal.getsignal(signal.SIGINT) is handler
    assert logging.getLogger("daybook").level == level
    assert not any(state.running for state in made.processes.states())


def _point(name: str) -> Point:
    (found,) = points.chosen([name])
    return found


@pytest.mark.parametrize(
    "name",
    [
        "workers/append/before/SIGKILL",
        "workers/index/after/SIGKILL",
        "beat/SIGKILL",
        "broker/flushed",
        "broker/full-at-work",
        "database/session-ended",
        "delivery/twice",
    ],
)
def test_nothing_is_lost_and_nothing_is_there_twice(world: World, name: str) -> None:
    verdict = carry_out(world, _point(name))
    assert verdict.passed, verdict.outcome
    assert verdict.digest == world.reference(Scene(world, "any").runs).digest


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("sabotage/")])
def test_an_end_state_that_was_damaged_is_caught(world: World, name: str) -> None:
    verdict = carry_out(world, _point(name))
    assert verdict.passed, verdict.outcome
    assert verdict.lost or verdict.twice


def test_a_damaged_end_state_fails_where_none_is_expected(world: World) -> None:
    damaging = _point("sabotage/episode-twice")
    verdict = carry_out(world, Point(name="x/episode-twice", done="", act=damaging.act))
    assert not verdict.passed
    assert "too many: episode" in verdict.outcome


def test_a_run_that_is_given_up_is_lost_unless_that_is_expected(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "RECOVERY_S", 1.0)

    def poison(scene: Scene) -> None:
        scene.fail("gate", "run-03")
        scene.observe(scene.runs[:5])
        scene.until(lambda: scene.waiting() == 1, "the others are done")

    verdict = carry_out(world, Point(name="x/poison", done="", act=poison))
    assert not verdict.passed
    assert "1 runs not done" in verdict.outcome
    assert any("run-03" in line for line in verdict.lost)


def test_a_fault_that_did_not_happen_proves_nothing(world: World) -> None:
    verdict = carry_out(world, Point(name="x/nothing", done="", act=lambda scene: scene.require(False, "it broke")))
    assert not verdict.passed
    assert verdict.outcome == "NotInjectedError: the fault did not happen: it broke"


def test_there_are_points_of_every_family_and_for_each_stage_each_signal_and_each_side_of_the_commit() -> None:
    assert len([name for name in NAMES if not name.startswith("sabotage/")]) >= 30
    assert {name.partition("/")[0] for name in NAMES} == set(points.FAMILIES)
    for stage in ("append", "gate", "extract", "resolve", "index"):
        for moment in ("before", "after"):
            assert {f"workers/{stage}/{moment}/{name}" for name in ("SIGKILL", "SIGTERM", "SIGSTOP")} <= set(NAMES)


def test_points_are_chosen_by_name_by_family_and_by_pattern() -> None:
    assert [each.name for each in points.chosen(["beat/two"])] == ["beat/two"]
    assert {each.family for each in points.chosen(["beat", "*/append/*/SIGKILL"])} == {"beat", "workers"}
    assert points.chosen(["no-such-point"]) == []
    with pytest.raises(ValueError, match="two points 'beat/two'"):
        points.enter(_point("beat/two"))


def test_what_is_there_once_more_or_once_less_is_told_and_parked_runs_are_left_out() -> None:
    one = Fingerprint(counts={("episode", "run-1", "a"): 1, ("episode", "run-2", "b"): 2})
    other = Fingerprint(counts={("episode", "run-1", "a"): 1, ("episode", "run-2", "b"): 1})
    assert one.minus(other) == ["episode run-2 b"]
    assert other.minus(one) == []
    assert one.digest != other.digest
    assert without(one, {"run-2"}).digest == without(other, {"run-2"}).digest


def test_a_control_passes_only_if_the_comparison_saw_the_damage() -> None:
    control = Point(name="x/control", done="", act=lambda _: None, caught=True)
    assert not Verdict(point=control).passed
    assert Verdict(point=control, lost=("a row",)).passed
    assert not Verdict(point=control, lost=("a row",), problem="it hung").passed
