-- Who takes part in which room.

-- name: join
insert into participant (tenant_id, user_id, room_id, joined_at)
values (%(tenant_id)s, %(user_id)s, %(room_id)s, clock_timestamp())
on conflict do nothing
