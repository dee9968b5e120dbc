-- The spine: inbox, ledger, memories, the sparse and the dense view, decisions and receipts.
--
-- `user_id` is the owner of a row: a user's id, `room:<id>`, `tenant:` for what the whole tenant shares, `audit:` for
-- the audit stream. It is never null, so that one equality, on an index, says whose rows are meant.

create table inbox (
    tenant_id text not null,
    inbox_id uuid not null,
    user_id text not null,
    run_id text not null,
    message_digests jsonb not null,
    payload text,
    stage text not null,
    state text not null default 'waiting' check (state in ('waiting', 'parked', 'done')),
    attempts integer not null default 0,
    lease_until timestamptz,
    rung_at timestamptz,
    last_error text,
    accepted_at timestamptz not null,
    changed_at timestamptz not null,
    primary key (tenant_id, inbox_id)
);
create index inbox_run on inbox (tenant_id, user_id, run_id);
create index inbox_waiting on inbox (stage, changed_at) where state = 'waiting';
create index inbox_fresh on inbox (tenant_id, user_id, accepted_at) where stage = 'append';

create table participant (
    tenant_id text not null,
    user_id text not null,
    room_id text not null,
    joined_at timestamptz not null,
    primary key (tenant_id, user_id, room_id)
);

create table stream (
    tenant_id text not null,
    stream text not null,
    user_id text not null,
    last_sequence bigint not null,
    last_hash bytea not null,
    last_recorded_at timestamptz not null,
    last_doc integer not null,
    primary key (tenant_id, stream)
);

create table event (
    tenant_id text not null,
    stream text not null,
    sequence bigint not null check (sequence > 0),
    user_id text not null,
    event_class text not null check (event_class in ('evidence', 'derivation', 'operation', 'audit')),
    kind text not null,
    occurred_at timestamptz,
    precision text not null,
    recorded_at timestamptz not null,
    origin text not null,
    actor_role text,
    speaker text,
    run_id text,
    message_id text,
    message_digest text,
    agent_id text,
    session_id text,
    caused_by bigint,
    schema_version smallint not null,
    payload_hash bytea not null,
    previous_hash bytea not null,
    hash bytea not null,
    primary key (tenant_id, stream, sequence)
) partition by hash (tenant_id);
create unique index event_message on event (tenant_id, stream, message_digest, message_id);
create index event_run on event (tenant_id, user_id, run_id);

create table event_payload (
    tenant_id text not null,
    stream text not null,
    sequence bigint not null,
    user_id text not null,
    salt bytea not null,
    payload text not null,
    primary key (tenant_id, stream, sequence)
) partition by hash (tenant_id);

create table decision (
    tenant_id text not null,
    stream text not null,
    sequence bigint not null,
    stage text not null,
    user_id text not null,
    action text not null check (action in ('store', 'corroborate', 'defer', 'review', 'ignore')),
    rule text not null,
    reason text not null,
    confidence double precision not null check (confidence between 0 and 1),
    decided_at timestamptz not null,
    primary key (tenant_id, stream, sequence, stage)
) partition by hash (tenant_id);

create table receipt (
    tenant_id text not null,
    subject uuid not null,
    stage text not null,
    user_id text not null,
    run_id text not null,
    outcome text not null,
    reason text not null,
    counts jsonb not null,
    started_at timestamptz not null,
    finished_at timestamptz not null,
    primary key (tenant_id, subject, stage)
);
create index receipt_run on receipt (tenant_id, user_id, run_id);

create table generation (
    tenant_id text not null,
    view text not null check (view in ('memory', 'sparse', 'dense')),
    live integer not null,
    model_id text,
    changed_at timestamptz not null,
    primary key (tenant_id, view)
);

create table memory (
    tenant_id text not null,
    generation integer not null,
    memory_id uuid not null,
    version integer not null check (version > 0),
    user_id text not null,
    doc integer not null,
    session_doc integer not null,
    ordinal integer not null,
    kind text not null check (kind in ('episodic', 'semantic', 'procedural')),
    epistemic_type text not null check (epistemic_type in ('evidence', 'fact', 'preference', 'inference', 'opinion')),
    text text not null,
    speaker text,
    role text,
    origin text not null,
    trust smallint not null,
    confidence double precision not null check (confidence between 0 and 1),
    session_id text,
    agent_id text,
    run_id text,
    valid_from timestamptz,
    valid_to timestamptz check (valid_to >= valid_from),
    recorded_at timestamptz not null,
    closed_at timestamptz check (closed_at >= recorded_at),
    closed_reason text,
    opened_by bigint not null,
    closed_by bigint,
    primary key (tenant_id, generation, memory_id, version),
    check ((closed_at is null) = (closed_by is null) and (closed_at is null) = (closed_reason is null))
) partition by hash (tenant_id);
create unique index memory_doc on memory (tenant_id, generation, user_id, doc, version);
create unique index memory_open on memory (tenant_id, generation, memory_id) where closed_at is null;
create index memory_session on memory (tenant_id, generation, user_id, session_id, doc);
create index memory_run on memory (tenant_id, generation, user_id, run_id);

create table memory_evidence (
    tenant_id text not null,
    generation integer not null,
    memory_id uuid not null,
    version integer not null,
    stream text not null,
    sequence bigint not null,
    user_id text not null,
    span_start integer,
    span_end integer,
    independent boolean not null,
    primary key (tenant_id, generation, memory_id, version, stream, sequence)
) partition by hash (tenant_id);
create index memory_evidence_event on memory_evidence (tenant_id, stream, sequence);

create table suppression (
    tenant_id text not null,
    stream text not null,
    sequence bigint not null,
    span_start integer not null,
    span_end integer not null,
    user_id text not null,
    suppressed_by bigint not null,
    primary key (tenant_id, stream, sequence, span_start, span_end)
);

create table memory_vector (
    tenant_id text not null,
    generation integer not null,
    user_id text not null,
    model_id text not null,
    doc integer not null,
    session_doc integer not null,
    memory_id uuid not null,
    version integer not null,
    kind text not null,
    open boolean not null,
    text_hash bytea not null,
    embedding halfvec not null,
    primary key (tenant_id, generation, user_id, model_id, doc)
) partition by hash (tenant_id);

create table posting (
    tenant_id text not null,
    generation integer not null,
    user_id text not null,
    term text not null,
    block integer not null,
    entries bytea not null,
    primary key (tenant_id, generation, user_id, term, block)
) partition by hash (tenant_id);
-- A block fits into its row, and arrays of small numbers do not compress.
alter table posting alter column entries set storage plain;


create table sparse_stream (
    tenant_id text not null,
    generation integer not null,
    user_id text not null,
    documents integer not null,
    length_sum bigint not null,
    sessions integer not null,
    primary key (tenant_id, generation, user_id)
);

-- Partitions: as many leaves as the migrator asks for; fixed once made.
do $$
declare
    parent text;
    leaves integer := current_setting('daybook.partitions')::integer;
begin
    foreach parent in array array['event', 'event_payload', 'decision', 'memory', 'memory_evidence', 'memory_vector', 'posting']
    loop
        for leaf in 0 .. leaves - 1 loop
            execute format(
                'create table %I partition of %I for values with (modulus %s, remainder %s)',
                parent || '_' || leaf, parent, leaves, leaf
            );
            if parent = 'posting' then
                -- Room for a block to grow where it lies: 97 of 100 appends then leave the index alone.
                execute format('alter table %I set (fillfactor = 70)', parent || '_' || leaf);
            end if;
        end loop;
    end loop;
end
$$;

-- The ledger is append-only, whoever asks. A trigger for TRUNCATE does not reach the leaves, so each has its own.
create function refuse_change() returns trigger language plpgsql as $$
begin
    raise exception '% is append-only: % is refused', tg_table_name, tg_op using errcode = 'restrict_violation';
end
$$;
do $$
declare
    parent text;
    relation text;
begin
    foreach parent in array array['event', 'event_payload'] loop
        execute format(
            'create trigger append_only before update or delete on %I for each row execute function refuse_change()', parent
        );
        for relation in
            select parent union all
            select inhrelid::regclass::text from pg_inherits where inhparent = parent::regclass
        loop
            execute format(
                'create trigger no_truncate before truncate on %s for each statement execute function refuse_change()', relation
            );
        end loop;
    end loop;
end
$$;

-- Roles belong to the whole server, so another database may have made them already.
do $$
declare
    name text;
begin
    foreach name in array array['daybook_app', 'daybook_worker', 'daybook_claimer', 'daybook_reader'] loop
        begin
            execute format('create role %I nologin noinherit', name);
        exception when duplicate_object or unique_violation then null;
        end;
    end loop;
end
$$;

-- Row-level security, forced, on parents and leaves: a grant on a leaf would otherwise show every tenant.
do $$
declare
    relation regclass;
    mine text := $p$tenant_id = current_setting('daybook.tenant', true)$p$;
    owned text := mine || $p$ and user_id = any(string_to_array(current_setting('daybook.users', true), ','))$p$;
begin
    for relation in
        select c.oid from pg_class c
        where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'alembic_version'
    loop
        execute format('alter table %s enable row level security, force row level security', relation);
        execute format(
            'create policy mine on %s to daybook_app, daybook_worker, daybook_reader using (%s)',
            relation, case when relation = 'generation'::regclass then mine else owned end
        );
    end loop;
end
$$;

grant usage on schema public to daybook_app, daybook_worker, daybook_claimer, daybook_reader;
grant select on alembic_version to public;

-- The agent's process accepts runs and recalls.
grant select on participant, stream, event, event_payload, decision, receipt, generation, memory, memory_evidence,
    suppression, memory_vector, posting, sparse_stream to daybook_app, daybook_worker, daybook_reader;
grant select, insert on inbox to daybook_app;
grant insert on receipt, participant to daybook_app;

-- Workers write the ledger (append only) and the views.
grant insert on event, event_payload, decision, receipt to daybook_worker;
grant select, update on inbox to daybook_worker;
grant insert, update on stream, generation, memory, memory_evidence, memory_vector, posting, sparse_stream to daybook_worker;
grant select on inbox to daybook_reader;

-- The claimer sees what waits, of every tenant, and none of its content.
grant select (
    tenant_id, inbox_id, user_id, stage, state, attempts, lease_until, rung_at, accepted_at, changed_at
) on inbox to daybook_claimer;
grant update (state, attempts, lease_until, rung_at, changed_at) on inbox to daybook_claimer;
grant select (tenant_id, stream, user_id, last_sequence) on stream to daybook_claimer;
create policy claim on inbox to daybook_claimer using (true);
create policy claim on stream to daybook_claimer using (true);
