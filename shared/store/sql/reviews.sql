-- Writes that wait for a person.

-- name: insert
insert into review (
    tenant_id, review_id, user_id, stream, sequence, policy, state, reviewer, asked_at, due_at
)
select %(tenant_id)s, new.review_id, %(owner)s, %(stream)s, new.sequence, new.policy, 'open', new.reviewer,
    new.asked_at, new.due_at
from unnest(
    %(review_id)s::uuid[], %(sequence)s::bigint[], %(policy)s::text[], %(reviewer)s::text[],
    %(asked_at)s::timestamptz[], %(due_at)s::timestamptz[]
) as new (review_id, sequence, policy, reviewer, asked_at, due_at)
on conflict do nothing

-- name: listed
-- Those in a state, as the session's agent may read them: of what it has heard, nobody or a room has.
select review.*, event_payload.payload
from review
join event_payload on event_payload.tenant_id = review.tenant_id and event_payload.stream = review.stream
    and event_payload.sequence = review.sequence
join event as proposed on proposed.tenant_id = review.tenant_id and proposed.user_id = review.user_id
    and proposed.stream = review.stream and proposed.sequence = review.sequence
join event as said on said.tenant_id = review.tenant_id and said.user_id = review.user_id
    and said.stream = review.stream and said.sequence = proposed.caused_by
where review.tenant_id = %(tenant_id)s and review.user_id = any(%(owners)s)
    and (%(state)s::text is null or review.state = %(state)s)
    and (said.agent_id is null or said.agent_id = %(agent_id)s or said.user_id <> all(%(narrowed)s::text[]))
order by review.due_at, review.review_id
limit %(limit)s

-- name: take
-- One that is open, held for the rest of the transaction: two people who decide at once wait for one another.
select review.*, event_payload.payload
from review
join event_payload on event_payload.tenant_id = review.tenant_id and event_payload.stream = review.stream
    and event_payload.sequence = review.sequence
where review.tenant_id = %(tenant_id)s and review.user_id = any(%(owners)s) and review.review_id = %(review_id)s
for update of review

-- name: of_candidates
select review.*, event_payload.payload
from review
join event_payload on event_payload.tenant_id = review.tenant_id and event_payload.stream = review.stream
    and event_payload.sequence = review.sequence
where review.tenant_id = %(tenant_id)s and review.user_id = any(%(owners)s) and review.user_id = %(owner)s
    and review.sequence = any(%(sequences)s::bigint[])
order by review.sequence
for update of review

-- name: ask_again
update review
set state = 'open', asked_at = %(asked_at)s, due_at = %(due_at)s, decided_at = null, decided_by = null
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and review_id = %(review_id)s and state = 'expired'

-- name: called
-- As the session's agent may read them, as in `listed`.
select review.review_id, review.user_id
from review
join event as proposed on proposed.tenant_id = review.tenant_id and proposed.user_id = review.user_id
    and proposed.stream = review.stream and proposed.sequence = review.sequence
join event as said on said.tenant_id = review.tenant_id and said.user_id = review.user_id
    and said.stream = review.stream and said.sequence = proposed.caused_by
where review.tenant_id = %(tenant_id)s and review.user_id = any(%(owners)s)
    and review.review_id >= %(first)s and review.review_id <= %(last)s
    and (said.agent_id is null or said.agent_id = %(agent_id)s or said.user_id <> all(%(narrowed)s::text[]))
limit 2

-- name: decide
update review
set state = %(state)s, decided_at = %(decided_at)s, decided_by = %(decided_by)s
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and review_id = %(review_id)s and state = 'open'

-- name: assign
update review
set reviewer = %(reviewer)s, due_at = coalesce(%(due_at)s, due_at)
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and review_id = %(review_id)s and state = 'open'

-- name: due
-- Whose reviews nobody has decided in time, of one tenant or (null) of all; for the claimer.
select tenant_id, user_id, count(*) as reviews
from review
where state = 'open' and due_at <= %(at)s and (%(tenant_id)s::text is null or tenant_id = %(tenant_id)s)
group by tenant_id, user_id
order by min(due_at)
limit %(limit)s

-- name: open
-- What waits in a tenant, without anything of what it says; for the claimer.
select user_id, review_id, due_at
from review
where tenant_id = %(tenant_id)s and state = 'open'
order by due_at, review_id
limit %(limit)s

-- name: overdue
select review.*, event_payload.payload
from review
join event_payload on event_payload.tenant_id = review.tenant_id and event_payload.stream = review.stream
    and event_payload.sequence = review.sequence
where review.tenant_id = %(tenant_id)s and review.user_id = any(%(owners)s) and review.user_id = %(owner)s
    and review.state = 'open' and review.due_at <= %(at)s
order by review.due_at
for update of review

-- name: of_policy
-- Those that a policy asked for, whatever became of them.
select review.*, event_payload.payload
from review
join event_payload on event_payload.tenant_id = review.tenant_id and event_payload.stream = review.stream
    and event_payload.sequence = review.sequence
where review.tenant_id = %(tenant_id)s and review.user_id = any(%(owners)s) and review.user_id = %(owner)s
    and review.stream = %(stream)s and review.policy = %(policy)s
order by review.sequence

-- name: settle
update review
set state = 'settled', decided_at = %(decided_at)s
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and review_id = any(%(review_ids)s::uuid[])
    and state = 'open'

-- name: in_states
-- The questions behind an event of the stream that are in one of some states; their words are looked up one by one.
select asked.*, held.payload
from (
    select review.*
    from review
    where review.tenant_id = %(tenant_id)s and review.user_id = any(%(owners)s) and review.user_id = %(owner)s
        and review.stream = %(stream)s and review.sequence > %(after)s
        and review.policy = %(policy)s and review.state = any(%(states)s::text[])
    offset 0
) as asked
cross join lateral (
    select event_payload.payload
    from event_payload
    where event_payload.tenant_id = %(tenant_id)s and event_payload.user_id = any(%(owners)s)
        and event_payload.stream = asked.stream and event_payload.sequence = asked.sequence
    limit 1
) as held
order by asked.sequence

-- name: decided
-- What was approved or rejected of what was read from some runs, run by run and candidate by candidate; looked up one by
-- one.
select found.*, wanted.run_id, held.payload
from unnest(%(run_ids)s::text[]) as wanted (run_id)
cross join lateral (
    select candidate.stream, candidate.sequence
    from candidate
    where candidate.tenant_id = %(tenant_id)s and candidate.user_id = any(%(owners)s)
        and candidate.user_id = %(owner)s and candidate.run_id = wanted.run_id
    offset 0
) as proposed
cross join lateral (
    select review.*
    from review
    where review.tenant_id = %(tenant_id)s and review.user_id = any(%(owners)s)
        and review.stream = proposed.stream and review.sequence = proposed.sequence
        and review.state = any(array['approved', 'rejected'])
    limit 1
) as found
cross join lateral (
    select event_payload.payload
    from event_payload
    where event_payload.tenant_id = %(tenant_id)s and event_payload.user_id = any(%(owners)s)
        and event_payload.stream = found.stream and event_payload.sequence = found.sequence
    limit 1
) as held
order by found.sequence

-- name: remove
delete from review
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s and stream = %(stream)s
    and sequence = any(%(sequences)s::bigint[])

-- name: clear
delete from review where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
