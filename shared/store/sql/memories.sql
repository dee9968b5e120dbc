-- Memories and what they rest on.

-- name: insert
insert into memory (
    tenant_id, generation, memory_id, version, user_id, doc, session_doc, ordinal, kind, epistemic_type, text, speaker, role,
    origin, trust, confidence, session_id, agent_id, run_id, valid_from, valid_to, recorded_at, closed_at, closed_reason,
    opened_by, closed_by, claim_subject, claim_predicate, claim_object, claim_key, schema_name, data,
    importance, tier
)
select %(tenant_id)s, (select live from generation where tenant_id = %(tenant_id)s and view = 'memory'),
    new.memory_id, new.version, %(owner)s, new.doc, new.session_doc, new.ordinal, new.kind, new.epistemic_type, new.text,
    new.speaker, new.role, new.origin, new.trust, new.confidence, new.session_id, new.agent_id, new.run_id,
    new.valid_from, new.valid_to, new.recorded_at, new.closed_at, new.closed_reason, new.opened_by, new.closed_by,
    new.claim_subject, new.claim_predicate, new.claim_object, new.claim_key, new.schema_name, new.data, new.importance,
    new.tier
from unnest(
    %(memory_id)s::uuid[], %(version)s::integer[], %(doc)s::integer[], %(session_doc)s::integer[],
    %(ordinal)s::integer[], %(kind)s::text[], %(epistemic_type)s::text[], %(text)s::text[], %(speaker)s::text[],
    %(role)s::text[], %(origin)s::text[], %(trust)s::smallint[], %(confidence)s::double precision[],
    %(session_id)s::text[], %(agent_id)s::text[], %(run_id)s::text[], %(valid_from)s::timestamptz[],
    %(valid_to)s::timestamptz[], %(recorded_at)s::timestamptz[], %(closed_at)s::timestamptz[],
    %(closed_reason)s::text[], %(opened_by)s::bigint[], %(closed_by)s::bigint[], %(claim_subject)s::text[],
    %(claim_predicate)s::text[], %(claim_object)s::text[], %(claim_key)s::text[], %(schema_name)s::text[],
    %(data)s::jsonb[], %(importance)s::double precision[], %(tier)s::text[]
) as new (
    memory_id, version, doc, session_doc, ordinal, kind, epistemic_type, text, speaker, role, origin, trust, confidence,
    session_id, agent_id, run_id, valid_from, valid_to, recorded_at, closed_at, closed_reason, opened_by, closed_by,
    claim_subject, claim_predicate, claim_object, claim_key, schema_name, data, importance, tier
)

-- name: insert_evidence
insert into memory_evidence (
    tenant_id, generation, memory_id, version, stream, sequence, place, user_id, span_start, span_end, independent
)
select %(tenant_id)s, (select live from generation where tenant_id = %(tenant_id)s and view = 'memory'),
    new.memory_id, new.version, %(stream)s, new.sequence, new.place, %(owner)s, new.span_start, new.span_end,
    new.independent
from unnest(
    %(memory_id)s::uuid[], %(version)s::integer[], %(sequence)s::bigint[], %(place)s::smallint[],
    %(span_start)s::integer[], %(span_end)s::integer[], %(independent)s::boolean[]
) as new (memory_id, version, sequence, place, span_start, span_end, independent)

-- name: session_docs
-- The numbers of sessions, read off one episode of each: those held of a session all have the same.
select wanted.session_id, found.session_doc
from unnest(%(session_ids)s::text[]) as wanted (session_id)
cross join lateral (
    select memory.session_doc
    from memory
    where memory.tenant_id = %(tenant_id)s and memory.user_id = %(owner)s
        and memory.session_id = wanted.session_id and memory.version = 1 and memory.epistemic_type = 'evidence'
        and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    order by memory.doc
    limit 1
) as found

-- name: to_enter
-- The next numbered memories, as the sparse view takes them in: of each its newest version, and whether it is the first
-- that is held of its session.
select memory.doc, memory.session_doc, memory.text, memory.speaker, memory.valid_from, memory.tier,
    not exists (
        select from memory as earlier
        where earlier.tenant_id = %(tenant_id)s and earlier.generation = memory.generation
            and earlier.user_id = memory.user_id and earlier.session_id = memory.session_id
            and earlier.session_doc = memory.session_doc and earlier.doc < memory.doc
    ) as is_first
from (
    select distinct on (doc) *
    from memory
    where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and doc > %(after)s
        and doc <= %(until)s
        and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    order by doc, version desc
) as memory
order by memory.doc

-- name: said
-- Who has said a text of these digests in some sessions (null: in any) before, as an episode that is open. The few events
-- first, then their memories one by one, whatever the planner thinks of a table it has no statistics of yet.
with said as materialized (
    select session_id, speaker, message_digest, stream, sequence
    from event
    where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and stream = %(stream)s
        and message_digest = any(%(digests)s)
        and (%(session_ids)s::text[] is null or session_id = any(%(session_ids)s::text[]))
)
select distinct said.session_id, said.speaker, said.message_digest
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

-- name: ending_in
-- Open memories by how their text ends, whatever space stands behind it. By `like`: comparing `right(text, n)` counts
-- characters, and took more than twice the time.
select memory.text
from memory
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and closed_at is null
    and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    and rtrim(text) like any(%(patterns)s::text[])
order by doc desc
limit 200

-- name: visible
-- Of each numbered memory the version that may be shown, without its text but for whether it ends with a question:
-- most of those asked for are not shown. What is in the cold tier is shown where it may be.
-- Looked up one by one, whatever the planner thinks of reading the whole user instead.
select wanted.key, found.*
from unnest(%(keys)b::bigint[], %(may_be_cold)b::boolean[]) as wanted (key, may_be_cold)
cross join lateral (
    select memory.session_doc, memory.speaker, memory.role, memory.valid_from,
        right(memory.text, 1) in ('?', '？', '؟') as asks,
        memory.version > 1 or memory.epistemic_type <> 'evidence' as may_be_confirmed, memory.importance
    from memory
    where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s)
        and memory.user_id = (%(owners)s::text[])[(wanted.key >> 32) + 1]
        and memory.doc = (wanted.key & 4294967295)::integer
        and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
        and (memory.tier = 'hot' or wanted.may_be_cold)
        and {{readable}} and {{held_then}} and {{true_then}} and {{not_hidden}}
    limit 1
) as found

-- name: cold
-- Which of some numbered memories are in the cold tier, whoever's they are.
select wanted.key
from unnest(%(keys)b::bigint[]) as wanted (key)
cross join lateral (
    select memory.doc
    from memory
    where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s)
        and memory.user_id = (%(owners)s::text[])[(wanted.key >> 32) + 1]
        and memory.doc = (wanted.key & 4294967295)::integer
        and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
        and memory.closed_at is null and memory.tier = 'cold'
        and {{readable}}
    limit 1
) as found

-- name: behind
-- The episodes in the cold tier that summaries stand for, those of each in order: by the evidence that both rest on.
select wanted.key as summary, ((array_position(%(owners)s::text[], found.user_id) - 1)::bigint << 32) | found.doc as key,
    found.session_doc
from unnest(%(keys)b::bigint[]) as wanted (key)
cross join lateral (
    select memory.generation, memory.memory_id, memory.version
    from memory
    where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s)
        and memory.user_id = (%(owners)s::text[])[(wanted.key >> 32) + 1]
        and memory.doc = (wanted.key & 4294967295)::integer
        and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
        and memory.closed_at is null and memory.epistemic_type <> 'evidence'
        and {{readable}}
    limit 1
) as summary
cross join lateral (
    select distinct on (memory.doc) memory.user_id, memory.doc, memory.session_doc
    from memory_evidence as mine
    join memory_evidence as theirs on theirs.tenant_id = mine.tenant_id and theirs.user_id = mine.user_id
        and theirs.generation = mine.generation and theirs.stream = mine.stream and theirs.sequence = mine.sequence
        and theirs.memory_id <> mine.memory_id
    join memory on memory.tenant_id = theirs.tenant_id and memory.user_id = theirs.user_id
        and memory.generation = theirs.generation and memory.memory_id = theirs.memory_id
        and memory.version = theirs.version
    where mine.tenant_id = %(tenant_id)s and mine.user_id = any(%(owners)s)
        and mine.generation = summary.generation and mine.memory_id = summary.memory_id
        and mine.version = summary.version
        and memory.closed_at is null and memory.epistemic_type = 'evidence' and memory.tier = 'cold'
        and {{readable}}
    order by memory.doc
    limit %(limit)s
) as found
order by wanted.key, found.doc

-- name: of_agent
-- What an agent may see, each part from its newest on, by an index: nothing of another agent's many is read.
select (whose.place - 1) << 32 | found.doc as key
from unnest(%(owners)s::text[]) with ordinality as whose (user_id, place)
cross join lateral (
    (
        select memory.doc
        from memory
        where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s)
            and memory.user_id = whose.user_id and whose.user_id = any(%(narrowed)s::text[])
            and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
            and memory.agent_id = %(agent_id)s
        order by memory.doc desc
        limit %(limit)s
    )
    union all
    (
        select memory.doc
        from memory
        where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s)
            and memory.user_id = whose.user_id and whose.user_id = any(%(narrowed)s::text[])
            and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
            and memory.agent_id is null
        order by memory.doc desc
        limit %(limit)s
    )
    union all
    (
        select memory.doc
        from memory
        where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s)
            and memory.user_id = whose.user_id and whose.user_id <> all(%(narrowed)s::text[])
            and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
        order by memory.doc desc
        limit %(limit)s
    )
) as found
limit %(limit)s

-- name: confirmed
-- On how many independent pieces of evidence those versions rest that `visible` shows of some memories.
select wanted.key, cited.pieces
from unnest(%(keys)b::bigint[]) as wanted (key)
cross join lateral (
    select memory.generation, memory.memory_id, memory.version
    from memory
    where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s)
        and memory.user_id = (%(owners)s::text[])[(wanted.key >> 32) + 1]
        and memory.doc = (wanted.key & 4294967295)::integer
        and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
        and {{readable}} and {{held_then}} and {{true_then}} and {{not_hidden}}
    limit 1
) as found
cross join lateral (
    select count(*)::integer as pieces
    from memory_evidence
    where memory_evidence.tenant_id = %(tenant_id)s and memory_evidence.user_id = any(%(owners)s)
        and memory_evidence.generation = found.generation and memory_evidence.memory_id = found.memory_id
        and memory_evidence.version = found.version and memory_evidence.independent
) as cited

-- name: within
-- The newest of the memories that are of some time. Owner by owner, so that each is read from its newest on.
select (whose.place - 1) << 32 | found.doc as key
from unnest(%(owners)s::text[]) with ordinality as whose (user_id, place)
cross join lateral (
    select memory.doc, memory.valid_from
    from memory
    where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s) and memory.user_id = whose.user_id
        and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
        and {{readable}}
        and memory.valid_from >= %(start)s and memory.valid_from < %(end)s
        and {{held_then}}
    order by memory.valid_from desc, memory.doc desc
    limit %(limit)s
) as found
order by found.valid_from desc, found.doc desc
limit %(limit)s

-- name: whole
-- Of each numbered memory of a session the version that may be shown, whole, with the evidence events that it rests on, by
-- the ids their writers know; looked up as `visible` does. In one statement: as two they took a third longer.
select wanted.key, found.memory_id, found.user_id, found.doc, found.session_doc, found.text, found.kind,
    found.epistemic_type, found.speaker, found.role, found.origin, found.trust, found.session_id, found.valid_from,
    found.valid_to, cited.run_ids, cited.message_ids, cited.sequences, found.claim_key, found.claim_subject,
    found.claim_predicate, found.claim_object, claimed.is_past, claimed.until
from unnest(%(keys)b::bigint[], %(session_docs)b::integer[]) as wanted (key, session_doc)
cross join lateral (
    select *
    from memory
    where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s)
        and memory.user_id = (%(owners)s::text[])[(wanted.key >> 32) + 1]
        and memory.doc = (wanted.key & 4294967295)::integer
        and memory.session_doc = wanted.session_doc
        and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
        and {{readable}} and {{held_then}} and {{true_then}} and {{not_hidden}}
    limit 1
) as found
cross join lateral (
    select coalesce(array_agg(event.run_id order by event.sequence), '{}') as run_ids,
        coalesce(array_agg(event.message_id order by event.sequence), '{}') as message_ids,
        coalesce(array_agg(event.sequence order by event.sequence), '{}') as sequences
    from memory_evidence
    join event on event.tenant_id = memory_evidence.tenant_id and event.stream = memory_evidence.stream
        and event.sequence = memory_evidence.sequence
    where memory_evidence.tenant_id = %(tenant_id)s and memory_evidence.user_id = any(%(owners)s)
        and memory_evidence.generation = found.generation and memory_evidence.memory_id = found.memory_id
        and memory_evidence.version = found.version
) as cited
left join lateral (
    -- What was claimed from an episode, in the words held then: where all of it has ended or never was, it is of the past.
    -- Looked up one by one: the planner would rather read all that the user ever claimed.
    select bool_and(belief.closed_reason = 'retract' or belief.valid_to <= coalesce(%(as_of)s, %(now)s)) as is_past,
        max(belief.valid_to) filter (where belief.closed_reason is null) as until
    from (
        select theirs.memory_id, theirs.version
        from memory_evidence as mine
        join memory_evidence as theirs on theirs.tenant_id = mine.tenant_id and theirs.user_id = mine.user_id
            and theirs.generation = mine.generation and theirs.stream = mine.stream and theirs.sequence = mine.sequence
            and theirs.memory_id <> mine.memory_id
            and coalesce(theirs.span_start, 0) < coalesce(mine.span_end, 2147483647)
            and coalesce(mine.span_start, 0) < coalesce(theirs.span_end, 2147483647)
        where found.epistemic_type = 'evidence'
            and mine.tenant_id = %(tenant_id)s and mine.user_id = any(%(owners)s)
            and mine.generation = found.generation and mine.memory_id = found.memory_id and mine.version = found.version
        offset 0
    ) as citing
    cross join lateral (
        select memory.claim_key, memory.valid_to,
            case when memory.closed_at <= coalesce(%(known_at)s, 'infinity'::timestamptz) then memory.closed_reason end
                as closed_reason
        from memory
        where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s)
            and memory.generation = found.generation and memory.memory_id = citing.memory_id
            and memory.version = citing.version and {{readable}}
            and memory.recorded_at <= coalesce(%(known_at)s, 'infinity'::timestamptz)
        limit 1
    ) as belief
    where belief.claim_key is not null and (belief.closed_reason is null or belief.closed_reason = 'retract')
) as claimed on true

-- name: rivals
-- The numbers of what is held and true of some claims, by which they contradict each other.
select (array_position(%(owners)s::text[], memory.user_id) - 1)::bigint << 32 | memory.doc as key, memory.session_doc
from unnest(%(owners_of)s::text[], %(claim_keys)s::text[]) as wanted (user_id, claim_key)
join memory on memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s)
    and memory.user_id = wanted.user_id and memory.claim_key = wanted.claim_key
    and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    and {{readable}} and {{held_then}}
    and (memory.valid_from is null or memory.valid_from <= coalesce(%(as_of)s, %(now)s))
    and (memory.valid_to is null or memory.valid_to > coalesce(%(as_of)s, %(now)s))

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

-- name: stored
-- Every version of the owner's memories with what it rests on, in order.
select memory.*, resting.evidence
from memory
left join lateral (
    select jsonb_agg(
        jsonb_build_array(sequence, span_start, span_end, independent) order by sequence, span_start
    ) as evidence
    from memory_evidence
    where memory_evidence.tenant_id = %(tenant_id)s and memory_evidence.user_id = any(%(owners)s)
        and memory_evidence.generation = memory.generation and memory_evidence.memory_id = memory.memory_id
        and memory_evidence.version = memory.version
) as resting on true
where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s) and memory.user_id = %(owner)s
    and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
order by memory.doc, memory.version

-- name: resting_on
-- Every version of the memories, or of the beliefs alone, of which any version rests on one of these events; looked up
-- one by one.
with resting as materialized (
    select distinct memory_evidence.generation, memory_evidence.memory_id
    from memory_evidence
    where memory_evidence.tenant_id = %(tenant_id)s and memory_evidence.user_id = any(%(owners)s)
        and memory_evidence.stream = %(stream)s and memory_evidence.sequence = any(%(sequences)s::bigint[])
        and memory_evidence.generation = (
            select live from generation where tenant_id = %(tenant_id)s and view = 'memory'
        )
)
select found.*, cited.evidence
from resting
cross join lateral (
    select memory.*
    from memory
    where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s)
        and memory.generation = resting.generation and memory.memory_id = resting.memory_id
        and (not %(only_beliefs)s or memory.epistemic_type <> 'evidence')
    offset 0
) as found
cross join lateral (
    select jsonb_agg(
        jsonb_build_array(sequence, span_start, span_end, independent) order by sequence, span_start
    ) as evidence
    from memory_evidence
    where memory_evidence.tenant_id = %(tenant_id)s and memory_evidence.user_id = any(%(owners)s)
        and memory_evidence.generation = found.generation and memory_evidence.memory_id = found.memory_id
        and memory_evidence.version = found.version
) as cited
order by found.doc, found.version

-- name: of_claims
-- Every version of the memories that claim any of this, with what each rests on.
select memory.*, cited.evidence
from memory
{{with_evidence}}
where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s) and memory.user_id = %(owner)s
    and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    and memory.claim_key = any(%(claim_keys)s)
order by memory.doc, memory.version

-- name: records
-- Every version of the owner's memories that have the fields of a schema, with what each rests on.
select memory.*, cited.evidence
from memory
{{with_evidence}}
where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s) and memory.user_id = %(owner)s
    and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    and memory.schema_name is not null
    and {{readable}}
order by memory.doc, memory.version

-- name: changes
-- By which of the next operations, in order, claims of the owner were opened or closed; each part read by its index.
select changed.sequence
from (
    (
        select opened_by as sequence
        from memory
        where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
            and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
            and claim_key is not null and {{readable}} and opened_by > %(after)s
        order by opened_by
        limit %(limit)s
    )
    union all
    (
        select closed_by as sequence
        from memory
        where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
            and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
            and claim_key is not null and {{readable}} and closed_by is not null and closed_by > %(after)s
        order by closed_by
        limit %(limit)s
    )
) as changed
order by changed.sequence
limit %(limit)s

-- name: changed
-- The owner's claims that operations from behind one sequence to another opened or closed: of each what it claims.
select distinct changed.doc, changed.claim_key, changed.claim_predicate, changed.agent_id
from (
    select doc, claim_key, claim_predicate, agent_id
    from memory
    where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
        and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
        and claim_key is not null and {{readable}} and opened_by > %(after)s and opened_by <= %(until)s
    union all
    select doc, claim_key, claim_predicate, agent_id
    from memory
    where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
        and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
        and claim_key is not null and {{readable}} and closed_by is not null and closed_by > %(after)s and closed_by <= %(until)s
) as changed
order by changed.doc

-- name: claiming
-- Every version of numbered memories of the owner that claim something, with what each rests on; null: of all of them.
select memory.*, cited.evidence
from memory
{{with_evidence}}
where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s) and memory.user_id = %(owner)s
    and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    and (%(docs)s::integer[] is null or memory.doc = any(%(docs)s::integer[])) and memory.claim_key is not null
    and {{readable}}
order by memory.doc, memory.version

-- name: told
-- Every version of what the owner has in words of its own, with what each rests on.
select memory.*, cited.evidence
from memory
{{with_evidence}}
where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s) and memory.user_id = %(owner)s
    and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    and memory.epistemic_type <> 'evidence' and {{readable}}
order by memory.doc, memory.version

-- name: naming
-- Every version of what says who is meant by a name: few, and found by an index of their own.
select memory.*, cited.evidence
from memory
{{with_evidence}}
where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s) and memory.user_id = %(owner)s
    and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    and memory.claim_predicate in ('also_known_as', 'different_from')
order by memory.doc, memory.version

-- name: beliefs
-- What the owner holds in words of its own, the newest first.
select memory.*, cited.evidence
from memory
{{with_evidence}}
where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s) and memory.user_id = %(owner)s
    and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    and memory.closed_at is null and memory.epistemic_type <> 'evidence'
    and (memory.claim_key is null or %(keyed)s)
order by memory.doc desc
limit %(limit)s

-- name: worded_after
-- What is open in the hot tier, in words of its own, and was opened behind an event, in order of the events.
select doc, text, opened_by, kind, epistemic_type, schema_name, agent_id, trust, valid_to
from memory
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
    and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    and closed_at is null and tier = 'hot' and epistemic_type <> 'evidence' and claim_key is null
    and opened_by > %(after)s
order by opened_by, doc
limit %(limit)s

-- name: worded
-- What is open in the hot tier, in words of its own, and was opened up to an event.
select doc, text, opened_by, kind, epistemic_type, schema_name, agent_id, trust, valid_to
from memory
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
    and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    and closed_at is null and tier = 'hot' and epistemic_type <> 'evidence' and claim_key is null
    and opened_by <= %(until)s

-- name: sentences
-- What is open, in words of its own, and may be held against what else is: neither ended nor drawn from other memories.
select doc, text, opened_by, agent_id
from memory
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
    and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    and closed_at is null and tier = 'hot' and kind = 'semantic' and valid_to is null and schema_name is null
    and epistemic_type <> 'evidence' and epistemic_type <> 'inference' and epistemic_type <> 'opinion'

-- name: sentences_after
-- The first of them that were opened behind an event, in order of the events.
select doc, text, opened_by, agent_id
from memory
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
    and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    and closed_at is null and tier = 'hot' and kind = 'semantic' and valid_to is null and schema_name is null
    and epistemic_type <> 'evidence' and epistemic_type <> 'inference' and epistemic_type <> 'opinion'
    and opened_by > %(after)s
order by opened_by, doc
limit %(limit)s

-- name: old_sessions
-- The owner's sessions of which all was said before a time and something is in the hot tier, and how much, the oldest
-- first. What has no time of its own is of when it was written down.
select session_doc, (count(*) filter (where tier = 'hot'))::integer as episodes
from memory
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
    and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    and closed_at is null and epistemic_type = 'evidence'
group by session_doc
having max(coalesce(valid_from, recorded_at)) < %(before)s and bool_or(tier = 'hot')
order by max(coalesce(valid_from, recorded_at)), session_doc

-- name: hot_episodes
select memory.*, cited.evidence
from memory
{{with_evidence}}
where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s) and memory.user_id = %(owner)s
    and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    and memory.closed_at is null and memory.epistemic_type = 'evidence' and memory.tier = 'hot'
    and memory.session_doc = any(%(session_docs)s::integer[])
order by array_position(%(session_docs)s::integer[], memory.session_doc), memory.doc

-- name: without_summary
-- The owner's episodes in the cold tier that no summary stands for any more. Looked up one by one, which
-- LIMIT keeps the planner to: joined as a whole, where statistics lack, it takes minutes at 400 episodes.
select memory.*, cited.evidence
from memory
{{with_evidence}}
where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s) and memory.user_id = %(owner)s
    and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    and memory.closed_at is null and memory.tier = 'cold'
    and (
        select true
        from memory_evidence as mine
        join memory_evidence as theirs on theirs.tenant_id = mine.tenant_id and theirs.user_id = mine.user_id
            and theirs.generation = mine.generation and theirs.stream = mine.stream and theirs.sequence = mine.sequence
            and theirs.span_start is not distinct from mine.span_start
            and theirs.span_end is not distinct from mine.span_end and theirs.memory_id <> mine.memory_id
        join memory as summary on summary.tenant_id = theirs.tenant_id and summary.user_id = theirs.user_id
            and summary.generation = theirs.generation and summary.memory_id = theirs.memory_id
            and summary.version = theirs.version
        where mine.tenant_id = %(tenant_id)s and mine.user_id = any(%(owners)s)
            and mine.generation = memory.generation and mine.memory_id = memory.memory_id
            and mine.version = memory.version
            and summary.closed_at is null and summary.epistemic_type <> 'evidence' and summary.kind = 'episodic'
        limit 1
    ) is null
order by memory.doc
limit %(limit)s

-- name: often_used
-- The owner's open episodes that were of use so often at least, and those that are held as more than episodes, the newest
-- first.
select memory.*, cited.evidence
from memory
{{with_evidence}}
where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s) and memory.user_id = %(owner)s
    and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    and memory.closed_at is null and memory.epistemic_type = 'evidence'
    and (memory.kind <> 'episodic' or memory.doc in (
        select memory_use.doc
        from memory_use
        where memory_use.tenant_id = %(tenant_id)s and memory_use.user_id = any(%(owners)s)
            and memory_use.user_id = %(owner)s and memory_use.used >= %(least_used)s
    ))
order by memory.doc desc
limit %(limit)s

-- name: episodes
-- What somebody said, as it was said, the newest first.
select memory.*, cited.evidence
from memory
{{with_evidence}}
where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s) and memory.user_id = %(owner)s
    and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    and memory.closed_at is null and memory.epistemic_type = 'evidence' and memory.role = 'user'
order by memory.doc desc
limit %(limit)s

-- name: opened_after
-- What is open in the hot tier and was opened behind an event, in order of the events. A memory in the other tier is
-- compared with nothing, and comes again when it comes back.
select memory.*, cited.evidence
from memory
{{with_evidence}}
where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s) and memory.user_id = %(owner)s
    and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    and memory.closed_at is null and memory.tier = 'hot' and memory.opened_by > %(after)s
order by memory.opened_by, memory.doc
limit %(limit)s

-- name: numbered
-- The open versions of numbered memories.
select memory.*, cited.evidence
from memory
{{with_evidence}}
where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s) and memory.user_id = %(owner)s
    and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    and memory.closed_at is null and memory.doc = any(%(docs)s::integer[])
order by memory.doc

-- name: made_by
-- The open memories whose first version was written by an operation of one of a job's batches. Looked up batch by batch,
-- and then one by one, whatever the planner thinks of reading all that is held in words of its own for each.
select memory.*, cited.evidence
from batch
cross join lateral (
    select memory.generation, memory.memory_id
    from memory
    where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s) and memory.user_id = batch.user_id
        and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
        and memory.opened_by >= batch.first_sequence and memory.opened_by <= batch.last_sequence
        and memory.version = 1 and memory.epistemic_type <> 'evidence'
    offset 0
) as written
cross join lateral (
    select memory.*
    from memory
    where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s)
        and memory.generation = written.generation and memory.memory_id = written.memory_id
        and memory.closed_at is null
    offset 0
) as memory
{{with_evidence}}
where batch.tenant_id = %(tenant_id)s and batch.user_id = any(%(owners)s) and batch.user_id = %(owner)s
    and batch.job = %(job)s
order by memory.doc

-- name: aged
-- The newest versions of the owner's memories that were first held before a time, in order, each with when that was and how
-- it has fared: those that are open or all, and of these those of which anything was reported or all.
select memory.*, cited.evidence, opened.recorded_at as held_since, coalesce(memory_use.used, 0) as used,
    coalesce(memory_use.misled, 0) as misled
from memory
{{with_evidence}}
join memory as opened on opened.tenant_id = %(tenant_id)s and opened.user_id = any(%(owners)s)
    and opened.generation = memory.generation and opened.memory_id = memory.memory_id and opened.version = 1
left join memory_use on memory_use.tenant_id = %(tenant_id)s and memory_use.user_id = any(%(owners)s)
    and memory_use.user_id = memory.user_id and memory_use.doc = memory.doc
where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s) and memory.user_id = %(owner)s
    and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    and (memory.closed_at is null or %(closed)s and not exists (
        select from memory as later
        where later.tenant_id = %(tenant_id)s and later.user_id = any(%(owners)s)
            and later.generation = memory.generation and later.memory_id = memory.memory_id
            and later.version > memory.version
    ))
    and opened.recorded_at <= %(until)s and (memory_use.doc is not null or not %(reported)s)
    and memory.doc > %(after)s
order by memory.doc

-- name: hanging_on
-- Those of some of the owner's memories that something which is open hangs on: what is tied to them, but for what has taken
-- their place, what they were made from, and what speaks of the same and stands without them.
select distinct wanted.memory_id
from unnest(%(memory_ids)s::uuid[]) as wanted (memory_id)
join memory_link on memory_link.tenant_id = %(tenant_id)s and memory_link.user_id = any(%(owners)s)
    and memory_link.user_id = %(owner)s
    and memory_link.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    and memory_link.closed_by is null and memory_link.relation not in ('same_topic', 'elaborates')
    and (memory_link.target = wanted.memory_id and memory_link.relation <> 'supersedes'
        or memory_link.source = wanted.memory_id and memory_link.relation <> 'abstracts')
join memory on memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s)
    and memory.generation = memory_link.generation and memory.closed_at is null
    and memory.memory_id = case when memory_link.target = wanted.memory_id then memory_link.source
        else memory_link.target end

-- name: closed_by
-- The newest versions of the owner's beliefs that an operation has closed.
select newest.*, cited.evidence
from (
    select distinct on (memory.doc) memory.*
    from memory
    where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s) and memory.user_id = %(owner)s
        and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
        and memory.epistemic_type <> 'evidence'
    order by memory.doc, memory.version desc
) as newest
cross join lateral (
    select jsonb_agg(
        jsonb_build_array(sequence, span_start, span_end, independent) order by sequence, span_start
    ) as evidence
    from memory_evidence
    where memory_evidence.tenant_id = %(tenant_id)s and memory_evidence.user_id = any(%(owners)s)
        and memory_evidence.generation = newest.generation and memory_evidence.memory_id = newest.memory_id
        and memory_evidence.version = newest.version
) as cited
where newest.closed_reason = %(operation)s
order by newest.doc

-- name: versions
-- Every version of some memories, with what each rests on, in order.
select memory.*, cited.evidence
from memory
{{with_evidence}}
where memory.tenant_id = %(tenant_id)s and memory.user_id = any(%(owners)s)
    and memory.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    and memory.memory_id = any(%(memory_ids)s)
    and {{readable}}
order by memory.user_id, memory.doc, memory.version

-- name: called
select distinct memory_id, user_id
from memory
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s)
    and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    and memory_id >= %(first)s and memory_id <= %(last)s
    and {{readable}}
limit 2

-- name: founding
select sequence, span_start, span_end
from memory_evidence
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
    and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    and memory_id = %(memory_id)s and version = 1
order by sequence, span_start

-- name: docs
select distinct memory_id, doc
from memory
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
    and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    and memory_id = any(%(memory_ids)s)

-- name: of_messages
-- The memories that rest on some messages, with the messages' keys; looked up one by one.
select event.message_id, event.message_digest, cited.memory_id
from unnest(%(message_ids)s::text[], %(digests)s::text[]) as wanted (message_id, digest)
join event on event.tenant_id = %(tenant_id)s and event.user_id = any(%(owners)s) and event.user_id = %(owner)s
    and event.stream = %(stream)s and event.message_digest = wanted.digest and event.message_id = wanted.message_id
cross join lateral (
    select distinct memory_evidence.memory_id
    from memory_evidence
    where memory_evidence.tenant_id = %(tenant_id)s and memory_evidence.user_id = any(%(owners)s)
        and memory_evidence.stream = event.stream and memory_evidence.sequence = event.sequence
        and memory_evidence.generation = (
            select live from generation where tenant_id = %(tenant_id)s and view = 'memory'
        )
) as cited
order by event.sequence, cited.memory_id

-- name: owners
select distinct memory_id, user_id
from memory
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s)
    and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    and memory_id = any(%(memory_ids)s)

-- name: close
update memory
set closed_at = %(closed_at)s, closed_reason = %(closed_reason)s, closed_by = %(closed_by)s
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
    and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    and memory_id = %(memory_id)s and version = %(version)s

-- name: restate
update memory
set valid_to = %(valid_to)s
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
    and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
    and memory_id = %(memory_id)s and version = %(version)s

-- name: remove
delete from memory
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
    and memory_id = any(%(memory_ids)s) and generation in (
        select unnest(array[live, building, previous]) from generation
        where tenant_id = %(tenant_id)s and view = 'memory'
    )

-- name: remove_evidence
delete from memory_evidence
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
    and memory_id = any(%(memory_ids)s) and generation in (
        select unnest(array[live, building, previous]) from generation
        where tenant_id = %(tenant_id)s and view = 'memory'
    )

-- name: clear
delete from memory where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s

-- name: clear_evidence
delete from memory_evidence where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
