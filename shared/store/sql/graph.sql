-- The graph view: which memory mentions which name, how many mention a name, and under which other forms it is found.

-- name: mention
-- Of each name: how many memories mention it now.
with mentioned as (
    insert into mention (tenant_id, generation, user_id, name, doc)
    select %(tenant_id)s, wanted.generation, %(owner)s, new.name, new.doc
    from unnest(%(generations)s::integer[]) as wanted (generation)
    cross join unnest(%(names)s::text[], %(docs)s::integer[]) as new (name, doc)
    on conflict do nothing
    returning generation, name
),
counted as (
    select generation, name, count(*)::integer as memories from mentioned group by generation, name
),
held as (
    insert into entity (tenant_id, generation, user_id, name, memories)
    select %(tenant_id)s, counted.generation, %(owner)s, counted.name, counted.memories
    from counted
    on conflict (tenant_id, generation, user_id, name) do update set memories = entity.memories + excluded.memories
    returning generation, name, memories
)
select generation, name, memories from held

-- name: call
insert into entity_alias (tenant_id, generation, user_id, alias, name)
select %(tenant_id)s, new.generation, %(owner)s, new.alias, new.name
from unnest(%(generations)s::integer[], %(aliases)s::text[], %(names)s::text[]) as new (generation, alias, name)
on conflict do nothing

-- name: count
insert into graph_stream (tenant_id, generation, user_id, documents, doc)
select %(tenant_id)s, generation, %(owner)s, %(documents)s, %(doc)s
from unnest(%(generations)s::integer[]) as wanted (generation)
on conflict (tenant_id, generation, user_id) do update
set documents = graph_stream.documents + excluded.documents, doc = excluded.doc

-- name: positions
select generation, doc
from graph_stream
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s

-- name: unmention
-- Of each name that the memories mentioned: how many mention it still.
with gone as (
    delete from mention
    where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
        and doc = any(%(docs)s::integer[])
        and generation in (
            select graph_stream.generation from graph_stream
            where graph_stream.tenant_id = %(tenant_id)s and graph_stream.user_id = %(owner)s
        )
    returning generation, name
),
counted as (
    select generation, name, count(*)::integer as memories from gone group by generation, name
)
update entity
set memories = entity.memories - counted.memories
from counted
where entity.tenant_id = %(tenant_id)s and entity.user_id = any(%(owners)s) and entity.user_id = %(owner)s
    and entity.generation = counted.generation and entity.name = counted.name
returning entity.generation, entity.name, entity.memories, counted.memories as gone

-- name: drop_entities
delete from entity
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and (generation, name) in (
    select * from unnest(%(generations)s::integer[], %(names)s::text[])
)

-- name: drop_aliases
delete from entity_alias
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and (generation, name) in (
    select * from unnest(%(generations)s::integer[], %(names)s::text[])
)

-- name: discount
-- What a generation has not taken in yet was not counted in it.
update graph_stream
set documents = graph_stream.documents - gone.documents
from (
    select reached.generation, count(*)::integer as documents
    from graph_stream as reached
    join unnest(%(docs)s::integer[]) as removed (doc) on removed.doc <= reached.doc
    where reached.tenant_id = %(tenant_id)s and reached.user_id = any(%(owners)s) and reached.user_id = %(owner)s
    group by reached.generation
) as gone
where graph_stream.tenant_id = %(tenant_id)s and graph_stream.user_id = any(%(owners)s)
    and graph_stream.user_id = %(owner)s and graph_stream.generation = gone.generation

-- name: mentions
select name, doc
from mention
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and generation = %(generation)s
order by name, doc

-- name: entities
select name, memories
from entity
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and generation = %(generation)s
order by name

-- name: aliases
select alias, name
from entity_alias
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and generation = %(generation)s
order by name, alias

-- name: counted
select documents, doc
from graph_stream
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and generation = %(generation)s

-- name: clear_mentions
delete from mention where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s

-- name: clear_entities
delete from entity where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s

-- name: clear_aliases
delete from entity_alias where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s

-- name: clear_streams
delete from graph_stream where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s

-- name: drop_mentions
delete from mention
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and ctid = any(array(
    select ctid
    from mention
    where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
        and generation = %(generation)s
    limit %(limit)s
))

-- name: drop_generation_aliases
delete from entity_alias
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and ctid = any(array(
    select ctid
    from entity_alias
    where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
        and generation = %(generation)s
    limit %(limit)s
))

-- name: drop_generation_entities
delete from entity
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and ctid = any(array(
    select ctid
    from entity
    where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
        and generation = %(generation)s
    limit %(limit)s
))

-- name: drop_stream
delete from graph_stream
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and generation = %(generation)s

-- name: called
-- Who is called so, exactly or by another form: of those (200 at most, where half of all are called John) the rarest
-- first. Looked up name by name.
select asked.name as asked, found.name, found.memories
from unnest(%(names)b::text[]) as asked (name)
cross join lateral (
    (
        select entity.name, entity.memories
        from entity
        where entity.tenant_id = %(tenant_id)s and entity.user_id = any(%(owners)s) and entity.name = asked.name
            and entity.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'graph')
        offset 0
    )
    union all
    (
        select longer.name, longer.memories
        from (
            select entity_alias.user_id, entity_alias.name
            from entity_alias
            where entity_alias.tenant_id = %(tenant_id)s and entity_alias.user_id = any(%(owners)s)
                and entity_alias.alias = asked.name and entity_alias.generation = (
                    select live from generation where tenant_id = %(tenant_id)s and view = 'graph'
                )
            order by entity_alias.name, entity_alias.user_id
            limit 200
        ) as other
        cross join lateral (
            select entity.name, entity.memories
            from entity
            where entity.tenant_id = %(tenant_id)s and entity.user_id = any(%(owners)s)
                and entity.user_id = other.user_id and entity.name = other.name
                and entity.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'graph')
            limit 1
        ) as longer
        order by longer.memories, longer.name
        limit %(limit)s
    )
) as found

-- name: known
-- By which of some names somebody is called, exactly or by another form.
select entity.name as form
from entity
where entity.tenant_id = %(tenant_id)s and entity.user_id = any(%(owners)s) and entity.name = any(%(names)b::text[])
    and entity.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'graph')
union
select entity_alias.alias
from entity_alias
where entity_alias.tenant_id = %(tenant_id)s and entity_alias.user_id = any(%(owners)s)
    and entity_alias.alias = any(%(names)b::text[])
    and entity_alias.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'graph')

-- name: sharing
-- Of numbered memories: older ones that mention the same name, by names that are not common. Looked up one by one.
select held.doc, held.name, held.memories, older.doc as other
from (
    select mention.doc, mention.name, entity.memories
    from mention
    join entity on entity.tenant_id = mention.tenant_id and entity.generation = mention.generation
        and entity.user_id = mention.user_id and entity.name = mention.name
    where mention.tenant_id = %(tenant_id)s and mention.user_id = any(%(owners)s) and mention.user_id = %(owner)s
        and mention.doc = any(%(docs)s::integer[]) and entity.memories > 1 and entity.memories <= %(commonest)s
        and mention.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'graph')
    offset 0
) as held
cross join lateral (
    select mention.doc
    from mention
    where mention.tenant_id = %(tenant_id)s and mention.user_id = any(%(owners)s) and mention.user_id = %(owner)s
        and mention.name = held.name and mention.doc < held.doc
        and mention.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'graph')
    order by mention.doc desc
    limit %(per_name)s
) as older

-- name: around
-- The neighbourhood of some names and some memories: the memories that mention the names, the names in all of those
-- that are not too common, the rarest first, and the memories that mention these. Looked up row by row, so that what it
-- costs is bounded by the limits and not by what is held.
with start as materialized (
    select held.key
    from unnest(%(names)b::text[]) as seed (name)
    cross join lateral (
        select ((array_position(%(owners)s::text[], mention.user_id) - 1)::bigint << 32) | mention.doc as key
        from mention
        where mention.tenant_id = %(tenant_id)s and mention.user_id = any(%(owners)s) and mention.name = seed.name
            and mention.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'graph')
        order by mention.doc desc, mention.user_id
        limit %(per_seed)s
    ) as held
    union
    select near.key from unnest(%(near)b::bigint[]) as near (key)
),
said as materialized (
    select start.key, found.name, found.memories
    from start
    cross join lateral (
        select mention.name, mention.user_id
        from mention
        where mention.tenant_id = %(tenant_id)s and mention.user_id = any(%(owners)s)
            and mention.user_id = (%(owners)s::text[])[(start.key >> 32) + 1]
            and mention.doc = (start.key & 4294967295)::integer
            and mention.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'graph')
        offset 0
    ) as held
    cross join lateral (
        select entity.name, entity.memories
        from entity
        where entity.tenant_id = %(tenant_id)s and entity.user_id = any(%(owners)s)
            and entity.user_id = held.user_id and entity.name = held.name and entity.memories <= %(commonest)s
            and entity.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'graph')
        limit 1
    ) as found
),
beside as materialized (
    select said.name
    from said
    group by said.name
    order by said.name = any(%(names)b::text[]) desc, max(said.memories), said.name
    limit %(most_names)s
)
select beside.name, array_agg(distinct joined.key) as keys
from beside
cross join lateral (
    select said.key from said where said.name = beside.name
    union all
    (
        select ((array_position(%(owners)s::text[], mention.user_id) - 1)::bigint << 32) | mention.doc as key
        from mention
        where mention.tenant_id = %(tenant_id)s and mention.user_id = any(%(owners)s) and mention.name = beside.name
            and mention.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'graph')
        order by mention.doc desc, mention.user_id
        limit %(per_name)s
    )
) as joined
group by beside.name
order by beside.name
