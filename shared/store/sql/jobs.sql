-- Passes of jobs. Run by the claimer, which sees the state of every tenant's and no content.

-- name: alone
-- Whoever begins a pass of a job waits for whoever is just beginning one.
select pg_advisory_xact_lock(hashtextextended('job' || chr(31) || %(tenant_id)s || chr(31) || %(name)s, 0))

-- name: running
select job_id, lease_until >= clock_timestamp() as is_held,
    attempts - coalesce((counts ->> 'slices')::integer, 0) as fruitless
from job
where tenant_id = %(tenant_id)s and name = %(name)s and state = 'running'

-- name: take_over
-- What an effect under way has locked is not free, although its lease has run out.
with free as (
    select job_id
    from job
    where tenant_id = %(tenant_id)s and job_id = %(job_id)s and state = 'running' and lease_until < clock_timestamp()
    for update skip locked
)
update job
set attempts = job.attempts + 1, lease_until = clock_timestamp() + %(lease)s, changed_at = clock_timestamp(),
    holder = %(holder)s, held_since = clock_timestamp()
from free
where job.tenant_id = %(tenant_id)s and job.job_id = free.job_id
returning job.job_id, job.slot, job.attempts, job.counts

-- name: give_up
with free as (
    select job_id
    from job
    where tenant_id = %(tenant_id)s and job_id = %(job_id)s and state = 'running' and lease_until < clock_timestamp()
    for update skip locked
)
update job
set state = 'failed', lease_until = null, changed_at = clock_timestamp(), finished_at = clock_timestamp(),
    last_error = coalesce(last_error || '; ', '') || %(error)s
from free
where job.tenant_id = %(tenant_id)s and job.job_id = free.job_id
returning job.job_id

-- name: insert
-- None where the slot has had its pass. A round is gone on with where the pass before left it.
insert into job (
    tenant_id, job_id, name, slot, state, attempts, lease_until, done, total, counts, started_at, changed_at,
    holder, held_since
) values (
    %(tenant_id)s, %(job_id)s, %(name)s, %(slot)s, 'running', 1, clock_timestamp() + %(lease)s, 0, 0,
    jsonb_strip_nulls(jsonb_build_object('round', (
        select before.counts -> 'round'
        from job as before
        where before.tenant_id = %(tenant_id)s and before.name = %(name)s
        order by before.started_at desc
        limit 1
    ))),
    clock_timestamp(), clock_timestamp(), %(holder)s, clock_timestamp()
)
on conflict (tenant_id, name, slot) where slot is not null do nothing
returning job_id, slot, attempts, counts

-- name: renew
update job
set lease_until = clock_timestamp() + %(lease)s, done = %(done)s, total = %(total)s, changed_at = clock_timestamp()
where tenant_id = %(tenant_id)s and job_id = %(job_id)s and state = 'running' and attempts = %(attempt)s
returning job_id

-- name: release
-- The attempts so far have led somewhere: only those that follow count as fruitless.
update job
set lease_until = clock_timestamp(), done = %(done)s, total = %(total)s, last_error = null,
    counts = %(counts)s::jsonb || jsonb_build_object('slices', attempts), changed_at = clock_timestamp()
where tenant_id = %(tenant_id)s and job_id = %(job_id)s and state = 'running' and attempts = %(attempt)s
returning job_id

-- name: finish
update job
set state = 'done', lease_until = null, last_error = null, counts = %(counts)s::jsonb,
    changed_at = clock_timestamp(), finished_at = clock_timestamp()
where tenant_id = %(tenant_id)s and job_id = %(job_id)s and state = 'running' and attempts = %(attempt)s
returning job_id

-- name: keep
update job
set counts = %(counts)s::jsonb, changed_at = clock_timestamp()
where tenant_id = %(tenant_id)s and job_id = %(job_id)s and state = 'running' and attempts = %(attempt)s
returning job_id

-- name: fail
update job
set state = case when %(after)s::interval is null then 'failed' else 'running' end,
    lease_until = clock_timestamp() + %(after)s::interval,
    last_error = %(error)s, changed_at = clock_timestamp(), holder = null, held_since = null,
    counts = coalesce(%(counts)s::jsonb, counts),
    finished_at = case when %(after)s::interval is null then clock_timestamp() end
where tenant_id = %(tenant_id)s and job_id = %(job_id)s and state = 'running' and attempts = %(attempt)s
returning job_id

-- name: fence
-- Shared, so that several effects of one attempt may be under way; nobody takes the pass over before they have ended.
select job_id
from job
where tenant_id = %(tenant_id)s and job_id = %(job_id)s and state = 'running' and attempts = %(attempt)s
for share

-- name: is_written
select exists (
    select
    from event
    where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and stream = %(stream)s
        and message_digest = %(digest)s and message_id = %(message_id)s
) as is_written

-- name: become_claimer
select current_setting('role') as before, set_config('role', 'daybook_claimer', true)

-- name: become_again
select set_config('role', %(role)s, true)

-- name: note
insert into job (
    tenant_id, job_id, name, state, attempts, done, total, counts, started_at, changed_at, finished_at
) values (
    %(tenant_id)s, %(job_id)s, %(name)s, 'done', 1, 0, 0, %(counts)s::jsonb,
    clock_timestamp(), clock_timestamp(), clock_timestamp()
)
on conflict (tenant_id, job_id) do update
set counts = excluded.counts, started_at = excluded.started_at, changed_at = excluded.changed_at,
    finished_at = excluded.finished_at

-- name: latest
-- From each tenant and job to the next by the index `job_latest`, however many passes of one there are.
with recursive pass as (
    (
        select tenant_id, name
        from job
        where tenant_id >= coalesce(%(tenant_id)s::text, '')
        order by tenant_id, name
        limit 1
    )
    union all
    select following.tenant_id, following.name
    from pass
    cross join lateral (
        select job.tenant_id, job.name
        from job
        where (job.tenant_id, job.name) > (pass.tenant_id, pass.name)
        order by job.tenant_id, job.name
        limit 1
    ) as following
    where %(tenant_id)s::text is null or pass.tenant_id = %(tenant_id)s
)
select newest.*
from pass
cross join lateral (
    select tenant_id, job_id, name, slot, state, attempts, done, total, counts - 'slices' - 'round' as counts, last_error,
        started_at, changed_at, finished_at, statement_timestamp() as looked_at,
        case when state = 'running' and lease_until < statement_timestamp() then lease_until end as lapsed_at
    from job
    where job.tenant_id = pass.tenant_id and job.name = pass.name
    order by started_at desc
    limit 1
) as newest
where %(tenant_id)s::text is null or pass.tenant_id = %(tenant_id)s
order by pass.tenant_id, pass.name

-- name: held
-- Passes that are somebody's, of one tenant or job or of all, the longest first.
select tenant_id, name, holder, held_since, lease_until, done, total, last_error
from job
where state = 'running' and lease_until >= statement_timestamp()
    and (%(tenant_id)s::text is null or tenant_id = %(tenant_id)s)
    and (%(name)s::text is null or name = %(name)s)
order by held_since
limit %(limit)s

-- name: lapsed
select tenant_id, name
from job
where state = 'running' and lease_until < statement_timestamp() - %(since)s
order by lease_until
limit %(limit)s

-- name: due
-- Tenants whose pass of this slot has neither been made nor is being made, and whose share of the spread is over: those
-- whose pass has not begun, then those whose last turn at it was the longest ago.
select known.tenant_id
from (
    select distinct tenant_id
    from stream
    where %(among)s::text[] is null or tenant_id = any(%(among)s::text[])
) as known
left join job as unfinished
    on unfinished.tenant_id = known.tenant_id and unfinished.name = %(name)s and unfinished.state = 'running'
where known.tenant_id <> all(%(but)s::text[])
    and (unfinished.lease_until is null or unfinished.lease_until < statement_timestamp())
    and not exists (
        select
        from job
        where job.tenant_id = known.tenant_id and job.name = %(name)s and job.slot = %(slot)s and job.state <> 'running'
    )
    and %(slot)s + %(spread)s * (
        abs(mod(hashtextextended(known.tenant_id || chr(31) || %(name)s, 0), 3600)) / 3600.0
    ) <= %(now)s
order by unfinished.changed_at nulls first, known.tenant_id
limit %(limit)s

-- name: slot
-- What became of a slot, over all tenants.
select count(*) filter (where state = 'done') as done, count(*) filter (where state = 'failed') as failed,
    count(*) filter (where state = 'running') as running,
    max(last_error) filter (where state = 'failed') as error
from job
where name = %(name)s and slot = %(slot)s

-- name: last
-- The newest pass of a job that ended, scheduled or by hand, of any tenant.
select tenant_id, state, finished_at, last_error
from job
where name = %(name)s and finished_at is not null
order by finished_at desc
limit 1

-- name: prune
-- Those that ended first.
with old as (
    select tenant_id, job_id
    from job
    where finished_at < statement_timestamp() - %(keep)s
    order by finished_at
    limit %(limit)s
)
delete from job
using old
where job.tenant_id = old.tenant_id and job.job_id = old.job_id
