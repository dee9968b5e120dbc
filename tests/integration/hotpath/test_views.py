"""What Postgres gives equals what the formulas say, and it gives it by index, as the application's role."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import psycopg
import pytest
from hypothesis import HealthCheck, Phase, example, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from pgvector import HalfVector
from psycopg.rows import dict_row

from shared import clock
from shared.contract.bundle import Bundle
from shared.contract.scope import Owner, Scope
from shared.language.bm25 import score_texts
from shared.language.indexing import indexed
from shared.language.text import query_terms
from shared.store import memories, postings, standing, vectors
from shared.store.db import Database, Role
from shared.store.keys import docs_of, places_of
from shared.store.migrate import prepare_dense
from shared.testing import Urls

Tell = Callable[..., None]
Ask = Callable[..., Bundle]
Floats = NDArray[np.float32]

VOCABULARY = [
    "bee",
    "hive",
    "honey",
    "keeping",
    "kept",
    "KX-204",
    "Ząbek",
    "2025",
    "March",
    "养蜂场",
    "of",
    "the",
    "🐝",
]
text = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=12).map(" ".join)
speaker = st.sampled_from(["user", "Tomas", "Bee Keeper"])
message = st.tuples(speaker, text, st.sampled_from(["2025-03-04T09:00Z", "2024-11-30", None]))
said = st.lists(message, max_size=7)

UNSHRUNK = [Phase.explicit, Phase.generate]
"""An example takes a second: a failure is shown as it was found."""

MODEL = "test@1/32"
DIMENSION = 32


@hypothesis_settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], phases=UNSHRUNK
)
@given(parts=st.tuples(said, said, said), query=st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=6))
@example(parts=([("user", "bee " * 40, None)], [], [("Tomas", "hive", None)]), query=["bee", "Tomas", "zebra"])
def test_the_score_by_words_of_every_memory_is_that_of_the_formula(
    parts: tuple[list[Any], list[Any], list[Any]], query: list[str], tell: Tell, ask: Ask, owner: psycopg.Connection
) -> None:
    own, room, shared = parts
    tenant = f"tenant-{next(NUMBERS)}"
    mira, tomas = Scope(tenant_id=tenant, user_id="mira"), Scope(tenant_id=tenant, user_id="tomas")
    for scope, part, more in (
        (mira, own, {}),
        (tomas, room, {"room": "harbour", "participants": ["mira", "tomas"]}),
        (Scope.tenant_wide(tenant), shared, {}),
        (tomas, [("user", "bee honey of another", None)], {}),
    ):
        for number in range(0, len(part), 3):  # several runs, so that blocks and statistics are added to
            raw = [{"speaker": who, "text": what, "ts": when} for who, what, when in part[number : number + 3]]
            tell(scope, *raw, run_id=f"run-{number}", **more)
    rows = in_scope(owner, tenant, ["mira", "room:harbour", "tenant:"])
    wanted = query_terms(" ".join(query), 32)
    expected = score_texts(wanted, [as_indexed(row) for row in rows])
    bundle = ask(mira, " ".join(query), explain=True, k=1000)
    scores = {item.memory_id: item.scores["words"] for item in bundle.items if item.rank}
    assert [scores.get(row["memory_id"], 0.0) for row in rows] == pytest.approx(expected, rel=1e-9)
    assert bundle.degraded == ()


def as_indexed(row: dict[str, Any]) -> list[str]:
    held = indexed(doc=row["doc"], session=1, text=row["text"], speaker=row["speaker"], at=row["valid_from"])
    return list(Counter(held.counts).elements())


def in_scope(owner: psycopg.Connection, tenant: str, owners: list[str]) -> list[dict[str, Any]]:
    with owner.cursor(row_factory=dict_row) as cursor:
        cursor.execute("select * from memory where tenant_id = %s and user_id = any(%s)", [tenant, owners])
        return cursor.fetchall()


def numbers() -> Iterator[int]:
    number = 0
    while True:
        number += 1
        yield number


NUMBERS = numbers()


def test_a_memory_with_more_terms_than_a_block_holds_is_scored_whole(
    tell: Tell, ask: Ask, owner: psycopg.Connection
) -> None:
    mira = Scope(tenant_id="acme", user_id="mira")
    count = 2 * postings.BLOCK_ENTRIES + 5
    tell(mira, *[f"bee number {number}" for number in range(count)])
    blocks = owner.execute("select count(*) from posting where term = 'bee'").fetchone()
    assert blocks == (3,)
    bundle = ask(mira, "bee", k=1000, budget_tokens=1_000_000)
    assert (len(bundle.hits), bundle.omitted) == (count, 0)


@pytest.fixture
def crowd(owner: psycopg.Connection) -> dict[str, Floats]:
    """The vectors of a user with 2,000 memories and of one with 30 beside them, all nearly alike."""
    random = np.random.default_rng(7)
    centre = random.standard_normal(DIMENSION)
    made = {}
    for user, count in (("big", 2_000), ("small", 30)):
        raw = centre + 0.7 * random.standard_normal((count, DIMENSION))
        made[user] = (raw / np.linalg.norm(raw, axis=1, keepdims=True)).astype(np.float16).astype(np.float32)
    owner.execute(
        "insert into generation (tenant_id, view, live, model_id, changed_at) values ('acme', 'dense', 1, %s, now())",
        [MODEL],
    )
    with owner.cursor() as cursor, cursor.copy("copy memory_vector from stdin") as copy:
        for user, rows in made.items():
            for doc, row in enumerate(rows, 1):
                copy.write_row(
                    (
                        "acme",
                        1,
                        user,
                        MODEL,
                        doc,
                        doc,
                        f"{doc:032x}",
                        1,
                        "episodic",
                        True,
                        b"",
                        HalfVector(row).to_text(),
                    )
                )
    owner.execute("analyze memory_vector")
    return made


def asked(crowd: dict[str, Floats]) -> list[Floats]:
    random = np.random.default_rng(8)
    raw = [crowd["big"][5], crowd["small"][3], *random.standard_normal((3, DIMENSION))]
    return [np.asarray(each / np.linalg.norm(each), np.float16).astype(np.float32) for each in raw]


@pytest.mark.parametrize("user", ["small", "big"])
def test_the_nearest_are_the_true_ones_and_exactly_as_many_as_asked_for(
    user: str, crowd: dict[str, Floats], opened: Database
) -> None:
    for query in asked(crowd):
        cosines = crowd[user] @ query / np.linalg.norm(crowd[user], axis=1) / np.linalg.norm(query)
        for limit in (1, 20, 30):
            with opened.transaction(Role.APP, "acme", [Owner(user)], read_only=True) as session:
                found = vectors.nearest(session, MODEL, query, limit=limit, approximate=False)
            true = np.sort(np.argsort(-cosines)[:limit] + 1)
            assert docs_of(found.keys).tolist() == true.tolist()
            assert found.cosines.tolist() == pytest.approx(cosines[true - 1], abs=1e-3)
            assert set(places_of(found.keys)) == {0}, "the user's own"


def test_a_scope_with_fewer_memories_than_asked_for_gives_them_all(crowd: dict[str, Floats], opened: Database) -> None:
    with opened.transaction(Role.APP, "acme", [Owner("small")], read_only=True) as session:
        assert len(vectors.nearest(session, MODEL, asked(crowd)[0], limit=100, approximate=False).keys) == 30
        assert not len(vectors.nearest(session, "another@1/32", asked(crowd)[0], limit=100, approximate=False).keys)


def test_by_the_index_of_a_large_scope_come_as_many_as_asked_for_and_most_of_the_true(
    crowd: dict[str, Floats], opened: Database, urls: Urls
) -> None:
    prepare_dense(urls.migrate_url, model_id=MODEL, dimension=DIMENSION)
    for query in asked(crowd):
        with opened.transaction(Role.APP, "acme", [Owner("big")], read_only=True) as session:
            exact = vectors.nearest(session, MODEL, query, limit=50, approximate=False)
            walked = vectors.nearest(session, MODEL, query, limit=50, approximate=True)
            sorting = session.row("select current_setting('enable_sort') as it")
        assert len(walked.keys) == 50
        assert set(places_of(walked.keys)) == {0}
        assert len(np.intersect1d(exact.keys, walked.keys)) >= 45
        assert sorting == {"it": "on"}


@pytest.fixture
def full(owner: psycopg.Connection) -> None:
    """5,000 memories, 4,000 of one user, each with a vector and in a posting block; and what the tenant claims."""
    owner.execute(
        "insert into generation (tenant_id, view, live, model_id, changed_at) "
        "select 'acme', view, 1, 'm', now() from unnest(array['memory', 'sparse', 'dense']) as view"
    )
    owner.execute(
        "insert into memory (tenant_id, generation, memory_id, version, user_id, doc, session_doc, ordinal, kind, "
        "epistemic_type, text, origin, trust, confidence, session_id, recorded_at, opened_by) "
        "select 'acme', 1, gen_random_uuid(), 1, 'user-' || least(n / 100, 10), n + 1, n / 20 * 20 + 1, 0, "
        "'episodic', 'evidence', repeat('text ', 30), 'user', 4, 1, 'session-' || n / 20, now(), 1 "
        "from generate_series(0, 4999) as n"
    )
    owner.execute(
        "insert into memory_vector select tenant_id, generation, user_id, 'm', doc, session_doc, memory_id, version, "
        "kind, true, '', array_fill(doc::real, array[384])::halfvec from memory"
    )
    owner.execute(
        "insert into posting select 'acme', 1, user_id, 'term' || doc, 1, repeat('x', 132)::bytea from memory"
    )
    owner.execute(
        "insert into memory (tenant_id, generation, memory_id, version, user_id, doc, session_doc, ordinal, kind, "
        "epistemic_type, text, origin, trust, confidence, recorded_at, opened_by, claim_subject, claim_predicate, "
        "claim_object, claim_key) select 'acme', 1, gen_random_uuid(), 1, 'tenant:', n, n, 0, 'semantic', 'fact', "
        "repeat('text ', 30), 'user', 4, 1, now(), n, 'a', 'b', 'c', 'claim ' || n from generate_series(1, 400) as n"
    )
    owner.execute("analyze")


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for each in plan.get("Plans", []):
        yield from nodes(each)


def test_every_look_up_of_the_hot_path_goes_by_an_index(full: None, opened: Database) -> None:
    docs = {"keys": list(range(2_000, 2_020))}
    times = {"as_of": None, "known_at": None, "now": clock.now()}
    query = {"model_id": "m", "query": HalfVector(np.ones(384)).to_text()}
    looked_up: list[tuple[str, str, dict[str, object], str]] = [
        (
            "posting",
            postings._SQL["fetch"],
            {"terms": [f"term{number}" for number in range(2_001, 2_009)], "tier": "hot"},
            "term",
        ),
        ("memory_vector", vectors._SQL["cosines"], {**query, **docs}, "doc"),
        ("memory_vector", vectors._SQL["nearest"], {**query, "model_ids": ["m"], "limit": 100}, "user_id"),
        ("memory", memories._SQL["visible"], {**docs, **times, "may_be_cold": [False] * 20}, "doc"),
        ("memory", memories._SQL["whole"], {**docs, **times, "session_docs": [2_001] * 20}, "doc"),
    ]
    for table, statement, parameters, column in looked_up:
        with opened.transaction(Role.APP, "acme", [Owner("user-10")], read_only=True) as session:
            (row,) = session.rows(f"explain (format json) {statement}", **parameters)
        (plan,) = row["QUERY PLAN"]
        found = list(nodes(plan["Plan"]))
        reads = [each for each in found if re.fullmatch(rf"{table}_\d+", each.get("Relation Name", ""))]
        assert len({each["Relation Name"] for each in reads}) == 1, "the partition of the tenant and no other"
        assert {each["Node Type"] for each in reads} <= {"Index Scan", "Index Only Scan", "Bitmap Heap Scan"}
        by = [each["Index Cond"] for each in found if re.match(rf"{table}_\d", each.get("Index Name", ""))]
        assert by
        columns = (column, "claim_key", "memory_id")  # what a belief's successor and an episode's claims are found by
        assert all("user_id" in each or "memory_id" in each for each in by), f"{statement[:40]} goes by {by}"
        assert all(any(one in each for one in columns) for each in by), f"{statement[:40]} goes by {by}"


def test_the_evidence_of_what_is_shown_is_looked_up_one_by_one(
    full: None, opened: Database, owner: psycopg.Connection
) -> None:
    owner.execute(
        "insert into event (tenant_id, user_id, stream, sequence, event_class, kind, precision, recorded_at, origin, "
        "schema_version, run_id, message_id, payload_hash, previous_hash, hash) select tenant_id, user_id, "
        "'user:' || user_id, doc, 'evidence', 'message', 'unknown', now(), 'user', 1, 'run', 'm' || doc, "
        "'', '', '' from memory"
    )
    owner.execute(
        "insert into memory_evidence select tenant_id, generation, memory_id, 1, 'user:' || user_id, doc, user_id, "
        "null, null, true from memory"
    )
    owner.execute("analyze")
    wanted = np.arange(2_000, 2_020)
    with opened.transaction(Role.APP, "acme", [Owner("user-10")], read_only=True) as session:
        parameters = {"keys": wanted.tolist(), "session_docs": ((wanted - 1) // 20 * 20 + 1).tolist()}
        statement = f"explain (analyze, format json) {memories._SQL['whole']}"
        (row,) = session.rows(statement, **parameters, as_of=None, known_at=None, now=clock.now())
        found = memories.whole(session, wanted, (wanted - 1) // 20 * 20 + 1)
    assert [(each.doc, [*each.message_ids], [*each.sequences]) for each in found] == [
        (doc, [f"m{doc}"], [doc]) for doc in wanted.tolist()
    ]
    plan = list(nodes(row["QUERY PLAN"][0]["Plan"]))
    # An episode's evidence is looked up for its sources, and with what else rests on it for what was claimed from it.
    for table, column, times in (("memory_evidence", "memory_id", 2), ("event", "sequence", 1)):
        reads = [each for each in plan if re.fullmatch(rf"{table}_\d+", each.get("Relation Name", ""))]
        assert len({each["Relation Name"] for each in reads}) == 1, "the partition of the tenant and no other"
        assert all(column in each["Index Cond"] or "sequence" in each["Index Cond"] for each in reads)
        assert all(each["Actual Rows"] * each["Actual Loops"] <= len(wanted) for each in reads)
        assert sum(column in each["Index Cond"] for each in reads) == times


def test_how_all_stands_is_read_by_indexes_whatever_waits_of_others(
    full: None, opened: Database, owner: psycopg.Connection
) -> None:
    owner.execute(
        "insert into inbox (tenant_id, inbox_id, user_id, run_id, message_digests, payload, stage, accepted_at, "
        "changed_at) "
        "select 'acme', gen_random_uuid(), 'user-' || n % 500, 'run-' || n, '[]', '', 'append', now(), now() "
        "from generate_series(1, 3000) as n"
    )
    owner.execute(
        "insert into stream select 'acme', 'user:user-' || n, 'user-' || n, n, '', now(), n "
        "from generate_series(1, 3000) as n"
    )
    for table, numbers in (("sparse_stream", "n, n, n, n"), ("dense_stream", "n"), ("graph_stream", "n, n")):
        insert = f"insert into {table} select 'acme', 1, 'user-' || n, {numbers} from generate_series(1, 3000) as n"
        owner.execute(insert.encode())
    owner.execute("analyze")
    with opened.transaction(Role.APP, "acme", [Owner("user-10")], read_only=True, beside=standing.QUERY) as session:
        assert standing.of(session) is not None
        (row,) = session.rows(f"explain (format json) {standing.QUERY}")
    many = {"inbox", "stream", "sparse_stream", "dense_stream", "graph_stream"}
    reads = [each for each in nodes(row["QUERY PLAN"][0]["Plan"]) if each.get("Relation Name") in many]
    assert {each["Relation Name"] for each in reads} == many
    for each in reads:
        assert "Index" in each["Node Type"] or "Bitmap" in each["Node Type"], each
        assert each["Plan Rows"] < 50, each
