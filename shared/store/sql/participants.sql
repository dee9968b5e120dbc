-- Who takes part in which room.

-- name: join
insert into participant (tenant_id, user_id, room_id, joined_at)
values (%(tenant_id)s, %(user_id)s, %(room_id)s, clock_timestamp())
on conflict do nothing

-- name: standing
-- Whether a user takes part in a room, and whether anybody has written into it before.
select
    exists (
        select from participant
        where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(user_id)s
            and room_id = %(room_id)s
    ) as takes_part,
    exists (
        select from inbox
        where tenant_id = %(tenant_id)s and user_id = %(owner)s and inbox_id <> %(inbox_id)s
    ) as is_known

-- name: rooms_of
select room_id
from participant
where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
order by room_id

-- name: among
select user_id
from participant
where tenant_id = %(tenant_id)s and user_id = any(%(user_ids)s::text[]) and room_id = %(room_id)s

-- name: clear
delete from participant where tenant_id = %(tenant_id)s and user_id = any(%(owners)s) and user_id = %(owner)s
