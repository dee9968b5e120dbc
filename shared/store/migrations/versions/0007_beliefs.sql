-- Beliefs: what a memory claims, how memories are tied, what was proposed, who must be asked, and what models cost.

alter table memory
    add column claim_subject text,
    add column claim_predicate text,
    add column claim_object text,
    add column claim_key text,
    add column schema_name text,
    add column data jsonb;
create index memory_claim on memory (tenant_id, generation, user_id, claim_key, doc) where claim_key is not null;
create index memory_naming on memory (tenant_id, generation, user_id)
    where claim_predicate in ('also_known_as', 'different_from');
-- Of one claim, one version at a time is held and true to this day, at each level of trust: what is trusted less does not
-- end what is trusted more.
create unique index memory_current on memory (tenant_id, generation, user_id, claim_key, trust)
    where claim_key is not null and closed_at is null and valid_from is not null and valid_to is null;

-- And at no time in the world are two true. On each leaf: on the parent it takes PostgreSQL 17. Equality beside ranges in
-- one index takes an extension, which not every owner may add, so whose claim it is stands as a range of one number: 63
-- bits of a hash. That two claims share theirs, of 10 million in a leaf, is one chance in 180,000.
do $$
declare
    leaf regclass;
begin
    for leaf in select inhrelid::regclass from pg_inherits where inhparent = 'memory'::regclass loop
        execute format(
            $c$alter table %s add constraint %I exclude using gist (
                int8range(
                    hashtextextended(
                        tenant_id || e'\x1f' || generation || e'\x1f' || user_id || e'\x1f' || trust || e'\x1f' || claim_key,
                        0
                    ) & -2,
                    hashtextextended(
                        tenant_id || e'\x1f' || generation || e'\x1f' || user_id || e'\x1f' || trust || e'\x1f' || claim_key,
                        0
                    ) & -2,
                    '[]'
                ) with &&,
                tstzrange(valid_from, valid_to) with &&
            ) where (claim_key is not null and closed_at is null and valid_from is not null)$c$,
            leaf, leaf || '_one_at_a_time'
        );
    end loop;
end
$$;

-- What is made of several messages may rest on several stretches of one of them.
alter table memory_evidence add column place smallint not null default 0;
alter table memory_evidence drop constraint memory_evidence_pkey;
alter table memory_evidence add primary key (tenant_id, generation, memory_id, version, stream, sequence, place);

-- A tie from one memory to another. Its memories keep it: it goes with either of them.
create table memory_link (
    tenant_id text not null,
    generation integer not null,
    source uuid not null,
    relation text not null,
    target uuid not null,
    user_id text not null,
    opened_by bigint not null,
    primary key (tenant_id, generation, source, relation, target, opened_by)
) partition by hash (tenant_id);
create index memory_link_target on memory_link (tenant_id, generation, target);

-- A candidate, by the sequence of its event, where its text is, and of the event that says who read it. What has not been
-- decided waits for resolve; what a new reading proposes is prepared until it takes the place of an older one.
create table candidate (
    tenant_id text not null,
    stream text not null,
    sequence bigint not null,
    user_id text not null,
    run_id text not null,
    reading bigint not null,
    claim_key text,
    said_at timestamptz,
    message_id text not null,
    message_digest text not null,
    trust smallint not null,
    state text not null check (state in ('waiting', 'stored', 'deferred', 'review', 'ignored', 'prepared', 'replaced', 'quarantined')),
    due_at timestamptz,
    primary key (tenant_id, stream, sequence),
    check ((due_at is null) = (state not in ('deferred', 'review')))
) partition by hash (tenant_id);
create index candidate_run on candidate (tenant_id, user_id, run_id);
create index candidate_claim on candidate (tenant_id, user_id, claim_key) where claim_key is not null;
create index candidate_due on candidate (due_at) where due_at is not null;
create index candidate_deferred on candidate (tenant_id, user_id, sequence) where state = 'deferred';

-- A write that waits for a person. What it would write is in the candidate's event.
create table review (
    tenant_id text not null,
    review_id uuid not null,
    user_id text not null,
    stream text not null,
    sequence bigint not null,
    policy text not null,
    state text not null check (state in ('open', 'approved', 'rejected', 'expired')),
    reviewer text,
    asked_at timestamptz not null,
    due_at timestamptz not null,
    decided_at timestamptz,
    decided_by text,
    primary key (tenant_id, review_id),
    check ((decided_at is null) = (state = 'open'))
);
create unique index review_candidate on review (tenant_id, stream, sequence);
create index review_open on review (tenant_id, user_id, due_at) where state = 'open';
create index review_due on review (due_at) where state = 'open';

-- What a tenant's model calls of a day have cost; the day by its beginning in UTC.
create table spending (
    tenant_id text not null,
    day timestamptz not null,
    calls integer not null check (calls >= 0),
    input_tokens bigint not null check (input_tokens >= 0),
    output_tokens bigint not null check (output_tokens >= 0),
    cost_usd double precision not null check (cost_usd >= 0),
    primary key (tenant_id, day)
);

alter table decision add column fields jsonb not null default '{}';
-- A candidate that was deferred is decided on again.
grant update on decision to daybook_worker, daybook_eraser;

-- As many leaves as the tables of the first schema have.
do $$
declare
    parent text;
    leaves integer := (select count(*) from pg_inherits where inhparent = 'memory'::regclass);
begin
    foreach parent in array array['memory_link', 'candidate'] loop
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
        select unnest(array['memory_link', 'candidate', 'review']::regclass[])
        union all
        select inhrelid::regclass from pg_inherits
        where inhparent = any(array['memory_link', 'candidate']::regclass[])
    loop
        execute format('alter table %s enable row level security, force row level security', relation);
        execute format(
            'create policy mine on %s to daybook_app, daybook_worker, daybook_reader, daybook_eraser using (%s)',
            relation, owned
        );
    end loop;
end
$$;
alter table spending enable row level security, force row level security;
create policy mine on spending to daybook_app, daybook_worker, daybook_reader, daybook_eraser
    using (tenant_id = current_setting('daybook.tenant', true));
-- What is due is found by its state across tenants; its words are not there.
create policy claim on candidate to daybook_claimer using (true);
create policy claim on review to daybook_claimer using (true);

grant select on memory_link, candidate, review, spending to daybook_app, daybook_worker, daybook_reader, daybook_eraser;
grant insert, update on candidate, review, spending to daybook_worker;
grant insert on memory_link to daybook_worker;
grant insert, update on candidate, review to daybook_eraser;
grant insert on memory_link to daybook_eraser;
grant delete on memory_link, candidate, review to daybook_eraser;
grant select (tenant_id, user_id, stream, sequence, state, due_at) on candidate to daybook_claimer;
grant select (tenant_id, user_id, review_id, state, due_at) on review to daybook_claimer;
