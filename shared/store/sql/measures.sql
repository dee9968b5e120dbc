-- How memory does, counted by day.

-- name: decided
select (decided_at at time zone 'UTC')::date as day, action,
    rule in ('exact_duplicate', 'near_duplicate') as is_duplicate, count(*) as number
from decision
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and stream = %(stream)s
    and stage = 'gate' and decided_at >= %(since)s
group by 1, 2, 3

-- name: operations
-- Headers outlive an erasure of the user, decisions do not: what came before the first that is left counts no more.
select (recorded_at at time zone 'UTC')::date as day, kind, count(*) as number
from event
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and stream = %(stream)s
    and event_class = 'operation' and kind in ('supersede', 'end', 'retract') and recorded_at >= %(since)s
    and sequence > (
        select min(decision.sequence)
        from decision
        where decision.tenant_id = %(tenant_id)s and decision.user_id = any(%(owners)s)
            and decision.user_id = %(owner)s and decision.stream = %(stream)s
    )
group by 1, 2

-- name: proposals
select (committed_at at time zone 'UTC')::date as day,
    sum(last_sequence - first_sequence + 1)::bigint as accepted,
    coalesce(sum(last_sequence - first_sequence + 1) filter (where reverted_at is not null), 0)::bigint as taken_back,
    coalesce(sum((select sum(number::bigint) from jsonb_each_text(refused) as each (reason, number))), 0)::bigint as refused
from batch
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and committed_at >= %(since)s
group by 1

-- name: standing
-- How the owner's memories in words of their own stand by now. A memory that cites an event which is not there is one.
with live as (
    select live from generation where tenant_id = %(tenant_id)s and view = 'memory'
), written as (
    select memory.memory_id, memory.generation, memory.version, memory.doc, memory.closed_at, memory.closed_reason
    from memory
    where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s) and memory.user_id = %(owner)s
        and memory.generation = (select live from live) and memory.epistemic_type <> 'evidence'
        and (memory.closed_at is null or memory.closed_reason = 'retract')
)
select count(*) filter (where written.closed_at is null) as held,
    count(*) filter (where written.closed_at is null and exists (
        select
        from memory_evidence
        where memory_evidence.tenant_id = %(tenant_id)s and memory_evidence.user_id = any(%(owners)s)
            and memory_evidence.generation = written.generation and memory_evidence.memory_id = written.memory_id
            and memory_evidence.version = written.version
            and not exists (
                select
                from event
                where event.tenant_id = %(tenant_id)s and event.user_id = any(%(owners)s)
                    and event.stream = memory_evidence.stream and event.sequence = memory_evidence.sequence
            )
    )) as unsupported,
    count(*) filter (where written.closed_at is not null or memory_use.used + memory_use.misled > 0) as judged,
    count(*) filter (where written.closed_at is null and memory_use.used > memory_use.misled) as proved
from written
left join memory_use
    on memory_use.tenant_id = %(tenant_id)s and memory_use.user_id = %(owner)s and memory_use.doc = written.doc

-- name: reviews
select count(*) as waiting, count(*) filter (where due_at < %(now)s) as overdue
from review
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and state = 'open'

-- name: recalls
select (recalled_at at time zone 'UTC')::date as day, count(*) as turns, sum(tokens)::bigint as tokens,
    sum(conflicts)::bigint as conflicts, sum(conflicts_shown)::bigint as conflicts_shown,
    count(*) filter (where not exists (
        select
        from recall_item
        where recall_item.tenant_id = %(tenant_id)s and recall_item.user_id = any(%(owners)s)
            and recall_item.turn_id = recall_log.turn_id and recall_item.ordinal is not null
    )) as empty
from recall_log
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and recalled_at >= %(since)s
group by 1

-- name: shown
-- What recalls showed, by day and memory: how often, and how often after it had been closed, and what it says where
-- whoever said it is little trusted.
select (recall_log.recalled_at at time zone 'UTC')::date as day, count(*) as number,
    count(*) filter (where recall_log.about_now and newest.closed_at <= recall_log.recalled_at) as stale,
    case when newest.trust <= %(low_trust)s then newest.text end as text
from recall_log
join recall_item
    on recall_item.tenant_id = %(tenant_id)s and recall_item.user_id = any(%(owners)s)
    and recall_item.turn_id = recall_log.turn_id and recall_item.ordinal is not null
cross join lateral (
    select memory.closed_at, memory.trust, memory.text
    from memory
    where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s)
        and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
        and memory.memory_id = recall_item.memory_id
    order by memory.version desc
    limit 1
) as newest
where recall_log.tenant_id = %(tenant_id)s and recall_log.user_id = any(%(owners)s) and recall_log.user_id = %(owner)s
    and recall_log.recalled_at >= %(since)s
group by 1, recall_item.memory_id, newest.text, newest.trust

-- name: shown_by
-- How many memories each of some recalls showed; those alone that are still logged.
select recall_log.turn_id, (recall_log.recalled_at at time zone 'UTC')::date as day,
    count(recall_item.memory_id) as shown
from recall_log
left join recall_item
    on recall_item.tenant_id = %(tenant_id)s and recall_item.user_id = any(%(owners)s)
    and recall_item.turn_id = recall_log.turn_id and recall_item.ordinal is not null
where recall_log.tenant_id = %(tenant_id)s and recall_log.user_id = any(%(owners)s) and recall_log.user_id = %(owner)s
    and recall_log.turn_id = any(%(turn_ids)s::uuid[]) and recall_log.recalled_at >= %(since)s
group by 1, 2

-- name: forgotten_since
-- Whether something of the owner's was forgotten behind an event.
select exists (
    select
    from event
    where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and stream = %(stream)s
        and sequence > %(seen)s and kind = 'forget'
) as is_forgotten

-- name: nought_since
update measure
set number = 0
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and day >= %(day)s
    and counted <> all(%(but)s::text[])

-- name: put
insert into measure (tenant_id, user_id, day, counted, number)
select %(tenant_id)s, %(owner)s, new.day, new.counted, new.number
from unnest(%(day)s::timestamptz[], %(counted)s::text[], %(number)s::bigint[]) as new (day, counted, number)
on conflict (tenant_id, user_id, day, counted) do update set number = excluded.number

-- name: totals
-- What the days from one to another come to, over all of a tenant's users. What stands counts as it stood last.
select counted, sum(number)::bigint as number
from (
    select counted, number,
        row_number() over (partition by user_id, counted order by day desc) as place
    from measure
    where tenant_id = %(tenant_id)s and day >= %(first)s and day <= %(last)s
) as each
where place = 1 or counted <> all(%(standing)s::text[])
group by counted

-- name: days
-- What each day comes to, over all of a tenant's users.
select (day at time zone 'UTC')::date as day, counted, sum(number)::bigint as number
from measure
where tenant_id = %(tenant_id)s and day >= %(first)s and day <= %(last)s
group by day, counted
order by day

-- name: clear
delete from measure where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
