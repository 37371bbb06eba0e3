-- office.pause: stops new claims of an agent (agent:builder or its name), a workspace (workspace:acme) or everything, and asks their
-- live runs to stop: those return to queued and go on after office.resume (P1). A routine (routine:daily) fires no more, and what it
-- has fired goes on (R2). Outlives every restart. Pausing again only renews the reason.
-- Answers what is paused, and how many live runs were asked to stop (an agent's: by the dispatch).
-- Refuses unknown references (not_found), runs, tasks, stopped agents and archived routines (invalid, conflict), agents
-- (forbidden), everything by others than operators (forbidden). Takes the gates, but for an agent and a routine none.
create or replace function office.pause(ref text, reason text default null)
returns table (paused text, stopping integer)
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
declare
  v_account uuid := office_internal.need_person();
  v_what record;
  v_live uuid[] := array[]::uuid[];
begin
  select * into v_what from office_internal.read_ref(ref);
  perform office_internal.need_pausable(v_what.kind, ref);
  if v_what.kind = 'agent' then
    update office.agents as a
    set status = 'paused', paused_by = 'person', status_reason = coalesce(pause.reason, 'paused by a person')
    where a.id = v_what.id and a.status <> 'stopped';
    if not found then
      perform office_internal.refuse(
        'conflict', format('%s is stopped.', ref), format('select * from office.resume(%L); lets it work again.', ref),
        jsonb_build_object('status', 'stopped')
      );
    end if;
  elsif v_what.kind = 'routine' then
    update office.routines as r
    set status = 'paused', status_reason = coalesce(pause.reason, 'paused by a person')
    where r.id = v_what.id and r.status <> 'archived';
    if not found then
      perform office_internal.refuse(
        'conflict', format('%s is archived, for good.', ref), 'It fires no more.', jsonb_build_object('status', 'archived')
      );
    end if;
  else
    perform office_internal.take_gates(v_what.workspace_ids);
    update office_internal.gates as g
    set paused = g.paused or v_what.kind = 'workspace',
      paused_with_all = g.paused_with_all or v_what.kind = 'everything',
      pause_reason = case when v_what.kind = 'workspace' then coalesce(pause.reason, 'paused by a person') else g.pause_reason end
    where g.workspace_id = any(v_what.workspace_ids);
    v_live := array(
      select r.id
      from office.runs as r
      where r.workspace_id = any(v_what.workspace_ids) and r.status in ('claimed', 'running')
    );
    perform office_internal.stop_live(v_live, 'paused');
  end if;
  perform office_internal.remember(
    w.id, 'paused', jsonb_strip_nulls(jsonb_build_object('ref', ref, 'reason', pause.reason)), v_account,
    case when v_what.kind = 'agent' then v_what.id end
  )
  from unnest(v_what.workspace_ids) as w (id);
  return query select ref, cardinality(v_live);
end
$$;

comment on function office.pause(text, text) is 'Pauses an agent, workspace:NAME, routine:NAME, or everything, until office.resume.';
