-- The view of usefulness: how often a memory served a recall, and how often it misled.

-- name: change
-- Counts that others are taken off from, or put upon; of whoever has none yet, from 0 on. Who holds the stream's lock is
-- alone at it.
insert into memory_use (tenant_id, user_id, doc, memory_id, used, misled)
select %(tenant_id)s, %(owner)s, new.doc, new.memory_id, coalesce(held.used, 0) + new.used,
    coalesce(held.misled, 0) + new.misled
from unnest(%(doc)s::integer[], %(memory_id)s::uuid[], %(used)s::integer[], %(misled)s::integer[])
    as new (doc, memory_id, used, misled)
left join memory_use as held
    on held.tenant_id = %(tenant_id)s and held.user_id = %(owner)s and held.doc = new.doc
on conflict (tenant_id, user_id, doc) do update
set used = excluded.used, misled = excluded.misled

-- name: put
insert into memory_use (tenant_id, user_id, doc, memory_id, used, misled)
select %(tenant_id)s, %(owner)s, new.doc, new.memory_id, new.used, new.misled
from unnest(%(doc)s::integer[], %(memory_id)s::uuid[], %(used)s::integer[], %(misled)s::integer[])
    as new (doc, memory_id, used, misled)
on conflict (tenant_id, user_id, doc) do update
set used = excluded.used, misled = excluded.misled

-- name: of
select user_id, doc, used, misled
from memory_use
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and doc = any(%(docs)b::integer[])

-- name: stored
select doc, memory_id, used, misled
from memory_use
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
order by doc

-- name: count
select count(*) as reported
from memory_use
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s

-- name: remove
delete from memory_use
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
    and memory_id = any(%(memory_ids)s)

-- name: clear
delete from memory_use where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
