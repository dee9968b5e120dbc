-- The verdicts on messages.

-- name: insert
insert into decision (
    tenant_id, stream, sequence, stage, user_id, action, rule, reason, confidence, decided_at, fields
)
select %(tenant_id)s, %(stream)s, new.sequence, %(stage)s, %(owner)s, new.action, new.rule, new.reason, new.confidence,
    %(decided_at)s, new.fields
from unnest(
    %(sequence)s::bigint[], %(action)s::text[], %(rule)s::text[], %(reason)s::text[], %(confidence)s::double precision[],
    %(fields)s::jsonb[]
) as new (sequence, action, rule, reason, confidence, fields)
on conflict (tenant_id, stream, sequence, stage) do update
set action = excluded.action, rule = excluded.rule, reason = excluded.reason, confidence = excluded.confidence,
    decided_at = excluded.decided_at, fields = excluded.fields

-- name: of_run
select event.message_id, event.speaker, decision.stage, decision.action, decision.rule, decision.reason,
    decision.confidence
from event
join decision
    on decision.tenant_id = event.tenant_id and decision.stream = event.stream and decision.sequence = event.sequence
where event.tenant_id = %(tenant_id)s and event.user_id = any(%(owners)s) and event.run_id = %(run_id)s
order by event.sequence

-- name: deferred
select sequence
from decision
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and stream = %(stream)s
    and sequence = any(%(sequences)s::bigint[]) and stage = 'gate' and action = 'defer'

-- name: remove
delete from decision
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and stream = %(stream)s
    and sequence = any(%(sequences)s::bigint[])

-- name: remove_said
delete from decision
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and stream = %(stream)s
    and sequence in (
        select event.sequence
        from event
        where event.tenant_id = %(tenant_id)s and event.user_id = any(%(owners)s) and event.stream = %(stream)s
            and event.speaker = any(%(speakers)s::text[])
    )

-- name: clear
delete from decision where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
