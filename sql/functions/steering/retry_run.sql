-- office.retry_run: a person lets an interrupted, failed or blocked run be tried again: queued, its failures forgotten, what it
-- froze kept, its inbox item closed (P4); anew: with the executor that its task and agent name today. Refuses others (conflict): a
-- finished or cancelled one needs a new wake.
-- Refuses unknown runs (not_found), agents (forbidden). Takes the gate.
create or replace function office.retry_run(run text, anew boolean default false)
returns office.run_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  v_account uuid := office_internal.need_person();
  v_id uuid := office_internal.find_run(run);
  v_run office.runs;
begin
  perform office_internal.take_gates(array(select r.workspace_id from office.runs as r where r.id = v_id));
  if cardinality(office_internal.try_again(array[v_id], v_account, coalesce(anew, false))) = 0 then
    select * into v_run from office.runs as r where r.id = v_id;
    perform office_internal.refuse(
      'conflict',
      format('r%s is %s: it is not tried again.', v_run.number, v_run.status),
      case when v_run.ended_at is null then 'It is still under way: office.why tells where.' else 'Wake its agent anew: office.wake.' end,
      jsonb_build_object('run', 'r' || v_run.number, 'status', v_run.status)
    );
  end if;
  return (
    select (r.id, 'r' || r.number, r.status, r.result)::office.run_reference from office.runs as r where r.id = v_id
  );
end
$$;

comment on function office.retry_run(text, boolean) is 'Tries an interrupted, failed or blocked run again.';
