"""The registry of fault points."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fnmatch import fnmatch
from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tests.acceptance.chaos.scene import Scene

FAMILIES: Final = (
    "workers",
    "beat",
    "broker",
    "database",
    "delivery",
    "clients",
    "migrators",
    "poison",
    "clocks",
    "jobs",
    "sabotage",
)
"""Modules of this package, in the order of the table. Each enters its points when it is imported."""

Act = Callable[["Scene"], None]
"""Feeds the runs and does the harm; returns when the harm is over and whatever died may be started again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A fault, and the moment it strikes."""

    name: str
    """`family/what`, which `--only` is matched against."""
    done: str
    """What is done, for the table."""
    act: Act
    caught: bool = False
    """The end state is damaged on purpose: the comparison must say so, or the harness is worth nothing."""

    @property
    def family(self) -> str:
        """The part of the name that its module's points share."""
        return self.name.partition("/")[0]


_POINTS: Final[dict[str, Point]] = {}


def enter(point: Point) -> None:
    """Add a point to the registry."""
    if point.name in _POINTS:
        raise ValueError(f"there are two points {point.name!r}: give one another name")
    _POINTS[point.name] = point


def point(name: str, done: str, *, caught: bool = False) -> Callable[[Act], Act]:
    """Add the decorated function to the registry as a point."""

    def decorate(act: Act) -> Act:
        enter(Point(name=name, done=done, act=act, caught=caught))
        return act

    return decorate


def every() -> list[Point]:
    """All points, family by family."""
    for family in FAMILIES:
        import_module(f"tests.acceptance.chaos.{family}")
    return list(_POINTS.values())


def chosen(patterns: Iterable[str]) -> list[Point]:
    """The points whose name matches one of the patterns (`*` is any text); all where there are none."""
    wanted = list(patterns)
    return [each for each in every() if not wanted or any(_matches(each.name, pattern) for pattern in wanted)]


def _matches(name: str, pattern: str) -> bool:
    return fnmatch(name, pattern) or fnmatch(name, f"{pattern}/*")
