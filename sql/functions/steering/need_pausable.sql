-- office_internal.need_pausable: refuses to pause or resume a single run or task (invalid).
create or replace function office_internal.need_pausable(kind text, ref text)
returns void
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if kind in ('run', 'task', 'wakeup') then
    perform office_internal.refuse(
      'invalid', format('A %s is not paused: %s.', kind, ref),
      'Pause its agent, its workspace (workspace:NAME), or everything; a run can be stopped.', jsonb_build_object('field', 'ref')
    );
  end if;
end
$$;

comment on function office_internal.need_pausable(text, text) is 'Refuses what cannot be paused.';
