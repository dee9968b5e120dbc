-- Groups of names that are spoken of together, and what they were made of.

-- name: mentions
-- Of each name that several of the owner's open memories mention, their numbers. In order of names. Groups are for
-- whoever reads the owner's memories, so what one agent alone may read makes none; in a room everybody's does.
select mention.name, array_agg(mention.doc order by mention.doc) as docs
from mention
join memory on memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s)
    and memory.user_id = mention.user_id and memory.doc = mention.doc and memory.closed_at is null
    and {{readable}}
    and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
where mention.tenant_id = %(tenant_id)s and mention.user_id = any(%(owners)s) and mention.user_id = %(owner)s
    and mention.generation = %(generation)s and mention.doc <= %(doc)s
group by mention.name
having count(*) > 1
order by mention.name collate "C"

-- name: held
-- How many memories the owner holds among the numbered, of those that groups are made of.
select count(*)::integer as memories
from memory
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
    and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    and closed_at is null and doc <= %(doc)s and {{readable}}

-- name: made_of
select generation, doc, sequence, made_by
from community_stream
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s

-- name: as_it_stands
-- How far the live graph view and the ledger have come with the owner.
select graph_stream.generation, graph_stream.doc, stream.last_sequence as sequence
from generation
join graph_stream on graph_stream.tenant_id = %(tenant_id)s and graph_stream.user_id = any(%(owners)s)
    and graph_stream.user_id = %(owner)s and graph_stream.generation = generation.live
join stream on stream.tenant_id = %(tenant_id)s and stream.user_id = graph_stream.user_id
where generation.tenant_id = %(tenant_id)s and generation.view = 'graph'

-- name: stored
select number, place, name
from community
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
order by number, place

-- name: insert
-- Of a name that is forgotten meanwhile nothing is written.
insert into community (tenant_id, user_id, number, place, name)
select %(tenant_id)s, %(owner)s, new.number, new.place, new.name
from unnest(%(number)s::integer[], %(place)s::integer[], %(name)s::text[]) as new (number, place, name)
where exists (
    select from entity
    where entity.tenant_id = %(tenant_id)s and entity.user_id = any(%(owners)s) and entity.user_id = %(owner)s
        and entity.generation = %(generation)s and entity.name = new.name
)

-- name: note
insert into community_stream (tenant_id, user_id, generation, doc, sequence, made_by)
values (%(tenant_id)s, %(owner)s, %(generation)s, %(doc)s, %(sequence)s, %(made_by)s)

-- name: remove
delete from community
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and name = any(%(names)s::text[])

-- name: clear
delete from community
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s

-- name: clear_stream
delete from community_stream
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
