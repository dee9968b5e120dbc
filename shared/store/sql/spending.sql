-- What a tenant's calls of models have cost, by day. What is unknown stays so, whatever is added to it.

-- name: add
insert into spending (tenant_id, day, calls, input_tokens, output_tokens, cost_usd)
values (%(tenant_id)s, %(day)s, %(calls)s, %(input_tokens)s, %(output_tokens)s, %(cost_usd)s)
on conflict (tenant_id, day) do update
set calls = spending.calls + excluded.calls, input_tokens = spending.input_tokens + excluded.input_tokens,
    output_tokens = spending.output_tokens + excluded.output_tokens, cost_usd = spending.cost_usd + excluded.cost_usd
returning calls, input_tokens, output_tokens, cost_usd

-- name: correct
update spending
set calls = calls + %(calls)s, input_tokens = input_tokens + %(input_tokens)s,
    output_tokens = output_tokens + %(output_tokens)s,
    cost_usd = case when cost_usd + %(cost_usd)s < 0 then 0 else cost_usd + %(cost_usd)s end
where tenant_id = %(tenant_id)s and day = %(day)s

-- name: of
select calls, input_tokens, output_tokens, cost_usd
from spending
where tenant_id = %(tenant_id)s and day = %(day)s
