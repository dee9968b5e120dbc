-- What became of what was said, read across the tables for a person.

-- name: saying
-- Messages and candidates that say a word that begins with one of these, the newest first; not what is forgotten.
select event.*, event_payload.payload
from event
join event_payload on event_payload.tenant_id = event.tenant_id and event_payload.user_id = event.user_id
    and event_payload.stream = event.stream and event_payload.sequence = event.sequence
where event.tenant_id = %(tenant_id)s and event.user_id = any(%(owners)s)
    and event.event_class = any(%(classes)s) and event.kind = any(%(kinds)s)
    and (event.agent_id is null or event.agent_id = %(agent_id)s or event.user_id <> all(%(narrowed)s::text[]))
    and exists (
        select from unnest(%(beginnings)s::text[]) as wanted (beginning)
        where strpos(lower(event_payload.payload::jsonb ->> 'text'), wanted.beginning) > 0
    )
    and not exists (
        select from suppression
        where suppression.tenant_id = %(tenant_id)s and suppression.user_id = any(%(owners)s)
            and suppression.stream = event.stream and suppression.sequence = event.sequence
    )
order by event.recorded_at desc, event.stream, event.sequence desc
limit %(limit)s

-- name: proposed
-- The candidates of some runs, or of some numbers, with their words, what was decided on each, and who was asked.
select candidate.*, event_payload.payload, decision.action, decision.rule, decision.reason,
    decision.confidence as decided_with, decision.decided_at, decision.fields, review.review_id,
    review.state as review_state, review.due_at as review_due_at, review.decided_by
from candidate
join event_payload on event_payload.tenant_id = candidate.tenant_id and event_payload.user_id = candidate.user_id
    and event_payload.stream = candidate.stream and event_payload.sequence = candidate.sequence
left join decision on decision.tenant_id = candidate.tenant_id and decision.user_id = candidate.user_id
    and decision.stream = candidate.stream and decision.sequence = candidate.sequence and decision.stage = 'gate'
left join review on review.tenant_id = candidate.tenant_id and review.user_id = candidate.user_id
    and review.stream = candidate.stream and review.sequence = candidate.sequence
where candidate.tenant_id = %(tenant_id)s and candidate.user_id = any(%(owners)s) and candidate.user_id = %(owner)s
    and (candidate.run_id = any(%(run_ids)s)
        or (candidate.stream = %(stream)s and candidate.sequence = any(%(sequences)s::bigint[])))
order by candidate.sequence

-- name: admitted
-- What was decided on some messages as they came in.
select decision.sequence, decision.action, decision.rule, decision.reason, decision.confidence as decided_with,
    decision.decided_at, decision.fields
from unnest(%(sequences)s::bigint[]) as wanted (sequence)
join decision on decision.tenant_id = %(tenant_id)s and decision.user_id = any(%(owners)s)
    and decision.user_id = %(owner)s and decision.stream = %(stream)s and decision.sequence = wanted.sequence
    and decision.stage = 'append'

-- name: resting
-- Which memories of the owner rest, in any version, on some of its events.
select distinct memory_evidence.memory_id
from memory_evidence
where memory_evidence.tenant_id = %(tenant_id)s and memory_evidence.user_id = any(%(owners)s)
    and memory_evidence.user_id = %(owner)s and memory_evidence.stream = %(stream)s
    and memory_evidence.sequence = any(%(sequences)s::bigint[])
    and memory_evidence.generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'memory')
