-- The profile view: blocks of what is held of a subject, and how far each generation goes.

-- name: positions
select generation, sequence
from profile_stream
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s

-- name: reach
insert into profile_stream (tenant_id, generation, user_id, sequence)
values (%(tenant_id)s, %(generation)s, %(owner)s, %(sequence)s)
on conflict (tenant_id, generation, user_id) do update set sequence = excluded.sequence

-- name: docs
-- The memories that blocks were made of.
select block_id, docs
from profile
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and generation = %(generation)s
    and block_id = any(%(block_ids)s)

-- name: put
insert into profile (
    tenant_id, generation, user_id, block_id, agent_id, subject, subject_key, topic, instance, content, docs, held, version,
    opened_by, recorded_at
)
values (
    %(tenant_id)s, %(generation)s, %(owner)s, %(block_id)s, %(agent_id)s, %(subject)s, %(subject_key)s, %(topic)s,
    %(instance)s, %(content)s, %(docs)s::integer[], %(held)s::integer[], %(version)s, %(opened_by)s, %(recorded_at)s
)
on conflict (tenant_id, generation, user_id, block_id) do update
set subject = excluded.subject, content = excluded.content, docs = excluded.docs, held = excluded.held,
    version = excluded.version, opened_by = excluded.opened_by, recorded_at = excluded.recorded_at

-- name: remove
delete from profile
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and generation = %(generation)s
    and block_id = any(%(block_ids)s)

-- name: stored
select block_id, agent_id, subject, subject_key, topic, instance, content, docs, held, version, opened_by, recorded_at
from profile
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and generation = %(generation)s
order by block_id

-- name: blocks
-- What the session's agent may read of an owner's live blocks: its own and nobody's, and in a room everybody's.
select block_id, agent_id, subject, subject_key, topic, instance, content, docs, held, version, opened_by, recorded_at
from profile
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
    and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'profile')
    and (agent_id is null or agent_id = %(agent_id)s or user_id <> all(%(narrowed)s::text[]))
order by block_id

-- name: opening
-- Of each block of a subject that the session's agent may read, the newest memories that are held; not of its records.
select topic, held[greatest(1, cardinality(held) - %(most)s + 1):] as docs
from profile
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and subject_key = %(subject_key)s
    and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'profile')
    and instance = '' and (agent_id is null or agent_id = %(agent_id)s or user_id <> all(%(narrowed)s::text[]))
order by block_id

-- name: clear
delete from profile where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s

-- name: clear_streams
delete from profile_stream where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s

-- name: drop_blocks
delete from profile
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and ctid = any(array(
    select ctid
    from profile
    where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
        and generation = %(generation)s
    limit %(limit)s
))

-- name: drop_stream
delete from profile_stream
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and generation = %(generation)s
