-- Ties from one memory to another.

-- name: insert
insert into memory_link (
    tenant_id, generation, source, relation, target, user_id, opened_by, closed_by, score, via
)
select %(tenant_id)s, (select live from generation where tenant_id = %(tenant_id)s and view = 'memory'),
    new.source, new.relation, new.target, %(owner)s, new.opened_by, new.closed_by, new.score, new.via
from unnest(
    %(source)s::uuid[], %(relation)s::text[], %(target)s::uuid[], %(opened_by)s::bigint[], %(closed_by)s::bigint[],
    %(score)s::double precision[], %(via)s::bigint[]
) as new (source, relation, target, opened_by, closed_by, score, via)

-- name: stored
select source, relation, target, opened_by, closed_by, score, via
from memory_link
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
    and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
order by opened_by, source, target

-- name: of
select source, relation, target, opened_by, closed_by, score, via
from memory_link
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s)
    and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    and (source = any(%(memory_ids)s) or target = any(%(memory_ids)s))
order by opened_by, source, target

-- name: numbered
select source, relation, target, opened_by, closed_by, score, via
from memory_link
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
    and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    and opened_by = any(%(sequences)s::bigint[])
order by opened_by, source, target

-- name: drawn_from
-- Links that were drawn from some, and from these in turn.
with recursive drawn as (
    select source, relation, target, opened_by, closed_by, score, via
    from memory_link
    where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
        and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
        and via = any(%(sequences)s::bigint[])
    union all
    select further.source, further.relation, further.target, further.opened_by, further.closed_by, further.score,
        further.via
    from drawn
    join memory_link as further on further.tenant_id = %(tenant_id)s and further.user_id = any(%(owners)s)
        and further.user_id = %(owner)s and further.via = drawn.opened_by
        and further.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
)
select source, relation, target, opened_by, closed_by, score, via
from drawn
order by opened_by, source, target

-- name: absorbing
select source, relation, target, opened_by, closed_by, score, via
from memory_link
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
    and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    and relation = 'absorbs'
order by opened_by, target

-- name: newest
select source, relation, target, opened_by, closed_by, score, via
from memory_link
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
    and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    and score is not null and closed_by is null
order by opened_by desc
limit %(limit)s

-- name: beside
-- Of some memories, by key: what is linked to each, the surest first, looked up row by row. Only what is open, and what
-- the session's agent may read; of twice as many as are asked for.
select wanted.key, ((wanted.key >> 32) << 32) | found.doc as other, found.session_doc, found.score
from unnest(%(keys)b::bigint[]) as wanted (key)
cross join lateral (
    select memory.memory_id, memory.user_id, memory.generation
    from memory
    where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s)
        and memory.user_id = (%(owners)s::text[])[(wanted.key >> 32) + 1]
        and memory.doc = (wanted.key & 4294967295)::integer and memory.closed_at is null and {{readable}}
        and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    limit 1
) as here
cross join lateral (
    select there.doc, there.session_doc, tied.score
    from (
        select memory_link.target as memory_id, memory_link.score
        from memory_link
        where memory_link.tenant_id = %(tenant_id)s and memory_link.user_id = any(%(owners)s)
            and memory_link.generation = here.generation and memory_link.source = here.memory_id
            and memory_link.score is not null and memory_link.closed_by is null
            and memory_link.relation <> all(%(without)s::text[])
        union all
        select memory_link.source, memory_link.score
        from memory_link
        where memory_link.tenant_id = %(tenant_id)s and memory_link.user_id = any(%(owners)s)
            and memory_link.generation = here.generation and memory_link.target = here.memory_id
            and memory_link.score is not null and memory_link.closed_by is null
            and memory_link.relation <> all(%(without)s::text[])
        order by score desc
        limit 2 * %(limit)s
    ) as tied
    cross join lateral (
        select memory.doc, memory.session_doc
        from memory
        where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s)
            and memory.user_id = here.user_id and memory.generation = here.generation
            and memory.memory_id = tied.memory_id and memory.closed_at is null and {{readable}}
        limit 1
    ) as there
    order by tied.score desc, there.doc desc
    limit %(limit)s
) as found

-- name: close
update memory_link
set closed_by = done.closed_by
from unnest(%(opened_by)s::bigint[], %(closed_by)s::bigint[]) as done (opened_by, closed_by)
where memory_link.tenant_id = %(tenant_id)s and memory_link.user_id = any(%(owners)s)
    and memory_link.user_id = %(owner)s and memory_link.opened_by = done.opened_by
    and memory_link.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')

-- name: remove
delete from memory_link
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
    and (source = any(%(memory_ids)s) or target = any(%(memory_ids)s)) and generation in (
        select unnest(array[live, building, previous]) from generation
        where tenant_id = %(tenant_id)s and view = 'memory'
    )

-- name: clear
delete from memory_link where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
