-- How memory does, counted by day, and what gates on it have set.

-- What was counted of a user's memory on a day, which is named by its first moment in UTC. A row holds no text; it goes with the user.
create table measure (
    tenant_id text not null,
    user_id text not null,
    day timestamptz not null,
    counted text not null,
    number bigint not null check (number >= 0),
    primary key (tenant_id, user_id, day, counted)
);
create index measure_day on measure (tenant_id, day);

-- What is done for a tenant otherwise than it is set up, for as long as a gate on a metric is tripped.
create table hold (
    tenant_id text not null,
    act text not null,
    metric text not null,
    value double precision not null,
    since timestamptz not null,
    until timestamptz,
    primary key (tenant_id, act, metric, since)
);
create unique index hold_set on hold (tenant_id, act, metric) where until is null;

-- What a recall found that contradicts itself, how much of that it showed, and whether it asked about now.
alter table recall_log
    add column conflicts integer not null default 0 check (conflicts >= 0),
    add column conflicts_shown integer not null default 0 check (conflicts_shown between 0 and conflicts),
    add column about_now boolean not null default true;

alter table measure enable row level security, force row level security;
create policy mine on measure to daybook_app, daybook_worker, daybook_reader, daybook_eraser using (
    tenant_id = current_setting('daybook.tenant', true) and
    user_id = any(string_to_array(current_setting('daybook.users', true), ','))
);
-- Numbers alone, added up over a tenant's users.
create policy claim on measure to daybook_claimer using (true);

alter table hold enable row level security, force row level security;
create policy mine on hold to daybook_app, daybook_worker, daybook_reader, daybook_eraser
    using (tenant_id = current_setting('daybook.tenant', true));

grant select on measure, hold to daybook_app, daybook_worker, daybook_reader, daybook_eraser;
grant insert, update on measure, hold to daybook_worker;
grant delete on measure to daybook_eraser;
grant select on measure to daybook_claimer;
