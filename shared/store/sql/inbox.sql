-- The inbox: accepted runs and how far each has come.
--
-- A run is free where neither its lease nor its pause holds: greatest(lease_until, retry_at, '-infinity') is over. A stream
-- is somebody's at a stage where the lease of one of its runs there holds.

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
    insert into inbox (
        tenant_id, inbox_id, user_id, run_id, message_digests, payload, messages, stage, accepted_at, changed_at
    ) values (
        %(tenant_id)s, %(inbox_id)s, %(owner)s, %(run_id)s, %(digests)s, %(payload)s, %(messages)s, %(stage)s,
        clock_timestamp(), clock_timestamp()
    )
    on conflict do nothing
    returning accepted_at, stage, state
)
select accepted_at, stage, state, true as inserted from new
union all
select accepted_at, stage, state, false
from inbox
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and inbox_id = %(inbox_id)s

-- name: claim
update inbox
set attempts = attempts + 1, lease_until = clock_timestamp() + %(lease)s, rung_at = null, changed_at = clock_timestamp()
where tenant_id = %(tenant_id)s and inbox_id = %(inbox_id)s and stage = %(stage)s and state = 'waiting'
    and greatest(lease_until, retry_at, '-infinity') < statement_timestamp()
returning user_id, inbox_id, attempts

-- name: stand_in_line
-- Claims at a stage go one after the other, so each sees what those before it took.
select pg_advisory_xact_lock(hashtextextended('claim' || chr(31) || %(stage)s, 0))

-- name: is_free
select inbox_id
from inbox
where tenant_id = %(tenant_id)s and inbox_id = %(inbox_id)s and stage = %(stage)s and state = 'waiting'
    and greatest(lease_until, retry_at, '-infinity') < statement_timestamp()

-- name: whose_turn
-- The stream whose oldest run is next: of the tenant that was served longest ago, or never, the first that nobody is at.
-- Where all that a tenant has waiting at the front is of streams that somebody is at, or has locked, as an eraser does,
-- the next tenant's turn has come. The run that decided stays locked, so that it is still there to be taken.
with recursive ring (tenant_id) as (
    -- From the tenant that was served last around to it again; `union` ends it there, and who reads it may end it before.
    select coalesce((
        select turn.tenant_id from turn where turn.stage = %(stage)s order by turn.served_at desc limit 1
    ), '')
    union
    select coalesce(
        (
            select min(inbox.tenant_id) from inbox
            where inbox.stage = %(stage)s and inbox.state = 'waiting' and inbox.tenant_id > ring.tenant_id
        ),
        (select min(inbox.tenant_id) from inbox where inbox.stage = %(stage)s and inbox.state = 'waiting')
    )
    from ring
),
in_turn as (
    select near.tenant_id, turn.served_at
    from (select ring.tenant_id from ring limit %(tenants)s) as near
    left join turn on turn.tenant_id = near.tenant_id and turn.stage = %(stage)s
    order by turn.served_at nulls first, near.tenant_id
)
select in_turn.tenant_id, free.user_id
from in_turn
cross join lateral (
    -- A front of so many runs, lest a long backlog of a stream that somebody is at is read to its end.
    select own.user_id
    from (
        select inbox.inbox_id, inbox.accepted_at
        from inbox
        where inbox.stage = %(stage)s and inbox.tenant_id = in_turn.tenant_id and inbox.state = 'waiting'
        order by inbox.accepted_at
        limit %(front)s
    ) as front
    cross join lateral (
        select inbox.user_id
        from inbox
        where inbox.tenant_id = in_turn.tenant_id and inbox.inbox_id = front.inbox_id
            and inbox.stage = %(stage)s and inbox.state = 'waiting'
            and greatest(inbox.lease_until, inbox.retry_at, '-infinity') < statement_timestamp()
            and not exists (
                select
                from inbox as held
                where held.stage = %(stage)s and held.tenant_id = inbox.tenant_id and held.user_id = inbox.user_id
                    and held.state = 'waiting' and held.lease_until >= statement_timestamp()
            )
        for update of inbox skip locked
    ) as own
    order by front.accepted_at
    limit 1
) as free
order by in_turn.served_at nulls first, in_turn.tenant_id
limit 1

-- name: claim_burst
-- The oldest free run of a stream that nobody is at, and with it the next ones. What failed before goes alone.
with front as (
    select inbox_id, accepted_at, attempts, messages
    from inbox
    where tenant_id = %(tenant_id)s and user_id = %(owner)s and stage = %(stage)s and state = 'waiting'
        and greatest(lease_until, retry_at, '-infinity') < statement_timestamp()
        and not exists (
            select
            from inbox as held
            where held.stage = %(stage)s and held.tenant_id = %(tenant_id)s and held.user_id = %(owner)s
                and held.state = 'waiting' and held.lease_until >= statement_timestamp()
        )
    order by accepted_at, inbox_id
    limit %(most_runs)s
    for update skip locked
),
in_order as (
    select inbox_id, attempts, row_number() over ordered as place,
        first_value(attempts) over ordered as attempts_of_first,
        sum(messages) filter (where attempts = 0) over ordered as messages
    from front
    window ordered as (order by accepted_at, inbox_id)
),
burst as (
    select inbox_id
    from in_order
    where place = 1 or (attempts_of_first = 0 and attempts = 0 and messages <= %(most_messages)s)
),
served as (
    insert into turn (tenant_id, stage, served_at)
    select %(tenant_id)s, %(stage)s, clock_timestamp()
    from burst
    limit 1
    on conflict (tenant_id, stage) do update set served_at = excluded.served_at
)
update inbox
set attempts = inbox.attempts + 1, lease_until = clock_timestamp() + %(lease)s, rung_at = null,
    changed_at = clock_timestamp()
from burst
where inbox.tenant_id = %(tenant_id)s and inbox.user_id = %(owner)s and inbox.inbox_id = burst.inbox_id
returning inbox.user_id, inbox.inbox_id, inbox.attempts

-- name: end_lease
-- What somebody has locked he is about to step on with.
with held as (
    select inbox_id
    from inbox
    where tenant_id = %(tenant_id)s and user_id = %(owner)s and inbox_id = any(%(inbox_ids)s::uuid[])
        and stage = %(stage)s and state = 'waiting' and attempts = %(attempt)s and lease_until >= statement_timestamp()
    for update skip locked
)
update inbox
set lease_until = statement_timestamp() - interval '1 ms', changed_at = clock_timestamp()
from held
where inbox.tenant_id = %(tenant_id)s and inbox.user_id = %(owner)s and inbox.inbox_id = held.inbox_id
returning inbox.inbox_id

-- name: next_of_stream
-- None while somebody is at the stream: whoever is will look himself when he has done.
select inbox_id
from inbox
where tenant_id = %(tenant_id)s and user_id = %(owner)s and stage = %(stage)s and state = 'waiting'
    and greatest(lease_until, retry_at, '-infinity') < statement_timestamp()
    and not exists (
        select
        from inbox as held
        where held.stage = %(stage)s and held.tenant_id = %(tenant_id)s and held.user_id = %(owner)s
            and held.state = 'waiting' and held.lease_until >= statement_timestamp()
    )
order by accepted_at
limit 1

-- name: mark_rung
-- One run of each stream at a stage, of so many streams a stage, so that nobody's backlog keeps another's work from being
-- found. What somebody else has locked is being worked on, or marked by another sweep.
with recursive stream_waiting (stage, tenant_id, user_id) as (
    select wanted.stage, '', ''
    from unnest(%(stages)s::text[]) as wanted (stage)
    union all
    select stream_waiting.stage, next.tenant_id, next.user_id
    from stream_waiting
    cross join lateral (
        select inbox.tenant_id, inbox.user_id
        from inbox
        where inbox.stage = stream_waiting.stage and inbox.state = 'waiting'
            and (inbox.tenant_id, inbox.user_id) > (stream_waiting.tenant_id, stream_waiting.user_id)
        order by inbox.tenant_id, inbox.user_id
        limit 1
    ) as next
),
due as materialized (
    select oldest.tenant_id, oldest.inbox_id,
        row_number() over (partition by stream_waiting.stage order by oldest.changed_at) as place
    from stream_waiting
    cross join lateral (
        select front.tenant_id, front.inbox_id, front.changed_at
        from (
            select ahead.*,
                -- Held by somebody, or rung for lately.
                bool_or(
                    greatest(ahead.lease_until, ahead.rung_at + %(again_after)s) >= statement_timestamp()
                ) over () as is_seen_to
            from (
                select inbox.tenant_id, inbox.inbox_id, inbox.accepted_at, inbox.changed_at, inbox.lease_until,
                    inbox.retry_at, inbox.rung_at
                from inbox
                where inbox.stage = stream_waiting.stage and inbox.tenant_id = stream_waiting.tenant_id
                    and inbox.user_id = stream_waiting.user_id and inbox.state = 'waiting'
                order by inbox.accepted_at
                limit %(front)s
            ) as ahead
        ) as front
        where front.is_seen_to is not true
            and coalesce(greatest(front.lease_until, front.retry_at), front.changed_at + %(idle)s)
                < statement_timestamp()
        order by front.accepted_at
        limit 1
    ) as oldest
),
marked as (
    select inbox.tenant_id, inbox.inbox_id
    from inbox
    join due on due.tenant_id = inbox.tenant_id and due.inbox_id = inbox.inbox_id
    where due.place <= %(limit)s and inbox.state = 'waiting'
        and greatest(inbox.lease_until, inbox.rung_at + %(again_after)s, '-infinity') < statement_timestamp()
    for update of inbox skip locked
),
rung as (
    update inbox
    set rung_at = statement_timestamp()
    from marked
    where inbox.tenant_id = marked.tenant_id and inbox.inbox_id = marked.inbox_id
    returning inbox.tenant_id, inbox.user_id, inbox.inbox_id, inbox.stage, inbox.changed_at
)
select tenant_id, user_id, inbox_id, stage
from rung
order by changed_at

-- name: redrive
update inbox
set state = 'waiting', attempts = 0, lease_until = null, retry_at = null, rung_at = null, last_error = null,
    changed_at = clock_timestamp()
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and inbox_id = %(inbox_id)s and state = 'parked'
returning user_id, inbox_id

-- name: is_known
select inbox_id
from inbox
where tenant_id = %(tenant_id)s and user_id = %(owner)s and inbox_id = %(inbox_id)s

-- name: holds
select inbox_id
from inbox
where tenant_id = %(tenant_id)s and stage = %(stage)s and state = 'waiting'
order by accepted_at
offset %(runs)s
limit 1

-- name: backlog
select stage, state, count(*) as runs, min(changed_at) as oldest, max(changed_at) as newest
from inbox
where %(tenant_id)s::text is null or tenant_id = %(tenant_id)s
group by stage, state

-- name: unfinished
-- As `backlog`, from the indexes of what waits and of what was given up: the inbox keeps a row of every run.
select stage, state, count(*) as runs, min(changed_at) as oldest, max(changed_at) as newest
from inbox
where state = 'waiting' and (%(tenant_id)s::text is null or tenant_id = %(tenant_id)s)
group by stage, state
union all
select stage, state, count(*), min(changed_at), max(changed_at)
from inbox
where state = 'parked' and (%(tenant_id)s::text is null or tenant_id = %(tenant_id)s)
group by stage, state

-- name: take
-- The attempt is the lease: whoever came after this one's had run out has counted another, or has stepped on.
select inbox_id, run_id, payload, accepted_at, attempts, last_error
from inbox
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and inbox_id = any(%(inbox_ids)s)
    and stage = %(stage)s and state = 'waiting' and attempts = %(attempt)s and lease_until >= clock_timestamp()
order by accepted_at, inbox_id
for update

-- name: advance
update inbox
set stage = %(stage)s, state = %(state)s, attempts = 0, lease_until = null, retry_at = null, rung_at = null,
    last_error = null, changed_at = clock_timestamp(), payload = case when %(keep_payload)s then payload end
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and inbox_id = %(inbox_id)s

-- name: give_back
-- Locked in the order in which all others lock them.
with given as (
    select inbox_id
    from inbox
    where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and inbox_id = any(%(inbox_ids)s)
        and state = 'waiting' and stage = %(stage)s and attempts = %(attempt)s
    order by accepted_at, inbox_id
    for update
)
update inbox
set lease_until = null, retry_at = clock_timestamp() + %(after)s, rung_at = null, last_error = %(error)s,
    changed_at = clock_timestamp()
from given
where inbox.tenant_id = %(tenant_id)s and inbox.user_id = any(%(owners)s) and inbox.inbox_id = given.inbox_id

-- name: park
update inbox
set state = 'parked', lease_until = null, retry_at = null, rung_at = null, last_error = %(error)s,
    changed_at = clock_timestamp()
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and inbox_id = %(inbox_id)s

-- name: runs_at_work
select distinct run_id
from inbox
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and state = 'waiting'

-- name: of_run
select inbox_id, user_id, stage, state, attempts, last_error, accepted_at, changed_at
from inbox
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and run_id = %(run_id)s
order by accepted_at

-- name: fresh
-- Outcomes have no message, and take no room from runs that have: a digest is kept of every message.
select inbox_id, user_id, case when length(payload) <= %(longest_chars)s then payload end as payload
from inbox
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and stage = 'append'
    and message_digests <> '{}'::jsonb and payload is not null
order by accepted_at desc
limit %(limit)s

-- name: called
select inbox_id, user_id, message_digests
from inbox
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and inbox_id >= %(first)s and inbox_id <= %(last)s
limit 1

-- name: lock_all
select inbox_id, payload
from inbox
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
    and (not %(unread)s or (stage = 'append' and payload is not null))
order by accepted_at, inbox_id
for update

-- name: rewrite
update inbox
set payload = %(payload)s
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and inbox_id = %(inbox_id)s

-- name: remove
delete from inbox
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
    and inbox_id = any(%(inbox_ids)s::uuid[])
