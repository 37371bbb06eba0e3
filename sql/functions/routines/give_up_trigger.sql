-- office_internal.give_up_trigger: disables a trigger that cannot be armed, and says so in the inbox (R9). The caller has locked its row.
create or replace function office_internal.give_up_trigger(routine office.routines, trigger office.routine_triggers, problem text)
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  update office.routine_triggers as t set enabled = false where t.id = (give_up_trigger.trigger).id;
  insert into office.inbox_items (workspace_id, kind, title, body, agent_id, dedup_key)
  values (
    (routine).workspace_id, 'routine.broken', format('A trigger of %s is disabled: it cannot be armed', (routine).name),
    format(
      E'%s\nChange it, then: select * from office.enable_trigger(%L);', office_internal.one_line(problem), (give_up_trigger.trigger).id
    ),
    (routine).assignee_agent_id, format('routine.broken:%s', (give_up_trigger.trigger).id)
  )
  on conflict do nothing;
end
$$;

comment on function office_internal.give_up_trigger(office.routines, office.routine_triggers, text)
is 'Disables a trigger that cannot be armed.';
