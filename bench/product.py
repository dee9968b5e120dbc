"""Daybook as it is measured: conversations go in through `observe` and are asked through `recall`."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch
from zoneinfo import ZoneInfo

import hotpath
from bench.jobs import tidied
from bench.metrics import distinct
from bench.systems import Variant, variants
from hotpath import _recall
from hotpath._plan import Plan, plan
from hotpath._twins import Twins
from shared import clock
from shared.contract.errors import Permanent
from shared.contract.scope import Scope
from shared.settings import settings
from shared.store import inbox
from warmpath._door import Door, InlineBell
from warmpath._work import Services

if TYPE_CHECKING:
    from datetime import datetime

    from bench.corpus import Conversation, Turn
    from bench.place import Place
    from hotpath._expand import Piece
    from shared.contract.bundle import Bundle
    from shared.models import Embedder

DEPTH: Final = 50
"""Ranked hits that are looked at; the other systems' rankings are cut there too."""
_DEADLINE_MS: Final = 60_000  # a ranking is measured for what it finds
_LEAST_BUDGET: Final = 1
_AMPLE_BUDGET: Final = 100_000  # tokens

Advance = Callable[[int], None]
"""Told how many turns more are done."""


def inline_services(place: Place, embedder: Embedder) -> Services:
    """What the stages work with, each done as soon as it is rung for."""
    bell = InlineBell()
    services = Services(database=place.database, settings=place.settings, bell=bell, embedder=lambda: embedder)
    bell.services = services
    return services


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One conversation as Daybook holds it, asked by one who took part."""

    scope: Scope

    def rank(self, query: str, at: datetime | None = None, variant: Variant | None = None) -> list[str]:
        """Distinct turn ids, best first, out of `DEPTH` hits before expansion.

        Without a variant, by the whole of recall. `at` is the asker's present, where it is not now.

        Raises:
            Permanent: a channel failed, so this would not be its ranking.
        """
        variant = variant or variants()[0]
        bundle = _recall.recall(
            self.scope,
            query,
            budget_tokens=_LEAST_BUDGET,
            deadline_ms=_DEADLINE_MS,
            as_of=at,
            known_at=None,
            k=DEPTH,
            explain=False,
            recipe=variant.recipe.name,
            channels=variant.channels,
        )
        if bundle.degraded:
            raise Permanent(f"recall lacked {', '.join(bundle.degraded)}; see the log, its ranking would be false")
        ids = [source.message_id for hit in bundle.hits for source in hit.sources]
        return distinct(turn_id for turn_id in ids if turn_id is not None)

    def ask(self, query: str, at: datetime | None = None) -> Bundle:
        """The bundle that an agent gets that sets nothing."""
        return hotpath.recall(self.scope, query, as_of=at)

    def ask_for_ten(self, query: str, at: datetime | None = None) -> Bundle:
        """The bundle of ten hits at most, with room for all of them."""
        return hotpath.recall(self.scope, query, as_of=at, k=10, budget_tokens=_AMPLE_BUDGET, deadline_ms=_DEADLINE_MS)

    def ask_with_twins(self, query: str, at: datetime | None = None) -> Bundle:
        """The bundle as it would be if near-twins were not shown once for all."""
        with patch("hotpath._assemble.collapse", _each_alone):
            return self.ask(query, at)


def _each_alone(hits: Iterable[Piece]) -> list[Twins]:
    return [Twins(hit, ()) for hit in hits]


class Rankings:
    """What the variants rank for one query. Where two plan alike, memory is asked once."""

    def __init__(self, rank: Callable[[Variant], Sequence[str]], query: str, at: datetime | None = None) -> None:
        self._rank = rank
        self._query = query
        self._now = (at or clock.now()).astimezone(ZoneInfo(settings().naive_timezone))
        self._made: list[tuple[Plan, Sequence[str]]] = []

    def of(self, variant: Variant) -> Sequence[str]:
        """The ranking of one."""
        made = plan(self._query, now=self._now, k=DEPTH, channels=variant.channels, recipe=variant.recipe)
        made = replace(made, recipe="", reasons=())  # what it is called changes no ranking
        found = next((ranked for other, ranked in self._made if other == made), None)
        if found is None:
            found = self._rank(variant)
            self._made.append((made, found))
        return found


class Product:
    """Daybook on one database. Each conversation is fed to a new tenant."""

    def __init__(self, services: Services, jobs: Sequence[str] = ()) -> None:
        """`jobs` that propose are done on each conversation once it is fed."""
        self._services = services
        self._jobs = jobs
        self._run = f"bench-{secrets.token_hex(4)}"
        self._fed = 0

    def feed(self, conversation: Conversation, advance: Advance) -> Memory:
        """Observe the sessions of a conversation, each as a run, and do all the work on them.

        People talking to each other share a room, and the first of them asks; chats with an assistant are one user's.

        Raises:
            Permanent: a run was not worked off, or a job was not done.
        """
        tenant_id = f"{self._run}-{self._fed}"
        self._fed += 1
        alone = any(turn.role == "assistant" for turn in conversation.turns)
        asker = conversation.id if alone else conversation.participants[0]
        door = Door(self._services)
        for session_id, turns in _sessions(conversation.turns):
            door.observe(
                Scope(tenant_id=tenant_id, user_id=asker, session_id=session_id),
                [_message(turn) for turn in turns],
                run_id=session_id,
                room=None if alone else conversation.id,
                participants=() if alone else conversation.participants,
            )
            advance(len(turns))
        self._refuse_unfinished(tenant_id)
        for job in self._jobs:
            tidied(self._services.database, self._services.settings, tenant_id, job)
        return Memory(scope=Scope(tenant_id=tenant_id, user_id=asker))

    def _refuse_unfinished(self, tenant_id: str) -> None:
        left = [row for row in inbox.backlog(self._services.database, tenant_id) if row["state"] != inbox.DONE]
        if left:
            at = ", ".join(f"{row['runs']} at {row['stage']}" for row in left)
            raise Permanent(f"runs of tenant {tenant_id} were not worked off ({at}); see the log for why")


def _sessions(turns: Iterable[Turn]) -> list[tuple[str, list[Turn]]]:
    return [(session_id, list(said)) for session_id, said in groupby(turns, key=lambda turn: turn.session_id)]


def _message(turn: Turn) -> dict[str, Any]:
    return {"id": turn.id, "role": turn.role, "speaker": turn.speaker, "text": turn.text, "ts": turn.at}
