-- What the server is and what the login may do, asked as the login itself.

-- name: facts
select
    current_setting('server_version_num')::integer as version_number,
    current_setting('server_version') as version,
    current_user as login,
    (select extversion from pg_extension where extname = 'vector') as pgvector,
    rolsuper as superuser,
    rolbypassrls as bypasses_policies,
    coalesce(
        (
            select pg_has_role(current_user, relowner, 'USAGE')
            from pg_class
            where oid = to_regclass('event')
        ),
        false
    ) as owns_schema
from pg_roles
where rolname = current_user

-- name: missing_roles
-- Until PostgreSQL 15 a member could always act as its role; since 16 that is a privilege of its own.
select name
from unnest(%(roles)s::text[]) with ordinality as wanted (name, place)
where to_regrole(name) is null
    or not pg_has_role(current_user, to_regrole(name), case when %(version_number)s >= 160000 then 'SET' else 'MEMBER' end)
order by place
