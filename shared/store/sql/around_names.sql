-- What is around a name in the graph view.

-- name: named
-- What there is of a name: how many open memories mention it, the newest of them, and under which other forms it is found.
select entity.name, counted.memories, newest.cited, coalesce(other.aliases, '{}') as aliases
from entity
cross join lateral (
    select count(*)::integer as memories
    from mention
    join memory on memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s)
        and memory.user_id = mention.user_id and memory.doc = mention.doc and memory.closed_at is null and {{readable}}
        and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    where mention.tenant_id = %(tenant_id)s and mention.user_id = any(%(owners)s) and mention.user_id = entity.user_id
        and mention.generation = entity.generation and mention.name = entity.name
) as counted
cross join lateral (
    select coalesce(array_agg(held.memory_id), '{}') as cited
    from (
        select memory.memory_id
        from mention
        join memory on memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s)
            and memory.user_id = mention.user_id and memory.doc = mention.doc and memory.closed_at is null and {{readable}}
            and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
        where mention.tenant_id = %(tenant_id)s and mention.user_id = any(%(owners)s)
            and mention.user_id = entity.user_id and mention.generation = entity.generation
            and mention.name = entity.name
        order by mention.doc desc
        limit %(cited)s
    ) as held
) as newest
left join lateral (
    select array_agg(entity_alias.alias order by entity_alias.alias) as aliases
    from entity_alias
    where entity_alias.tenant_id = %(tenant_id)s and entity_alias.user_id = any(%(owners)s)
        and entity_alias.user_id = entity.user_id and entity_alias.generation = entity.generation
        and entity_alias.name = entity.name
) as other on true
where entity.tenant_id = %(tenant_id)s and entity.user_id = any(%(owners)s) and entity.user_id = %(owner)s
    and entity.name = %(name)s
    and entity.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'graph')

-- name: neighbours
-- The names that are mentioned together with one, by its newest open memories: how often, and the newest of those that
-- mention both.
select beside.name, count(*)::integer as memories, (array_agg(held.memory_id order by held.doc desc))[1:%(cited)s] as cited
from (
    select mention.user_id, mention.generation, mention.doc, memory.memory_id
    from mention
    join memory on memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s)
        and memory.user_id = mention.user_id and memory.doc = mention.doc and memory.closed_at is null and {{readable}}
        and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    where mention.tenant_id = %(tenant_id)s and mention.user_id = any(%(owners)s) and mention.user_id = %(owner)s
        and mention.name = %(name)s
        and mention.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'graph')
    order by mention.doc desc
    limit %(newest)s
) as held
join mention as beside on beside.tenant_id = %(tenant_id)s and beside.user_id = any(%(owners)s)
    and beside.user_id = held.user_id and beside.generation = held.generation and beside.doc = held.doc
    and beside.name <> %(name)s
group by beside.name
order by count(*) desc, beside.name
limit %(limit)s

-- name: names
-- All names of the owner that an open memory mentions which the session may read.
select entity.name
from entity
where entity.tenant_id = %(tenant_id)s and entity.user_id = any(%(owners)s) and entity.user_id = %(owner)s
    and entity.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'graph')
    and exists (
        select
        from mention
        join memory on memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s)
            and memory.user_id = mention.user_id and memory.doc = mention.doc and memory.closed_at is null and {{readable}}
            and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
        where mention.tenant_id = %(tenant_id)s and mention.user_id = any(%(owners)s)
            and mention.user_id = entity.user_id and mention.generation = entity.generation
            and mention.name = entity.name
    )
order by entity.name
