-- What recalls put before models, and which memories turned out to be of use.

-- A recall, without what was asked. It is a log and no view: it goes by age, and nothing is worked out from it.
create table recall_log (
    tenant_id text not null,
    turn_id uuid not null,
    user_id text not null,
    recalled_at timestamptz not null,
    agent_id text,
    session_id text,
    verdict text not null,
    recipe text not null,
    tokens integer not null check (tokens >= 0),
    watermark bigint not null check (watermark >= 0),
    primary key (tenant_id, turn_id)
);
create index recall_log_user on recall_log (tenant_id, user_id, recalled_at);
create index recall_log_expiry on recall_log (recalled_at);

-- A memory of a recall. The row is its memory's owner's, a room's too, so that it goes with the memory whoever recalled it.
create table recall_item (
    tenant_id text not null,
    turn_id uuid not null,
    memory_id uuid not null,
    user_id text not null,
    rank integer check (rank > 0),
    score double precision not null,
    ordinal integer check (ordinal > 0),
    primary key (tenant_id, turn_id, memory_id),
    foreign key (tenant_id, turn_id) references recall_log (tenant_id, turn_id) on delete cascade
);
create index recall_item_memory on recall_item (tenant_id, user_id, memory_id);

-- The view of usefulness: what the outcomes in a stream come to. Of most memories nothing was ever said, and there is no row.
create table memory_use (
    tenant_id text not null,
    user_id text not null,
    doc integer not null,
    memory_id uuid not null,
    used integer not null check (used >= 0),
    misled integer not null check (misled >= 0),
    primary key (tenant_id, user_id, doc)
);

do $$
declare
    relation regclass;
    owned text := $p$tenant_id = current_setting('daybook.tenant', true) and
        user_id = any(string_to_array(current_setting('daybook.users', true), ','))$p$;
begin
    foreach relation in array array['recall_log', 'recall_item', 'memory_use']::regclass[] loop
        execute format('alter table %s enable row level security, force row level security', relation);
        execute format(
            'create policy mine on %s to daybook_app, daybook_worker, daybook_reader, daybook_eraser using (%s)',
            relation, owned
        );
    end loop;
end
$$;
-- What is too old goes, of every tenant, by its age alone.
create policy claim on recall_log to daybook_claimer using (true);

grant select on recall_log, recall_item, memory_use to daybook_app, daybook_worker, daybook_reader, daybook_eraser;
grant insert on recall_log, recall_item to daybook_app;
grant insert, update on memory_use to daybook_worker;
grant insert, update on memory_use to daybook_eraser;
grant delete on recall_log, recall_item, memory_use to daybook_eraser;
grant select (tenant_id, turn_id, recalled_at) on recall_log to daybook_claimer;
grant delete on recall_log to daybook_claimer;
