-- Settings of one transaction. All are local to it.

-- name: read_only
-- One state throughout: a run that a worker takes into the ledger meanwhile is found there or in the inbox, not in both
-- and not in neither.
set transaction isolation level repeatable read, read only

-- name: become
-- Act as a role, for one tenant and some owners. Plans are made for the values at hand: one that was made for a user of
-- 100,000 memories gave a user of 30 fewer rows than asked for.
select set_config('role', %(role)s, true),
       set_config('daybook.tenant', %(tenant_id)s, true),
       set_config('daybook.users', %(owners)s, true),
       set_config('plan_cache_mode', 'force_custom_plan', true),
       set_config('statement_timeout', %(timeout_ms)s, true),
       set_config(
           'idle_in_transaction_session_timeout',
           coalesce(%(idle_ms)s, current_setting('idle_in_transaction_session_timeout')),
           true
       )

-- name: bound_whole
-- Work that is taken over when its lease ends must not go on after it. Before PostgreSQL 17 there is no such setting, and
-- only its statements and its pauses are bounded.
select set_config('transaction_timeout', %(idle_ms)s, true)

-- name: bound
select set_config('statement_timeout', %(timeout_ms)s, true)

-- name: widen_to_rooms
-- Add the rooms that the readers take part in, and what the whole tenant shares, to what may be read.
select set_config(
    'daybook.users',
    array_to_string(%(user_ids)s::text[] || array['tenant:'] || array(
        select distinct 'room:' || room_id
        from participant
        where tenant_id = %(tenant_id)s and user_id = any(%(user_ids)s::text[])
    ), ','),
    true
) as owners

-- name: begin_again_here
savepoint begun

-- name: begin_again
rollback to savepoint begun

-- name: own
select set_config('daybook.users', %(all_owners)s, true)

-- name: become_claimer
select set_config('role', 'daybook_claimer', true),
       set_config('statement_timeout', %(timeout_ms)s, true),
       set_config('idle_in_transaction_session_timeout', %(idle_ms)s, true)

-- name: extension
select exists (select from pg_extension where extname = 'vector') as installed

-- name: schema_version
select version_num from alembic_version
