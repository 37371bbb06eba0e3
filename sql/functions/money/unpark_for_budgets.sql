-- office_internal.unpark_for_budgets: calls back runs of a workspace that waited for reservations of a budget and need not any more: of
-- each agent that has room the first that waits for each budget; the claim asks once more, and looks again for the next. The others stay
-- parked, whatever their number (Q14). The caller holds the gate.
create or replace function office_internal.unpark_for_budgets(workspace_id uuid, at timestamptz)
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  update office.runs as r
  set parked = null, due_at = null
  from (
    select f.id
    from office.budgets as b
    join office_internal.lanes as l
      on l.workspace_id = b.workspace_id and l.open and l.cooling_until is null and l.active < l.capacity
    cross join lateral (
      select q.id
      from office.runs as q
      where q.workspace_id = b.workspace_id and q.parked_budget_id = b.id and q.agent_id = l.agent_id
        and q.status = 'queued' and q.parked = 'budget'
      order by q.requested_at, q.id
      limit 1
    ) as f
    where b.workspace_id = unpark_for_budgets.workspace_id
  ) as n
  where r.id = n.id and coalesce(
    (
      select not c.waits
      from office_internal.budget_refusals(n.id, unpark_for_budgets.at, '{}', '{}') as c
      order by c.place
      limit 1
    ),
    true
  );
  if found then
    insert into office_internal.signals (workspace_id, kind) values (unpark_for_budgets.workspace_id, 'look');
  end if;
end
$$;

comment on function office_internal.unpark_for_budgets(uuid, timestamptz) is 'Calls back runs that a budget has room for again.';
