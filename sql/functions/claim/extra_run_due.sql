-- office_internal.extra_run_due: when a workspace may next start one run more than it has slots (S2); null: at no time that is known, or
-- it may already. For the gate's timer.
create or replace function office_internal.extra_run_due(workspace_id uuid)
returns timestamptz
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_first timestamptz := (
    select min(d.asked_at)
    from office.decisions as d
    where d.workspace_id = extra_run_due.workspace_id and d.status = 'pending' and d.kind in ('question', 'publish')
  );
  v_due timestamptz;
begin
  if v_first is null then
    return null;
  end if;
  v_due := v_first + make_interval(mins => office_internal.setting('overflow_after_minutes', extra_run_due.workspace_id)::integer);
  return case when v_due > office_internal.wall_clock() then v_due end;
end
$$;

comment on function office_internal.extra_run_due(uuid) is 'When a workspace may next start one run more than its slots.';
