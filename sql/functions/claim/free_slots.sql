-- office_internal.free_slots: how many new runs each of these workspaces has room for (S1, S2): its slots less its active runs; and one
-- run more while a question or publishing approval has waited for overflow_after_minutes, unless that one has started already.
-- Below zero when slots were taken away meanwhile. The caller holds the gates, and counts in this statement of its own.
create or replace function office_internal.free_slots(workspace_ids uuid[])
returns table (workspace_id uuid, free integer)
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
#variable_conflict use_column
declare
  v_now timestamptz := office_internal.wall_clock();
begin
  return query
    select
      g.workspace_id,
      g.slots - office_internal.count_active(g.workspace_id) + case
        when not g.extra_run_used and exists (
          select
          from office.decisions as d
          where d.workspace_id = g.workspace_id and d.status = 'pending' and d.kind in ('question', 'publish')
            and d.asked_at <= v_now
              - make_interval(mins => office_internal.setting('overflow_after_minutes', g.workspace_id)::integer)
        ) then 1
        else 0
      end
    from office_internal.gates as g
    where g.workspace_id = any(workspace_ids);
end
$$;

comment on function office_internal.free_slots(uuid[]) is 'How many new runs workspaces have room for.';
