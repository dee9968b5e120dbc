"""How fast runs become beliefs: through every stage from append to resolve, by one worker and by two, without a model.

What is said are short English runs of ours: pieces of the demonstration's conversation, which state little, and
labelled runs, which state much, in turn. They are said in many rooms at once: each is a stream, so two workers have
different ones. Index is left out: it embeds, which is the model's time and not the stages'.
"""

from __future__ import annotations

import secrets
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bench.children import Span, Where, children, together
from bench.crowd import Unheard
from bench.figures import quantiles
from bench.ratios import Ratio
from gateway.demo.corpus import SHIPPED, Corpus
from gateway.demo.files import read
from gateway.evaluating import load_runs
from shared import clock
from shared.contract.errors import Permanent
from shared.contract.receipts import Stage, Work
from shared.contract.scope import Scope
from shared.store import inbox
from warmpath._door import Door
from warmpath._stages import STAGES
from warmpath._work import Services, serve

if TYPE_CHECKING:
    from rich.progress import Progress

    from bench.children import Children
    from bench.figures import Quantiles
    from bench.place import Place
    from shared.models import Embedder

MEASURED: Final = (Stage.APPEND, Stage.GATE, Stage.EXTRACT, Stage.RESOLVE)
WORKERS_BOUND: Final = 1.4
MESSAGES: Final = 6
"""Of a piece; so short a run gets no summary."""
LABELLED: Final = Path(__file__).parents[1] / "tests" / "golden"
ROOMS: Final = 12
RUNS: Final = 3
"""Of each room in a round."""
ROUNDS: Final = 9
WARM_UP: Final = 2
"""Rounds that are not counted: the first loads the tagger."""
_HOST: Final = "host"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What a stage takes of a run, in milliseconds of a worker."""

    mean_ms: float
    p95_ms: float
    n: int
    """Runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StagesDone:
    """All figures of the stages."""

    ratios: tuple[Ratio, ...]
    costs: Mapping[Stage, Cost]
    candidates: float
    """Proposed of a run, in the mean: what resolve has to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Worked:
    """What a child did."""

    span: Span
    took_ms: Mapping[Stage, Sequence[float]]
    """Of each run; runs that were done together have equal shares of the time."""
    candidates: int


def measure(
    place: Place, progress: Progress, *, rooms: int = ROOMS, runs: int = RUNS, rounds: int = ROUNDS,
    warm_up: int = WARM_UP,
) -> StagesDone:  # fmt: skip
    """Fill the inbox and have one worker process, then two, work it off, round by round.

    Raises:
        Permanent: runs wait that are not the bench's, or were not worked off, or are fewer than asked for.
    """
    by_rules = replace(place, settings=place.settings.model_copy(update={"extraction": True, "extraction_model": None}))
    sides = {workers: _Rooms(by_rules, f"stages-{workers}", rooms, runs) for workers in (1, 2)}
    rates: dict[int, list[float]] = {1: [], 2: []}
    worked: list[Worked] = []
    with children(1) as one, children(2) as two:
        done = progress.add_task("append to resolve, one worker and two", total=rounds + warm_up)
        for number in range(rounds + warm_up):
            for workers, processes in ((1, one), (2, two)):
                rate, each = _round(by_rules, processes, workers, sides[workers].fill())
                rates[workers] += [rate] if number >= warm_up else []
                worked += each if workers == 1 and number >= warm_up else []
            progress.advance(done)
    return StagesDone(ratios=(_ratio(rates),), costs=_costs(worked), candidates=_candidates(worked))


def _round(place: Place, processes: Children, workers: int, rung: Sequence[Work]) -> tuple[float, list[Worked]]:
    """Runs a second of one round, and what each child did."""
    streams = {stream: number % workers for number, stream in enumerate(dict.fromkeys(map(_stream, rung)))}
    shares = [[work for work in rung if streams[_stream(work)] == hand] for hand in range(workers)]
    found = processes.gather(_work_off, [(Where.of(place), share) for share in shares])
    _require_empty(place)
    seconds = max(each.span[1] for each in found) - min(each.span[0] for each in found)
    return len(rung) / seconds, found


def _stream(work: Work) -> tuple[str, str]:
    return work.tenant_id, work.owner


def _ratio(rates: Mapping[int, Sequence[float]]) -> Ratio:
    return Ratio(
        name="append to resolve by 2 workers against 1, different streams",
        measured=quantiles(rates[2]),
        against=quantiles(rates[1]),
        bound=WORKERS_BOUND,
        unit="runs/s",
        at_least=True,
    )


def _costs(worked: Sequence[Worked]) -> dict[Stage, Cost]:
    every = {stage: [ms for each in worked for ms in each.took_ms[stage]] for stage in MEASURED}
    return {stage: _cost(taken, quantiles(taken)) for stage, taken in every.items()}


def _cost(taken: Sequence[float], spread: Quantiles) -> Cost:
    return Cost(mean_ms=sum(taken) / len(taken), p95_ms=spread.p95, n=len(taken))


def _candidates(worked: Sequence[Worked]) -> float:
    return sum(each.candidates for each in worked) / sum(len(each.took_ms[Stage.EXTRACT]) for each in worked)


class _Rooms:
    """Rooms in each of which all of it is said, round by round."""

    def __init__(self, place: Place, name: str, rooms: int, runs: int) -> None:
        self._door = Door(
            Services(database=place.database, settings=place.settings, bell=Unheard(), embedder=_none_needed)
        )
        self._tenant = f"bench-{name}-{secrets.token_hex(4)}"
        self._rooms = [f"room-{number}" for number in range(rooms)]
        self._left = deque(enumerate(said()))
        self._runs = runs
        _require_empty(place)

    def fill(self) -> list[Work]:
        """Have the next runs of every room accepted, rooms in turn.

        Raises:
            Permanent: there are no more.
        """
        if len(self._left) < self._runs:
            raise Permanent(f"of the runs that are there fewer than {self._runs} are left: measure less")
        following = [self._left.popleft() for _ in range(self._runs)]
        return [self._accept(room, *run) for run in following for room in self._rooms]

    def _accept(self, room: str, number: int, messages: Sequence[Mapping[str, Any]]) -> Work:
        scope = Scope(tenant_id=self._tenant, user_id=_HOST, session_id=f"run-{number}")
        receipt = self._door.observe(scope, messages, run_id=f"{room}-{number}", room=room, participants=[_HOST])
        return Work(tenant_id=self._tenant, owner=receipt.owner, inbox_id=receipt.subject)


def said() -> list[Sequence[Mapping[str, Any]]]:
    """The messages of every run: a piece of the conversation and a labelled run in English in turn."""
    pairs = zip(_pieces(read(SHIPPED, questions=1)), _labelled(), strict=False)
    return [run for pair in pairs for run in pair]


def _pieces(corpus: Corpus) -> Iterator[Sequence[Mapping[str, Any]]]:
    for session in corpus.sessions:
        for first in range(0, len(session.messages), MESSAGES):
            piece = session.messages[first : first + MESSAGES]
            yield [{"role": "user", "speaker": each.speaker, "ts": each.at, "text": each.text} for each in piece]


def _labelled() -> Iterator[Sequence[Mapping[str, Any]]]:
    for run in load_runs(LABELLED):
        if run.language == "en":
            yield [
                {"role": each.role, "speaker": each.speaker, "ts": each.said_at, "text": each.text}
                for each in run.reading.lines
            ]


class Rings:
    """A bell whose rings are kept where they are rung, but for those to stages that are not measured."""

    def __init__(self, rung: Sequence[Work]) -> None:
        self.kept: deque[tuple[Stage, Work]] = deque((Stage.APPEND, work) for work in rung)

    def ring(self, stage: Stage, work: Work) -> None:
        """Keep what is to be done."""
        if stage in MEASURED:
            self.kept.append((stage, work))

    def waiting(self) -> Mapping[Stage, int]:
        """How many are kept."""
        return {stage: sum(kept is stage for kept, _ in self.kept) for stage in MEASURED}


def _work_off(where: Where, rung: Sequence[Work]) -> Worked:
    """In a child: answer every ring, and those that follow from it."""
    bell = Rings(rung)
    services = Services(database=where.database, settings=where.settings, bell=bell, embedder=_none_needed)
    took_ms: dict[Stage, list[float]] = defaultdict(list)
    candidates = 0

    def work() -> None:
        nonlocal candidates
        while bell.kept:
            stage, hint = bell.kept.popleft()
            began_s = clock.monotonic_s()
            done = serve(services, stage, STAGES[stage], hint)
            share_ms = (clock.monotonic_s() - began_s) * 1000 / max(1, len(done))
            took_ms[stage] += [share_ms] * len(done)
            candidates += sum(each.counts.get("candidates", 0) for each in done)

    return Worked(span=together(work), took_ms=took_ms, candidates=candidates)


def _none_needed() -> Embedder:
    raise RuntimeError("no stage that is measured embeds")


def _require_empty(place: Place) -> None:
    at = [row["runs"] for row in inbox.backlog(place.database) if row["stage"] in MEASURED]
    if at:
        raise Permanent(f"{sum(at)} runs wait or are parked before index; see the log, or the inbox, for why")
