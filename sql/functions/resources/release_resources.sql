-- office.release_resources: an operator says that nothing is left of what an ended run worked with, when no launcher can (P7):
-- whoever waits for its cleanup may go. Answers how many keys it held.
-- Refuses others than operators (forbidden), an unknown run (not_found), one whose cleanup nobody waits for (conflict): a run at work
-- keeps its keys until it is stopped. Takes the gate.
create or replace function office.release_resources(ref text)
returns integer
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_account uuid := office_internal.need_person();
  v_run uuid := office_internal.find_run(ref);
  v_released integer;
begin
  perform office_internal.need_operator();
  perform office_internal.take_gates(array(select r.workspace_id from office.runs as r where r.id = v_run));
  delete from office.resources as h where h.run_id = v_run and h.ended_at is not null;
  get diagnostics v_released = row_count;
  if v_released = 0 then
    perform office_internal.refuse(
      'conflict', format('r%s is not being cleaned up.', r.number),
      case when exists (select from office.resources as h where h.run_id = v_run)
        then format('It is at work: select * from office.stop(%L);', 'r' || r.number) else 'It holds nothing.' end,
      jsonb_build_object('run', 'r' || r.number, 'status', r.status)
    )
    from office.runs as r
    where r.id = v_run;
  end if;
  perform office_internal.remember(
    r.workspace_id, 'resources_released', jsonb_build_object('keys', v_released), v_account, r.agent_id, r.task_id, r.id
  )
  from office.runs as r
  where r.id = v_run;
  return v_released;
end
$$;

comment on function office.release_resources(text) is 'Frees what an ended run worked on, when no launcher can confirm its cleanup.';
