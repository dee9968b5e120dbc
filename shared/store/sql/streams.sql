-- Which streams there are. Run by the claimer, which sees names and lengths of all tenants' and no content.

-- name: on_round
-- In order of a digest, from behind a place on and round to it.
select tenant_id, user_id, last_sequence, place
from (
    select tenant_id, user_id, last_sequence, hashtextextended(tenant_id || chr(31) || user_id, 0) as place
    from stream
    where %(tenant_id)s::text is null or tenant_id = %(tenant_id)s
) as placed
order by place <= coalesce(%(behind)s::bigint, place - 1), place
limit %(limit)s

-- name: at_places
select tenant_id, user_id, last_sequence, place
from (
    select tenant_id, user_id, last_sequence, hashtextextended(tenant_id || chr(31) || user_id, 0) as place
    from stream
    where %(tenant_id)s::text is null or tenant_id = %(tenant_id)s
) as placed
where place = any(%(places)s::bigint[])
order by place

-- name: of_tenant
select tenant_id, user_id, last_sequence
from stream
where %(tenant_id)s::text is null or tenant_id = %(tenant_id)s
order by tenant_id, user_id

-- name: behind_sparse
-- The owners whose memories a generation of the sparse view has not all taken in, and how far it has come.
select stream.user_id, stream.last_doc, coalesce(sparse_stream.doc, 0) as doc
from stream
left join sparse_stream on sparse_stream.tenant_id = stream.tenant_id and sparse_stream.user_id = stream.user_id
    and sparse_stream.generation = %(generation)s
where stream.tenant_id = %(tenant_id)s and stream.last_doc > coalesce(sparse_stream.doc, 0)
order by stream.user_id

-- name: behind_graph
select stream.user_id, stream.last_doc, coalesce(graph_stream.doc, 0) as doc
from stream
left join graph_stream on graph_stream.tenant_id = stream.tenant_id and graph_stream.user_id = stream.user_id
    and graph_stream.generation = %(generation)s
where stream.tenant_id = %(tenant_id)s and stream.last_doc > coalesce(graph_stream.doc, 0)
order by stream.user_id

-- name: trailing_graph
select graph_stream.user_id, graph_stream.doc as last_doc, coalesce(built.doc, 0) as doc
from graph_stream
join generation on generation.tenant_id = graph_stream.tenant_id and generation.view = 'graph'
    and generation.live = graph_stream.generation
left join graph_stream as built on built.tenant_id = graph_stream.tenant_id and built.user_id = graph_stream.user_id
    and built.generation = %(generation)s
where graph_stream.tenant_id = %(tenant_id)s and graph_stream.doc > coalesce(built.doc, 0)
order by graph_stream.user_id

-- name: behind_profile
-- The owners with memories of whose stream a generation of the profile view lacks the end, and how far it goes.
select stream.user_id, stream.last_sequence, coalesce(profile_stream.sequence, 0) as sequence
from stream
left join profile_stream on profile_stream.tenant_id = stream.tenant_id and profile_stream.user_id = stream.user_id
    and profile_stream.generation = %(generation)s
join generation on generation.tenant_id = stream.tenant_id and generation.view = 'sparse'
join sparse_stream on sparse_stream.tenant_id = stream.tenant_id and sparse_stream.user_id = stream.user_id
    and sparse_stream.generation = generation.live
where stream.tenant_id = %(tenant_id)s and sparse_stream.documents + sparse_stream.cold_documents > 0
    and stream.last_sequence > coalesce(profile_stream.sequence, 0)
order by stream.user_id

-- name: trailing_profile
-- The owners of whose stream the live generation has more than another one.
select profile_stream.user_id, profile_stream.sequence as last_sequence, coalesce(built.sequence, 0) as sequence
from profile_stream
join generation on generation.tenant_id = profile_stream.tenant_id and generation.view = 'profile'
    and generation.live = profile_stream.generation
left join profile_stream as built on built.tenant_id = profile_stream.tenant_id
    and built.user_id = profile_stream.user_id and built.generation = %(generation)s
where profile_stream.tenant_id = %(tenant_id)s and profile_stream.sequence > coalesce(built.sequence, 0)
order by profile_stream.user_id

-- name: behind_tenants
select distinct stream.tenant_id
from stream
left join generation on generation.tenant_id = stream.tenant_id and generation.view = 'graph'
left join graph_stream on graph_stream.tenant_id = stream.tenant_id and graph_stream.user_id = stream.user_id
    and graph_stream.generation = generation.live
where stream.last_doc > coalesce(graph_stream.doc, 0)
order by stream.tenant_id

-- name: with_memories
-- The owners of whom a memory is there, by the counters of the words: the number of the newest outlives an erasure.
select stream.user_id, stream.last_doc
from stream
join generation on generation.tenant_id = stream.tenant_id and generation.view = 'sparse'
join sparse_stream on sparse_stream.tenant_id = stream.tenant_id and sparse_stream.user_id = stream.user_id
    and sparse_stream.generation = generation.live
where stream.tenant_id = %(tenant_id)s and sparse_stream.documents + sparse_stream.cold_documents > 0
order by stream.user_id

-- name: has_memories
select from sparse_stream
join generation on generation.tenant_id = sparse_stream.tenant_id and generation.view = 'sparse'
    and generation.live = sparse_stream.generation
where sparse_stream.tenant_id = %(tenant_id)s and sparse_stream.user_id = %(user_id)s
    and sparse_stream.documents + sparse_stream.cold_documents > 0

-- name: numbered
select coalesce(sum(last_doc), 0)::bigint as docs from stream where tenant_id = %(tenant_id)s

-- name: tenants
select distinct tenant_id from stream where last_doc > 0 order by tenant_id

-- name: is_known
select from stream where tenant_id = %(tenant_id)s limit 1

-- name: with_cold
select sparse_stream.user_id
from sparse_stream
join generation on generation.tenant_id = sparse_stream.tenant_id and generation.view = 'sparse'
    and generation.live = sparse_stream.generation
where sparse_stream.tenant_id = %(tenant_id)s and sparse_stream.cold_documents > 0
order by sparse_stream.user_id

-- name: lacking_vectors
-- The owners that have fewer vectors in a generation than memories that words find, and how many are missing.
select sparse_stream.user_id, sparse_stream.documents - coalesce(dense_stream.vectors, 0) as lacking
from sparse_stream
join generation on generation.tenant_id = sparse_stream.tenant_id and generation.view = 'sparse'
    and generation.live = sparse_stream.generation
left join dense_stream on dense_stream.tenant_id = sparse_stream.tenant_id
    and dense_stream.user_id = sparse_stream.user_id and dense_stream.generation = %(generation)s
where sparse_stream.tenant_id = %(tenant_id)s and sparse_stream.documents > coalesce(dense_stream.vectors, 0)
order by sparse_stream.user_id

-- name: lacking_tenants
-- The tenants of whom words find more memories than have a vector in the live generation.
select distinct sparse_stream.tenant_id
from sparse_stream
join generation as sparse on sparse.tenant_id = sparse_stream.tenant_id and sparse.view = 'sparse'
    and sparse.live = sparse_stream.generation
left join generation as dense on dense.tenant_id = sparse_stream.tenant_id and dense.view = 'dense'
left join dense_stream on dense_stream.tenant_id = sparse_stream.tenant_id
    and dense_stream.user_id = sparse_stream.user_id and dense_stream.generation = dense.live
where sparse_stream.documents > coalesce(dense_stream.vectors, 0)
order by sparse_stream.tenant_id

-- name: with_vectors
select coalesce(sum(sparse_stream.documents), 0)::bigint as documents,
    coalesce(sum(dense_stream.vectors), 0)::bigint as vectors
from sparse_stream
join generation on generation.tenant_id = sparse_stream.tenant_id and generation.view = 'sparse'
    and generation.live = sparse_stream.generation
left join dense_stream on dense_stream.tenant_id = sparse_stream.tenant_id
    and dense_stream.user_id = sparse_stream.user_id and dense_stream.generation = %(generation)s
where sparse_stream.tenant_id = %(tenant_id)s

-- name: left_over_sparse
select sparse_stream.user_id, sparse_stream.generation
from sparse_stream
join generation on generation.tenant_id = sparse_stream.tenant_id and generation.view = 'sparse'
where sparse_stream.tenant_id = %(tenant_id)s and sparse_stream.generation <> all(
    array_remove(array[generation.live, generation.building, generation.previous], null)
)
order by sparse_stream.user_id, sparse_stream.generation

-- name: left_over_dense
select dense_stream.user_id, dense_stream.generation
from dense_stream
join generation on generation.tenant_id = dense_stream.tenant_id and generation.view = 'dense'
where dense_stream.tenant_id = %(tenant_id)s and dense_stream.generation <> all(
    array_remove(array[generation.live, generation.building, generation.previous], null)
)
order by dense_stream.user_id, dense_stream.generation

-- name: left_over_graph
select graph_stream.user_id, graph_stream.generation
from graph_stream
join generation on generation.tenant_id = graph_stream.tenant_id and generation.view = 'graph'
where graph_stream.tenant_id = %(tenant_id)s and graph_stream.generation <> all(
    array_remove(array[generation.live, generation.building, generation.previous], null)
)
order by graph_stream.user_id, graph_stream.generation

-- name: left_over_profile
select profile_stream.user_id, profile_stream.generation
from profile_stream
join generation on generation.tenant_id = profile_stream.tenant_id and generation.view = 'profile'
where profile_stream.tenant_id = %(tenant_id)s and profile_stream.generation <> all(
    array_remove(array[generation.live, generation.building, generation.previous], null)
)
order by profile_stream.user_id, profile_stream.generation

-- name: become_claimer
select current_setting('role') as before, set_config('role', 'daybook_claimer', true)

-- name: become_again
select set_config('role', %(role)s, true)
