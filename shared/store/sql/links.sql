-- Ties from one memory to another.

-- name: insert
insert into memory_link (tenant_id, generation, source, relation, target, user_id, opened_by)
select %(tenant_id)s, (select live from generation where tenant_id = %(tenant_id)s and view = 'memory'),
    new.source, new.relation, new.target, %(owner)s, new.opened_by
from unnest(%(source)s::uuid[], %(relation)s::text[], %(target)s::uuid[], %(opened_by)s::bigint[])
    as new (source, relation, target, opened_by)

-- name: stored
select source, relation, target, opened_by
from memory_link
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
    and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
order by opened_by, source, target

-- name: of
select source, relation, target, opened_by
from memory_link
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s)
    and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    and (source = any(%(memory_ids)s) or target = any(%(memory_ids)s))
order by opened_by, source, target

-- name: remove
delete from memory_link
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
    and (source = any(%(memory_ids)s) or target = any(%(memory_ids)s)) and generation in (
        select unnest(array[live, building, previous]) from generation
        where tenant_id = %(tenant_id)s and view = 'memory'
    )

-- name: clear
delete from memory_link where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
