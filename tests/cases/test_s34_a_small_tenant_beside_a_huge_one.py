"""S34: a small tenant beside a huge one, whose vectors are nearer to the query, has its own true nearest all along."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import numpy as np
import psycopg
import pytest
from numpy.typing import NDArray
from pgvector import HalfVector

from coldpath.forget import forget
from shared import clock
from shared.contract.scope import Owner, Scope
from shared.embedded import open_database
from shared.models._vectors import ModelId, Vectors
from shared.settings import settings
from shared.store import graph, memories, postings, vectors
from shared.store.db import Role, Session
from shared.store.keys import docs_of
from shared.store.migrate import prepare_dense
from shared.testing import HashEmbedder, Urls
from tests.cases.adapter import Words, found_by, said

DIMENSION = 64
HUGE = 50_000
VACUUMED = 8_000
"""Vacuuming repairs the graph around each one deleted, which at 50,000 took two minutes."""
SMALL = 30
K = 20
QUERIES = 50
SAMPLE = 200
MODEL = ModelId(name="placed", revision="1", dimension=DIMENSION)
CENTRE = np.random.default_rng(1).standard_normal(DIMENSION)
TOPICS = np.random.default_rng(2).standard_normal((500, DIMENSION)) * 0.5
MIRA, OTTO, BIG = Owner("mira"), Owner("otto"), Owner("big")


def near(count: int, seed: int) -> Vectors:
    """Vectors of one region, in which the queries lie: some hundred topics with something around each."""
    chance = np.random.default_rng(seed)
    topics = TOPICS[chance.integers(len(TOPICS), size=count)]
    return unit(CENTRE + topics + chance.standard_normal((count, DIMENSION)) * 0.3)


def far(number: int) -> Vectors:
    return unit(CENTRE + np.random.default_rng(10_000 + number).standard_normal((1, DIMENSION)) * 1.2)[0]


def unit(rows: NDArray[np.float64]) -> Vectors:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


class Placed:
    """An embedder that puts each text where its words say: `near 7`, `far 7`."""

    model = MODEL

    def encode_query(self, text: str) -> Vectors:
        place, number = text.split()[:2]
        return far(int(number)) if place == "far" else near(1, int(number))[0]

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        return np.stack([self.encode_query(text) for text in texts])


@dataclass(frozen=True)
class Store:
    """A huge tenant and a small one on one leaf."""

    words: Words
    owner: psycopg.Connection
    urls: Urls
    small: str
    leaf: str

    def session(self, tenant: str, who: Owner) -> AbstractContextManager[Session]:
        return open_database(settings()).transaction(Role.APP, tenant, [who], read_only=True)

    def nearest(self, tenant: str, who: Owner, query: Vectors, limit: int, *, approximate: bool = False) -> set[int]:
        with self.session(tenant, who) as session:
            found = vectors.nearest(session, MODEL.key, query, limit=limit, approximate=approximate)
        return set(docs_of(found.keys).tolist())

    def stored(self, tenant: str, who: Owner) -> tuple[NDArray[np.int64], Vectors]:
        rows = self.owner.execute(
            "select doc, embedding::text from memory_vector where tenant_id = %s and user_id = %s and open order by 1",
            [tenant, who],
        ).fetchall()
        return np.array([doc for doc, _ in rows]), np.array([json.loads(text) for _, text in rows], np.float32)


@pytest.fixture
def store(words: Words, owner: psycopg.Connection, urls: Urls, monkeypatch: pytest.MonkeyPatch) -> Store:
    """Mira's memories in the small tenant, some of them closed, beside Otto's nearer ones and the huge tenant's."""
    for path in ("warmpath._door.embedder", "hotpath._embed.embedder"):
        monkeypatch.setattr(path, lambda _: Placed())
    leaf = leaf_of(owner, "big")
    small = next(name for n in range(1_000) if leaf_of(owner, name := f"small-{n}") == leaf)
    words.ingest(small, MIRA, "run-1", [said(f"far {n} off", f"m{n}") for n in range(SMALL + 5)])
    words.ingest(small, OTTO, "run-2", [said(f"near {n} by", f"o{n}") for n in range(40)])
    closing = "closed_at = recorded_at, closed_reason = 'END', closed_by = opened_by"
    for change in (f"memory set {closing}", "memory_vector set open = false"):
        owner.execute(f"update {change} where doc > {SMALL} and user_id = 'mira'".encode())
    words.ingest("big", BIG, "run-1", [said(f"near {n} at the first", f"b{n}") for n in range(10)])
    return Store(words, owner, urls, small, leaf)


def leaf_of(owner: psycopg.Connection, tenant: str) -> str:
    """The partition that a tenant's vectors are in."""
    leaves = owner.execute(
        "select child.relname, pg_get_expr(child.relpartbound, child.oid) from pg_inherits "
        "join pg_class as child on child.oid = inhrelid where inhparent = 'memory_vector'::regclass order by 1"
    ).fetchall()
    for remainder, (name, _) in enumerate(sorted(leaves, key=lambda each: int(each[1].rsplit(" ", 1)[1].rstrip(")")))):
        found = owner.execute(
            "select satisfies_hash_partition('memory_vector'::regclass, %s, %s, %s::text)",
            [len(leaves), remainder, tenant],
        ).fetchone()
        if found == (True,):
            return str(name)
    raise AssertionError(tenant)


def fill(store: Store, size: int) -> None:
    """Bring the huge tenant to its size, as rows, for no run is so long; then make the graph."""
    text = io.StringIO()
    np.savetxt(text, near(size - 10, 3), fmt="%.4f", delimiter=",")
    columns = "tenant_id, generation, user_id, model_id, doc, session_doc, memory_id, version, kind, open, text_hash"
    with (
        store.owner.cursor() as cursor,
        cursor.copy(f"copy memory_vector ({columns}, embedding) from stdin".encode()) as copy,
    ):
        for doc, line in enumerate(text.getvalue().splitlines(), 11):
            copy.write(f"big\t1\tbig\t{MODEL.key}\t{doc}\t11\t{UUID(int=doc)}\t1\tepisodic\tt\t\\\\x00\t[{line}]\n")
    recount(store.owner)
    prepare_dense(store.urls.migrate_url, model_id=MODEL.key, dimension=DIMENSION)
    on_the_leaf = f"select count(*) from {store.leaf} where tenant_id = 'big'"
    assert store.owner.execute(on_the_leaf.encode()).fetchone() == (size,)


def recount(owner: psycopg.Connection) -> None:
    count = "select count(*) from memory_vector where tenant_id = 'big'"
    for counter in ("sparse_stream set documents =", "dense_stream set vectors ="):
        owner.execute(f"update {counter} ({count}) where tenant_id = 'big'".encode())


def churn(store: Store) -> None:
    """Delete 60 % of the huge tenant and move 30 % of the rest; one goes as a user would have it go."""
    owner = store.owner
    (first,) = owner.execute("select memory_id from memory where tenant_id = 'big' and doc = 10").fetchone() or (None,)
    forget(open_database(settings()), Scope(tenant_id="big", user_id="big"), str(first))
    assert owner.execute("select count(*) from memory_vector where tenant_id = 'big' and doc = 10").fetchone() == (0,)
    owner.execute("delete from memory_vector where tenant_id = 'big' and doc > 10 and mod(doc, 10) < 6")
    left = owner.execute("select doc from memory_vector where tenant_id = 'big' and doc > 10 order by doc").fetchall()
    moved = [doc for (doc,) in left][: round(0.3 * len(left))]
    with owner.cursor() as cursor:
        cursor.executemany(
            "update memory_vector set embedding = %s::halfvec where tenant_id = 'big' and doc = %s",
            [(HalfVector(row).to_text(), doc) for row, doc in zip(near(len(moved), 4), moved, strict=True)],
        )
    recount(owner)


def scanned(store: Store, query: Vectors) -> set[int]:
    """The true nearest of Mira's open memories, by a scan of the table past every index and policy."""
    with store.owner.transaction():
        store.owner.execute("set local enable_indexscan = off")
        rows = store.owner.execute(
            "select doc from memory_vector where tenant_id = %s and user_id = 'mira' and open "
            "order by embedding <=> %s::halfvec limit %s",
            [store.small, HalfVector(query).to_text(), K],
        )
        return {doc for (doc,) in rows}


def exact(stored: tuple[NDArray[np.int64], Vectors], query: Vectors, limit: int) -> set[int]:
    docs, rows = stored
    cosines = rows @ query / np.linalg.norm(rows, axis=1)
    return set(docs[np.argpartition(-cosines, limit)[:limit]].tolist())


def assert_small_is_served(store: Store) -> None:
    """Exactly k, the true nearest, of what is open and this user's; by the same count when asked as a whole."""
    stored = store.stored(store.small, MIRA)
    assert len(stored[0]) == SMALL
    for query in near(QUERIES, 5):
        assert store.nearest(store.small, MIRA, query, K) == scanned(store, query)
    for doc, own in zip(*stored, strict=True):
        assert doc in store.nearest(store.small, MIRA, own, 10)
    bundle = store.words.bundle(store.small, MIRA, "near 3 to this", k=K)
    assert (len(bundle.hits), bundle.degraded) == (K, ())
    assert rows_read(store) <= SMALL + 5


def rows_read(store: Store) -> float:
    """How many rows are read for a query of the small tenant, as the application under row-level security."""
    with store.session(store.small, MIRA) as session:
        parameters = {"model_ids": [MODEL.key], "query": HalfVector(near(1, 6)[0]), "limit": K}
        row = session.row("explain (analyze, format json) " + vectors._SQL["nearest"], **parameters)
    assert row is not None
    return sum(read(row["QUERY PLAN"][0]["Plan"], "memory_vector"))


def read(node: dict[str, Any], table: str) -> Iterator[float]:
    """Rows given on by the nodes of a plan that read the table, and those that they passed over."""
    if node.get("Relation Name", "").startswith(table):
        passed = sum(node.get(name, 0) for name in ("Rows Removed by Filter", "Rows Removed by Index Recheck"))
        yield (node["Actual Rows"] + passed) * node["Actual Loops"]
    for each in node.get("Plans", ()):
        yield from read(each, table)


def assert_big_is_served(store: Store) -> None:
    """Through the graph, whatever its size is now: nearly all of the true nearest, and each one by its own vector."""
    stored = store.stored("big", BIG)
    found = 0
    for query in near(QUERIES, 7):
        shown = store.nearest("big", BIG, query, K, approximate=True)
        assert len(shown) == K
        found += len(shown & exact(stored, query, K))
    assert found / (K * QUERIES) >= 0.95
    sample = np.random.default_rng(8).choice(len(stored[0]), SAMPLE, replace=False)
    for doc, own in zip(stored[0][sample], stored[1][sample], strict=True):
        assert doc in store.nearest("big", BIG, own, 10, approximate=True)


def test_s34_the_small_tenant_has_its_true_nearest_before_and_after_the_huge_one_is_churned(store: Store) -> None:
    fill(store, HUGE)
    assert_small_is_served(store)
    assert_big_is_served(store)
    churn(store)
    assert len(store.stored("big", BIG)[0]) == pytest.approx(HUGE * 0.4, abs=10)
    assert_small_is_served(store)
    assert_big_is_served(store)


def test_s34_it_is_so_too_once_the_deleted_are_vacuumed_out_of_the_graph(store: Store) -> None:
    fill(store, VACUUMED)
    churn(store)
    store.owner.execute(f"vacuum analyze {store.leaf}".encode())
    assert_small_is_served(store)
    assert_big_is_served(store)


MEETING = datetime(2025, 5, 2, 9, tzinfo=UTC)
ASKED_AT = MEETING + timedelta(days=1)
OF_MIRA = {"Tove Lind was here today.", "The tower of Graz is old, said Tove Lind."}
BEYOND = "It rains in Graz."
FOUND = {
    "sparse": ("Was Tove Lind here?", OF_MIRA),
    "temporal": ("What happened yesterday?", OF_MIRA),
    "graph": ("Where is Tove Lind?", OF_MIRA | {BEYOND}),
}
"""By channel: what is asked, and what it finds alone of Mira's."""
NOTHING = [f"Nothing of note, for the {n}th time." for n in range(SMALL)]
COPIES = 20_000


@pytest.fixture
def beside(words: Words, owner: psycopg.Connection, embedder: HashEmbedder) -> str:
    """A small tenant in which Mira and Otto were told alike, beside one where the same was said again and again."""
    leaf = leaf_of(owner, "big")
    small = next(name for n in range(1_000) if leaf_of(owner, name := f"small-{n}") == leaf)
    then = {"ts": MEETING.isoformat()}
    earlier = [said(text, f"n{n}", ts="2025-03-01") for n, text in enumerate([BEYOND, *NOTHING])]
    told = [said(text, f"m{n}", **then) for n, text in enumerate(sorted(OF_MIRA))]
    words.ingest(small, MIRA, "run-1", [*earlier, *told])
    for tenant, who in ((small, OTTO), ("big", BIG)):
        words.ingest(tenant, who, "run-1", [said(f"Tove Lind of {who} was here in Graz.", "m0", **then)])
    return small


def multiply(owner: psycopg.Connection) -> None:
    """What the huge tenant was told, as often as a run could never hold, in every view that recall reads."""
    columns = (
        "version, user_id, session_doc, ordinal, kind, epistemic_type, text, speaker, role, origin, trust, confidence, "
        "session_id, run_id, valid_from, recorded_at, opened_by"
    )
    copies = f"generate_series(2, {COPIES}) as n where tenant_id = 'big'"
    own = f"tenant_id, generation, gen_random_uuid(), n, {columns}"
    for statement in (
        f"insert into memory (tenant_id, generation, memory_id, doc, {columns}) select {own} from memory, {copies}",
        f"insert into mention select tenant_id, generation, user_id, name, n from mention, {copies}",
        f"insert into posting select tenant_id, generation, user_id, term, n, entries from posting, {copies}",
        f"update entity set memories = {COPIES} where tenant_id = 'big'",
        f"update sparse_stream set documents = {COPIES} where tenant_id = 'big'",
        "analyze",
    ):
        owner.execute(statement.encode())


def scatter(owner: psycopg.Connection) -> None:
    """Delete 60 % of that and write 30 % of the rest anew."""
    for table in ("memory", "mention"):
        owner.execute(f"delete from {table} where tenant_id = 'big' and mod(doc, 10) < 6".encode())
    owner.execute("delete from posting where tenant_id = 'big' and mod(block, 10) < 6")
    owner.execute("update memory set text = text || '!' where tenant_id = 'big' and mod(doc, 10) = 7")
    owner.execute("update mention set name = 'linz' where tenant_id = 'big' and mod(doc, 10) = 7 and name = 'graz'")


def assert_each_channel_serves_mira(small: str, when: str) -> None:
    for channel, (query, wanted) in FOUND.items():
        assert found_by(channel, small, MIRA, query, as_of=ASKED_AT) == wanted, (channel, when)
        assert found_by(channel, small, OTTO, query, as_of=ASKED_AT) == {"Tove Lind of otto was here in Graz."}
        assert_little_is_read(small)


def assert_little_is_read(small: str) -> None:
    """By no channel more than the small user's own rows, as the application under row-level security."""
    times: dict[str, object] = {"as_of": None, "known_at": None, "now": clock.now()}
    asked: list[tuple[str, str, dict[str, object]]] = [
        ("posting", postings._SQL["fetch"], {"terms": ["tove", "lind", "graz"], "tier": "hot"}),
        ("mention", graph._SQL["around"], {"names": ["tove lind"], "near": [], **LIMITS}),
        ("entity", graph._SQL["called"], {"names": ["tove lind", "graz"], "limit": 10}),
        ("memory", memories._SQL["within"], {"start": MEETING, "end": ASKED_AT, "limit": 50, "known_at": None}),
        ("memory", memories._SQL["visible"], {"keys": [1, 2, 3], "may_be_cold": [False] * 3, **times}),
    ]
    for table, query, parameters in asked:
        with open_database(settings()).transaction(Role.APP, small, [MIRA], read_only=True) as session:
            row = session.row(f"explain (analyze, format json) {query}", **parameters)
        assert row is not None
        assert 0 < sum(read(row["QUERY PLAN"][0]["Plan"], table)) <= 4 * SMALL, (table, parameters)


LIMITS = {"per_seed": 50, "commonest": 100, "most_names": 400, "per_name": 20}


def test_s34_words_times_and_names_serve_the_small_tenant_before_and_after_the_huge_one_is_churned(
    beside: str, owner: psycopg.Connection
) -> None:
    assert_each_channel_serves_mira(beside, "beside a tenant of one memory")
    multiply(owner)
    assert_each_channel_serves_mira(beside, "beside a huge one")
    scatter(owner)
    assert_each_channel_serves_mira(beside, "after the churn")
    owner.execute("vacuum analyze")
    assert_each_channel_serves_mira(beside, "after the vacuum")
