-- What gates on metrics have set for a tenant.

-- name: set
insert into hold (tenant_id, act, metric, value, since)
values (%(tenant_id)s, %(act)s, %(metric)s, %(value)s, %(since)s)
on conflict (tenant_id, act, metric) where until is null do nothing
returning act

-- name: let_go
update hold
set until = greatest(%(until)s, since)
where tenant_id = %(tenant_id)s and until is null and (%(act)s::text is null or act = %(act)s)
    and (%(metric)s::text is null or metric = %(metric)s)
returning act, metric, value, since

-- name: holds
select act, metric, value, since
from hold
where tenant_id = %(tenant_id)s and until is null
order by act, metric
