-- The sparse view: posting blocks and what BM25 needs to know of each owner.

-- name: newest
-- The newest block of each term and how full it is.
select distinct on (term) term, block, length(entries) as bytes
from posting
where tenant_id = %(tenant_id)s and user_id = %(owner)s and term = any(%(terms)s)
    and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'sparse')
order by term, block desc

-- name: append
-- Begin blocks, or add to those that have room.
insert into posting (tenant_id, generation, user_id, term, block, entries)
select %(tenant_id)s, live.live, %(owner)s, new.term, new.block, new.entries
from generation as live,
    unnest(%(terms)s::text[], %(blocks)s::integer[], %(entries)s::bytea[]) as new (term, block, entries)
where live.tenant_id = %(tenant_id)s and live.view = 'sparse'
on conflict (tenant_id, generation, user_id, term, block)
do update set entries = posting.entries || excluded.entries

-- name: count
insert into sparse_stream (
    tenant_id, generation, user_id, documents, length_sum, sessions
)
select %(tenant_id)s, live, %(owner)s, %(documents)s, %(length_sum)s, %(sessions)s
from generation
where tenant_id = %(tenant_id)s and view = 'sparse'
on conflict (tenant_id, generation, user_id) do update
set documents = sparse_stream.documents + excluded.documents,
    length_sum = sparse_stream.length_sum + excluded.length_sum,
    sessions = sparse_stream.sessions + excluded.sessions

-- name: fetch
select user_id, term, entries
from posting
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and term = any(%(terms)s)
    and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'sparse')
order by user_id, term, block

-- name: statistics
select user_id, documents, length_sum, sessions
from sparse_stream
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s)
    and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'sparse')
