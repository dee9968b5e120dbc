"""recall, whole: plan -> embed -> search -> fuse -> expand -> assemble, under one deadline."""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

import psycopg

from hotpath import _fresh, _search
from hotpath._ask import Ask, Progress, checked
from hotpath._assemble import assemble
from hotpath._bundle import Evidence, bundle
from hotpath._embed import Embedding
from hotpath._expand import fresh_piece, hits_and_neighbours
from hotpath._fuse import fuse
from hotpath._plan import CHANNELS, Plan, plan
from shared import clock
from shared.contract.bundle import Bundle
from shared.contract.errors import DaybookError
from shared.contract.scope import Scope
from shared.embedded import open_database
from shared.language.tokens import DEFAULT_COUNTER
from shared.log import logger
from shared.settings import settings
from shared.store import ledger
from shared.store.db import Role, Session

JUDGED: Final = 10
"""Best hits that the verdict looks at."""

_DEADLINE_MS: Final = 2_000
"""Where not even the settings can be read."""
_LOG: Final = logger(__name__)


def recall(
    scope: Scope,
    query: str,
    *,
    budget_tokens: int,
    deadline_ms: int | None,
    as_of: datetime | None,
    known_at: datetime | None,
    k: int | None,
    explain: bool,
    channels: frozenset[str] = CHANNELS,
) -> Bundle:
    """See `hotpath.recall`. With fewer `channels` the others are not asked, which measures one alone."""
    ask = checked(
        scope,
        query,
        budget_tokens=budget_tokens,
        deadline_ms=deadline_ms,
        as_of=as_of,
        known_at=known_at,
        k=k,
        explain=explain,
    )
    progress = Progress(deadline_ms=ask.deadline_ms or _DEADLINE_MS)
    try:
        configured = settings()
    except DaybookError as error:
        made = plan(ask.query, now=clock.now(), k=ask.k, channels=channels)
        return _rendered(ask, made, progress, Evidence(), _without_memory(progress, error))
    progress.deadline_ms = ask.deadline_ms or configured.recall_deadline_ms
    with progress.step("plan"):
        now = clock.now().astimezone(ZoneInfo(configured.naive_timezone))
        made = plan(ask.query, now=now, k=ask.k, channels=channels)
    if not made.search:
        return _rendered(ask, made, progress, Evidence(), "small talk: nothing was asked")
    try:
        evidence = _gather(ask, made, progress)
    except (DaybookError, psycopg.Error, OSError) as error:
        return _rendered(ask, made, progress, Evidence(), _without_memory(progress, error))
    return _rendered(ask, made, progress, evidence, "")


def _without_memory(progress: Progress, error: Exception) -> str:
    """Note that memory could not be asked, and say why in a few words."""
    late = isinstance(error.__cause__, psycopg.errors.QueryCanceled) or progress.left_ms() <= 1
    progress.failed.append("deadline" if late else "database")
    _LOG.warning("recall without memory: %s", error)
    return "the deadline passed" if late else f"memory could not be asked: {type(error).__name__}"


def _gather(ask: Ask, made: Plan, progress: Progress) -> Evidence:
    """Embed beside the search by words, then search, fuse and expand, in one read-only transaction."""
    embedding = Embedding(settings(), made, progress)
    database = open_database(settings())
    question = _search.Question(plan=made, embedded=embedding.result, as_of=ask.as_of, known_at=ask.known_at)
    with database.transaction(
        Role.APP,
        ask.scope.tenant_id,
        [ask.scope.owner],
        read_only=True,
        timeout_ms=progress.left_ms(),
        spent=progress.database,
    ) as session:
        with progress.step("search"):
            found = _search.Found()
            fresh, fresh_runs = _fresh_tail(session, ask, made, found)
            watermarks = ledger.watermarks(session)
            _search.search(session, question, found)
        with progress.step("fuse"):
            ranked = fuse(made, found.candidates, asker=ask.scope.user_id, limit=made.hits, explain=ask.explain)
        with progress.step("expand"):
            hits, neighbours = hits_and_neighbours(session, ranked, as_of=ask.as_of, known_at=ask.known_at)
    progress.failed += found.failed
    best = sorted([*hits, *map(fresh_piece, fresh)], key=lambda piece: -piece.score)[: made.hits]
    return Evidence(
        hits=tuple(best if not fresh else (piece._replace(rank=rank) for rank, piece in enumerate(best, 1))),
        neighbours=neighbours,
        watermarks=tuple(watermarks),
        fresh_runs=fresh_runs,
        evident=any(each.is_evident for each in ranked[:JUDGED]) or any(map(_fresh.is_evident, fresh)),
    )


def _fresh_tail(session: Session, ask: Ask, made: Plan, found: _search.Found) -> tuple[list[_fresh.FreshHit], int]:
    if ask.as_of or ask.known_at or "fresh" not in made.channels:
        return [], 0  # what is on its way was not known then
    tail = _search.ask(session, "fresh", found, lambda: _fresh.search(session, made))
    return tail or ([], 0)


def _rendered(ask: Ask, made: Plan, progress: Progress, evidence: Evidence, reason: str) -> Bundle:
    with progress.step("assemble"):
        assembled = assemble(
            evidence.hits,
            evidence.neighbours,
            budget_tokens=ask.budget_tokens,
            counter=DEFAULT_COUNTER,
            nonce=secrets.token_hex(8),
        )
    reason = reason or _reason(evidence, shown=len(assembled.pieces))
    return bundle(ask, made, progress, evidence, assembled, reason=reason, counter=DEFAULT_COUNTER.name)


def _reason(evidence: Evidence, *, shown: int) -> str:
    if not evidence.hits:
        return "nothing was found"
    found = "found memories that bear on the query" if evidence.evident else "what was found is not near enough"
    return found if shown else f"{found}, and none of it fits the budget"
