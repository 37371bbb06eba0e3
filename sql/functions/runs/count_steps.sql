-- office_internal.count_steps: notes when an attempt has taken more model turns or tool calls than one may (S6). A turn is what the model
-- says in one go - messages, reasoning, tool calls - up to what it is answered or its usage is told. What counts is what its run's
-- executor allows, else the setting. An insert and nothing else: no gate (A6).
create or replace function office_internal.count_steps(attempt_id uuid)
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  insert into office_internal.limits_reached as m (attempt_id, workspace_id, setting, allowed, reached_at)
  select a.id, a.workspace_id, v.setting, v.allowed, office_internal.wall_clock()
  from office.attempts as a
  join office.runs as r on r.id = a.run_id
  left join office.executors as x on x.id = r.executor_id
  cross join lateral (
    select
      count(*) filter (where t.said and not t.goes_on) as turns,
      count(*) filter (where t.kind = 'tool_call') as tool_calls
    from (
      select s.kind, w.said, coalesce(lag(w.said) over (order by s.sequence), false) as goes_on
      from office.attempt_steps as s
      cross join lateral (select s.kind in ('message', 'reasoning', 'tool_call') as said) as w
      where s.attempt_id = a.id and s.kind in ('message', 'reasoning', 'tool_call', 'tool_result', 'usage')
    ) as t
  ) as c
  cross join lateral (
    select l.setting, l.allowed
    from (values
      (1, 'attempt_turns', 'turns', c.turns), (2, 'attempt_tool_calls', 'tool_calls', c.tool_calls)
    ) as n (rank, setting, field, used)
    cross join lateral (
      select n.setting, coalesce(
        (x.body -> 'limits' ->> n.field)::numeric, office_internal.setting(n.setting, a.workspace_id)::numeric
      )::integer as allowed
    ) as l
    where n.used > l.allowed
    order by n.rank
    limit 1
  ) as v
  where a.id = count_steps.attempt_id and a.ended_at is null
  on conflict on constraint limits_reached_pkey do nothing;
  if found then
    perform pg_notify('office_stop', '');
  end if;
end
$$;

comment on function office_internal.count_steps(uuid) is 'Notes when an attempt has taken more turns or tool calls than it may.';
