-- Groups of names that are spoken of together, as a job last found them in a stream.

-- Of what the groups of a stream were made: which generation of the graph view, up to which of its memories and which event
-- of the ledger, and by what. Where any of it is another by now, they are to be found anew.
create table community_stream (
    tenant_id text not null,
    user_id text not null,
    generation integer not null,
    doc integer not null check (doc >= 0),
    sequence bigint not null check (sequence >= 0),
    made_by text not null,
    primary key (tenant_id, user_id)
);

-- A name is in one group at most. Place 1 is the name that tells most of what the group is about.
create table community (
    tenant_id text not null,
    user_id text not null,
    number integer not null check (number > 0),
    place integer not null check (place > 0),
    name text not null,
    primary key (tenant_id, user_id, number, place)
);
create unique index community_name on community (tenant_id, user_id, name);

do $$
declare
    relation regclass;
    owned text := $p$tenant_id = current_setting('daybook.tenant', true) and
        user_id = any(string_to_array(current_setting('daybook.users', true), ','))$p$;
begin
    foreach relation in array array['community_stream', 'community']::regclass[] loop
        execute format('alter table %s enable row level security, force row level security', relation);
        execute format(
            'create policy mine on %s to daybook_app, daybook_worker, daybook_reader, daybook_eraser using (%s)',
            relation, owned
        );
    end loop;
end
$$;

grant select on community_stream, community to daybook_app, daybook_worker, daybook_reader, daybook_eraser;
-- Whoever groups anew takes away what was there before, which is the eraser's.
grant insert, delete on community_stream, community to daybook_eraser;
