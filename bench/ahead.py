"""`python -m bench.ahead`: what it saves at query time that likely questions were answered ahead of time.

One user's journeys, our own and made up: of each two things are told, among chatter. Half of them were asked about on
two days, so they are likely to be again. Each is asked before and after `anticipate`. Counted are the smallest bundle
that holds all that was told of it, and how long a recall takes that sets nothing. The other half says what it costs
those that were not answered ahead.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median
from typing import Any, Final

import click

import hotpath
from bench.place import Place, place
from bench.product import inline_services
from coldpath.reembed import fill
from coldpath.reindex import Pass
from gateway import tidying
from shared import clock
from shared.contract.bundle import Bundle
from shared.contract.errors import Permanent
from shared.contract.scope import Scope
from shared.log import write_to_stderr
from shared.settings import load
from shared.work.queues import ANTICIPATE
from warmpath._door import Door

SEED: Final = 7
_BUDGETS: Final = range(60, 1_500, 10)
_MS_PASSES: Final = 5
_DEADLINE_MS: Final = 60_000
_CITIES: Final = (
    *("Lisbon", "Porto", "Graz", "Turku", "Bergen", "Oslo", "Gdansk", "Riga"),
    *("Vilnius", "Split", "Zadar", "Ghent", "Bruges", "Leeds", "Cork", "Galway"),
    *("Malmo", "Aarhus", "Basel", "Lucerne", "Verona", "Padua", "Seville", "Granada"),
)
_BY: Final = ("flight", "train", "ferry", "bus")
_CHATTER: Final = (
    "The tomatoes behind the shed need more water than last year.",
    "I could not sleep, there was a storm over the harbour.",
    "Let us look at the quarterly report again after lunch.",
    "The neighbour's cat sat on the roof all morning.",
    "I burnt the soup, so we had bread and cheese.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Journey:
    """Something that is asked about, with the messages that tell of it."""

    question: str
    told: Mapping[str, str]
    """Texts by message id."""
    recurs: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What recall of some questions took, by the median."""

    questions: int
    whole: int
    """Of how many all that was told is in a bundle at all."""
    tokens: float
    """Of the smallest bundle in which it is."""
    ms: float
    default_tokens: float


def journeys(seed: int = SEED) -> list[Journey]:
    """The questions and what was told, the same for the same seed."""
    draw = random.Random(seed)
    soon = clock.now() + timedelta(days=40)
    found = []
    for number, city in enumerate(_CITIES):
        day = (soon + timedelta(days=draw.randrange(200))).strftime("%-d %B %Y")
        by = draw.choice(_BY)
        told = {
            f"{number}-a": f"My {by} to {city} is on {day}.",
            f"{number}-b": f"I am travelling to {city} on {day} with my brother.",
        }
        found.append(Journey(question=f"When is my {by} to {city}?", told=told, recurs=number % 2 == 0))
    return found


def _runs(asked: Sequence[Journey], draw: random.Random) -> Iterator[tuple[datetime, str, str]]:
    """Time, id and text of each message, in order."""
    began = clock.now() - timedelta(days=20)
    told = [each for journey in asked for each in journey.told.items()]
    draw.shuffle(told)
    for number, (name, text) in enumerate(told):
        yield began + timedelta(hours=number), name, text
        yield began + timedelta(hours=number, minutes=20), f"chat-{number}", draw.choice(_CHATTER)
    for day in (5, 2):
        for number, each in enumerate(asked):
            if each.recurs:
                at = clock.now() - timedelta(days=day, minutes=number)
                yield at, f"ask-{day}-{number}", each.question


def _recall(scope: Scope, query: str, budget_tokens: int | None = None) -> Bundle:
    found = hotpath.recall(scope, query, budget_tokens=budget_tokens, deadline_ms=_DEADLINE_MS)
    if found.degraded:
        raise Permanent(f"recall lacked {', '.join(found.degraded)}; see the log, its figures would be false")
    return found


def _holds(found: Bundle, journey: Journey) -> bool:
    cited = {source.message_id for item in found.items for source in item.sources}
    return cited >= journey.told.keys()


def costs(scope: Scope, asked: Sequence[Journey]) -> Costs:
    """What recall of some questions takes."""
    smallest, default, took = [], [], []
    for each in asked:
        bundles = (_recall(scope, each.question, budget) for budget in _BUDGETS)
        least = next((bundle.tokens for bundle in bundles if _holds(bundle, each)), None)
        smallest += [least] if least is not None else []
        runs = [_recall(scope, each.question) for _ in range(_MS_PASSES)]
        took.append(median(run.timings_ms["total"] for run in runs))
        default.append(runs[0].tokens)
    return Costs(
        questions=len(asked), whole=len(smallest), tokens=median(smallest), ms=median(took),
        default_tokens=median(default),
    )  # fmt: skip


def measure(where: Place) -> tuple[int, dict[str, Costs]]:
    """How many were answered ahead, and the costs of either half before and after."""
    services = inline_services(where, where.embedder)
    scope = Scope(tenant_id=f"ahead-{secrets.token_hex(4)}", user_id="mira")
    asked = journeys()
    for at, name, text in sorted(_runs(asked, random.Random(SEED))):
        message: dict[str, Any] = {"id": name, "role": "user", "text": text, "ts": at.isoformat()}
        Door(services).observe(scope, [message], run_id=f"run-{name}")
    halves = {
        "asked before": [each for each in asked if each.recurs],
        "not asked before": [each for each in asked if not each.recurs],
    }
    for each in asked:  # so that the first figures are not of what is loaded once
        _recall(scope, each.question)
    found = {f"{name}, without": costs(scope, half) for name, half in halves.items()}
    done = tidying.tidy(where.database, where.settings, scope.tenant_id, ANTICIPATE, lambda *_: None)
    fill(where.database, where.embedder, scope.tenant_id, Pass())
    found |= {f"{name}, with": costs(scope, half) for name, half in halves.items()}
    return done.accepted, dict(sorted(found.items()))


@click.command()
def main() -> None:
    """Measure what answering ahead of time saves, and print a Markdown table. Everything happens in a new database."""
    write_to_stderr("WARNING")
    with place(load(mode="inline", bundle_cache=0, anticipate_most=100, anticipation_by_model=False)) as where:
        accepted, found = measure(where)
    click.echo(f"{accepted} answered ahead.\n")
    click.echo("| questions | n | whole | tokens of the smallest whole bundle | tokens by default | ms |")
    click.echo("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, each in found.items():
        figures = f"{each.tokens:.0f} | {each.default_tokens:.0f} | {each.ms:.1f}"
        click.echo(f"| {name} | {each.questions} | {each.whole} | {figures} |")


if __name__ == "__main__":
    main()
