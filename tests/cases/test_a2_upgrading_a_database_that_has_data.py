"""A2: a database of the first release, with a thousand messages in it, is brought to the newest schema.

Holds invariant 1 (the ledger is append-only) across migrations: its hashes are the same before and after. What becomes
of a migrator that is killed stands in test_a2_killed_while_upgrading.py.
"""

from __future__ import annotations

import io
import re
import secrets
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from alembic import command
from psycopg import sql

from coldpath.verify import verify
from shared.contract.errors import Misconfigured, SchemaMismatch
from shared.contract.receipts import Stage, Work
from shared.contract.scope import Owner
from shared.embedded import Endpoints
from shared.settings import Settings
from shared.store.db import SCHEMA_VERSION, Database, Role, forget_pools
from shared.store.migrate import _config, migrate, prepare_dense
from shared.testing import HashEmbedder, Urls
from tests.cases.adapter import Words
from tests.cases.first_release import (
    EPISODES_OF_A_RUN,
    MESSAGES_OF_A_RUN,
    OTHER_MODEL,
    RUNS,
    fill,
    text_of,
)
from tests.cases.upgrading import (
    LOGIN,
    contents,
    first_release,
    ledger_hashes,
    make_schema,
    new_database,
    read,
    renamed,
    schema,
    version,
)

OPERATIONS = Path(__file__).parents[2] / "docs" / "operations.md"
INVALID = "select indexrelid::regclass::text from pg_index where not (indisvalid and indisready and indislive)"


@pytest.fixture
def urls(servers: Endpoints) -> Iterator[Urls]:
    """A database as the first release left it; what else is asked for works on it too."""
    with first_release(servers) as old:
        yield old
        forget_pools()


def upgrade(urls: Urls) -> None:
    """As `daybook migrate` does it, with an embedder without weights."""
    model = HashEmbedder().model
    assert migrate(urls.migrate_url, login=LOGIN, partitions=8) == SCHEMA_VERSION
    prepare_dense(urls.migrate_url, model_id=model.key, dimension=model.dimension)


def test_a2_there_is_one_head_and_it_is_the_version_of_the_code() -> None:
    config = _config(None)  # type: ignore[arg-type]
    config.stdout = io.StringIO()
    command.heads(config)
    assert config.stdout.getvalue().splitlines() == [f"{SCHEMA_VERSION} (head)"]


def test_a2_the_data_is_what_the_case_asks_for(urls: Urls) -> None:
    found = contents(urls.migrate_url)
    assert found["event"][0] > found["event_payload"][0] - 1 >= found["decision"][0] == 1_000
    assert {row[0] for row in read(urls, "select state from inbox")} == {"waiting", "parked", "done"}
    assert {row[0] for row in read(urls, "select stage from inbox where state = 'waiting'")} == {
        "append",
        "gate",
        "index",
    }
    [[without]] = read(
        urls,
        "select count(*) from memory left join memory_vector as vector using (tenant_id, memory_id) "
        "where vector.doc is null",
    )
    assert without == 2 * EPISODES_OF_A_RUN * len(RUNS)
    odd = "select vector_dims(embedding) from memory_vector where model_id = %s"
    assert read(urls, odd, OTHER_MODEL) == [(7,)]


def test_a2_nothing_is_lost_and_every_counter_is_right(urls: Urls) -> None:
    before, hashes = contents(urls.migrate_url), ledger_hashes(urls.migrate_url)
    upgrade(urls)
    assert version(urls.migrate_url) == SCHEMA_VERSION
    assert contents(urls.migrate_url, like=before) == before
    assert ledger_hashes(urls.migrate_url) == hashes
    assert len(hashes) == before["event"][0]
    assert read(urls, INVALID) == []
    assert read(urls, "select tenant_id, user_id, doc from sparse_stream order by 1, 2") == read(
        urls, "select tenant_id, user_id, max(doc) from memory group by 1, 2 order by 1, 2"
    )
    assert read(urls, "select tenant_id, user_id, generation, vectors from dense_stream order by 1, 2") == read(
        urls, "select tenant_id, user_id, generation, count(*) from memory_vector group by 1, 2, 3 order by 1, 2"
    )
    assert read(urls, "select distinct messages from inbox") == [(1,)], "of what was accepted before it is not known"


def test_a2_an_upgraded_database_has_the_schema_of_a_new_one(urls: Urls, servers: Endpoints) -> None:
    upgrade(urls)
    with new_database(servers) as new:
        with psycopg.connect(new.migrate_url, autocommit=True) as connection:
            connection.execute("create extension vector")
        assert migrate(new.migrate_url, login=LOGIN, partitions=2) == SCHEMA_VERSION
        prepare_dense(new.migrate_url, model_id=HashEmbedder().model.key, dimension=384)
        assert schema(urls.migrate_url) == schema(new.migrate_url)


def test_a2_a_second_upgrade_finds_nothing_to_do(urls: Urls) -> None:
    upgrade(urls)
    before = schema(urls.migrate_url), contents(urls.migrate_url)
    upgrade(urls)
    assert (schema(urls.migrate_url), contents(urls.migrate_url)) == before


def test_a2_verify_passes_on_every_stream(urls: Urls, opened: Database) -> None:
    upgrade(urls)
    found = [
        verify(opened, tenant, Owner(owner)) for tenant, owner in read(urls, "select tenant_id, user_id from stream")
    ]
    assert [each for each in found if each.fault] == []
    assert {(each.tenant_id, each.owner) for each in found} >= set(RUNS)
    assert sum(each.events for each in found) >= 1_000


def test_a2_words_and_vectors_find_what_was_stored_before(
    urls: Urls, environment: Settings, words: Words, embedder: HashEmbedder
) -> None:
    upgrade(urls)
    for tenant, user in (("acme", "mira"), ("globex", "ida"), ("umbrella", "zoë")):
        wanted = text_of(1, 3)
        bundle = words.bundle(tenant, user, wanted, explain=True)
        assert bundle.degraded == ()
        best = next(item for item in bundle.items if item.memory_id == bundle.hits[0].memory_id)
        assert best.text == wanted
        assert best.scores["meaning"] > 0.99
    assert words.recall("acme", "mira", "label kx2")[0].text == text_of(0, 2)
    assert words.recall("acme", "nobody", text_of(1, 3)) == []
    last = text_of(RUNS["acme", "oz"] - 1, 4)
    assert words.recall("acme", "oz", last)[0].text == last, "words find what has no vector yet"


def test_a2_what_waited_is_done_after_it_and_what_was_parked_stays(
    urls: Urls, environment: Settings, words: Words, embedder: HashEmbedder
) -> None:
    upgrade(urls)
    waiting = read(urls, "select tenant_id, user_id, inbox_id, stage from inbox where state = 'waiting'")
    for tenant, owner, inbox_id, stage in waiting:
        words.bell.ring(Stage(stage), Work(tenant_id=tenant, owner=Owner(owner), inbox_id=inbox_id))
    words.drain()
    states = dict(read(urls, "select state, count(*) from inbox group by 1"))
    assert states == {"parked": len(RUNS), "done": words.count("inbox") - len(RUNS)}
    assert words.count("memory") == sum(RUNS.values()) * EPISODES_OF_A_RUN + len(RUNS) * MESSAGES_OF_A_RUN
    new = text_of(RUNS["globex", "ida"], 7)
    assert words.recall("globex", "ida", new)[0].text == new
    behind = "select count(*) from stream join sparse_stream using (tenant_id, user_id) where doc <> last_doc"
    assert read(urls, behind) == [(0,)]


# As the first release wrote them.
OLD_ACCEPT = """
    insert into inbox (tenant_id, inbox_id, user_id, run_id, message_digests, payload, stage, accepted_at, changed_at)
    values ('acme', gen_random_uuid(), 'mira', %s, '{}', '{}', 'append', clock_timestamp(), clock_timestamp())
"""
OLD_COUNT = """
    insert into sparse_stream (tenant_id, generation, user_id, documents, length_sum, sessions)
    values ('acme', 1, 'mira', 1, 4, 1)
    on conflict (tenant_id, generation, user_id) do update set documents = sparse_stream.documents + excluded.documents
"""


def as_role(connection: psycopg.Connection, role: Role) -> None:
    connection.execute(sql.SQL("set local role {}").format(sql.Identifier(role)))
    connection.execute("select set_config('daybook.tenant', 'acme', true), set_config('daybook.users', 'mira', true)")


def test_a2_an_old_agent_goes_on_accepting_and_an_old_worker_is_refused(urls: Urls) -> None:
    upgrade(urls)
    with psycopg.connect(urls.database_url) as old:
        as_role(old, Role.APP)
        old.execute(OLD_ACCEPT, ["run-of-an-old-agent"])
        old.commit()
        as_role(old, Role.WORKER)
        with pytest.raises(psycopg.errors.NotNullViolation, match="doc"):
            old.execute(OLD_COUNT)
    assert read(urls, "select messages, state from inbox where run_id like '%%old-agent'") == [(1, "waiting")]


def owned_by_nobody_special(servers: Endpoints, name: str) -> str:
    with psycopg.connect(servers.migrate_url, autocommit=True) as server:
        server.execute(sql.SQL("create role {} login createrole password 'guest'").format(sql.Identifier(name)))
        for role in Role:  # as the server gives a role to whoever makes it
            grant = sql.SQL("grant {} to {} with admin true, inherit false, set false")
            server.execute(grant.format(sql.Identifier(role), sql.Identifier(name)))
    return name


def test_a2_an_owner_who_is_no_superuser_upgrades_data_that_it_cannot_see(servers: Endpoints) -> None:
    name = owned_by_nobody_special(servers, f"owner_{secrets.token_hex(6)}")
    try:
        with new_database(servers) as urls:
            with psycopg.connect(urls.migrate_url, autocommit=True) as superuser:
                superuser.execute("create extension vector")
                superuser.execute(sql.SQL("grant create on schema public to {}").format(sql.Identifier(name)))
            url = renamed(urls.migrate_url, urls.migrate_url.rpartition("/")[2], user=name, password="guest")
            make_schema(url)
            fill(urls.migrate_url, share=5)
            before = contents(urls.migrate_url)
            with psycopg.connect(url) as owner:
                assert owner.execute("select count(*) from stream").fetchone() == (0,)
            _refused_without_the_right_to_act(servers, urls, url, name)
            assert migrate(url, login=LOGIN, partitions=8) == SCHEMA_VERSION
            assert contents(urls.migrate_url, like=before) == before
            assert read(urls, "select count(*) from sparse_stream where doc > 0") == [(len(RUNS),)]
            assert read(urls, "select count(*) from dense_stream where vectors > 0") == [(len(RUNS),)]
    finally:
        with psycopg.connect(servers.migrate_url, autocommit=True) as server:
            server.execute(sql.SQL("drop owned by {0}; drop role {0}").format(sql.Identifier(name)))


def _refused_without_the_right_to_act(servers: Endpoints, urls: Urls, url: str, name: str) -> None:
    """The roles of somebody else, in a second database: nothing is begun."""
    who = sql.Identifier(name)
    with psycopg.connect(servers.migrate_url, autocommit=True) as server:
        server.execute(sql.SQL("revoke daybook_worker from {}").format(who))
        before = schema(urls.migrate_url)
        with pytest.raises(Misconfigured, match=f"GRANT daybook_worker TO {name} WITH ADMIN OPTION;") as refused:
            migrate(url, login=LOGIN, partitions=8)
        assert (version(urls.migrate_url), schema(urls.migrate_url)) == ("0001", before)
        server.execute(str(refused.value.details["statement"]))


MISFITS = {
    "delete from sparse_stream where tenant_id = 'acme' and user_id = 'oz'": "'user:oz' of tenant 'acme' has 180 mem",
    "update sparse_stream set documents = 44 where user_id = 'ida'": "with 44 documents",
    "insert into sparse_stream values ('umbrella', 1, 'tenant:', 0, 0, 0)": "stream 'tenant' of tenant 'umbrella'",
    "insert into sparse_stream values ('acme', 1, 'ghost', 0, 0, 0)": "7 rows in sparse_stream, of which 6 belong",
    "update memory_vector set doc = 999 where user_id = 'zoë' and doc = 5": "a vector of number 999",
}
BY_NAME = ("tenant_id", "generation", "user_id", "documents", "length_sum", "sessions")


def test_a2_what_the_manual_says_mends_a_stream_whose_words_were_not_counted(
    urls: Urls, owner: psycopg.Connection
) -> None:
    [statement] = re.findall(r"```sql\n(INSERT INTO sparse_stream.*?)```", OPERATIONS.read_text("utf-8"), re.DOTALL)
    owner.execute("delete from sparse_stream where tenant_id = 'acme' and user_id = 'oz'")
    owner.execute("update sparse_stream set documents = 44 where tenant_id = 'globex' and user_id = 'ida'")
    for tenant, stream in (("acme", "user:oz"), ("globex", "user:ida")):
        with pytest.raises(SchemaMismatch, match=f"'{stream}' of tenant '{tenant}'"):
            migrate(urls.migrate_url, login=LOGIN, partitions=8)
        owner.execute(statement.replace("TENANT", tenant).replace("STREAM", stream).encode())
    assert migrate(urls.migrate_url, login=LOGIN, partitions=8) == SCHEMA_VERSION
    assert read(urls, "select doc from sparse_stream where user_id = any(%s) order by 1", ["oz", "ida"]) == [
        (45,),
        (180,),
    ]


@pytest.mark.parametrize("damage", MISFITS)
def test_a2_a_stream_whose_counts_do_not_fit_stops_the_data_step_and_leaves_what_was_expanded(
    urls: Urls, owner: psycopg.Connection, damage: str
) -> None:
    owner.execute(damage.replace("sparse_stream values", f"sparse_stream ({', '.join(BY_NAME)}) values"))
    before, hashes = contents(urls.migrate_url), ledger_hashes(urls.migrate_url)
    with pytest.raises(SchemaMismatch, match=MISFITS[damage]):
        migrate(urls.migrate_url, login=LOGIN, partitions=8)
    assert version(urls.migrate_url) == "0002"
    assert (contents(urls.migrate_url, like=before), ledger_hashes(urls.migrate_url)) == (before, hashes)
    assert read(urls, "select distinct doc from sparse_stream") == [(0,)]
    assert read(urls, "select count(*) from dense_stream") == [(0,)]
    with psycopg.connect(urls.database_url) as old, old.transaction(force_rollback=True):
        as_role(old, Role.APP)
        old.execute(OLD_ACCEPT, ["run-of-an-old-agent"])
        as_role(old, Role.WORKER)
        old.execute(OLD_COUNT)
