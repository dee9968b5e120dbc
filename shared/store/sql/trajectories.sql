-- What was said in a scope, whole, for laying it out as files.

-- name: newest
-- Open memories, the newest of the world's time first, one owner's of the same instant in the order of their numbers.
select memory.memory_id, memory.user_id, memory.doc, memory.text, memory.kind, memory.epistemic_type, memory.speaker,
    memory.role, memory.origin, memory.trust, memory.session_id, memory.run_id, memory.valid_from, memory.valid_to
from memory
where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s)
    and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    and {{readable}}
    and memory.closed_at is null
order by coalesce(memory.valid_from, memory.recorded_at) desc, memory.user_id, memory.doc desc
limit %(most)s

-- name: counted
select count(*) as memories
from memory
where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s)
    and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    and {{readable}}
    and memory.closed_at is null

-- name: still_held
select distinct memory.memory_id
from memory
where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s)
    and memory.memory_id = any(%(memory_ids)s)
    and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    and {{readable}}
