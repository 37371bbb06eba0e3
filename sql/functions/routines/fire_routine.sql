-- office.fire_routine: fires a routine by hand, now (R17), with values for its variables: {"name": value}. Answers the fire; the
-- dispatch, right after the commit, decides what becomes of it.
-- Refuses agents (forbidden), unknown routines (not_found), one that is not active (routine_inactive), values that its variables cannot
-- have (bad_variables). Takes no gate; waits for another fire of the same routine.
create or replace function office.fire_routine(routine text, variables jsonb default '{}')
returns table (routine_run_id uuid, status text, task text)
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
#variable_conflict use_column
declare
  v_account uuid := office_internal.need_person();
  v_id uuid := office_internal.find_routine(routine);
  v_routine office.routines;
  v_manual office.routine_triggers;
  v_fire office_internal.fire;
begin
  perform office_internal.check_object('variables', variables);
  select * into v_routine from office.routines as r where r.id = v_id for no key update;
  perform office_internal.need_active(v_routine);
  -- A trigger of kind manual says in which zone a hand fires.
  select t.* into v_manual
  from office.routine_triggers as t
  where t.routine_id = v_id and t.kind = 'manual' and t.enabled
  order by t.created_at
  limit 1;
  v_fire := office_internal.make_fire(
    v_routine, v_manual, 'manual', office_internal.wall_clock(), given => variables, account_id => v_account
  );
  perform office_internal.store_fires(array[v_fire]);
  return query
    select
      (v_fire.run).id, (v_fire.run).status,
      (select 't' || t.number from office.tasks as t where t.id = (v_fire.run).linked_task_id);
end
$$;

comment on function office.fire_routine(text, jsonb) is 'Fires a routine by hand: select * from office.fire_routine(''briefing'');';
