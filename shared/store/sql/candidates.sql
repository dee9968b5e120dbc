-- Candidates: where they stand, by the sequence of the event that has their words.

-- name: insert
insert into candidate (
    tenant_id, stream, sequence, user_id, run_id, reading, claim_key, said_at, message_id, message_digest, trust, state
)
select %(tenant_id)s, %(stream)s, new.sequence, %(owner)s, new.run_id, new.reading, new.claim_key, new.said_at,
    new.message_id, new.message_digest, new.trust, new.standing
from unnest(
    %(sequence)s::bigint[], %(run_id)s::text[], %(reading)s::bigint[], %(claim_key)s::text[],
    %(said_at)s::timestamptz[], %(message_id)s::text[], %(message_digest)s::text[], %(trust)s::smallint[],
    %(standing)s::text[]
) as new (sequence, run_id, reading, claim_key, said_at, message_id, message_digest, trust, standing)

-- name: of_runs
select candidate.*, proposed.payload
from candidate
{{with_words}}
where candidate.tenant_id = %(tenant_id)s and candidate.user_id = any(%(owners)s) and candidate.user_id = %(owner)s
    and candidate.run_id = any(%(run_ids)s) and candidate.state = any(%(states)s)
order by candidate.sequence

-- name: of_claims
select candidate.*, proposed.payload
from candidate
{{with_words}}
where candidate.tenant_id = %(tenant_id)s and candidate.user_id = any(%(owners)s) and candidate.user_id = %(owner)s
    and candidate.claim_key = any(%(claim_keys)s) and candidate.state = 'stored'
order by candidate.sequence

-- name: deferred
select candidate.*, proposed.payload
from (
    select *
    from candidate
    where candidate.tenant_id = %(tenant_id)s and candidate.user_id = any(%(owners)s) and candidate.user_id = %(owner)s
        and candidate.state = 'deferred' and (candidate.claim_key is null or candidate.claim_key = any(%(claim_keys)s))
    order by candidate.sequence desc
    limit %(limit)s
) as candidate
{{with_words}}
order by candidate.sequence

-- name: numbered
select candidate.*, proposed.payload
from candidate
{{with_words}}
where candidate.tenant_id = %(tenant_id)s and candidate.user_id = any(%(owners)s) and candidate.user_id = %(owner)s
    and candidate.stream = %(stream)s and candidate.sequence = any(%(sequences)s::bigint[])
order by candidate.sequence

-- name: rows
select sequence, run_id, reading, claim_key
from candidate
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and stream = %(stream)s
    and sequence = any(%(sequences)s::bigint[])

-- name: subjects
-- Of whom something counts, by the first part of the key, and how much.
select split_part(claim_key, chr(31), 1) as subject, count(*)::integer as statements
from candidate
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
    and claim_key is not null and state = 'stored'
group by split_part(claim_key, chr(31), 1)

-- name: keys_of
select claim_key, count(*)::integer as statements
from candidate
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
    and claim_key is not null and state = 'stored' and split_part(claim_key, chr(31), 1) = any(%(subjects)s)
group by claim_key

-- name: standing
select candidate.*, proposed.payload
from candidate
{{with_words}}
where candidate.tenant_id = %(tenant_id)s and candidate.user_id = any(%(owners)s) and candidate.user_id = %(owner)s
    and candidate.state = any(%(states)s)
order by candidate.sequence

-- name: settle
update candidate
set state = settled.state, due_at = settled.due_at
from unnest(%(sequence)s::bigint[], %(state)s::text[], %(due_at)s::timestamptz[]) as settled (sequence, state, due_at)
where candidate.tenant_id = %(tenant_id)s and candidate.user_id = any(%(owners)s) and candidate.stream = %(stream)s
    and candidate.sequence = settled.sequence

-- name: due
-- Whose candidates have waited long enough, across tenants; for the claimer.
select tenant_id, user_id, count(*) as candidates
from candidate
where state = 'deferred' and due_at <= %(at)s
group by tenant_id, user_id
order by min(due_at)
limit %(limit)s

-- name: overdue
select candidate.*, proposed.payload
from candidate
{{with_words}}
where candidate.tenant_id = %(tenant_id)s and candidate.user_id = any(%(owners)s) and candidate.user_id = %(owner)s
    and candidate.state = 'deferred' and candidate.due_at <= %(at)s
order by candidate.sequence

-- name: counted
-- How many of those that wait are in which state, of one tenant or (null) of all; for the claimer.
select state, count(*) as candidates
from candidate
where due_at is not null and (%(tenant_id)s::text is null or tenant_id = %(tenant_id)s)
group by state

-- name: remove
delete from candidate
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and stream = %(stream)s
    and sequence = any(%(sequences)s::bigint[])

-- name: clear
delete from candidate where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
