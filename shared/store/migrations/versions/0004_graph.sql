-- The graph view: which memory mentions which name, and under which other forms a name is found.

-- Whoever makes a view's first generation waits until this is committed; a recall reads `generation` before any other view.
lock table generation in access exclusive mode;
alter table generation drop constraint generation_view_check;
alter table generation add constraint generation_view_check check (view in ('memory', 'sparse', 'dense', 'graph'));

create table entity (
    tenant_id text not null,
    generation integer not null,
    user_id text not null,
    name text not null,
    memories integer not null check (memories >= 0),
    primary key (tenant_id, generation, user_id, name)
) partition by hash (tenant_id);

create table entity_alias (
    tenant_id text not null,
    generation integer not null,
    user_id text not null,
    alias text not null,
    name text not null,
    primary key (tenant_id, generation, user_id, alias, name)
) partition by hash (tenant_id);
create index entity_alias_name on entity_alias (tenant_id, generation, user_id, name);

create table mention (
    tenant_id text not null,
    generation integer not null,
    user_id text not null,
    name text not null,
    doc integer not null,
    primary key (tenant_id, generation, user_id, name, doc)
) partition by hash (tenant_id);
create index mention_doc on mention (tenant_id, generation, user_id, doc);

create table graph_stream (
    tenant_id text not null,
    generation integer not null,
    user_id text not null,
    documents integer not null check (documents >= 0),
    doc integer not null,
    primary key (tenant_id, generation, user_id)
);

-- As many leaves as the tables of the first schema have.
do $$
declare
    parent text;
    leaves integer := (select count(*) from pg_inherits where inhparent = 'posting'::regclass);
begin
    foreach parent in array array['entity', 'entity_alias', 'mention'] loop
        for leaf in 0 .. leaves - 1 loop
            execute format(
                'create table %I partition of %I for values with (modulus %s, remainder %s)',
                parent || '_' || leaf, parent, leaves, leaf
            );
        end loop;
    end loop;
end
$$;

do $$
declare
    relation regclass;
    owned text := $p$tenant_id = current_setting('daybook.tenant', true) and
        user_id = any(string_to_array(current_setting('daybook.users', true), ','))$p$;
begin
    for relation in
        select unnest(array['entity', 'entity_alias', 'mention', 'graph_stream']::regclass[])
        union all
        select inhrelid::regclass from pg_inherits
        where inhparent = any(array['entity', 'entity_alias', 'mention']::regclass[])
    loop
        execute format('alter table %s enable row level security, force row level security', relation);
        execute format(
            'create policy mine on %s to daybook_app, daybook_worker, daybook_reader, daybook_eraser using (%s)',
            relation, owned
        );
    end loop;
end
$$;
create policy claim on graph_stream to daybook_claimer using (true);

grant select on entity, entity_alias, mention, graph_stream
    to daybook_app, daybook_worker, daybook_reader, daybook_eraser;
grant select on graph_stream to daybook_claimer;
grant insert on entity, entity_alias, mention, graph_stream to daybook_worker, daybook_eraser;
grant update on entity, graph_stream to daybook_worker, daybook_eraser;
grant delete on entity, entity_alias, mention, graph_stream to daybook_eraser;
