-- office_internal.makes_checkout_lost: whether an assignee's run that finds its task locked by this run is done for, not
-- just waiting (Q13.5): the holder addresses the assignee too, is not stopping, and the workspace skips on conflict.
create or replace function office_internal.makes_checkout_lost(holder_run_id uuid, workspace_id uuid)
returns boolean
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return (
    select r.status <> 'stopping'
      and office_internal.setting('on_checkout_conflict', makes_checkout_lost.workspace_id) = 'skip'
      and exists (select from office.wakeups as w where w.run_id = r.id and w.addresses = 'assignee')
    from office.runs as r
    where r.id = holder_run_id
  );
end
$$;

comment on function office_internal.makes_checkout_lost(uuid, uuid)
is 'True when an assignee''s run must give way to this holder of the task''s lock.';
