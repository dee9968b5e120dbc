-- The profile view: what is held of each subject, block by block.

-- Whoever makes a view's first generation waits until this is committed; a recall reads `generation` before any other view.
lock table generation in access exclusive mode;
alter table generation drop constraint generation_view_check;
alter table generation add constraint generation_view_check
    check (view in ('memory', 'sparse', 'dense', 'graph', 'profile'));

-- The newest version of a block. `docs` numbers the memories that it was ever made of, `held` those of them that are held:
-- earlier versions are worked out from the memories, so nothing is kept of what is forgotten.
create table profile (
    tenant_id text not null,
    generation integer not null,
    user_id text not null,
    block_id uuid not null,
    agent_id text,
    subject text not null,
    subject_key text not null,
    topic text not null,
    instance text not null,
    content text not null,
    docs integer[] not null,
    held integer[] not null,
    version integer not null check (version > 0),
    opened_by bigint not null check (opened_by > 0),
    recorded_at timestamptz not null,
    primary key (tenant_id, generation, user_id, block_id)
);
create index profile_subject on profile (tenant_id, generation, user_id, subject_key);

-- Up to which event of an owner's stream a generation goes.
create table profile_stream (
    tenant_id text not null,
    generation integer not null,
    user_id text not null,
    sequence bigint not null check (sequence >= 0),
    primary key (tenant_id, generation, user_id)
);

do $$
declare
    relation regclass;
    owned text := $p$tenant_id = current_setting('daybook.tenant', true) and
        user_id = any(string_to_array(current_setting('daybook.users', true), ','))$p$;
begin
    foreach relation in array array['profile', 'profile_stream']::regclass[] loop
        execute format('alter table %s enable row level security, force row level security', relation);
        execute format(
            'create policy mine on %s to daybook_app, daybook_worker, daybook_reader, daybook_eraser using (%s)',
            relation, owned
        );
    end loop;
end
$$;
create policy claim on profile_stream to daybook_claimer using (true);

grant select on profile, profile_stream to daybook_app, daybook_worker, daybook_reader, daybook_eraser;
grant select on profile_stream to daybook_claimer;
-- Whoever writes blocks takes away those of which nothing is left.
grant insert, update, delete on profile, profile_stream to daybook_eraser;
