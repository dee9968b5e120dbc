-- The inbox: accepted runs and how far each has come.

-- name: lock_run
-- Deliveries of one run one after the other, so that a conflict between two at once is seen by the second.
select pg_advisory_xact_lock(hashtextextended(%(tenant_id)s || chr(31) || %(owner)s || chr(31) || %(run_id)s, 0))

-- name: earlier_deliveries
select message_digests, accepted_at
from inbox
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and run_id = %(run_id)s and inbox_id <> %(inbox_id)s

-- name: insert
-- One row either way: the new one, or the one that has been there since an earlier delivery.
with new as (
    insert into inbox (tenant_id, inbox_id, user_id, run_id, message_digests, payload, stage, accepted_at, changed_at)
    values (
        %(tenant_id)s, %(inbox_id)s, %(owner)s, %(run_id)s, %(digests)s, %(payload)s, %(stage)s,
        clock_timestamp(), clock_timestamp()
    )
    on conflict do nothing
    returning accepted_at
)
select accepted_at, true as inserted from new
union all
select accepted_at, false
from inbox
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and inbox_id = %(inbox_id)s

-- name: claim
update inbox
set attempts = attempts + 1, lease_until = clock_timestamp() + %(lease)s, changed_at = clock_timestamp()
where tenant_id = %(tenant_id)s and inbox_id = %(inbox_id)s and stage = %(stage)s and state = 'waiting'
    and (lease_until is null or lease_until < clock_timestamp())
returning attempts

-- name: mark_rung
-- So many of each stage, so that no stage's backlog keeps another's work from being found. What somebody else has locked
-- is being worked on, or marked by another sweep.
with due as materialized (
    select found.tenant_id, found.inbox_id
    from unnest(%(stages)s::text[]) as wanted (stage)
    cross join lateral (
        select inbox.tenant_id, inbox.inbox_id
        from inbox
        where inbox.stage = wanted.stage and inbox.state = 'waiting'
            and inbox.changed_at < statement_timestamp() - %(idle)s
            and (inbox.rung_at is null or inbox.rung_at < statement_timestamp() - %(again_after)s)
            and (inbox.lease_until is null or inbox.lease_until < statement_timestamp())
        order by inbox.changed_at
        limit %(limit)s
        for update skip locked
    ) as found
),
rung as (
    update inbox
    set rung_at = statement_timestamp()
    from due
    where inbox.tenant_id = due.tenant_id and inbox.inbox_id = due.inbox_id
    returning inbox.tenant_id, inbox.user_id, inbox.inbox_id, inbox.stage, inbox.changed_at
)
select tenant_id, user_id, inbox_id, stage
from rung
order by changed_at

-- name: backlog
select stage, state, count(*) as runs, min(changed_at) as oldest, max(changed_at) as newest
from inbox
where %(tenant_id)s::text is null or tenant_id = %(tenant_id)s
group by stage, state

-- name: take
select run_id, payload, accepted_at, attempts, last_error
from inbox
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and inbox_id = %(inbox_id)s
    and stage = %(stage)s and state = 'waiting'
for update

-- name: advance
update inbox
set stage = %(stage)s, state = %(state)s, attempts = 0, lease_until = null, rung_at = null, last_error = null,
    changed_at = clock_timestamp(), payload = case when %(keep_payload)s then payload end
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and inbox_id = %(inbox_id)s

-- name: give_back
-- The attempt is the lease: whoever came after this one's had run out has counted another, or has stepped on.
update inbox
set lease_until = clock_timestamp() + %(after)s, rung_at = null, last_error = %(error)s, changed_at = clock_timestamp()
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and inbox_id = %(inbox_id)s and state = 'waiting'
    and stage = %(stage)s and attempts = %(attempt)s

-- name: park
update inbox
set state = 'parked', lease_until = null, rung_at = null, last_error = %(error)s, changed_at = clock_timestamp()
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and inbox_id = %(inbox_id)s

-- name: of_run
select inbox_id, user_id, stage, state, attempts, last_error, accepted_at, changed_at
from inbox
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and run_id = %(run_id)s
order by accepted_at

-- name: fresh
select inbox_id, user_id, payload
from inbox
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and stage = 'append'
    and length(payload) <= %(longest_chars)s
order by accepted_at desc
limit %(limit)s
