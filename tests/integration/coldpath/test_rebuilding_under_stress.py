"""Views built anew, again and again, while everything else writes: what is live then is what the ledger comes to."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from coldpath import reembed as reembedding
from coldpath import reindex as reindexing
from coldpath.erase import erase
from coldpath.forget import forget
from coldpath.reembed import fill, reembed
from coldpath.reindex import Pass, go_back, reindex
from coldpath.replay import replay
from hotpath import recall
from shared.contract.errors import Misconfigured, NotFound
from shared.contract.scope import Owner, Scope
from shared.store import generations, streams
from shared.store.db import Database, Role
from shared.testing import HashEmbedder, RecordingBell
from warmpath._door import Door
from warmpath._stages import STAGES
from warmpath._work import Services, perform

USERS = ("ada", "bo", "cy", "di")
ROUNDS = 25


def scope(user: str) -> Scope:
    return Scope(tenant_id="acme", user_id=user)


def write(services: Services, chance: random.Random, mark: str) -> None:
    """Some runs from observe to index, in this thread."""
    bell = RecordingBell()
    mine = Services(database=services.database, settings=services.settings, bell=bell, embedder=services.embedder)
    for n in range(ROUNDS):
        texts = [f"{mark} {n} {m} of the hive by tree {chance.randrange(9)}" for m in range(chance.randrange(1, 6))]
        messages = [{"role": "user", "text": text} for text in texts]
        if n % 5:
            Door(mine).observe(scope(chance.choice(USERS)), messages, run_id=f"{mark}-{n}")
        else:
            Door(mine).observe(scope("ada"), messages, run_id=f"{mark}-{n}", room="garden", participants=USERS)
        while bell.rung:
            stage, work = bell.rung.pop(0)
            perform(mine, stage, STAGES[stage], work)


def take_away(database: Database, chance: random.Random) -> None:
    for n in range(ROUNDS):
        user = chance.choice(USERS)
        found = recall(scope(user), f"hive tree {chance.randrange(9)}", deadline_ms=30_000).items
        try:
            if n == ROUNDS // 2:
                erase(database, scope(chance.choice(USERS[1:])))  # ada goes on in the room
            elif found:
                forget(database, scope(user), chance.choice(found).memory_id)
        except NotFound:
            continue  # somebody else said it in the room, or it went with another


def build(database: Database, rebuild: Callable[[Pass], object], over: threading.Event) -> None:
    """Passes that stop, die, or come to their end."""
    chance = random.Random(3)
    while not over.is_set():
        stops = iter([False] * chance.randrange(12) + [True] * 1_000)
        rebuild(Pass(stop=(lambda: next(stops)) if chance.random() < 0.5 else lambda: False))  # noqa: B023 - at once
        if chance.random() < 0.2:
            for view in ("sparse", "dense"):
                try:
                    go_back(database, "acme", view)  # type: ignore[arg-type]
                except (NotFound, Misconfigured):
                    continue


def test_the_live_views_are_what_the_ledger_comes_to(
    services: Services, opened: Database, owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reindexing, "PORTION", 7)
    monkeypatch.setattr(reembedding, "PORTION", 7)
    monkeypatch.setattr(reembedding, "BATCH", 5)
    embedder, over = HashEmbedder(), threading.Event()
    with ThreadPoolExecutor(5) as pool:
        builders = [
            pool.submit(build, opened, lambda going: reindex(opened, "acme", going), over),
            pool.submit(build, opened, lambda going: reembed(opened, embedder, "acme", going), over),
        ]
        others = [
            pool.submit(write, services, random.Random(1), "first"),
            pool.submit(write, services, random.Random(2), "second"),
            pool.submit(take_away, opened, random.Random(4)),
        ]
        try:
            for each in others:
                each.result(timeout=200)
        finally:
            over.set()
        for each in builders:
            each.result(timeout=60)
    fill(opened, embedder, "acme", Pass())
    owners = [found for tenant, found, _ in streams.of_tenant(opened, "acme")]
    for each in owners:
        replayed = replay(opened, "acme", each, verify=True)
        assert replayed.is_equal, replayed.differences
    live = contents(opened, owner)
    assert reindex(opened, "acme", Pass()).finished
    assert reembed(opened, embedder, "acme", Pass()).finished
    assert contents(opened, owner) == live
    lacking = owner.execute(
        "select count(*) from memory left join memory_vector as view using (tenant_id, user_id, doc) "
        "where view.doc is null"
    ).fetchone()
    assert lacking == (0,)


def contents(opened: Database, owner: psycopg.Connection) -> object:
    """Postings, joined over blocks, counts and vectors of the live generations."""
    with opened.transaction(Role.READER, "acme", [Owner("ada")]) as session:
        sparse, dense = generations.live(session, "sparse"), generations.live(session, "dense")
    assert sparse
    assert dense
    postings = (
        "select user_id, term, string_agg(entries, '' order by block) from posting where generation = %s group by 1, 2"
    )
    counts = "select user_id, documents, length_sum, sessions, doc from sparse_stream where generation = %s"
    vectors = (
        "select user_id, doc, memory_id, version, text_hash, embedding::text from memory_vector where generation = %s"
    )
    counted = "select user_id, vectors from dense_stream where vectors > 0 and generation = %s"
    return [
        owner.execute(f"{query} order by 1, 2".encode(), [build.generation]).fetchall()
        for query, build in ((postings, sparse), (counts, sparse), (vectors, dense), (counted, dense))
    ]
