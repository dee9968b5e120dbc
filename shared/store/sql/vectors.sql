-- The dense view: one vector a memory.

-- name: unembedded
-- What is suppressed is embedded no more.
select memory.doc, memory.session_doc, memory.memory_id, memory.version, memory.kind, memory.text, memory.speaker, memory.session_id
from memory
where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s) and memory.run_id = %(run_id)s
    and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    and memory.closed_at is null
    and not exists (
        select from memory_vector
        where memory_vector.tenant_id = %(tenant_id)s and memory_vector.user_id = memory.user_id
            and memory_vector.generation = (
                select live from generation where tenant_id = %(tenant_id)s and view = 'dense'
            )
            and memory_vector.model_id = %(model_id)s and memory_vector.doc = memory.doc
    )
    and not exists (
        select from memory_evidence
        join suppression on suppression.tenant_id = memory_evidence.tenant_id
            and suppression.stream = memory_evidence.stream and suppression.sequence = memory_evidence.sequence
            and suppression.span_start < coalesce(memory_evidence.span_end, 2147483647)
            and coalesce(memory_evidence.span_start, 0) < suppression.span_end
        where memory_evidence.tenant_id = %(tenant_id)s and memory_evidence.generation = memory.generation
            and memory_evidence.memory_id = memory.memory_id and memory_evidence.version = memory.version
    )
order by memory.doc

-- name: insert
insert into memory_vector (
    tenant_id, generation, user_id, model_id, doc, session_doc, memory_id, version, kind, open, text_hash, embedding
) values (
    %(tenant_id)s, (select live from generation where tenant_id = %(tenant_id)s and view = 'dense'), %(owner)s,
    %(model_id)s, %(doc)s, %(session_doc)s, %(memory_id)s, %(version)s, %(kind)s, true, %(text_hash)s, %(embedding)s::halfvec
)
on conflict do nothing

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
select user_id, doc, session_doc, 1 - distance as cosine
from walked
order by distance
limit %(limit)s

-- name: nearest
-- Exact: ordered by an expression that no index has.
select user_id, doc, session_doc, 1 - (embedding <=> %(query)s::halfvec) as cosine
from memory_vector
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and model_id = %(model_id)s and open
    and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'dense')
order by embedding <=> %(query)s::halfvec
limit %(limit)s

-- name: cosines
-- How near some numbered memories are; looked up one by one.
select found.user_id, found.doc, found.session_doc, 1 - found.distance as cosine
from unnest(%(doc_owners)s::text[], %(docs)s::integer[]) as wanted (user_id, doc)
cross join lateral (
    select memory_vector.user_id, memory_vector.doc, memory_vector.session_doc,
        memory_vector.embedding <=> %(query)s::halfvec as distance
    from memory_vector
    where memory_vector.tenant_id = %(tenant_id)s and memory_vector.user_id = any(%(owners)s)
        and memory_vector.user_id = wanted.user_id and memory_vector.doc = wanted.doc
        and memory_vector.model_id = %(model_id)s
        and memory_vector.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'dense')
    limit 1
) as found
