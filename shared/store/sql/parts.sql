-- What several statements share, so that no two differ in who sees what, or in what they read beside a row. In a
-- statement `{{name}}` stands for one, word for word.

-- name: readable
-- What the session's agent may read: its own and nobody's, and in a room everybody's.
(memory.agent_id is null or memory.agent_id = %(agent_id)s or memory.user_id <> all(%(narrowed)s::text[]))

-- name: held_then
-- The open version, or the one that was held at a time of ours.
case when %(known_at)s::timestamptz is null then memory.closed_at is null
    else memory.recorded_at <= %(known_at)s and (memory.closed_at is null or memory.closed_at > %(known_at)s)
    end

-- name: true_then
-- What had begun and not ended at a time of the world: an episode when it was said, or else written down; a belief when it
-- says, or else before any time. Without one, whatever there is, but for what has ended and has a successor by then.
(case
    when memory.epistemic_type = 'evidence'
        then %(as_of)s::timestamptz is null or coalesce(memory.valid_from, memory.recorded_at) <= %(as_of)s
    when %(as_of)s::timestamptz is not null
        then (memory.valid_from is null or memory.valid_from <= %(as_of)s)
            and (memory.valid_to is null or memory.valid_to > %(as_of)s)
    when memory.valid_to is null or memory.valid_to > %(now)s then true
    else not exists (
        select from memory as successor
        where successor.tenant_id = %(tenant_id)s and successor.user_id = any(%(owners)s)
            and successor.user_id = memory.user_id and successor.generation = memory.generation
            and successor.claim_key = memory.claim_key
            and successor.recorded_at <= coalesce(%(known_at)s, 'infinity'::timestamptz)
            and (successor.closed_at is null or successor.closed_at > %(known_at)s)
            and (successor.valid_to is null or successor.valid_to > %(now)s)
            and (successor.agent_id is null or successor.agent_id = %(agent_id)s
                or successor.user_id <> all(%(narrowed)s::text[]))
    )
end)

-- name: not_hidden
-- What a user says is not shown where the tenant holds something of the same for all its users, or held it then.
(memory.claim_key is null or memory.user_id = 'tenant:' or not exists (
    select from memory as shared
    where shared.tenant_id = %(tenant_id)s and shared.user_id = any(%(owners)s) and shared.user_id = 'tenant:'
        and shared.generation = memory.generation and shared.claim_key = memory.claim_key
        and shared.recorded_at <= coalesce(%(known_at)s, 'infinity'::timestamptz)
        and (shared.closed_at is null or shared.closed_at > %(known_at)s)
        and (shared.valid_from is null or shared.valid_from <= coalesce(%(as_of)s, %(now)s))
        and (shared.valid_to is null or shared.valid_to > coalesce(%(as_of)s, %(now)s))
        and (shared.agent_id is null or shared.agent_id = %(agent_id)s
            or shared.user_id <> all(%(narrowed)s::text[]))
))

-- name: with_evidence
-- Beside a version of a memory what it rests on, in order.
cross join lateral (
    select jsonb_agg(
        jsonb_build_array(sequence, span_start, span_end, independent) order by sequence, span_start
    ) as evidence
    from memory_evidence
    where memory_evidence.tenant_id = %(tenant_id)s and memory_evidence.user_id = any(%(owners)s)
        and memory_evidence.generation = memory.generation and memory_evidence.memory_id = memory.memory_id
        and memory_evidence.version = memory.version
) as cited

-- name: with_words
-- Beside a candidate its words, which are in its event; one that has none any more is left out. Looked up one by one.
join lateral (
    select event_payload.payload
    from event_payload
    where event_payload.tenant_id = %(tenant_id)s and event_payload.user_id = any(%(owners)s)
        and event_payload.stream = candidate.stream and event_payload.sequence = candidate.sequence
    limit 1
) as proposed on true

-- name: with_content
-- Beside an event its content; an event that has none any more is left out. Looked up one by one.
join lateral (
    select event_payload.payload
    from event_payload
    where event_payload.tenant_id = %(tenant_id)s and event_payload.user_id = any(%(owners)s)
        and event_payload.stream = event.stream and event_payload.sequence = event.sequence
    limit 1
) as held on true

-- name: sessions_begun
-- How many sessions begin in each tier, up to the number `moved.doc`: by the newest version of the first memory that is
-- held of each.
(
    select count(*) filter (where firsts.tier = 'hot') as hot, count(*) filter (where firsts.tier = 'cold') as cold
    from (
        select distinct on (memory.session_doc) memory.tier
        from memory
        where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s) and memory.user_id = %(owner)s
            and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
            and memory.doc <= moved.doc
        order by memory.session_doc, memory.doc, memory.version desc
    ) as firsts
)
