-- The ledger: streams, events and their payloads. Nothing here updates or deletes an event.

-- name: make_stream
insert into stream (tenant_id, stream, user_id, last_sequence, last_hash, last_recorded_at, last_doc)
values (%(tenant_id)s, %(stream)s, %(user_id)s, 0, %(genesis)s, clock_timestamp(), 0)
on conflict do nothing

-- name: lock_stream
-- The time is taken under the lock: now() is the transaction's start, which is no order of events.
select last_sequence, last_hash, last_doc, greatest(clock_timestamp(), last_recorded_at) as recorded_at
from stream
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and stream = %(stream)s
for update

-- name: free_stream
-- Whether nobody is writing to a stream at this moment.
select true as is_free
from stream
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and stream = %(stream)s
for update skip locked

-- name: advance_stream
update stream
set last_sequence = %(sequence)s, last_hash = %(hash)s, last_recorded_at = %(recorded_at)s, last_doc = %(doc)s
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and stream = %(stream)s

-- name: stream_end
select last_sequence, last_hash, last_recorded_at, last_doc
from stream
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and stream = %(stream)s

-- name: insert_events
insert into event (
    tenant_id, stream, sequence, user_id, event_class, kind, occurred_at, precision, recorded_at, origin, actor_role,
    speaker, run_id, message_id, message_digest, agent_id, session_id, caused_by, schema_version, payload_hash,
    previous_hash, hash
)
select %(tenant_id)s, %(stream)s, new.sequence, %(user_id)s, new.event_class, new.kind, new.occurred_at, new.precision,
    new.recorded_at, new.origin, new.actor_role, new.speaker, new.run_id, new.message_id, new.message_digest,
    new.agent_id, new.session_id, new.caused_by, new.schema_version, new.payload_hash, new.previous_hash, new.hash
from unnest(
    %(sequence)s::bigint[], %(event_class)s::text[], %(kind)s::text[], %(occurred_at)s::timestamptz[],
    %(precision)s::text[], %(recorded_at)s::timestamptz[], %(origin)s::text[], %(actor_role)s::text[],
    %(speaker)s::text[], %(run_id)s::text[], %(message_id)s::text[], %(message_digest)s::text[], %(agent_id)s::text[],
    %(session_id)s::text[], %(caused_by)s::bigint[], %(schema_version)s::smallint[], %(payload_hash)s::bytea[],
    %(previous_hash)s::bytea[], %(hash)s::bytea[]
) as new (
    sequence, event_class, kind, occurred_at, precision, recorded_at, origin, actor_role, speaker, run_id, message_id,
    message_digest, agent_id, session_id, caused_by, schema_version, payload_hash, previous_hash, hash
)

-- name: insert_payloads
insert into event_payload (tenant_id, stream, sequence, user_id, salt, payload)
select %(tenant_id)s, %(stream)s, new.sequence, %(user_id)s, new.salt, new.payload
from unnest(%(sequence)s::bigint[], %(salt)s::bytea[], %(payload)s::text[]) as new (sequence, salt, payload)

-- name: known_messages
select message_id, message_digest
from event
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and stream = %(stream)s
    and message_digest = any(%(digests)s) and event_class = 'evidence'

-- name: read_events
-- Contents are looked up one by one, whatever the planner thinks of tables that it has no statistics of yet.
select event.*, held.payload, held.salt
from event
left join lateral (
    select event_payload.payload, event_payload.salt
    from event_payload
    where event_payload.tenant_id = %(tenant_id)s and event_payload.user_id = any(%(owners)s)
        and event_payload.stream = event.stream and event_payload.sequence = event.sequence
    limit 1
) as held on true
where event.tenant_id = %(tenant_id)s and event.user_id = any(%(owners)s) and event.stream = %(stream)s
    and event.sequence > %(after)s
    and (%(until)s::bigint is null or event.sequence <= %(until)s::bigint)
order by event.sequence

-- name: watermarks
select user_id, last_sequence, last_recorded_at
from stream
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and stream = any(%(streams)s)
order by user_id

-- name: numbered
-- Some events with what content they have; looked up one by one.
select found.*
from unnest(%(sequences)s::bigint[]) as wanted (sequence)
cross join lateral (
    select event.*, event_payload.payload
    from event
    left join event_payload
        on event_payload.tenant_id = event.tenant_id
        and event_payload.stream = event.stream
        and event_payload.sequence = event.sequence
    where event.tenant_id = %(tenant_id)s and event.user_id = any(%(owners)s) and event.stream = %(stream)s
        and event.sequence = wanted.sequence
    limit 1
) as found
order by found.sequence

-- name: recorded
-- When some events were recorded, and of which runs; looked up one by one. By their places in the stream's order, which is
-- the key's: of two indexes that look alike to a planner without statistics, the other would be read from end to end.
select found.*
from unnest(%(sequences)s::bigint[]) as wanted (sequence)
cross join lateral (
    select event.sequence, event.run_id, event.recorded_at
    from event
    where event.tenant_id = %(tenant_id)s and event.user_id = any(%(owners)s) and event.stream = %(stream)s
        and event.sequence >= wanted.sequence and event.sequence <= wanted.sequence
    order by event.sequence
    limit 1
) as found

-- name: admitted
-- What was admitted of some runs and is neither forgotten nor quarantined, with its content, in order; looked up one by
-- one. Quarantined is what was said where the memory that keeps its words is closed so.
select event.*, held.payload
from event
join decision on decision.tenant_id = %(tenant_id)s and decision.user_id = any(%(owners)s)
    and decision.stream = event.stream and decision.sequence = event.sequence
    and decision.stage = 'append' and decision.action = 'store'
cross join lateral (
    select event_payload.payload
    from event_payload
    where event_payload.tenant_id = %(tenant_id)s and event_payload.user_id = any(%(owners)s)
        and event_payload.stream = event.stream and event_payload.sequence = event.sequence
    limit 1
) as held
left join lateral (
    select true as is_there
    from (
        select memory_evidence.generation, memory_evidence.memory_id, memory_evidence.version
        from memory_evidence
        where memory_evidence.tenant_id = %(tenant_id)s and memory_evidence.user_id = any(%(owners)s)
            and memory_evidence.stream = event.stream and memory_evidence.sequence = event.sequence
            and memory_evidence.generation = (
                select live from generation where tenant_id = %(tenant_id)s and view = 'memory'
            )
        offset 0
    ) as resting
    cross join lateral (
        select memory.closed_reason
        from memory
        where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s)
            and memory.generation = resting.generation and memory.memory_id = resting.memory_id
            and memory.epistemic_type = 'evidence'
        order by memory.version desc
        limit 1
    ) as last
    where last.closed_reason = 'quarantine'
    limit 1
) as mistrusted on true
where event.tenant_id = %(tenant_id)s and event.user_id = any(%(owners)s) and event.user_id = %(owner)s
    and event.run_id = any(%(run_ids)s) and mistrusted.is_there is null
    and not exists (
        select from suppression
        where suppression.tenant_id = %(tenant_id)s and suppression.user_id = any(%(owners)s)
            and suppression.stream = event.stream and suppression.sequence = event.sequence
    )
order by event.sequence

-- name: noted
-- Every message of some runs that is no agent's in particular, whatever was decided of it, and its content unless it is
-- forgotten or quarantined, as above.
select event.sequence, event.message_id, event.occurred_at, event.speaker,
    case when mistrusted.is_there is null and suppressed.is_there is null then held.payload end as payload
from event
left join lateral (
    select event_payload.payload
    from event_payload
    where event_payload.tenant_id = %(tenant_id)s and event_payload.user_id = any(%(owners)s)
        and event_payload.stream = event.stream and event_payload.sequence = event.sequence
    limit 1
) as held on true
left join lateral (
    select true as is_there
    from suppression
    where suppression.tenant_id = %(tenant_id)s and suppression.user_id = any(%(owners)s)
        and suppression.stream = event.stream and suppression.sequence = event.sequence
    limit 1
) as suppressed on true
left join lateral (
    select true as is_there
    from (
        select memory_evidence.generation, memory_evidence.memory_id, memory_evidence.version
        from memory_evidence
        where memory_evidence.tenant_id = %(tenant_id)s and memory_evidence.user_id = any(%(owners)s)
            and memory_evidence.stream = event.stream and memory_evidence.sequence = event.sequence
            and memory_evidence.generation = (
                select live from generation where tenant_id = %(tenant_id)s and view = 'memory'
            )
        offset 0
    ) as resting
    cross join lateral (
        select memory.closed_reason
        from memory
        where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s)
            and memory.generation = resting.generation and memory.memory_id = resting.memory_id
            and memory.epistemic_type = 'evidence'
        order by memory.version desc
        limit 1
    ) as last
    where last.closed_reason = 'quarantine'
    limit 1
) as mistrusted on true
where event.tenant_id = %(tenant_id)s and event.user_id = any(%(owners)s) and event.user_id = %(owner)s
    and event.run_id = any(%(run_ids)s) and event.event_class = 'evidence' and event.kind = 'message'
    and event.message_id is not null and event.agent_id is null
order by event.sequence

-- name: derived
select event.*, held.payload
from event
left join lateral (
    select event_payload.payload
    from event_payload
    where event_payload.tenant_id = %(tenant_id)s and event_payload.user_id = any(%(owners)s)
        and event_payload.stream = event.stream and event_payload.sequence = event.sequence
    limit 1
) as held on true
where event.tenant_id = %(tenant_id)s and event.user_id = any(%(owners)s) and event.user_id = %(owner)s
    and (%(run_ids)s::text[] is null or event.run_id = any(%(run_ids)s::text[]))
    and event.event_class = 'derivation' and event.kind = %(kind)s
order by event.sequence

-- name: derived_behind
-- Derivations of a kind in a stretch of a stream, in its order; their contents are looked up one by one.
select found.*, held.payload
from (
    select *
    from event
    where event.tenant_id = %(tenant_id)s and event.user_id = any(%(owners)s) and event.stream = %(stream)s
        and event.sequence > %(after)s and (%(until)s::bigint is null or event.sequence < %(until)s::bigint)
        and event.event_class = 'derivation' and event.kind = %(kind)s
    order by event.sequence
    limit %(limit)s::bigint
) as found
left join lateral (
    select event_payload.payload
    from event_payload
    where event_payload.tenant_id = %(tenant_id)s and event_payload.user_id = any(%(owners)s)
        and event_payload.stream = found.stream and event_payload.sequence = found.sequence
    limit 1
) as held on true
order by found.sequence

-- name: from_source
-- The owner's evidence from somewhere: what is null is not asked for.
select event.*
from event
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and event_class = 'evidence'
    and (%(origin)s::text is null or origin = %(origin)s)
    and (%(speaker)s::text is null or speaker = %(speaker)s)
    and (%(run_id)s::text is null or run_id = %(run_id)s)
    and (%(agent)s::text is null or event.agent_id = %(agent)s)
    and (%(since)s::timestamptz is null or recorded_at >= %(since)s)
order by sequence

-- name: runs
select run_id
from event
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
    and event_class = 'evidence' and kind = 'message' and run_id is not null
group by run_id
order by min(sequence)

-- name: with_content
-- The events of a class that still have their content, without it.
select event.sequence, event.speaker, event.run_id
from event
join lateral (
    select from event_payload
    where event_payload.tenant_id = %(tenant_id)s and event_payload.user_id = any(%(owners)s)
        and event_payload.stream = event.stream and event_payload.sequence = event.sequence
    limit 1
) as held on true
where event.tenant_id = %(tenant_id)s and event.user_id = any(%(owners)s) and event.stream = %(stream)s
    and event.event_class = %(event_class)s
order by event.sequence

-- name: writing_texts
-- The operations that hold a text of their own, and still do. Payloads have one form, so a look at it will do.
select event.*, held.payload
from event
{{with_content}}
where event.tenant_id = %(tenant_id)s and event.user_id = any(%(owners)s) and event.stream = %(stream)s
    and event.event_class = 'operation' and event.kind = any(array['add', 'abstract'])
    and event.sequence > %(after)s and held.payload like '%%"form":"written"%%'
order by event.sequence

-- name: closing
-- The FORGETs that name a memory whose id begins so, as far as their content is there.
select event.*, held.payload
from event
{{with_content}}
where event.tenant_id = %(tenant_id)s and event.user_id = any(%(owners)s) and event.stream = %(stream)s
    and event.event_class = 'operation' and event.kind = 'forget'
    and strpos(held.payload, %(quoted)s) > 0
order by event.sequence

-- name: unremembered
-- Messages that came in by a time and that no memory rests on, as far as their content is there.
select event.*, held.payload
from event
{{with_content}}
where event.tenant_id = %(tenant_id)s and event.user_id = any(%(owners)s) and event.stream = %(stream)s
    and event.event_class = 'evidence' and event.kind = 'message' and event.recorded_at <= %(until)s
    and event.sequence > %(after)s
    and not exists (
        select from memory_evidence
        where memory_evidence.tenant_id = %(tenant_id)s and memory_evidence.user_id = any(%(owners)s)
            and memory_evidence.stream = event.stream and memory_evidence.sequence = event.sequence
            and memory_evidence.generation = (
                select live from generation where tenant_id = %(tenant_id)s and view = 'memory'
            )
    )
order by event.sequence

-- name: outcomes
-- What came of recalls, from a time of ours on or ever, the newest or all, as far as its content is there.
select event.*, held.payload
from (
    select *
    from event
    where event.tenant_id = %(tenant_id)s and event.user_id = any(%(owners)s) and event.user_id = %(owner)s
        and event.event_class = 'evidence' and event.kind = 'outcome'
        and (%(since)s::timestamptz is null or event.recorded_at >= %(since)s)
    order by event.sequence desc
    limit %(limit)s::bigint
) as event
{{with_content}}
order by event.sequence

-- name: outcomes_of
-- As `outcomes`, of some run ids.
select event.*, held.payload
from event
{{with_content}}
where event.tenant_id = %(tenant_id)s and event.user_id = any(%(owners)s) and event.user_id = %(owner)s
    and event.event_class = 'evidence' and event.kind = 'outcome'
    and event.run_id = any(%(run_ids)s::text[])
order by event.sequence

-- name: echoes
-- Events that say the same as some others of the stream, and on which no memory rests; looked up one by one.
with said as materialized (
    select distinct message_digest
    from event
    where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and stream = %(stream)s
        and sequence = any(%(sequences)s::bigint[])
)
select again.sequence, again.message_digest
from said
cross join lateral (
    select event.sequence, event.message_digest
    from event
    where event.tenant_id = %(tenant_id)s and event.user_id = any(%(owners)s) and event.stream = %(stream)s
        and event.message_digest = said.message_digest and event.event_class = 'evidence'
        and event.sequence <> all(%(sequences)s::bigint[])
    offset 0
) as again
left join lateral (
    select true as is_there
    from memory_evidence
    where memory_evidence.tenant_id = %(tenant_id)s and memory_evidence.user_id = any(%(owners)s)
        and memory_evidence.stream = %(stream)s and memory_evidence.sequence = again.sequence
    limit 1
) as resting on true
where resting.is_there is null
order by again.sequence

-- name: with_digests
select sequence, message_id, message_digest, speaker
from event
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and stream = %(stream)s
    and message_digest = any(%(digests)s) and event_class = 'evidence'
order by sequence

-- name: message_keys
select message_id, message_digest
from event
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and stream = %(stream)s and event_class = 'evidence'
    and message_id is not null
order by sequence desc
limit %(newest)s

-- name: erase_payloads
delete from event_payload
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and stream = %(stream)s
    and sequence = any(%(sequences)s::bigint[])

-- name: said_at
-- The world time of some events, without their content; looked up one by one.
select found.sequence, found.occurred_at
from unnest(%(sequences)s::bigint[]) as wanted (sequence)
cross join lateral (
    select event.sequence, event.occurred_at
    from event
    where event.tenant_id = %(tenant_id)s and event.user_id = any(%(owners)s) and event.stream = %(stream)s
        and event.sequence = wanted.sequence
    limit 1
) as found

-- name: said_locally
-- As `said_at`, with what the caller wrote of the time, where the content is there.
select found.sequence, found.occurred_at, held.original_at
from unnest(%(sequences)s::bigint[]) as wanted (sequence)
cross join lateral (
    select event.sequence, event.occurred_at
    from event
    where event.tenant_id = %(tenant_id)s and event.user_id = any(%(owners)s) and event.stream = %(stream)s
        and event.sequence = wanted.sequence
    limit 1
) as found
left join lateral (
    select event_payload.payload::json ->> 'original_at' as original_at
    from event_payload
    where event_payload.tenant_id = %(tenant_id)s and event_payload.user_id = any(%(owners)s)
        and event_payload.stream = %(stream)s and event_payload.sequence = wanted.sequence
    limit 1
) as held on true

-- name: tool_messages
-- Evidence that calls tools or answers such calls, and is not forgotten, the newest first.
select event.*, held.payload
from event
{{with_content}}
where event.tenant_id = %(tenant_id)s and event.user_id = any(%(owners)s) and event.user_id = %(owner)s
    and event.event_class = 'evidence' and event.kind = 'message' and event.actor_role = any(array['assistant', 'tool'])
    and (event.actor_role = 'tool' or held.payload like '%%"tool_calls":%%')
    and not exists (
        select from suppression
        where suppression.tenant_id = %(tenant_id)s and suppression.user_id = any(%(owners)s)
            and suppression.stream = event.stream and suppression.sequence = event.sequence
    )
order by event.sequence desc
limit %(limit)s
