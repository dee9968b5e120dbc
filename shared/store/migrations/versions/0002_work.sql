-- Work as state, generations that are built beside the live one, and forgetting.

-- All locks first, in the order in which a recall takes its own, so that neither waits for the other in a ring.
lock table participant, inbox, receipt, stream, event, event_payload, decision, generation, suppression, posting,
    sparse_stream, memory_vector, memory, memory_evidence in access exclusive mode;

-- How large a run is, so that a burst of them can be bounded without reading it. The default is for agents of the
-- version before, which go on accepting runs through an upgrade.
alter table inbox add column messages integer not null default 1 check (messages > 0);
create index inbox_turn on inbox (stage, tenant_id, accepted_at) where state = 'waiting';
create index inbox_stream on inbox (stage, tenant_id, user_id, accepted_at) where state = 'waiting';
create index inbox_held on inbox (stage, tenant_id, user_id) where state = 'waiting' and lease_until is not null;
create index inbox_parked on inbox (tenant_id, changed_at) where state = 'parked';
-- Nothing looks for runs by how long they have been left alone: whoever sweeps goes from stream to stream.
drop index inbox_waiting;

-- When what has failed may be tried again. A lease is somebody's who is at it, and his stream waits for him; what is
-- only to be tried later keeps nobody waiting.
alter table inbox add column retry_at timestamptz;

-- When each tenant was last served at a stage: whoever was served longest ago is next.
create table turn (
    tenant_id text not null,
    stage text not null,
    served_at timestamptz not null,
    primary key (tenant_id, stage)
);
create index turn_latest on turn (stage, served_at);

-- A pass of a job of the cold path. One that beat starts has a slot, and a slot has one pass.
create table job (
    tenant_id text not null,
    job_id uuid not null,
    name text not null,
    slot timestamptz,
    state text not null check (state in ('running', 'done', 'failed')),
    attempts integer not null check (attempts > 0),
    lease_until timestamptz,
    done bigint not null,
    total bigint not null,
    counts jsonb not null,
    last_error text,
    started_at timestamptz not null,
    changed_at timestamptz not null,
    finished_at timestamptz,
    primary key (tenant_id, job_id)
);
create unique index job_slot on job (tenant_id, name, slot) where slot is not null;
create unique index job_running on job (tenant_id, name) where state = 'running';
create index job_latest on job (tenant_id, name, started_at);
create index job_finished on job (finished_at);

-- What was done lately, of all tenants.
create index receipt_lately on receipt (finished_at);

-- A view has a live generation, and may have one that is being built and the one before.
alter table generation
    add column building integer,
    add column building_model text,
    add column previous integer,
    add column previous_model text;

-- How far a generation of the sparse view goes: the number of the last memory entered.
alter table sparse_stream add column doc integer not null default 0;

create table dense_stream (
    tenant_id text not null,
    generation integer not null,
    user_id text not null,
    vectors integer not null check (vectors >= 0),
    primary key (tenant_id, generation, user_id)
);

-- Content may be erased by one role alone; what is left of the event still says that it was there.
create function refuse_all_but_erasure() returns trigger language plpgsql as $$
begin
    if tg_op = 'DELETE' and current_user = 'daybook_eraser' then
        return old;
    end if;
    raise exception '% is append-only: % is refused', tg_table_name, tg_op using errcode = 'restrict_violation';
end
$$;
drop trigger append_only on event_payload;
create trigger append_only before update or delete on event_payload
    for each row execute function refuse_all_but_erasure();

-- Where it is there already, made by a DBA or for another database, the right to make roles is not needed.
do $$
begin
    if to_regrole('daybook_eraser') is null then
        create role daybook_eraser nologin noinherit;
    end if;
exception when duplicate_object or unique_violation then null;
end
$$;

do $$
declare
    relation regclass;
    mine text := $p$tenant_id = current_setting('daybook.tenant', true)$p$;
    owned text := mine || $p$ and user_id = any(string_to_array(current_setting('daybook.users', true), ','))$p$;
begin
    foreach relation in array array['turn', 'job', 'dense_stream']::regclass[] loop
        execute format('alter table %s enable row level security, force row level security', relation);
    end loop;
    execute format('create policy mine on dense_stream to daybook_app, daybook_worker, daybook_reader using (%s)', owned);
    execute format('create policy mine on job to daybook_worker using (%s)', mine);
    -- Of every table that has one, the policy holds for the eraser too.
    for relation in
        select polrelid from pg_policy join pg_class on pg_class.oid = polrelid
        where relnamespace = current_schema()::regnamespace and polname = 'mine' and polrelid <> 'job'::regclass
    loop
        execute format(
            'alter policy mine on %s to daybook_app, daybook_worker, daybook_reader, daybook_eraser', relation
        );
    end loop;
end
$$;
create policy claim on turn to daybook_claimer using (true);
create policy claim on job to daybook_claimer using (true);
create policy claim on generation to daybook_claimer using (true);
create policy claim on sparse_stream to daybook_claimer using (true);
create policy claim on dense_stream to daybook_claimer using (true);
create policy claim on receipt to daybook_claimer using (true);

grant usage on schema public to daybook_eraser;
grant select on dense_stream to daybook_app, daybook_worker, daybook_reader;
grant insert, update on dense_stream to daybook_worker;
-- A run that was given up and went through after all has one receipt: that it did.
grant update (outcome, reason, counts, started_at, finished_at) on receipt to daybook_worker;
grant select, update (changed_at) on job to daybook_worker;

-- The claimer sees the state of work and how far each view goes, of every tenant, and no content.
grant select (messages, retry_at) on inbox to daybook_claimer;
grant select (last_doc) on stream to daybook_claimer;
grant select, insert, update on turn, job to daybook_claimer;
grant delete on job to daybook_claimer;
grant select (tenant_id, stage, outcome, finished_at) on receipt to daybook_claimer;
grant select on generation, sparse_stream, dense_stream to daybook_claimer;

-- The eraser deletes what is forgotten, writes down that it was, and rebuilds views from the ledger.
grant select on inbox, participant, stream, event, event_payload, decision, receipt, generation, memory, memory_evidence,
    suppression, memory_vector, posting, sparse_stream, dense_stream to daybook_eraser;
grant insert on stream, event, event_payload, decision, memory, memory_evidence, suppression, posting, sparse_stream,
    dense_stream to daybook_eraser;
grant update on inbox, stream, memory, memory_vector, posting, sparse_stream, dense_stream to daybook_eraser;
grant delete on inbox, participant, event_payload, decision, receipt, memory, memory_evidence, suppression, memory_vector,
    posting, sparse_stream, dense_stream to daybook_eraser;
