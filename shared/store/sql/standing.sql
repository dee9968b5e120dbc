-- How all stands that a reader sees.

-- name: standing
-- Another answer whenever a recall of these readers could come to something else. `xmin` is the transaction that wrote a
-- row last, so counters that are written anew with the values they had count too, as a rebuilding leaves them. Of the
-- inbox the newest 200: more than recall looks at, and what is behind them cannot change but with a stream's end. Asked in
-- the round trip that works out the readers' rooms, so the list of all owners is the one that stands on the server.
select
    (
        select array_agg(row(user_id, last_sequence, last_hash, xmin::text) order by user_id)::text from stream
        where tenant_id = %(tenant_id)s and user_id = any(string_to_array(current_setting('daybook.users'), ','))
            and stream = any(array(
                select case when owner = 'tenant:' then 'tenant' when starts_with(owner, 'room:') then owner
                    else 'user:' || owner end
                from unnest(string_to_array(current_setting('daybook.users'), ',')) as readable (owner)
            ))
    ) as streams,
    (
        select array_agg(row(user_id, generation, xmin::text) order by user_id)::text from sparse_stream
        where tenant_id = %(tenant_id)s and user_id = any(string_to_array(current_setting('daybook.users'), ','))
            and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'sparse')
    ) as sparse,
    (
        select array_agg(row(user_id, generation, xmin::text) order by user_id)::text from dense_stream
        where tenant_id = %(tenant_id)s and user_id = any(string_to_array(current_setting('daybook.users'), ','))
            and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'dense')
    ) as dense,
    (
        select array_agg(row(user_id, generation, xmin::text) order by user_id)::text from graph_stream
        where tenant_id = %(tenant_id)s and user_id = any(string_to_array(current_setting('daybook.users'), ','))
            and generation = (select live from generation where tenant_id = %(tenant_id)s and view = 'graph')
    ) as graph,
    (
        select array_agg(row(view, live, model_id, xmin::text) order by view)::text from generation
        where tenant_id = %(tenant_id)s
    ) as generations,
    (
        select array_agg(row(inbox_id, written) order by inbox_id)::text
        from (
            select inbox_id, xmin::text as written
            from inbox
            where tenant_id = %(tenant_id)s and user_id = any(string_to_array(current_setting('daybook.users'), ','))
                and stage = 'append'
            order by accepted_at desc
            limit 200
        ) as newest
    ) as waiting,
    (
        select array_agg(row(act, metric, since) order by act, metric)::text from hold
        where tenant_id = %(tenant_id)s and until is null
    ) as held
