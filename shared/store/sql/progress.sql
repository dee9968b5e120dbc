-- How far work and views have come, in counts. Run by the claimer, which sees every tenant's state and no content.

-- name: waiting
-- A run can be claimed since it came to the stage, or since the lease or pause of the last attempt at it was over.
select stage, count(*) as waiting, min(accepted_at) as oldest,
    min(greatest(changed_at, coalesce(lease_until, changed_at), coalesce(retry_at, changed_at)))
        filter (
            where (lease_until is null or lease_until < statement_timestamp())
                and (retry_at is null or retry_at < statement_timestamp())
        ) as claimable_since
from inbox
where state = 'waiting' and (%(tenant_id)s::text is null or tenant_id = %(tenant_id)s)
group by stage

-- name: lately
-- What each stage ended within a span.
select stage, count(*) filter (where outcome <> 'failed') as runs,
    count(*) filter (where outcome = 'failed') as failed, max(finished_at) as newest
from receipt
where finished_at > statement_timestamp() - %(span)s and (%(tenant_id)s::text is null or tenant_id = %(tenant_id)s)
group by stage

-- name: parked
select count(*) as runs
from inbox
where state = 'parked' and (%(tenant_id)s::text is null or tenant_id = %(tenant_id)s)

-- name: served
select stage, max(served_at) as newest
from turn
where %(tenant_id)s::text is null or tenant_id = %(tenant_id)s
group by stage

-- name: now
select statement_timestamp() as now

-- name: views
-- What the live generations have taken in: words up to a memory's number, vectors of a tenant's documents.
with sparse as (
    select stream.tenant_id, coalesce(sum(counted.documents), 0)::bigint as memories,
        sum(stream.last_doc - coalesce(counted.doc, 0))::bigint as behind
    from stream
    left join generation on generation.tenant_id = stream.tenant_id and generation.view = 'sparse'
    left join sparse_stream as counted on counted.tenant_id = stream.tenant_id and counted.user_id = stream.user_id
        and counted.generation = generation.live
    where %(tenant_id)s::text is null or stream.tenant_id = %(tenant_id)s
    group by stream.tenant_id
),
dense as (
    select counted.tenant_id, sum(counted.vectors)::bigint as memories
    from dense_stream as counted
    join generation on generation.tenant_id = counted.tenant_id and generation.view = 'dense'
        and generation.live = counted.generation
    where %(tenant_id)s::text is null or counted.tenant_id = %(tenant_id)s
    group by counted.tenant_id
),
graph as (
    select stream.tenant_id, coalesce(sum(counted.documents), 0)::bigint as memories,
        sum(stream.last_doc - coalesce(counted.doc, 0))::bigint as behind
    from stream
    left join generation on generation.tenant_id = stream.tenant_id and generation.view = 'graph'
    left join graph_stream as counted on counted.tenant_id = stream.tenant_id and counted.user_id = stream.user_id
        and counted.generation = generation.live
    where %(tenant_id)s::text is null or stream.tenant_id = %(tenant_id)s
    group by stream.tenant_id
)
select coalesce(sum(sparse.memories), 0)::bigint as sparse,
    coalesce(sum(sparse.behind), 0)::bigint as sparse_behind,
    count(*) filter (where sparse.behind > 0) as sparse_tenants,
    coalesce(sum(dense.memories), 0)::bigint as dense,
    coalesce(sum(greatest(0, sparse.memories - coalesce(dense.memories, 0))), 0)::bigint as dense_behind,
    count(*) filter (where sparse.memories > coalesce(dense.memories, 0)) as dense_tenants,
    coalesce(sum(graph.memories), 0)::bigint as graph,
    coalesce(sum(graph.behind), 0)::bigint as graph_behind,
    count(*) filter (where graph.behind > 0) as graph_tenants
from sparse
left join dense on dense.tenant_id = sparse.tenant_id
left join graph on graph.tenant_id = sparse.tenant_id

-- name: built
select generation.tenant_id, generation.view, generation.building, generation.building_model as model_id,
    coalesce((
        select sum(counted.documents) from sparse_stream as counted
        where counted.tenant_id = generation.tenant_id and generation.view = 'sparse'
            and counted.generation = generation.building
    ), 0)::bigint + coalesce((
        select sum(counted.vectors) from dense_stream as counted
        where counted.tenant_id = generation.tenant_id and generation.view = 'dense'
            and counted.generation = generation.building
    ), 0)::bigint + coalesce((
        select sum(counted.documents) from graph_stream as counted
        where counted.tenant_id = generation.tenant_id and generation.view = 'graph'
            and counted.generation = generation.building
    ), 0)::bigint as done,
    coalesce((
        select sum(counted.documents)
        from sparse_stream as counted
        join generation as words on words.tenant_id = counted.tenant_id and words.view = 'sparse'
            and words.live = counted.generation
        where counted.tenant_id = generation.tenant_id
    ), 0)::bigint as total
from generation
where generation.building is not null and (%(tenant_id)s::text is null or generation.tenant_id = %(tenant_id)s)
order by generation.tenant_id, generation.view
limit %(limit)s
