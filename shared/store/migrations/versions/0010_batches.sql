-- What jobs of the cold path have changed, by batch, and how far each has looked.

-- What one pass of a job did in one stream: its operations lie between two sequences of the ledger, one transaction wrote
-- them. A row holds no text; it goes with the user whose memories it was about.
create table batch (
    tenant_id text not null,
    user_id text not null,
    batch_id uuid not null,
    job text not null,
    first_sequence bigint not null check (first_sequence > 0),
    last_sequence bigint not null check (last_sequence >= first_sequence),
    refused jsonb not null,
    committed_at timestamptz not null,
    reverted_at timestamptz,
    primary key (tenant_id, user_id, batch_id)
);
create index batch_when on batch (tenant_id, committed_at);

-- Up to which event of a stream a job has seen everything that it could do something about.
create table job_mark (
    tenant_id text not null,
    user_id text not null,
    job text not null,
    sequence bigint not null check (sequence >= 0),
    primary key (tenant_id, user_id, job)
);

do $$
declare
    relation regclass;
    owned text := $p$tenant_id = current_setting('daybook.tenant', true) and
        user_id = any(string_to_array(current_setting('daybook.users', true), ','))$p$;
begin
    foreach relation in array array['batch', 'job_mark']::regclass[] loop
        execute format('alter table %s enable row level security, force row level security', relation);
        execute format(
            'create policy mine on %s to daybook_app, daybook_worker, daybook_reader, daybook_eraser using (%s)',
            relation, owned
        );
    end loop;
end
$$;
-- Whoever takes a batch back looks up whose streams it is in, of one tenant.
create policy claim on batch to daybook_claimer using (true);

grant select on batch, job_mark to daybook_worker, daybook_reader, daybook_eraser;
grant insert, update on batch, job_mark to daybook_worker;
grant delete on batch, job_mark to daybook_eraser;
grant select (tenant_id, user_id, batch_id, job, committed_at, reverted_at) on batch to daybook_claimer;
