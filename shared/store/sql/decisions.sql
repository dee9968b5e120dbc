-- The verdicts on messages.

-- name: insert
insert into decision (
    tenant_id, stream, sequence, stage, user_id, action, rule, reason, confidence, decided_at
)
select %(tenant_id)s, %(stream)s, new.sequence, %(stage)s, %(owner)s, new.action, new.rule, new.reason, new.confidence,
    %(decided_at)s
from unnest(
    %(sequence)s::bigint[], %(action)s::text[], %(rule)s::text[], %(reason)s::text[], %(confidence)s::double precision[]
) as new (sequence, action, rule, reason, confidence)

-- name: of_run
select event.message_id, event.speaker, decision.stage, decision.action, decision.rule, decision.reason,
    decision.confidence
from event
join decision
    on decision.tenant_id = event.tenant_id and decision.stream = event.stream and decision.sequence = event.sequence
where event.tenant_id = %(tenant_id)s and event.user_id = any(%(owners)s) and event.run_id = %(run_id)s
order by event.sequence

-- name: clear
delete from decision where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
