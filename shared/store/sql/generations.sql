-- Which complete build of each view is live.

-- name: ensure
insert into generation (tenant_id, view, live, model_id, changed_at)
values (%(tenant_id)s, %(view)s, %(live)s, %(model_id)s, clock_timestamp())
on conflict do nothing

-- name: dense_model
select model_id from generation where tenant_id = %(tenant_id)s and view = 'dense'
