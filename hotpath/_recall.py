"""recall, whole: plan (embed beside it) -> search -> fuse -> expand -> rerank -> assemble, under one deadline."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from functools import partial
from logging import INFO, WARNING
from typing import Final
from zoneinfo import ZoneInfo

import psycopg

from hotpath import _fresh, _log, _profile, _search
from hotpath._ask import Ask, Progress, checked
from hotpath._assemble import Page
from hotpath._boost import boosting_by
from hotpath._breaker import DATABASE, Breakers, breakers
from hotpath._bundle import Evidence, bundle, timings
from hotpath._cache import Slot, caches
from hotpath._embed import Embedding
from hotpath._every_form import assemble_for_forms
from hotpath._expand import Piece, fresh_piece, hits_and_around
from hotpath._fuse import fuse, scores_beside
from hotpath._plan import CHANNELS, Plan, plan
from hotpath._premise import premise
from hotpath._question import Question
from hotpath._rerank import depth, rerank
from hotpath._shape import is_small_talk
from hotpath._verdict import Claim, Grounds, judge
from hotpath.recipes import DEFAULT_RECIPE
from shared import clock, metrics
from shared.contract.bundle import Bundle
from shared.contract.errors import DaybookError
from shared.contract.scope import Scope
from shared.embedded import open_database
from shared.language.tokens import DEFAULT_COUNTER
from shared.log import logger
from shared.settings import settings
from shared.store import ledger, standing
from shared.store.db import Role, Session

JUDGED: Final = 10
"""Best hits that the verdict looks at."""

RAISED: Final = 1.5
"""How much of its budget a recall that names none has, where a tenant's contradictions do not fit it."""

_DEADLINE_MS: Final = 2_000
"""Where not even the settings can be read."""
_LOG: Final = logger(__name__)


def recall(  # noqa: PLR0913 - as it is asked, and `channels`
    scope: Scope,
    query: str,
    *,
    budget_tokens: int | None,
    deadline_ms: int | None,
    as_of: datetime | None,
    known_at: datetime | None,
    k: int | None,
    explain: bool,
    recipe: str = DEFAULT_RECIPE,
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
        recipe=recipe,
        explain=explain,
    )
    progress = Progress(deadline_ms=ask.deadline_ms or _DEADLINE_MS)
    if ask.budget_tokens is not None:
        progress.budget_tokens = ask.budget_tokens
    try:
        configured = settings()
    except DaybookError as error:
        made = plan(ask.query, now=ask.as_of or clock.now(), k=ask.k, channels=channels, recipe=ask.recipe)
        return _rendered(ask, made, progress, Evidence(), _without_memory(progress, error))
    progress.deadline_ms = ask.deadline_ms or configured.recall_deadline_ms
    if ask.budget_tokens is None:
        progress.budget_tokens = configured.recall_budget_tokens
    if is_small_talk(ask.query):
        return _rendered(ask, _planned(ask, progress, channels), progress, Evidence(), "small talk: nothing was asked")
    guard = breakers(configured).of(ask.scope)
    if guard.refused([DATABASE]):
        progress.failed.append(DATABASE)
        made = _planned(ask, progress, channels)
        return _rendered(ask, made, progress, Evidence(), "memory was not asked: the database failed just now")
    return _answer(ask, progress, guard, channels)


def _planned(ask: Ask, progress: Progress, channels: frozenset[str]) -> Plan:
    with progress.step("plan"):
        now = (ask.as_of or clock.now()).astimezone(ZoneInfo(settings().naive_timezone))
        return plan(ask.query, now=now, k=ask.k, channels=channels, recipe=ask.recipe)


def _answer(ask: Ask, progress: Progress, guard: Breakers, channels: frozenset[str]) -> Bundle:
    """Ask memory; a bundle that is held is given again.

    The model is set to work first: what it takes the longest, all else that needs no vector is done beside it.
    """
    configured = settings()
    by_meaning = "dense" in channels and "dense" in ask.recipe.channels
    rests = bool(by_meaning and guard.refused(["dense"]))
    embedding = Embedding(configured, ask.query, progress, guard, asked=by_meaning and not rests)
    made = _planned(ask, progress, channels)
    made = _without_resting(made, progress, {*guard.refused(_asked_later(made)), *(["dense"] if rests else [])})
    slot = Slot(caches(configured).bundles)
    try:
        with guard.watching(DATABASE):
            gathered = _gather(ask, made, progress, slot, guard, embedding)
    except (DaybookError, psycopg.Error, OSError, RuntimeError) as error:  # the last: no thread for the pool
        return _rendered(ask, made, progress, Evidence(), _without_memory(progress, error))
    if slot.held is not None:
        return _again(ask, made, progress, slot.held)
    evidence = rerank(ask, made, progress, gathered, configured)
    unseen = _search.SHOWING in progress.failed and not evidence.hits
    answer = _rendered(ask, made, progress, evidence, "the deadline passed" if unseen else "")
    slot.keep(answer)
    return answer


def _asked_later(made: Plan) -> list[str]:
    """What is asked once there is a plan."""
    return [*(name for name in made.channels if name != "dense"), *(["rerank"] if made.rerank else [])]


def _without_resting(made: Plan, progress: Progress, refused: Collection[str]) -> Plan:
    """The plan without what has failed too often just now, which it says."""
    resting = [name for name in (*made.channels, "rerank") if name in refused]
    if not resting:
        return made
    progress.failed += resting
    return replace(
        made,
        channels={name: each for name, each in made.channels.items() if name not in resting},
        graph=made.graph and "graph" not in resting,
        rerank=0 if "rerank" in resting else made.rerank,
        reasons=(*made.reasons, f"not asked, since it failed time and again just now: {', '.join(resting)}"),
    )


def _without_memory(progress: Progress, error: Exception) -> str:
    """Note that memory could not be asked, and say why in a few words."""
    late = isinstance(error.__cause__, psycopg.errors.QueryCanceled) or progress.left_ms() <= 1
    progress.failed.append("deadline" if late else DATABASE)
    level = INFO if late else WARNING  # who is in a hurry is told so in the answer
    _LOG.log(level, "recall without memory: %s", error)
    return "the deadline passed" if late else f"memory could not be asked: {type(error).__name__}"


def _gather(ask: Ask, made: Plan, progress: Progress, slot: Slot, guard: Breakers, embedding: Embedding) -> Evidence:
    """Search by words while the vector is on its way, then by meaning, fuse and expand, in one read-only transaction.

    Where the bundle is held already, nothing is gathered.
    """
    configured = settings()
    with open_database(configured).transaction(
        Role.APP,
        ask.scope.tenant_id,
        [ask.scope.owner],
        read_only=True,
        timeout_ms=progress.left_ms(),
        spent=progress.database,
        beside=standing.QUERY if slot.bundles.most or ask.budget_tokens is None else None,
        agent_id=ask.scope.agent_id,
    ) as session:
        if ask.budget_tokens is None and standing.is_raised(session):
            progress.budget_tokens = round(progress.budget_tokens * RAISED)
        if slot.look(configured, ask, frozenset(made.channels), standing.of(session)):
            return Evidence()
        return _searched(session, ask, made, progress, _search.Found(breakers=guard), embedding)


def _searched(
    session: Session, ask: Ask, made: Plan, progress: Progress, found: _search.Found, embedding: Embedding
) -> Evidence:
    question = Question(plan=made, embedded=embedding.result, as_of=ask.as_of, known_at=ask.known_at)
    with progress.step("search"):
        tail = _fresh_tail(session, ask, made, found)
        watermarks = ledger.watermarks(session)
        _search.search(session, question, found)
        found.report()
    with progress.step("fuse"):
        beside = _fresh.features(made, tail.hits, found, asker=ask.scope.user_id)
        ranked = fuse(
            made,
            found.candidates,
            beside=beside,
            asker=ask.scope.user_id,
            limit=max(made.hits, depth(made, settings())),
            explain=ask.explain,
            boosting=boosting_by(settings(), now=ask.as_of or clock.now()),
        )
    with progress.step("expand"):
        hits, around = hits_and_around(session, ranked, as_of=ask.as_of, known_at=ask.known_at, asked=made.terms)
        profile = _opening(session, ask, progress, found)
    progress.failed += found.failed
    fresh = _fresh.scored(tail.hits, scores_beside(made, found.candidates, beside)) if beside else tail.hits
    best = sorted([*hits, *map(fresh_piece, fresh)], key=lambda piece: -piece.score)
    return Evidence(
        profile=profile,
        hits=tuple(best if not fresh else (piece._replace(rank=rank) for rank, piece in enumerate(best, 1))),
        around=around,
        watermarks=tuple(watermarks),
        fresh_runs=tail.runs,
        evident=any(each.is_evident for each in ranked[:JUDGED]) or any(_fresh.is_evident(made, hit) for hit in fresh),
        # who said what is on its way is not known here
        elsewhere="" if fresh else premise(made, found.candidates, asker=ask.scope.user_id),
        zone=ZoneInfo(settings().naive_timezone),
    )


def _opening(session: Session, ask: Ask, progress: Progress, found: _search.Found) -> tuple[Piece, ...]:
    """The profile, where the budget has room for one."""
    if _profile_tokens(progress) <= 0:
        return ()
    facts = partial(_profile.facts, session, as_of=ask.as_of, known_at=ask.known_at)
    return _search.ask(session, "profile", found, facts) or ()


def _profile_tokens(progress: Progress) -> int:
    return int(progress.budget_tokens * settings().recall_profile_share)


def _again(ask: Ask, made: Plan, progress: Progress, held: Bundle) -> Bundle:
    """A bundle that is held, as the answer of a turn of its own."""
    metrics.RECALLS_CACHED.inc()
    answer = replace(held, turn_id=progress.turn_id, timings_ms=timings(progress), cached=True)
    _log.note(ask.scope, answer, recipe=made.recipe, about_now=ask.is_about_now)
    return answer


def _fresh_tail(session: Session, ask: Ask, made: Plan, found: _search.Found) -> _fresh.Tail:
    if ask.as_of or ask.known_at or "fresh" not in made.channels:
        return _fresh.Tail()  # what is on its way was not known then
    tail = _search.ask(session, "fresh", found, lambda: _fresh.search(session, made)) or _fresh.Tail()
    if not tail.is_whole:
        found.failed.append("fresh")
    return tail


def _rendered(ask: Ask, made: Plan, progress: Progress, evidence: Evidence, failure: str) -> Bundle:
    with progress.step("assemble"):
        page = Page(
            budget_tokens=progress.budget_tokens,
            counter=DEFAULT_COUNTER,
            nonce=secrets.token_hex(8),
            session_id=ask.scope.session_id,
            zone=evidence.zone,
            profile_tokens=_profile_tokens(progress) if evidence.profile else 0,
        )
        assembled = assemble_for_forms(evidence.hits, evidence.around, page, evidence.profile)
    best = (
        Claim(says=hit.side or hit.text, group=hit.group, until=hit.until, at=hit.at) for hit in evidence.hits[:JUDGED]
    )
    grounds = Grounds(
        found=bool(evidence.hits),
        evident=evidence.evident,
        elsewhere=evidence.elsewhere,
        shown=any(piece.rank is not None for piece in assembled.pieces),
        claims=tuple(best),
        failure=failure,
    )
    judged = judge(grounds, ask.as_of or clock.now())
    answer = bundle(ask, made, progress, evidence, assembled, judged=judged, counter=DEFAULT_COUNTER.name)
    _log.note(ask.scope, answer, recipe=made.recipe, about_now=ask.is_about_now)
    return answer
