-- Receipts: what became of each stage.

-- name: insert
insert into receipt (
    tenant_id, subject, stage, user_id, run_id, outcome, reason, counts, started_at, finished_at
) values (
    %(tenant_id)s, %(subject)s, %(stage)s, %(user_id)s, %(run_id)s, %(outcome)s, %(reason)s, %(counts)s,
    %(started_at)s, %(finished_at)s
)
on conflict do nothing
returning stage

-- name: insert_or_mend
insert into receipt (
    tenant_id, subject, stage, user_id, run_id, outcome, reason, counts, started_at, finished_at
) values (
    %(tenant_id)s, %(subject)s, %(stage)s, %(user_id)s, %(run_id)s, %(outcome)s, %(reason)s, %(counts)s,
    clock_timestamp() - greatest(%(finished_at)s::timestamptz - %(started_at)s::timestamptz, interval '0'),
    clock_timestamp()
)
on conflict (tenant_id, subject, stage) do update
set outcome = excluded.outcome, reason = excluded.reason, counts = excluded.counts,
    started_at = excluded.started_at, finished_at = excluded.finished_at
where receipt.outcome = 'failed'
returning stage

-- name: of_run
select * from receipt
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and run_id = %(run_id)s
order by finished_at

-- name: of_subject
select * from receipt
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and subject = %(subject)s and stage = %(stage)s

-- name: clear
delete from receipt
where receipt.tenant_id = %(tenant_id)s and receipt.user_id = any(%(owners)s) and receipt.user_id = %(owner)s
    and not exists (
        select from inbox
        where inbox.tenant_id = receipt.tenant_id and inbox.user_id = receipt.user_id and inbox.inbox_id = receipt.subject
    )
