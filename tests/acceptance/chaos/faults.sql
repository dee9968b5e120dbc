-- What lets a point stop or fail a stage inside its own transaction: triggers of the schema's owner on `receipt`, which
-- every stage writes last. They do nothing but for the rows of chaos.fault.

create schema if not exists chaos;

create table if not exists chaos.fault (
    tenant_id text not null,
    stage text not null,
    moment text not null,
    run_id text,
    lock bigint
);

-- With a lock: waits until nobody holds it. Without: fails, but lets the run be given up.
create or replace function chaos.meet() returns trigger language plpgsql security definer as $$
declare
    found record;
begin
    for found in
        select lock from chaos.fault
        where tenant_id = new.tenant_id and stage = new.stage and moment = tg_argv[0]
            and (run_id is null or run_id = new.run_id)
    loop
        if found.lock is not null then
            perform set_config('application_name', 'chaos ' || new.subject || ' ' || new.run_id, true);
            perform pg_advisory_xact_lock_shared(found.lock);
        elsif new.outcome <> 'failed' then
            raise exception 'this run fails by order';
        end if;
    end loop;
    return null;
end
$$;

drop trigger if exists chaos_inside on receipt;
drop trigger if exists chaos_commit on receipt;
create trigger chaos_inside after insert or update on receipt
    for each row execute function chaos.meet('inside');
create constraint trigger chaos_commit after insert or update on receipt
    deferrable initially deferred for each row execute function chaos.meet('commit');

-- The same for jobs, by the table that they write: one trigger for what is inside the transaction, one for its commit.
create or replace function chaos.meet_rows() returns trigger language plpgsql security definer as $$
declare
    found record;
begin
    for found in
        select lock from chaos.fault
        where tenant_id = new.tenant_id and stage = tg_argv[1] and moment = tg_argv[0] and lock is not null
    loop
        perform set_config('application_name', 'chaos - ' || tg_argv[1], true);
        perform pg_advisory_xact_lock_shared(found.lock);
    end loop;
    return null;
end
$$;

do $$
declare
    relation text;
begin
    foreach relation in array array['posting', 'memory_vector', 'memory', 'generation', 'event'] loop
        execute format('drop trigger if exists chaos_inside on %I', relation);
        execute format('drop trigger if exists chaos_commit on %I', relation);
        execute format(
            'create trigger chaos_inside after insert or update on %I for each row execute function %s(%L, %L)',
            relation, 'chaos.meet_rows', 'inside', relation
        );
        execute format(
            'create constraint trigger chaos_commit after insert or update on %I '
            'deferrable initially deferred for each row execute function %s(%L, %L)',
            relation, 'chaos.meet_rows', 'commit', relation
        );
    end loop;
end
$$;
