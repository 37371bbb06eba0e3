-- office_internal.note_limit: a run hit a limit at its provider account that resets: the account, or that model of it, is on hold until
-- then (Q25). Hit again, the hold is renewed, never shortened; when its probe hit it the next may try after it. A run whose executor names
-- no account holds nobody up but itself. The caller holds the gate, and ends the attempt after this.
create or replace function office_internal.note_limit(run_id uuid, model text, until timestamptz)
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
#variable_conflict use_column
declare
  v_run office.runs;
  v_executor office.executors;
  v_now timestamptz := office_internal.wall_clock();
begin
  select * into v_run from office.runs as r where r.id = note_limit.run_id;
  select * into v_executor from office.executors as x where x.id = v_run.executor_id;
  if v_executor.provider is null or note_limit.until <= v_now then
    return;
  end if;
  insert into office_internal.shared (key) values ('provider:' || v_executor.provider) on conflict (key) do nothing;
  insert into office.provider_holds as h (provider, model, until, since, reason, run_id, attempt_id)
  values (
    v_executor.provider, note_limit.model, note_limit.until, v_now,
    coalesce('the limit of ' || note_limit.model || ' was hit', 'its limit was hit'), v_run.id, v_run.attempt_id
  )
  on conflict (provider, model) where ended_at is null do update
  set until = greatest(h.until, excluded.until), run_id = excluded.run_id, attempt_id = excluded.attempt_id,
    probe_run_id = nullif(h.probe_run_id, excluded.run_id);
end
$$;

comment on function office_internal.note_limit(uuid, text, timestamptz) is 'Puts a provider account, or a model of it, on hold.';
