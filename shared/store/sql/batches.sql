-- What jobs have changed, by batch, and how far each has looked.

-- name: write
insert into batch (tenant_id, user_id, batch_id, job, first_sequence, last_sequence, refused, committed_at)
values (
    %(tenant_id)s, %(owner)s, %(batch_id)s, %(job)s, %(first_sequence)s, %(last_sequence)s, %(refused)s::jsonb,
    %(committed_at)s
)
on conflict (tenant_id, user_id, batch_id) do update
set last_sequence = excluded.last_sequence, refused = excluded.refused, committed_at = excluded.committed_at

-- name: mark
insert into job_mark (tenant_id, user_id, job, sequence)
values (%(tenant_id)s, %(owner)s, %(job)s, %(sequence)s)
on conflict (tenant_id, user_id, job) do update set sequence = greatest(job_mark.sequence, excluded.sequence)

-- name: marked
select sequence
from job_mark
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and job = %(job)s

-- name: of
select batch_id, job, first_sequence, last_sequence, refused, committed_at, reverted_at
from batch
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and batch_id = %(batch_id)s
for update

-- name: reverted
select batch_id, job, first_sequence, last_sequence, refused, committed_at, reverted_at
from batch
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and job = %(job)s
    and reverted_at is not null and last_sequence > %(after)s
order by first_sequence

-- name: covering
-- What some jobs did and nobody took back, where one of some operations is among it.
select batch_id, job, first_sequence, last_sequence, refused, committed_at, reverted_at
from batch
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and job = any(%(jobs)s::text[])
    and reverted_at is null
    and exists (
        select from unnest(%(sequences)s::bigint[]) as done (sequence)
        where done.sequence between batch.first_sequence and batch.last_sequence
    )
order by first_sequence

-- name: revert
update batch
set reverted_at = %(reverted_at)s
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and batch_id = %(batch_id)s

-- name: owners
select user_id
from batch
where tenant_id = %(tenant_id)s and batch_id = %(batch_id)s
order by user_id

-- name: called
select distinct batch_id
from batch
where tenant_id = %(tenant_id)s and batch_id >= %(first)s and batch_id <= %(last)s
limit 2

-- name: newest
select batch_id, job, min(committed_at) as committed_at, count(*) as streams, count(reverted_at) as reverted
from batch
where tenant_id = %(tenant_id)s
group by batch_id, job
order by min(committed_at) desc
limit %(limit)s

-- name: clear
delete from batch
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s

-- name: clear_marks
delete from job_mark
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
