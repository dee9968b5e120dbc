-- Forgotten stretches of evidence.

-- name: insert
insert into suppression (tenant_id, stream, sequence, span_start, span_end, user_id, suppressed_by)
select %(tenant_id)s, %(stream)s, new.sequence, new.span_start, new.span_end, %(owner)s, %(by)s
from unnest(%(sequences)s::bigint[], %(starts)s::integer[], %(ends)s::integer[])
    as new (sequence, span_start, span_end)
on conflict do nothing

-- name: stored
select sequence, span_start, span_end, suppressed_by
from suppression
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and stream = %(stream)s
order by sequence, span_start, span_end

-- name: of
select sequence, span_start, span_end, suppressed_by
from suppression
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and stream = %(stream)s
    and sequence = any(%(sequences)s::bigint[])
order by sequence, span_start, span_end

-- name: wholly
select sequence
from suppression
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and stream = %(stream)s
    and sequence = any(%(sequences)s::bigint[]) and span_start = 0 and span_end = %(end)s

-- name: clear
delete from suppression
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and stream = %(stream)s
