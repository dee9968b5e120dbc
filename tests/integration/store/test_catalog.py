"""The schema as the server sees it: who may do what, on every table and every leaf."""

import itertools

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from psycopg import sql
from sqlalchemy import create_engine

from shared.store.db import Role
from shared.store.tables import metadata
from shared.testing import Urls, fresh_database

PARTITIONS = 4  # as tests/conftest.py asks for
LEDGER = ("event", "event_payload")
LOGIN = "daybook"
ROLES = [role.value for role in Role]
OWNERS = {Role.APP, Role.WORKER, Role.READER, Role.ERASER}

RELATIONS = """
    select c.oid, c.relname as name, c.relkind = 'p' as is_parent, c.relispartition as is_leaf,
        c.relrowsecurity as secured, c.relforcerowsecurity as forced,
        coalesce((select inhparent::regclass::text from pg_inherits where inhrelid = c.oid), c.relname) as parent
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'alembic_version'
    order by c.relname
"""
# Of tables and of their columns, by whom they are held. An empty ACL is the owner's alone.
GRANTS = """
    select c.relname as name, given.privilege_type as privilege, given.grantee::regrole::text as grantee,
        c.relispartition as is_leaf
    from pg_class c
    cross join lateral (
        select privilege_type, grantee from aclexplode(c.relacl) where grantee <> c.relowner
        union all
        select e.privilege_type, e.grantee from pg_attribute a, aclexplode(a.attacl) e where a.attrelid = c.oid
    ) as given
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
"""
FILL = {
    "event": """
        insert into event (tenant_id, stream, sequence, user_id, event_class, kind, precision, recorded_at, origin,
            schema_version, payload_hash, previous_hash, hash)
        values (%s, 'user:u', 1, 'u', 'evidence', 'message', 'second', now(), 'user', 1, '', '', '')
    """,
    "event_payload": """
        insert into event_payload (tenant_id, stream, sequence, user_id, salt, payload)
        values (%s, 'user:u', 1, 'u', '', 'said')
    """,
}
CHANGES = {
    "update": sql.SQL("update {} set user_id = user_id"),
    "delete": sql.SQL("delete from {}"),
    "truncate": sql.SQL("truncate {}"),
}
LEDGER_RELATIONS = [name for parent in LEDGER for name in (parent, *(f"{parent}_{n}" for n in range(PARTITIONS)))]
CLAIMERS_OWN = ("turn", "job")
CLAIMERS_WHOLE = (*CLAIMERS_OWN, "generation", "sparse_stream", "dense_stream", "graph_stream", "profile_stream")
# Of all tenants' work: whose it is, how far it is, and nothing of what was said.
CLAIMERS_SELECT = {
    "inbox": {
        *("tenant_id", "inbox_id", "user_id", "messages", "stage", "state", "attempts"),
        *("lease_until", "retry_at", "rung_at", "accepted_at", "changed_at"),
    },
    "stream": {"tenant_id", "stream", "user_id", "last_sequence", "last_doc"},
    "receipt": {"tenant_id", "stage", "outcome", "finished_at"},
    "recall_log": {"tenant_id", "turn_id", "recalled_at"},
    "candidate": {"tenant_id", "user_id", "stream", "sequence", "state", "due_at"},
    "review": {"tenant_id", "user_id", "review_id", "state", "due_at"},
    "batch": {"tenant_id", "user_id", "batch_id", "job", "committed_at", "reverted_at"},
    "measure": {"tenant_id", "user_id", "day", "counted", "number"},
    **{name: {column.name for column in metadata.tables[name].columns} for name in CLAIMERS_WHOLE},
}
CLAIMERS_UPDATE = {
    "inbox": {"state", "attempts", "lease_until", "rung_at", "changed_at"},
    **{name: CLAIMERS_SELECT[name] for name in CLAIMERS_OWN},
}
# Who sees which rows of a table, where that is not the owner's rows of the tenant.
BY_TENANT = {"generation", "job", "spending", "hold"}
BY_THE_CLAIMER_ALONE = {"turn"}
# What is erased of a person, and what stays and says that something was there.
ERASED = {
    *("inbox", "participant", "event_payload", "decision", "receipt", "memory", "memory_evidence"),
    *("suppression", "memory_vector", "posting", "sparse_stream", "dense_stream"),
    *("memory_use", "recall_log", "recall_item"),
    *("entity", "entity_alias", "mention", "graph_stream"),
    *("memory_link", "candidate", "review"),
    *("batch", "job_mark", "profile", "profile_stream", "measure"),
    *("community", "community_stream"),
}
KEPT = {"event", "stream", "generation", "job", "turn", "spending", "hold"}


def rows(owner, query, *parameters):
    return owner.cursor(row_factory=psycopg.rows.dict_row).execute(query, parameters).fetchall()


def values(owner, query, *parameters):
    return [row[0] for row in owner.execute(query, parameters)]


@pytest.fixture(scope="module")
def urls(servers):
    """One database for all: nothing here may change it, which is what is tested."""
    with fresh_database(Urls(database_url=servers.database_url, migrate_url=servers.migrate_url)) as fresh:
        yield fresh


@pytest.fixture(scope="module")
def owner(urls):
    with psycopg.connect(urls.migrate_url, autocommit=True) as connection:
        yield connection


@pytest.fixture(scope="module")
def filled(owner):
    """A ledger that has a row in each leaf."""
    for table in LEDGER:
        for n in itertools.count():
            owner.execute(FILL[table], (f"tenant-{n}",))
            counts = [owner.execute(f"select count(*) from {table}_{leaf}").fetchone()[0] for leaf in range(PARTITIONS)]
            if all(counts):
                break
    return owner


@pytest.fixture(scope="module")
def login(urls):
    with psycopg.connect(urls.database_url, autocommit=True) as connection:
        yield connection


def test_row_security_is_on_and_forced_on_every_table_and_leaf(owner):
    relations = rows(owner, RELATIONS)
    assert {each["name"] for each in relations} >= set(metadata.tables)
    assert [each["name"] for each in relations if not (each["secured"] and each["forced"])] == []


def test_every_table_is_described_in_tables_py(owner):
    assert {each["parent"] for each in rows(owner, RELATIONS)} == set(metadata.tables)


def test_every_partitioned_table_has_the_leaves_asked_for(owner):
    relations = rows(owner, RELATIONS)
    parents = {each["name"] for each in relations if each["is_parent"]}
    described = {name for name, table in metadata.tables.items() if table.dialect_options["postgresql"]["partition_by"]}
    assert parents == described
    for parent in parents:
        leaves = [each["name"] for each in relations if each["is_leaf"] and each["parent"] == parent]
        assert leaves == [f"{parent}_{n}" for n in range(PARTITIONS)]


def test_every_role_that_may_touch_a_table_has_a_policy_on_it(owner):
    policies = """
        select tablename::text as name, unnest(roles)::text as role, cmd, permissive from pg_policies
        where schemaname = 'public'
    """
    held = {(each["name"], each["role"]) for each in rows(owner, policies) if each["cmd"] == "ALL"}
    granted = {(each["name"], each["grantee"]) for each in rows(owner, GRANTS) if each["name"] != "alembic_version"}
    assert granted
    assert granted - held == set()


def test_every_policy_but_the_claimers_is_bound_to_the_tenant_and_the_owner_and_checks_what_is_written(owner):
    tenant = "(tenant_id = current_setting('daybook.tenant'::text, true))"
    owners = "(user_id = ANY (string_to_array(current_setting('daybook.users'::text, true), ','::text)))"
    policies = rows(owner, "select * from pg_policies where schemaname = 'public'")
    mine = {each["tablename"] for each in policies if each["policyname"] == "mine"}
    assert mine == {each["name"] for each in rows(owner, RELATIONS)} - BY_THE_CLAIMER_ALONE
    for each in policies:
        if each["policyname"] == "claim":
            assert list(each["roles"]) == [Role.CLAIMER]
            assert each["tablename"] in CLAIMERS_SELECT
        else:
            assert each["policyname"] == "mine"
            expected = tenant if each["tablename"] in BY_TENANT else f"({tenant} AND {owners})"
            assert each["qual"] == expected, each["tablename"]
            assert set(each["roles"]) == ({Role.WORKER} if each["tablename"] == "job" else OWNERS), each["tablename"]
        assert each["with_check"] is None, "what may be written is what may be read"


def test_nobody_is_granted_anything_on_a_leaf(owner):
    assert [each for each in rows(owner, GRANTS) if each["is_leaf"]] == []


def test_nobody_is_granted_anything_on_tables_to_come(owner):
    assert values(owner, "select defaclacl::text from pg_default_acl") == []


def test_grants_go_to_our_roles_alone_and_are_of_rows_alone(owner):
    grants = [each for each in rows(owner, GRANTS) if each["name"] != "alembic_version"]
    assert {each["grantee"] for each in grants} == set(ROLES)
    assert {each["privilege"] for each in grants} == {"SELECT", "INSERT", "UPDATE", "DELETE"}
    assert {each["name"] for each in grants if each["privilege"] == "UPDATE"}.isdisjoint(LEDGER)


def test_the_eraser_alone_may_delete_and_only_what_is_not_to_stay(owner):
    deletes = {(each["grantee"], each["name"]) for each in rows(owner, GRANTS) if each["privilege"] == "DELETE"}
    gone_by_age = {(Role.CLAIMER, "job"), (Role.CLAIMER, "recall_log")}
    assert deletes == {(Role.ERASER, name) for name in ERASED} | gone_by_age
    assert set(metadata.tables) == ERASED | KEPT, "of a new table, say whether it is erased"


def test_the_eraser_sees_neither_the_turns_nor_the_jobs(owner):
    seen = {each["name"] for each in rows(owner, GRANTS) if each["grantee"] == Role.ERASER}
    assert seen == set(metadata.tables) - {"job", "turn"}


def test_the_reader_may_only_read(owner):
    assert {each["privilege"] for each in rows(owner, GRANTS) if each["grantee"] == Role.READER} == {"SELECT"}


def become(connection, role, tenant, owners="u"):
    connection.execute(sql.SQL("set local role {}").format(sql.Identifier(role)))
    connection.execute(
        "select set_config('daybook.tenant', %s, true), set_config('daybook.users', %s, true)", (tenant, owners)
    )


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("relation", LEDGER_RELATIONS)
def test_the_ledger_refuses_every_change_even_to_its_owner(filled, relation, change):
    statement = CHANGES[change].format(sql.Identifier(relation))
    with (
        filled.transaction(force_rollback=True),
        pytest.raises(psycopg.errors.RestrictViolation, match="append-only"),
    ):
        filled.execute(statement)


@pytest.mark.parametrize("role", ROLES)
def test_the_ledger_refuses_every_change_to_every_role_but_that_the_eraser_may_delete_a_payload(filled, login, role):
    for relation, (change, statement) in itertools.product(LEDGER_RELATIONS, CHANGES.items()):
        if (relation, change, role) == ("event_payload", "delete", Role.ERASER):
            continue
        with login.transaction(force_rollback=True):
            become(login, role, "tenant-0")
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                login.execute(statement.format(sql.Identifier(relation)))


def test_a_grant_too_many_would_not_open_the_ledger(filled):
    """The triggers hold where a grant was given by mistake; for a payload they let the eraser through, and no other."""
    for role, relation, change in itertools.product(ROLES, LEDGER, CHANGES):
        with filled.transaction(force_rollback=True):
            filled.execute(sql.SQL("grant all on {} to {}").format(sql.Identifier(relation), sql.Identifier(role)))
            become(filled, role, "tenant-0")
            statement = CHANGES[change].format(sql.Identifier(relation))
            if (relation, change, role) == ("event_payload", "delete", Role.ERASER):
                assert filled.execute(statement).rowcount == 1
            elif role == Role.CLAIMER and change != "truncate":
                assert filled.execute(statement).rowcount == 0, "no policy shows it a row"
            else:
                with pytest.raises(psycopg.errors.RestrictViolation, match="append-only"):
                    filled.execute(statement)


@pytest.mark.parametrize(
    ("tenant", "owners", "erased"),
    [("tenant-0", "u", 1), ("tenant-0", "v,w", 0), ("tenant-0", "", 0), ("", "u", 0), ("tenant-nobody", "u", 0)],
)
def test_the_eraser_reaches_the_payloads_of_its_tenant_and_owners_alone(filled, login, tenant, owners, erased):
    with login.transaction(force_rollback=True):
        become(login, Role.ERASER, tenant, owners)
        assert login.execute("delete from event_payload").rowcount == erased
        assert login.execute("select count(*) from event").fetchone() == (erased,), "the event itself stays"


def test_the_eraser_without_a_scope_sees_nothing(filled, login):
    with login.transaction(force_rollback=True):
        login.execute("set local role daybook_eraser")
        for relation in sorted(ERASED | {"event", "stream", "generation"}):
            found = login.execute(sql.SQL("select count(*) from {}").format(sql.Identifier(relation))).fetchone()
            assert found == (0,), relation
        assert login.execute("delete from event_payload").rowcount == 0


def test_a_payload_that_is_erased_leaves_its_event_as_it_was(filled, login):
    query = "select * from event where tenant_id = 'tenant-0'"
    before = filled.execute(query).fetchall()
    with login.transaction(force_rollback=True):
        become(login, Role.ERASER, "tenant-0")
        login.execute("delete from event_payload")
        assert login.execute(query).fetchall() == before


def test_the_eraser_cannot_write_for_another_tenant_or_owner(login):
    for tenant, user in (("tenant-1", "u"), ("tenant-0", "v")):
        with login.transaction(force_rollback=True):
            become(login, Role.ERASER, "tenant-0")
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
                login.execute("insert into dense_stream values (%s, 1, %s, 0)", (tenant, user))


def test_an_upsert_is_no_way_around_the_append_only_ledger(filled):
    for table in LEDGER:
        upsert = FILL[table] + " on conflict (tenant_id, stream, sequence) do update set user_id = 'v'"
        with pytest.raises(psycopg.errors.RestrictViolation, match="append-only"):
            filled.execute(upsert, ("tenant-0",))


@pytest.mark.parametrize("role", ROLES)
def test_a_role_of_ours_is_nothing_but_a_set_of_grants(owner, role):
    (found,) = rows(owner, "select * from pg_roles where rolname = %s", role)
    powers = ("rolsuper", "rolbypassrls", "rolcanlogin", "rolcreaterole", "rolcreatedb", "rolreplication", "rolinherit")
    assert {power for power in powers if found[power]} == set()


@pytest.mark.parametrize("name", [*ROLES, LOGIN])
def test_no_role_and_no_login_owns_anything(owner, name):
    owned = "select count(*) from pg_shdepend where refobjid = %s::regrole and deptype = 'o'"
    assert values(owner, owned, name) == [0]


def test_no_role_of_ours_is_a_member_of_another(owner):
    memberships = "select roleid::regrole::text from pg_auth_members where member::regrole::text = any(%s)"
    assert values(owner, memberships, ROLES) == []


def test_the_login_may_become_our_roles_and_inherits_none(owner):
    memberships = """
        select roleid::regrole::text as role, inherit_option, set_option, admin_option from pg_auth_members
        where member = %s::regrole
    """
    found = {each.pop("role"): each for each in rows(owner, memberships, LOGIN)}
    assert found == {role: {"inherit_option": False, "set_option": True, "admin_option": False} for role in ROLES}


def test_the_login_itself_may_read_no_table(login, owner):
    for each in rows(owner, RELATIONS):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            login.execute(sql.SQL("select 1 from {}").format(sql.Identifier(each["name"])))


@pytest.mark.parametrize("name", [*ROLES, LOGIN])
def test_nobody_but_the_owner_may_create_in_the_schema_or_the_database(owner, name):
    assert values(owner, "select has_schema_privilege(%s, 'public', 'create')", name) == [False]
    assert values(owner, "select has_database_privilege(%s, current_database(), 'create')", name) == [False]


def columns_with(owner, privilege):
    query = """
        select c.relname as name, a.attname as attribute from pg_class c join pg_attribute a on a.attrelid = c.oid
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'alembic_version'
            and a.attnum > 0 and has_column_privilege(%s, c.oid, a.attnum, %s)
    """
    found = {}
    for each in rows(owner, query, Role.CLAIMER.value, privilege):
        found.setdefault(each["name"], set()).add(each["attribute"])
    return found


def test_the_claimer_sees_the_state_of_work_and_no_content(owner):
    assert columns_with(owner, "SELECT") == CLAIMERS_SELECT
    assert columns_with(owner, "UPDATE") == CLAIMERS_UPDATE
    assert columns_with(owner, "INSERT") == {name: CLAIMERS_SELECT[name] for name in CLAIMERS_OWN}
    granted = {(each["name"], each["privilege"]) for each in rows(owner, GRANTS) if each["grantee"] == Role.CLAIMER}
    assert {name for name, privilege in granted if privilege == "DELETE"} == {"job", "recall_log"}
    assert {privilege for _, privilege in granted} == {"SELECT", "INSERT", "UPDATE", "DELETE"}


def test_a_worker_sees_the_jobs_of_its_tenant_and_may_only_touch_them(login, filled):
    job = """
        insert into job (tenant_id, job_id, name, state, attempts, done, total, counts, started_at, changed_at)
        values (%s, gen_random_uuid(), 'reindex', 'running', 1, 0, 0, '{}', now(), now())
    """
    for tenant in ("tenant-0", "tenant-1"):
        filled.execute(job, (tenant,))
    with login.transaction(force_rollback=True):
        become(login, Role.WORKER, "tenant-0", "")
        assert login.execute("select tenant_id from job").fetchall() == [("tenant-0",)]
        assert login.execute("update job set changed_at = now()").rowcount == 1
    for statement in ("update job set state = 'done'", "delete from job", "select * from turn"):
        with login.transaction(force_rollback=True):
            become(login, Role.WORKER, "tenant-0", "")
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                login.execute(statement)
    filled.execute("delete from job")


@pytest.mark.parametrize("column", ["payload", "message_digests", "run_id", "last_error"])
def test_the_claimer_is_refused_what_was_said(login, column):
    with login.transaction(force_rollback=True):
        login.execute("set local role daybook_claimer")
        login.execute("select tenant_id, stage from inbox")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            login.execute(sql.SQL("select {} from inbox").format(sql.Identifier(column)))


def test_nobody_may_disable_triggers_by_a_session_setting(login):
    for role in ROLES:
        with login.transaction(force_rollback=True):
            login.execute(sql.SQL("set local role {}").format(sql.Identifier(role)))
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                login.execute("set session_replication_role = replica")


def test_every_time_has_a_zone(owner):
    query = """
        select table_name || '.' || column_name from information_schema.columns
        where table_schema = 'public' and data_type in ('timestamp without time zone', 'time without time zone')
    """
    assert values(owner, query) == []


def test_every_primary_key_starts_with_the_tenant(owner):
    query = """
        select c.relname as name,
            (select a.attname from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
             where i.indrelid = c.oid and i.indisprimary) as first
        from pg_class c where c.oid = any(%s)
    """
    oids = [each["oid"] for each in rows(owner, RELATIONS)]
    assert {each["name"]: each["first"] for each in rows(owner, query, oids) if each["first"] != "tenant_id"} == {}


def test_the_database_is_what_tables_py_describes(urls):
    def described(_object, name, kind, reflected, _compared):
        return not (kind == "table" and reflected and name not in metadata.tables)

    engine = create_engine(urls.migrate_url.replace("postgresql://", "postgresql+psycopg://"))
    try:
        with engine.connect() as connection:
            options = {"include_object": described, "compare_type": True, "compare_server_default": True}
            assert compare_metadata(MigrationContext.configure(connection, opts=options), metadata) == []
    finally:
        engine.dispose()
