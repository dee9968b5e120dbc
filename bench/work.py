"""How fast runs get into the ledger: beside bare INSERTs of the same rows, and with fair claims beside plain ones."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from bench import bare
from bench.children import Span, Where, children, together
from bench.crowd import Crowd, Filler
from bench.figures import quantiles
from bench.ratios import Ratio
from shared.contract.receipts import Stage, Work
from warmpath import append
from warmpath._work import Services, perform, serve

if TYPE_CHECKING:
    from rich.progress import Progress

    from bench.place import Place
    from shared.models import Embedder

APPEND_BOUND: Final = 0.4
FAIR_BOUND: Final = 0.85
WORKERS: Final = (1, 2)
ROUNDS: Final = 11
WARM_UP: Final = 2
"""Rounds of each side that are not counted: each tenant may be the first on its partition."""

Claims = Literal["fair", "FIFO"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Crowds:
    """Who is worked for."""

    appended: Crowd
    single: Crowd
    """One run a user, so each takes a claim of its own."""
    bursts: Crowd
    """Few users with many runs each."""


CROWDS: Final = Crowds(
    appended=Crowd(tenants=4, users=3, runs=10),
    single=Crowd(tenants=60, users=1, runs=1),
    bursts=Crowd(tenants=3, users=2, runs=20),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkDone:
    """All figures of work."""

    ratios: tuple[Ratio, ...]


def measure(
    place: Place, progress: Progress, *, crowds: Crowds = CROWDS, rounds: int = ROUNDS, warm_up: int = WARM_UP
) -> WorkDone:
    """Fill the inbox and have worker processes work it off, round by round, each round beside what it is compared with.

    Raises:
        Permanent: runs wait at append that are not the bench's, or that were not worked off.
    """
    Filler(place, "nobody", crowds.single).require_empty()
    bench = _Bench(place, progress, rounds=rounds, warm_up=warm_up)
    appended = [bench.against_bare(crowds.appended, workers) for workers in WORKERS]
    kinds = (("one run a stream", crowds.single), ("bursts of few streams", crowds.bursts))
    return WorkDone(ratios=(*appended, *(bench.against_fifo(crowd, kind) for kind, crowd in kinds)))


class _Bench:
    """Two ways to do some work, turn by turn."""

    def __init__(self, place: Place, progress: Progress, *, rounds: int, warm_up: int) -> None:
        self._place = place
        self._where = Where.of(place)
        self._progress = progress
        self._rounds = rounds
        self._warm_up = warm_up

    def against_bare(self, crowd: Crowd, workers: int) -> Ratio:
        """Append by some workers beside as many processes that insert the same rows."""
        filler = Filler(self._place, f"append-{workers}", crowd)
        name = f"append by {workers} worker{'s' if workers > 1 else ''} against bare INSERTs"
        with children(workers) as processes:

            def turn() -> tuple[float, float]:
                runs = filler.fill()
                rung = [run.work for run in runs]
                appended_s = processes.time(_work_off, self._shares(rung, workers, "fair"))
                filler.require_empty()
                rows = [bare.read(self._place.database, run, filler.again(run)) for run in runs]
                inserted_s = processes.time(_insert, self._shares(rows, workers))
                return len(runs) / appended_s, len(runs) / inserted_s

            return self._compared(name, turn, APPEND_BOUND)

    def against_fifo(self, crowd: Crowd, kind: str) -> Ratio:
        """Append by fair claims beside claims of the very run that was rung for, by one worker."""
        filler = Filler(self._place, "claims", crowd)
        filler.require_empty()
        with children(1) as processes:

            def side(claims: Claims) -> float:
                rung = [run.work for run in filler.fill()]
                seconds = processes.time(_work_off, self._shares(rung, 1, claims))
                filler.require_empty()
                return len(rung) / seconds

            return self._compared(f"fair claims against FIFO, {kind}", lambda: (side("fair"), side("FIFO")), FAIR_BOUND)

    def _shares(self, runs: Sequence[Any], hands: int, *claims: Claims) -> list[tuple[object, ...]]:
        """What each child is given: runs of one stream go to one, as whoever writes by hand would have it."""
        streams = list(dict.fromkeys((run.tenant_id, run.owner) for run in runs))
        hand = {stream: number % hands for number, stream in enumerate(streams)}
        dealt = [[run for run in runs if hand[run.tenant_id, run.owner] == each] for each in range(hands)]
        return [(self._where, share, *claims) for share in dealt]

    def _compared(self, name: str, turn: Callable[[], tuple[float, float]], bound: float) -> Ratio:
        """The rates of both sides over all rounds but the first."""
        rates = []
        done = self._progress.add_task(name, total=self._rounds + self._warm_up)
        for _ in range(self._rounds + self._warm_up):
            rates.append(turn())
            self._progress.advance(done)
        measured, against = zip(*rates[self._warm_up :], strict=True)
        return Ratio(
            name=name,
            measured=quantiles(measured),
            against=quantiles(against),
            bound=bound,
            unit="runs/s",
            at_least=True,
        )


class Rings:
    """A bell whose rings are kept where they are rung."""

    def __init__(self, rung: Sequence[Work]) -> None:
        self.kept = deque(rung)

    def ring(self, stage: Stage, work: Work) -> None:
        """Keep what is to be appended; nobody is there for what follows."""
        if stage is Stage.APPEND:
            self.kept.append(work)

    def waiting(self) -> Mapping[Stage, int]:
        """How many are kept."""
        return {Stage.APPEND: len(self.kept)}


def _work_off(where: Where, rung: Sequence[Work], claims: Claims) -> Span:
    """In a child: answer every ring, and those that follow from it."""
    bell = Rings(rung)
    services = Services(database=where.database, settings=where.settings, bell=bell, embedder=_none_needed)
    answer = serve if claims == "fair" else perform

    def work() -> None:
        while bell.kept:
            answer(services, Stage.APPEND, append.run, bell.kept.popleft())

    return together(work)


def _none_needed() -> Embedder:
    raise RuntimeError("append embeds nothing")


def _insert(where: Where, runs: Sequence[bare.Run]) -> Span:
    """In a child: write every run."""
    with bare.connected(where.database_url) as connection:

        def write() -> None:
            for run in runs:
                bare.insert(connection, run)

        return together(write)
