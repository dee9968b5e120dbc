-- The sparse view: posting blocks and what BM25 needs to know of each owner.

-- name: newest
-- The newest block of each term of a tier in each generation and how full it is. Looked up one by one: a common term has hundreds
-- of blocks before it, and reading those made building a view quadratic.
select generations.generation, terms.term, found.block, found.bytes
from unnest(%(generations)s::integer[]) as generations (generation)
cross join unnest(%(terms)s::text[]) as terms (term)
cross join lateral (
    select posting.block, length(posting.entries) as bytes
    from posting
    where posting.tenant_id = %(tenant_id)s and posting.user_id = %(owner)s
        and posting.generation = generations.generation and posting.tier = %(tier)s and posting.term = terms.term
    order by posting.block desc
    limit 1
) as found

-- name: append
-- Begin blocks, or add to those that have room.
insert into posting (tenant_id, generation, user_id, tier, term, block, entries)
select %(tenant_id)s, new.generation, %(owner)s, %(tier)s, new.term, new.block, new.entries
from unnest(%(generations)s::integer[], %(terms)s::text[], %(blocks)s::integer[], %(entries)s::bytea[])
    as new (generation, term, block, entries)
on conflict (tenant_id, generation, user_id, tier, term, block)
do update set entries = posting.entries || excluded.entries

-- name: count
insert into sparse_stream (
    tenant_id, generation, user_id, documents, length_sum, sessions, cold_documents, cold_length_sum, cold_sessions, doc
)
select %(tenant_id)s, generation, %(owner)s, %(documents)s, %(length_sum)s, %(sessions)s, %(cold_documents)s,
    %(cold_length_sum)s, %(cold_sessions)s, %(doc)s
from unnest(%(generations)s::integer[]) as wanted (generation)
on conflict (tenant_id, generation, user_id) do update
set documents = sparse_stream.documents + excluded.documents,
    length_sum = sparse_stream.length_sum + excluded.length_sum,
    sessions = sparse_stream.sessions + excluded.sessions,
    cold_documents = sparse_stream.cold_documents + excluded.cold_documents,
    cold_length_sum = sparse_stream.cold_length_sum + excluded.cold_length_sum,
    cold_sessions = sparse_stream.cold_sessions + excluded.cold_sessions,
    doc = excluded.doc

-- name: positions
select generation, doc
from sparse_stream
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s

-- name: blocks_of
-- The blocks that can hold one of some memories. Entries are in order of the memories' numbers, and each begins with its
-- own, the low byte first: of a hundred blocks of a common word one is sent.
select posting.generation, posting.tier, posting.term, posting.block, posting.entries
from posting
cross join lateral (select octet_length(posting.entries) - %(entry_bytes)s as at) as newest
where posting.tenant_id = %(tenant_id)s and posting.user_id = any(%(owners)s) and posting.user_id = %(owner)s
    and posting.tier = any(%(tiers)s::text[]) and posting.term = any(%(terms)s)
    and exists (
        select
        from unnest(%(docs)s::integer[]) as removed (doc)
        where removed.doc between
            get_byte(entries, 0) + (get_byte(entries, 1) << 8) + (get_byte(entries, 2) << 16) + (get_byte(entries, 3) << 24)
            and get_byte(entries, at) + (get_byte(entries, at + 1) << 8) + (get_byte(entries, at + 2) << 16)
                + (get_byte(entries, at + 3) << 24)
    )
order by posting.generation, posting.tier, posting.term, posting.block

-- name: blocks_between
-- The blocks of some terms of a tier that can hold one of many memories, by the lowest and highest of their numbers.
select posting.generation, posting.term, posting.block, posting.entries
from posting
cross join lateral (select octet_length(posting.entries) - %(entry_bytes)s as at) as newest
where posting.tenant_id = %(tenant_id)s and posting.user_id = any(%(owners)s) and posting.user_id = %(owner)s
    and posting.generation = any(%(generations)s::integer[]) and posting.tier = %(tier)s
    and posting.term = any(%(terms)s)
    and %(highest)s >= get_byte(entries, 0) + (get_byte(entries, 1) << 8) + (get_byte(entries, 2) << 16)
        + (get_byte(entries, 3) << 24)
    and %(lowest)s <= get_byte(entries, at) + (get_byte(entries, at + 1) << 8) + (get_byte(entries, at + 2) << 16)
        + (get_byte(entries, at + 3) << 24)
order by posting.generation, posting.term, posting.block

-- name: rewrite
update posting
set entries = new.entries
from unnest(
    %(generations)s::integer[], %(tiers)s::text[], %(terms)s::text[], %(blocks)s::integer[], %(entries)s::bytea[]
) as new (generation, tier, term, block, entries)
where posting.tenant_id = %(tenant_id)s and posting.user_id = any(%(owners)s) and posting.user_id = %(owner)s
    and posting.generation = new.generation and posting.tier = new.tier and posting.term = new.term
    and posting.block = new.block

-- name: newest_entries
-- The newest block of each term of a tier in each generation, whole.
select generations.generation, terms.term, found.block, found.entries
from unnest(%(generations)s::integer[]) as generations (generation)
cross join unnest(%(terms)s::text[]) as terms (term)
cross join lateral (
    select posting.block, posting.entries
    from posting
    where posting.tenant_id = %(tenant_id)s and posting.user_id = any(%(owners)s) and posting.user_id = %(owner)s
        and posting.generation = generations.generation and posting.tier = %(tier)s and posting.term = terms.term
    order by posting.block desc
    limit 1
) as found

-- name: all_of
-- Every block of some terms of a tier, in order.
select generation, term, block, entries
from posting
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and tier = %(tier)s
    and (generation, term) in (select * from unnest(%(generations)s::integer[], %(terms)s::text[]))
order by generation, term, block

-- name: move
-- Blocks that one tier needs no more become blocks of the other: nothing is deleted, which only an eraser may.
update posting
set tier = %(into)s, block = new.to_block, entries = new.entries
from unnest(
    %(generations)s::integer[], %(terms)s::text[], %(blocks)s::integer[], %(to_blocks)s::integer[], %(entries)s::bytea[]
) as new (generation, term, block, to_block, entries)
where posting.tenant_id = %(tenant_id)s and posting.user_id = any(%(owners)s) and posting.user_id = %(owner)s
    and posting.generation = new.generation and posting.tier = %(tier)s and posting.term = new.term
    and posting.block = new.block

-- name: shift
-- Some memories count for another tier: `cold` of each is how much the cold one gains, 1 or -1. What a generation has not
-- taken in yet is not counted in it. A session counts for the tier of the first memory that is held of it.
update sparse_stream
set documents = sparse_stream.documents - moved.documents,
    length_sum = sparse_stream.length_sum - moved.length_sum,
    sessions = begun.hot,
    cold_documents = sparse_stream.cold_documents + moved.documents,
    cold_length_sum = sparse_stream.cold_length_sum + moved.length_sum,
    cold_sessions = begun.cold
from (
    select reached.generation, reached.doc, sum(moving.cold) as documents, sum(moving.cold * moving.length) as length_sum
    from sparse_stream as reached
    join unnest(%(docs)s::integer[], %(lengths)s::integer[], %(cold)s::integer[]) as moving (doc, length, cold)
        on moving.doc <= reached.doc
    where reached.tenant_id = %(tenant_id)s and reached.user_id = any(%(owners)s) and reached.user_id = %(owner)s
    group by reached.generation, reached.doc
) as moved
cross join lateral {{sessions_begun}} as begun
where sparse_stream.tenant_id = %(tenant_id)s and sparse_stream.user_id = any(%(owners)s)
    and sparse_stream.user_id = %(owner)s and sparse_stream.generation = moved.generation

-- name: drop_empty
delete from posting
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and term = any(%(terms)s)
    and entries = ''

-- name: discount
-- What a generation has not taken in yet was not counted in it. Sessions are those that a memory is held of.
update sparse_stream
set documents = sparse_stream.documents - moved.documents,
    length_sum = sparse_stream.length_sum - moved.length_sum,
    sessions = begun.hot,
    cold_documents = sparse_stream.cold_documents - moved.cold_documents,
    cold_length_sum = sparse_stream.cold_length_sum - moved.cold_length_sum,
    cold_sessions = begun.cold
from (
    select reached.generation, reached.doc, count(*) filter (where removed.tier = 'hot') as documents,
        coalesce(sum(removed.length) filter (where removed.tier = 'hot'), 0) as length_sum,
        count(*) filter (where removed.tier = 'cold') as cold_documents,
        coalesce(sum(removed.length) filter (where removed.tier = 'cold'), 0) as cold_length_sum
    from sparse_stream as reached
    join unnest(%(docs)s::integer[], %(lengths)s::integer[], %(tiers)s::text[]) as removed (doc, length, tier)
        on removed.doc <= reached.doc
    where reached.tenant_id = %(tenant_id)s and reached.user_id = any(%(owners)s) and reached.user_id = %(owner)s
    group by reached.generation, reached.doc
) as moved
cross join lateral {{sessions_begun}} as begun
where sparse_stream.tenant_id = %(tenant_id)s and sparse_stream.user_id = any(%(owners)s)
    and sparse_stream.user_id = %(owner)s and sparse_stream.generation = moved.generation

-- name: stored
select tier, term, block, entries
from posting
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and generation = %(generation)s
order by tier, term, block

-- name: counted
select documents, length_sum, sessions, cold_documents, cold_length_sum, cold_sessions, doc
from sparse_stream
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and generation = %(generation)s

-- name: clear_postings
delete from posting where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s

-- name: clear_streams
delete from sparse_stream where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s

-- name: drop_postings
delete from posting
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and ctid = any(array(
    select ctid
    from posting
    where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
        and generation = %(generation)s
    limit %(limit)s
))

-- name: drop_stream
delete from sparse_stream
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and generation = %(generation)s

-- name: fetch
select user_id, term, entries
from posting
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and tier = %(tier)s
    and term = any(%(terms)s) and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'sparse')
order by user_id, term, block

-- name: statistics
select user_id, documents, length_sum, sessions, cold_documents, cold_length_sum, cold_sessions
from sparse_stream
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s)
    and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'sparse')
