-- office.result: what became of a wakeup (uuid), a run (r4812), or a task's latest run (t97) (Q10).
-- Refuses what is not there (not_found).
create or replace function office.result(ref text)
returns table (
  reference text, kind text, status text, outcome text, result text, run text, summary text, error text, ended_at timestamptz
)
language plpgsql stable parallel safe security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
#variable_conflict use_column
declare
  v_kind text;
  v_wakeup office.wakeups;
  v_run uuid;
begin
  perform office_internal.caller();
  if office_internal.is_uuid(ref) then
    select * into v_wakeup
    from office.wakeups as w
    where w.id = ref::uuid and w.workspace_id in (select office.visible_workspaces());
  end if;
  if v_wakeup.id is not null then
    v_kind := 'wakeup';
    v_run := v_wakeup.run_id;
  elsif ref ~* '^t[0-9]' or (office_internal.is_uuid(ref) and exists (select from office.tasks as t where t.id = ref::uuid)) then
    v_kind := 'task';
    select r.id into v_run
    from office.runs as r
    where r.task_id = office_internal.find_task(ref)
    order by r.requested_at desc, r.number desc
    limit 1;
  else
    v_kind := 'run';
    v_run := office_internal.find_run(ref);
  end if;
  return query
    select
      ref,
      v_kind,
      coalesce(case when v_kind = 'wakeup' then v_wakeup.status end, r.status, 'none'),
      case when v_wakeup.status is distinct from 'cancelled' then r.outcome end,
      -- A wakeup that was cancelled on its own says why; its run may have ended otherwise (Q5).
      coalesce(v_wakeup.reason, r.result, case when v_kind = 'task' then 'no run yet' end),
      'r' || r.number,
      coalesce(a.result ->> 'summary', a.result ->> 'result', a.result ->> 'message'),
      a.error,
      r.ended_at
    from (select 1) as one
    left join office.runs as r on r.id = v_run
    left join office.attempts as a on a.id = r.attempt_id;
end
$$;

comment on function office.result(text) is 'What became of a wakeup, a run, or a task''s latest run.';
