-- The log of recalls: what each put before a model.

-- name: insert
-- Not where something of whoever asked was forgotten meanwhile: an erasure leaves none of these, and must find none after it.
insert into recall_log (
    tenant_id, turn_id, user_id, recalled_at, agent_id, session_id, verdict, recipe, tokens, watermark,
    conflicts, conflicts_shown, about_now
)
select %(tenant_id)s, new.turn_id, %(owner)s, new.recalled_at, new.agent_id, new.session_id, new.verdict, new.recipe,
    new.tokens, new.watermark, new.conflicts, new.conflicts_shown, new.about_now
from unnest(
    %(turn_id)s::uuid[], %(recalled_at)s::timestamptz[], %(agent_id)s::text[], %(session_id)s::text[],
    %(verdict)s::text[], %(recipe)s::text[], %(tokens)s::integer[], %(watermark)s::bigint[],
    %(conflicts)s::integer[], %(conflicts_shown)s::integer[], %(about_now)s::boolean[]
) as new (
    turn_id, recalled_at, agent_id, session_id, verdict, recipe, tokens, watermark, conflicts, conflicts_shown, about_now
)
where not exists (
    select from event
    where event.tenant_id = %(tenant_id)s and event.user_id = %(owner)s and event.stream = %(stream)s
        and event.sequence > new.watermark and event.kind = 'forget'
)

-- name: insert_items
-- Of recalls that are logged, those that are still there: a memory may have been forgotten since it was recalled.
insert into recall_item (tenant_id, turn_id, memory_id, user_id, rank, score, ordinal)
select %(tenant_id)s, new.turn_id, new.memory_id, %(owner)s, new.rank, new.score, new.ordinal
from unnest(
    %(turn_id)s::uuid[], %(memory_id)s::uuid[], %(rank)s::integer[], %(score)s::double precision[],
    %(ordinal)s::integer[]
) as new (turn_id, memory_id, rank, score, ordinal)
where exists (
    select from memory
    where memory.tenant_id = %(tenant_id)s and memory.user_id = %(owner)s and memory.memory_id = new.memory_id
        and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
) and exists (
    select from recall_log
    where recall_log.tenant_id = %(tenant_id)s and recall_log.user_id = any(%(owners)s)
        and recall_log.turn_id = new.turn_id
)

-- name: turn
select turn_id, user_id, recalled_at, agent_id, session_id, verdict, recipe, tokens, watermark, conflicts,
    conflicts_shown, about_now
from recall_log
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and turn_id = %(turn_id)s

-- name: sessions
select turn_id, session_id
from recall_log
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
    and turn_id = any(%(turn_ids)s::uuid[]) and session_id is not null

-- name: called
select turn_id
from recall_log
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
    and turn_id >= %(first)s and turn_id <= %(last)s
limit 2

-- name: items
select user_id, memory_id, rank, score, ordinal
from recall_item
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and turn_id = %(turn_id)s
order by ordinal nulls last, rank

-- name: showing
-- How many logged recalls showed each of some memories.
select memory_id, count(*) as recalls
from recall_item
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
    and memory_id = any(%(memory_ids)s) and ordinal is not null
group by memory_id

-- name: showing_any
-- The logged recalls that showed any of some memories: how many, and the newest few. Their ids sort by time.
select count(*) as recalls, coalesce((array_agg(turn_id order by turn_id desc))[1:5], '{}') as newest
from (
    select distinct turn_id
    from recall_item
    where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
        and memory_id = any(%(memory_ids)s) and ordinal is not null
) as shown

-- name: remove
delete from recall_item
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
    and memory_id = any(%(memory_ids)s)

-- name: clear_items
delete from recall_item where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s

-- name: clear
delete from recall_log where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s

-- name: prune
-- The oldest of what is too old; their items go with them.
with old as (
    select tenant_id, turn_id
    from recall_log
    where recalled_at < statement_timestamp() - %(keep)s
    order by recalled_at
    limit %(limit)s
)
delete from recall_log
using old
where recall_log.tenant_id = old.tenant_id and recall_log.turn_id = old.turn_id
