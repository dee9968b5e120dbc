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

-- name: of_run
select * from receipt
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and run_id = %(run_id)s
order by finished_at

-- name: of_subject
select * from receipt
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and subject = %(subject)s and stage = %(stage)s
