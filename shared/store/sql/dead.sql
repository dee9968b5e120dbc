-- Dead letters: runs that were given up. They are rows of the inbox, which `inbox.sql` alone writes.

-- name: letters
select tenant_id, user_id, inbox_id, stage, attempts, accepted_at, changed_at
from inbox
where state = 'parked' and (%(tenant_id)s::text is null or tenant_id = %(tenant_id)s)
    and changed_at <= coalesce(%(until)s::timestamptz, 'infinity')
order by changed_at desc
limit %(limit)s

-- name: called
select inbox_id, user_id
from inbox
where tenant_id = %(tenant_id)s and inbox_id >= %(first)s and inbox_id <= %(last)s and state = 'parked'
limit 2

-- name: letter
select tenant_id, user_id, inbox_id, run_id, stage, attempts, messages, accepted_at, changed_at, last_error
from inbox
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and inbox_id = %(inbox_id)s and state = 'parked'
