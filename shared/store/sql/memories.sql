-- Memories and what they rest on.

-- name: insert
insert into memory (
    tenant_id, generation, memory_id, version, user_id, doc, session_doc, ordinal, kind, epistemic_type, text, speaker, role,
    origin, trust, confidence, session_id, agent_id, run_id, valid_from, valid_to, recorded_at, closed_at, closed_reason,
    opened_by, closed_by
) values (
    %(tenant_id)s, (select live from generation where tenant_id = %(tenant_id)s and view = 'memory'),
    %(memory_id)s, %(version)s, %(owner)s, %(doc)s, %(session_doc)s, %(ordinal)s, %(kind)s, %(epistemic_type)s, %(text)s,
    %(speaker)s, %(role)s, %(origin)s, %(trust)s, %(confidence)s, %(session_id)s, %(agent_id)s, %(run_id)s, %(valid_from)s,
    %(valid_to)s, %(recorded_at)s, %(closed_at)s, %(closed_reason)s, %(opened_by)s, %(closed_by)s
)

-- name: insert_evidence
insert into memory_evidence (
    tenant_id, generation, memory_id, version, stream, sequence, user_id, span_start, span_end, independent
) values (
    %(tenant_id)s, (select live from generation where tenant_id = %(tenant_id)s and view = 'memory'),
    %(memory_id)s, %(version)s, %(stream)s, %(sequence)s, %(owner)s, %(span_start)s, %(span_end)s, %(independent)s
)

-- name: first_of_session
select min(doc) as doc
from memory
where tenant_id = %(tenant_id)s and user_id = %(owner)s and session_id = %(session_id)s
    and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')

-- name: said_in_session
-- Who has said a text of these digests in a session before, as an episode that is open. The few events first, then
-- their memories one by one, whatever the planner thinks of a table it has no statistics of yet.
with said as materialized (
    select speaker, message_digest, stream, sequence
    from event
    where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and stream = %(stream)s
        and message_digest = any(%(digests)s) and session_id = %(session_id)s
)
select distinct said.speaker, said.message_digest
from said
cross join lateral (
    select memory_evidence.memory_id, memory_evidence.version, memory_evidence.generation
    from memory_evidence
    where memory_evidence.tenant_id = %(tenant_id)s and memory_evidence.user_id = any(%(owners)s)
        and memory_evidence.stream = said.stream and memory_evidence.sequence = said.sequence
        and memory_evidence.generation = (
            select live from generation where tenant_id = %(tenant_id)s and view = 'memory'
        )
    offset 0
) as cited
cross join lateral (
    select from memory
    where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s)
        and memory.generation = cited.generation and memory.memory_id = cited.memory_id
        and memory.version = cited.version and memory.closed_at is null
    limit 1
) as open

-- name: visible
-- Of each numbered memory the version that may be shown, without its text: most of those asked for are not shown.
-- Looked up one by one, whatever the planner thinks of reading the whole user instead.
select (wanted.place::bigint << 32) | wanted.doc as key, found.*
from unnest(%(places)s::integer[], %(docs)s::integer[]) as wanted (place, doc)
cross join lateral (
    select memory.user_id, memory.doc, memory.session_doc, memory.speaker, memory.role, memory.valid_from
    from memory
    where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s)
        and memory.user_id = (%(owners)s::text[])[wanted.place + 1] and memory.doc = wanted.doc
        and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
        and case when %(known_at)s::timestamptz is null then memory.closed_at is null
            else memory.recorded_at <= %(known_at)s and (memory.closed_at is null or memory.closed_at > %(known_at)s)
            end
        and (%(as_of)s::timestamptz is null or (
            coalesce(memory.valid_from, memory.recorded_at) <= %(as_of)s
            and (memory.valid_to is null or memory.valid_to > %(as_of)s)
        ))
    limit 1
) as found

-- name: whole
-- Of each numbered memory of a session the version that may be shown, whole; looked up as `visible` does.
select (wanted.place::bigint << 32) | wanted.doc as key, found.*
from unnest(%(places)s::integer[], %(docs)s::integer[], %(session_docs)s::integer[]) as wanted (place, doc, session_doc)
cross join lateral (
    select memory.*
    from memory
    where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s)
        and memory.user_id = (%(owners)s::text[])[wanted.place + 1] and memory.doc = wanted.doc
        and memory.session_doc = wanted.session_doc
        and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
        and case when %(known_at)s::timestamptz is null then memory.closed_at is null
            else memory.recorded_at <= %(known_at)s and (memory.closed_at is null or memory.closed_at > %(known_at)s)
            end
        and (%(as_of)s::timestamptz is null or (
            coalesce(memory.valid_from, memory.recorded_at) <= %(as_of)s
            and (memory.valid_to is null or memory.valid_to > %(as_of)s)
        ))
    limit 1
) as found

-- name: sources
-- The evidence events of some memories, by the ids their writers know.
select memory_evidence.memory_id, event.run_id, event.message_id, event.stream, event.sequence
from memory_evidence
join event on event.tenant_id = memory_evidence.tenant_id and event.stream = memory_evidence.stream
    and event.sequence = memory_evidence.sequence
where memory_evidence.tenant_id = %(tenant_id)s and memory_evidence.user_id = any(%(owners)s)
    and memory_evidence.memory_id = any(%(memory_ids)s)
    and memory_evidence.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
order by memory_evidence.memory_id, event.sequence
