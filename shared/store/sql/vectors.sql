-- The dense view: one vector a memory. That of a memory in the cold tier has another model's id, `cold:` before its own:
-- so it lies outside of the model's index and of every scan, and is there if the memory comes back.

-- name: unembedded
-- What is suppressed is embedded no more. The run's few memories first, then one look-up for each.
with said as materialized (
    select memory_id, version, generation, user_id, doc, session_doc, kind, text
    from memory
    where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and run_id = %(run_id)s and closed_at is null
        and tier = 'hot' and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
)
select said.doc, said.session_doc, said.memory_id, said.version, said.kind, said.text
from said
left join lateral (
    select true as is_there
    from memory_vector
    where memory_vector.tenant_id = %(tenant_id)s and memory_vector.user_id = any(%(owners)s)
        and memory_vector.user_id = said.user_id
        and memory_vector.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'dense')
        and memory_vector.model_id = %(model_id)s and memory_vector.doc = said.doc
    limit 1
) as vector on true
left join lateral (
    select true as is_there
    from memory_evidence
    join suppression on suppression.tenant_id = memory_evidence.tenant_id
        and suppression.stream = memory_evidence.stream and suppression.sequence = memory_evidence.sequence
        and suppression.span_start < coalesce(memory_evidence.span_end, 2147483647)
        and coalesce(memory_evidence.span_start, 0) < suppression.span_end
    where memory_evidence.tenant_id = %(tenant_id)s and memory_evidence.user_id = any(%(owners)s)
        and memory_evidence.generation = said.generation
        and memory_evidence.memory_id = said.memory_id and memory_evidence.version = said.version
    limit 1
) as suppressed on true
where vector.is_there is null and suppressed.is_there is null
order by said.doc

-- name: lacking
-- What has no vector, from behind a number on. That number bounds the vectors too: the planner merges both by number, and
-- began with the first of all vectors at each portion, which grew with the square.
select memory.doc, memory.session_doc, memory.memory_id, memory.version, memory.kind, memory.text
from memory
where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s) and memory.user_id = %(owner)s
    and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    and memory.closed_at is null and memory.tier = 'hot' and memory.doc > %(after)s
    and not exists (
        select from memory_vector
        where memory_vector.tenant_id = %(tenant_id)s and memory_vector.user_id = memory.user_id
            and memory_vector.generation = %(generation)s and memory_vector.model_id = %(model_id)s
            and memory_vector.doc = memory.doc and memory_vector.doc > %(after)s
    )
order by memory.doc
limit %(limit)s

-- name: insert
insert into memory_vector (
    tenant_id, generation, user_id, model_id, doc, session_doc, memory_id, version, kind, open, text_hash, embedding
)
select %(tenant_id)s, %(generation)s, %(owner)s, %(model_id)s, memory.doc, memory.session_doc, memory.memory_id,
    memory.version, memory.kind, true, %(text_hash)s, %(embedding)s::halfvec
from memory
where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s) and memory.user_id = %(owner)s
    and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    and memory.memory_id = %(memory_id)s and memory.version = %(version)s and memory.closed_at is null
    and memory.tier = 'hot'
on conflict do nothing

-- name: count
insert into dense_stream (tenant_id, generation, user_id, vectors)
values (%(tenant_id)s, %(generation)s, %(owner)s, %(vectors)s)
on conflict (tenant_id, generation, user_id) do update set vectors = dense_stream.vectors + excluded.vectors

-- name: copy
insert into memory_vector (
    tenant_id, generation, user_id, model_id, doc, session_doc, memory_id, version, kind, open, text_hash, embedding
)
select %(tenant_id)s, %(generation)s, %(owner)s, model_id, doc, session_doc, memory_id, version, kind, open, text_hash,
    embedding
from memory_vector
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and model_id = %(model_id)s
    and generation = %(source)s and doc > %(after)s and doc <= %(until)s
on conflict do nothing

-- name: trailing
-- Of several owners at a time: it is asked of every one of a tenant's.
select memory_vector.user_id, min(memory_vector.doc) as doc
from memory_vector
where memory_vector.tenant_id = %(tenant_id)s and memory_vector.user_id = any(%(owners)s)
    and memory_vector.generation = %(live)s and memory_vector.open
    and not exists (
        select from memory_vector as other
        where other.tenant_id = %(tenant_id)s and other.user_id = memory_vector.user_id
            and other.generation = %(generation)s and other.doc = memory_vector.doc
    )
    and exists (
        select from memory
        where memory.tenant_id = %(tenant_id)s and memory.user_id = memory_vector.user_id
            and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
            and memory.memory_id = memory_vector.memory_id and memory.closed_at is null
    )
group by memory_vector.user_id

-- name: remove
with gone as (
    delete from memory_vector
    where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
        and doc = any(%(docs)s::integer[])
    returning generation, starts_with(model_id, 'cold:') as is_cold
),
counted as (
    select generation, count(*)::integer as vectors, (count(*) filter (where not is_cold))::integer as hot
    from gone
    group by generation
)
update dense_stream
set vectors = dense_stream.vectors - counted.hot
from counted
where dense_stream.tenant_id = %(tenant_id)s and dense_stream.user_id = any(%(owners)s)
    and dense_stream.user_id = %(owner)s and dense_stream.generation = counted.generation
returning counted.vectors

-- name: clear_vectors
delete from memory_vector where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s

-- name: clear_streams
delete from dense_stream where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s

-- name: drop_vectors
delete from memory_vector
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and ctid = any(array(
    select ctid
    from memory_vector
    where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
        and generation = %(generation)s
    limit %(limit)s
))

-- name: drop_stream
delete from dense_stream
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and generation = %(generation)s

-- name: relink
update memory_vector
set session_doc = newest.session_doc, memory_id = newest.memory_id, version = newest.version, kind = newest.kind,
    open = newest.is_open
from (
    select distinct on (doc) doc, session_doc, memory_id, version, kind,
        closed_at is null and tier = 'hot' as is_open
    from memory
    where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
        and doc = any(%(docs)s::integer[])
        and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    order by doc, version desc
) as newest
where memory_vector.tenant_id = %(tenant_id)s and memory_vector.user_id = any(%(owners)s)
    and memory_vector.user_id = %(owner)s and memory_vector.doc = newest.doc

-- name: cool
with moved as (
    update memory_vector
    set model_id = 'cold:' || model_id, open = false
    where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
        and doc = any(%(docs)s::integer[]) and not starts_with(model_id, 'cold:')
    returning generation
),
counted as (
    select generation, count(*)::integer as vectors from moved group by generation
)
update dense_stream
set vectors = dense_stream.vectors - counted.vectors
from counted
where dense_stream.tenant_id = %(tenant_id)s and dense_stream.user_id = any(%(owners)s)
    and dense_stream.user_id = %(owner)s and dense_stream.generation = counted.generation

-- name: warm
with moved as (
    update memory_vector
    set model_id = substr(model_id, 6)
    where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
        and doc = any(%(docs)s::integer[]) and starts_with(model_id, 'cold:')
    returning generation
),
counted as (
    select generation, count(*)::integer as vectors from moved group by generation
)
update dense_stream
set vectors = dense_stream.vectors + counted.vectors
from counted
where dense_stream.tenant_id = %(tenant_id)s and dense_stream.user_id = any(%(owners)s)
    and dense_stream.user_id = %(owner)s and dense_stream.generation = counted.generation

-- name: recount
insert into dense_stream (tenant_id, generation, user_id, vectors)
select %(tenant_id)s, generation, %(owner)s, count(*) filter (where not starts_with(model_id, 'cold:'))
from memory_vector
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
group by generation

-- name: stored
select generation, model_id, doc, session_doc, memory_id, version, kind, open, text_hash
from memory_vector
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
order by doc, generation, model_id

-- name: counted
select generation, vectors
from dense_stream
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s

-- name: walk_on
-- Go on through the graph until there are enough rows of this scope. No sorting, so that the planner cannot prefer to
-- compare everything.
select set_config('hnsw.iterative_scan', 'relaxed_order', true),
    set_config('hnsw.ef_search', %(ef_search)s, true),
    set_config('enable_sort', 'off', true)

-- name: walk_off
select set_config('enable_sort', 'on', true)

-- name: nearest_approximate
-- By the HNSW index of the model, which is on vectors cast to its dimension. Twice as many are taken and the nearest
-- kept: that found 99 of the true 100 where taking just as many found 92.
with walked as materialized (
    select user_id, doc, session_doc, embedding::halfvec({dimension}) <=> %(query)s::halfvec({dimension}) as distance
    from memory_vector
    where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and model_id = %(model_id)s and open
        and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'dense')
    order by embedding::halfvec({dimension}) <=> %(query)s::halfvec({dimension})
    limit 2 * %(limit)s
)
select string_agg(int8send(key) || float8send(1 - distance) || int8send(session_doc), '' order by key) as packed
from (
    select ((array_position(%(owners)s::text[], user_id) - 1)::bigint << 32) | doc as key, distance, session_doc
    from walked
    order by distance
    limit %(limit)s
) as found

-- name: nearest
-- Exact: ordered by an expression that no index has. All rows come as one value, in binary: see `vectors._PACKED`.
-- Where a time of the past is asked about, what is in the cold tier too.
select string_agg(int8send(key) || float8send(1 - distance) || int8send(session_doc), '' order by key) as packed
from (
    select ((array_position(%(owners)s::text[], user_id) - 1)::bigint << 32) | doc as key,
        embedding <=> %(query)s::halfvec as distance, session_doc
    from memory_vector
    where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and model_id = any(%(model_ids)s::text[])
        and (open or starts_with(model_id, 'cold:'))
        and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'dense')
    order by embedding <=> %(query)s::halfvec
    limit %(limit)s
) as found

-- name: having
select memory_vector.doc
from memory_vector
join generation
    on generation.tenant_id = memory_vector.tenant_id and generation.view = 'dense'
    and generation.live = memory_vector.generation and generation.model_id = memory_vector.model_id
where memory_vector.tenant_id = %(tenant_id)s and memory_vector.user_id = any(%(owners)s)
    and memory_vector.user_id = %(owner)s and memory_vector.doc = any(%(docs)s::integer[])

-- name: cosines
-- How near some numbered memories are, those in the cold tier too; looked up one by one.
select string_agg(int8send(key) || float8send(1 - distance) || int8send(session_doc), '' order by key) as packed
from unnest(%(keys)b::bigint[]) as wanted (key)
cross join lateral (
    select memory_vector.session_doc, memory_vector.embedding <=> %(query)s::halfvec as distance
    from memory_vector
    where memory_vector.tenant_id = %(tenant_id)s and memory_vector.user_id = any(%(owners)s)
        and memory_vector.user_id = (%(owners)s::text[])[(wanted.key >> 32) + 1]
        and memory_vector.doc = (wanted.key & 4294967295)::integer
        and memory_vector.model_id = any(array[%(model_id)s, 'cold:' || %(model_id)s])
        and memory_vector.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'dense')
    limit 1
) as found

-- name: numbered
select memory_vector.doc, memory_vector.embedding::real[] as embedding
from memory_vector
join generation
    on generation.tenant_id = memory_vector.tenant_id and generation.view = 'dense'
    and generation.live = memory_vector.generation and generation.model_id = memory_vector.model_id
where memory_vector.tenant_id = %(tenant_id)s and memory_vector.user_id = any(%(owners)s)
    and memory_vector.user_id = %(owner)s and memory_vector.doc = any(%(docs)s::integer[])

-- name: beside
-- The open semantic memories that are nearest to each of some numbered ones; exact, one scan of the owner's for each.
select mine.doc, near.doc as other
from unnest(%(docs)s::integer[]) as asked (doc)
join generation on generation.tenant_id = %(tenant_id)s and generation.view = 'dense'
join memory_vector as mine on mine.tenant_id = %(tenant_id)s and mine.user_id = any(%(owners)s)
    and mine.user_id = %(owner)s and mine.generation = generation.live and mine.model_id = generation.model_id
    and mine.doc = asked.doc
cross join lateral (
    select other.doc, other.embedding <=> mine.embedding as distance
    from memory_vector as other
    where other.tenant_id = %(tenant_id)s and other.user_id = any(%(owners)s) and other.user_id = %(owner)s
        and other.generation = generation.live and other.model_id = generation.model_id
        and other.open and other.kind = 'semantic' and other.doc <> mine.doc
    order by other.embedding <=> mine.embedding
    limit %(limit)s
) as near
order by mine.doc, near.distance, near.doc

-- name: between
-- How near numbered memories are to each other, pair by pair.
select pair.one, pair.other, 1 - (first.embedding <=> second.embedding) as cosine
from unnest(%(firsts)s::integer[], %(seconds)s::integer[]) as pair (one, other)
join generation on generation.tenant_id = %(tenant_id)s and generation.view = 'dense'
join memory_vector as first on first.tenant_id = %(tenant_id)s and first.user_id = any(%(owners)s)
    and first.user_id = %(owner)s and first.generation = generation.live and first.model_id = generation.model_id
    and first.doc = pair.one
join memory_vector as second on second.tenant_id = %(tenant_id)s and second.user_id = any(%(owners)s)
    and second.user_id = %(owner)s and second.generation = generation.live and second.model_id = generation.model_id
    and second.doc = pair.other
