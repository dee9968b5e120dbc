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
    insert into inbox (
        tenant_id, inbox_id, user_id, run_id, message_digests, payload, messages, stage, accepted_at, changed_at
    ) values (
        %(tenant_id)s, %(inbox_id)s, %(owner)s, %(run_id)s, %(digests)s, %(payload)s, %(messages)s, %(stage)s,
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
set attempts = attempts + 1, lease_until = clock_timestamp() + %(lease)s, rung_at = null, changed_at = clock_timestamp()
where tenant_id = %(tenant_id)s and inbox_id = %(inbox_id)s and stage = %(stage)s and state = 'waiting'
    and (lease_until is null or lease_until < clock_timestamp()) and (retry_at is null or retry_at <= clock_timestamp())
returning user_id, inbox_id, attempts

-- name: stand_in_line
-- Claims at a stage go one after the other, so each sees what those before it took. A ring for a run that is not to be
-- had any more waits for nobody.
select pg_advisory_xact_lock(hashtextextended('claim' || chr(31) || %(stage)s, 0))
from inbox
where tenant_id = %(tenant_id)s and inbox_id = %(inbox_id)s and stage = %(stage)s and state = 'waiting'
    and (lease_until is null or lease_until < clock_timestamp()) and (retry_at is null or retry_at <= clock_timestamp())

-- name: claim_burst
-- Nothing unless the run that was rung for is still to be had. Else the oldest run, of a stream that nobody is at, of the
-- tenant that was served longest ago; with it the next ones of its stream. What failed before goes alone. Where all
-- that a tenant has waiting at the front is of streams that somebody is at, the next tenant's turn has come; in the end
-- the stream that was rung for, wherever it stands.
with recursive rung_for as materialized (
    select inbox.tenant_id, inbox.user_id, inbox.inbox_id, inbox.attempts, inbox.accepted_at
    from inbox
    where inbox.tenant_id = %(tenant_id)s and inbox.inbox_id = %(inbox_id)s and inbox.stage = %(stage)s
        and inbox.state = 'waiting' and (inbox.lease_until is null or inbox.lease_until < statement_timestamp())
        and (inbox.retry_at is null or inbox.retry_at <= statement_timestamp())
),
-- From behind the tenant that was served last, around to it again: in `round` 1 those before it, and itself.
waiting (round, tenant_id, last_id, seen) as (
    select 0, last.tenant_id, last.tenant_id, 0
    from rung_for
    cross join lateral (
        select coalesce(
            (
                select turn.tenant_id
                from turn
                where turn.stage = %(stage)s
                order by turn.served_at desc
                limit 1
            ),
            ''
        ) as tenant_id
    ) as last
    union all
    select next.round, next.tenant_id, waiting.last_id, waiting.seen + 1
    from waiting
    cross join lateral (
        (
            select waiting.round as round, inbox.tenant_id
            from inbox
            where inbox.stage = %(stage)s and inbox.state = 'waiting' and inbox.tenant_id > waiting.tenant_id
                and (waiting.round = 0 or inbox.tenant_id <= waiting.last_id)
            order by inbox.tenant_id
            limit 1
        )
        union all
        (
            select 1, inbox.tenant_id
            from inbox
            where inbox.stage = %(stage)s and inbox.state = 'waiting' and inbox.tenant_id <= waiting.last_id
                and waiting.round = 0
            order by inbox.tenant_id
            limit 1
        )
        order by round
        limit 1
    ) as next
    where waiting.seen < %(tenants)s
),
in_turn as materialized (
    select found.tenant_id, found.user_id, found.inbox_id, found.attempts, found.accepted_at
    from (
        select waiting.tenant_id, waiting.seen, turn.served_at
        from waiting
        left join turn on turn.tenant_id = waiting.tenant_id and turn.stage = %(stage)s
        where waiting.seen > 0
        order by turn.served_at nulls first, waiting.seen
    ) as longest_ago
    cross join lateral (
        select front.tenant_id, front.user_id, front.inbox_id, front.attempts, front.accepted_at
        from (
            select inbox.tenant_id, inbox.user_id, inbox.inbox_id, inbox.attempts, inbox.accepted_at,
                inbox.lease_until, inbox.retry_at
            from inbox
            where inbox.stage = %(stage)s and inbox.tenant_id = longest_ago.tenant_id and inbox.state = 'waiting'
            order by inbox.accepted_at
            limit %(front)s
        ) as front
        where (front.lease_until is null or front.lease_until < statement_timestamp())
            and (front.retry_at is null or front.retry_at <= statement_timestamp())
            and not exists (
                select
                from inbox as held
                where held.stage = %(stage)s and held.tenant_id = front.tenant_id and held.user_id = front.user_id
                    and held.state = 'waiting' and held.lease_until is not null
                    and held.lease_until >= statement_timestamp()
            )
        order by front.accepted_at
        limit 1
    ) as found
    order by longest_ago.served_at nulls first, longest_ago.seen
    limit 1
),
first as materialized (
    select in_turn.tenant_id, in_turn.user_id, in_turn.inbox_id, in_turn.attempts, in_turn.accepted_at from in_turn
    union all
    select rung_for.tenant_id, rung_for.user_id, rung_for.inbox_id, rung_for.attempts, rung_for.accepted_at
    from rung_for
    where not exists (select from in_turn)
        and not exists (
            select
            from inbox as held
            where held.stage = %(stage)s and held.tenant_id = rung_for.tenant_id and held.user_id = rung_for.user_id
                and held.state = 'waiting' and held.lease_until is not null and held.lease_until >= statement_timestamp()
        )
),
burst as (
    select next.tenant_id, next.inbox_id, next.place, sum(next.messages) over (order by next.place) as messages
    from first
    cross join lateral (
        select inbox.tenant_id, inbox.inbox_id, inbox.messages,
            row_number() over (order by inbox.accepted_at, inbox.inbox_id) as place
        from inbox
        where inbox.stage = %(stage)s and inbox.tenant_id = first.tenant_id and inbox.user_id = first.user_id
            and inbox.state = 'waiting' and inbox.accepted_at >= first.accepted_at
            and (inbox.inbox_id = first.inbox_id or (first.attempts = 0 and inbox.attempts = 0))
            and (inbox.lease_until is null or inbox.lease_until < statement_timestamp())
            and (inbox.retry_at is null or inbox.retry_at <= statement_timestamp())
        order by inbox.accepted_at, inbox.inbox_id
        limit case when first.attempts = 0 then %(most_runs)s else 1 end
    ) as next
),
taken as (
    select inbox.tenant_id, inbox.inbox_id
    from inbox
    join burst on burst.tenant_id = inbox.tenant_id and burst.inbox_id = inbox.inbox_id
    where (burst.place = 1 or burst.messages <= %(most_messages)s)
        and inbox.stage = %(stage)s and inbox.state = 'waiting'
        and (inbox.lease_until is null or inbox.lease_until < statement_timestamp())
    for update of inbox skip locked
),
served as (
    insert into turn (tenant_id, stage, served_at)
    select first.tenant_id, %(stage)s, clock_timestamp()
    from first
    on conflict (tenant_id, stage) do update set served_at = excluded.served_at
)
update inbox
set attempts = inbox.attempts + 1, lease_until = clock_timestamp() + %(lease)s, rung_at = null,
    changed_at = clock_timestamp()
from taken
where inbox.tenant_id = taken.tenant_id and inbox.inbox_id = taken.inbox_id
returning inbox.tenant_id, inbox.user_id, inbox.inbox_id, inbox.attempts

-- name: next_of_stream
-- None while somebody is at the stream: whoever is will look himself when he has done.
select inbox_id
from inbox
where tenant_id = %(tenant_id)s and user_id = %(owner)s and stage = %(stage)s and state = 'waiting'
    and (lease_until is null or lease_until < clock_timestamp()) and (retry_at is null or retry_at <= clock_timestamp())
    and not exists (
        select
        from inbox as held
        where held.stage = %(stage)s and held.tenant_id = %(tenant_id)s and held.user_id = %(owner)s
            and held.state = 'waiting' and held.lease_until is not null and held.lease_until >= clock_timestamp()
    )
order by accepted_at
limit 1

-- name: mark_rung
-- One run of each stream at a stage, of so many streams a stage, so that nobody's backlog keeps another's work from being
-- found. What somebody else has locked is being worked on, or marked by another sweep.
with recursive stream_waiting (stage, tenant_id, user_id) as (
    select wanted.stage, head.tenant_id, head.user_id
    from unnest(%(stages)s::text[]) as wanted (stage)
    cross join lateral (
        select inbox.tenant_id, inbox.user_id
        from inbox
        where inbox.stage = wanted.stage and inbox.state = 'waiting'
        order by inbox.tenant_id, inbox.user_id
        limit 1
    ) as head
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
    select found.tenant_id, found.inbox_id, found.changed_at,
        row_number() over (partition by stream_waiting.stage order by found.changed_at) as place
    from stream_waiting
    cross join lateral (
        select front.tenant_id, front.inbox_id, front.changed_at
        from (
            select ahead.*,
                bool_or(ahead.rung_at >= statement_timestamp() - %(again_after)s) over () as is_rung,
                bool_or(ahead.lease_until >= statement_timestamp()) over () as is_held
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
        where front.is_rung is not true and front.is_held is not true
            and (front.retry_at is null or front.retry_at <= statement_timestamp())
            and (
                front.changed_at < statement_timestamp() - %(idle)s
                or front.lease_until is not null
                or front.retry_at is not null
            )
        order by front.accepted_at
        limit 1
    ) as found
),
marked as (
    select inbox.tenant_id, inbox.inbox_id
    from inbox
    join due on due.tenant_id = inbox.tenant_id and due.inbox_id = inbox.inbox_id
    where due.place <= %(limit)s and inbox.state = 'waiting'
        and (inbox.rung_at is null or inbox.rung_at < statement_timestamp() - %(again_after)s)
        and (inbox.lease_until is null or inbox.lease_until < statement_timestamp())
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

-- name: dead
select tenant_id, user_id, inbox_id, stage, attempts, accepted_at, changed_at
from inbox
where state = 'parked' and (%(tenant_id)s::text is null or tenant_id = %(tenant_id)s)
order by changed_at desc
limit %(limit)s

-- name: dead_letter
select tenant_id, user_id, inbox_id, run_id, stage, attempts, messages, accepted_at, changed_at, last_error
from inbox
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and inbox_id = %(inbox_id)s and state = 'parked'

-- name: redrive
update inbox
set state = 'waiting', attempts = 0, lease_until = null, retry_at = null, rung_at = null, last_error = null,
    changed_at = clock_timestamp()
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and inbox_id = %(inbox_id)s and state = 'parked'
returning user_id, inbox_id

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
update inbox
set lease_until = null, retry_at = clock_timestamp() + %(after)s, rung_at = null, last_error = %(error)s,
    changed_at = clock_timestamp()
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and inbox_id = any(%(inbox_ids)s) and state = 'waiting'
    and stage = %(stage)s and attempts = %(attempt)s

-- name: park
update inbox
set state = 'parked', lease_until = null, retry_at = null, rung_at = null, last_error = %(error)s,
    changed_at = clock_timestamp()
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
