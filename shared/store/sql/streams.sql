-- Which streams there are. Run by the claimer, which sees names and lengths of all tenants' and no content.

-- name: sample
select tenant_id, user_id from stream order by random() limit %(size)s

-- name: of_tenant
select tenant_id, user_id, last_sequence
from stream
where %(tenant_id)s::text is null or tenant_id = %(tenant_id)s
order by tenant_id, user_id
