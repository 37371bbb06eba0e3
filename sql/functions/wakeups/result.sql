-- office.result: what became of a wakeup (uuid), a run (r4812), or a task's latest run (t97) (Q10).
-- Refuses what is not there (not_found) and what has no result (invalid).
create or replace function office.result(ref text)
returns table (
  reference text, kind text, status text, outcome text, result text, run text, summary text, error text, ended_at timestamptz
)
language plpgsql stable parallel safe security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
#variable_conflict use_column
declare
  v_what record;
  v_kind text;
  v_wakeup office.wakeups;
  v_run uuid;
begin
  perform office_internal.caller();
  select * into v_what from office_internal.read_ref(ref);
  v_kind := v_what.kind;
  case v_kind
    when 'run' then
      v_run := v_what.id;
    when 'task' then
      v_run := office_internal.latest_run(v_what.id);
    when 'wakeup' then
      select * into v_wakeup from office.wakeups as w where w.id = v_what.id;
      v_run := v_wakeup.run_id;
    else
      perform office_internal.refuse(
        'invalid', format('%s has no result: it is a %s.', ref, v_kind), 'Name a run (r4812), a task (t97) or a wakeup (its uuid).',
        jsonb_build_object('field', 'ref')
      );
  end case;
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
