-- Which builds of each view there are. The locks are on (tenant, view); 7 keeps their numbers apart from other locks'.

-- name: share
select pg_advisory_xact_lock_shared(hashtextextended(%(tenant_id)s || chr(31) || %(view)s, 7))

-- name: alone
select pg_advisory_xact_lock(hashtextextended(%(tenant_id)s || chr(31) || %(view)s, 7))

-- name: wait_shortly
select set_config('lock_timeout', '500ms', true)

-- name: wait_on
select set_config('lock_timeout', '0', true)

-- name: of_view
select live, model_id, building, building_model, previous, previous_model
from generation
where tenant_id = %(tenant_id)s and view = %(view)s

-- name: ensure
insert into generation (tenant_id, view, live, model_id, changed_at)
values (%(tenant_id)s, %(view)s, %(live)s, %(model_id)s, clock_timestamp())
on conflict do nothing

-- name: open_build
-- A number that no row of the view has: of those kept, the largest and one.
update generation
set building = 1 + greatest(live, building, previous), building_model = %(model_id)s, previous = null,
    previous_model = null, changed_at = clock_timestamp()
where tenant_id = %(tenant_id)s and view = %(view)s
returning building, building_model

-- name: switch
update generation
set previous = live, previous_model = model_id, live = building, model_id = building_model, building = null,
    building_model = null, changed_at = clock_timestamp()
where tenant_id = %(tenant_id)s and view = %(view)s and building is not null

-- name: go_back
update generation
set live = previous, model_id = previous_model, previous = live, previous_model = model_id, changed_at = clock_timestamp()
where tenant_id = %(tenant_id)s and view = %(view)s and previous is not null
returning live, model_id, building, building_model, previous, previous_model

-- name: models
select distinct model_id from generation where view = 'dense' and model_id is not null
