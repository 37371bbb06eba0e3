-- office_internal.find_worker: a worker by its id, or worker:HOST, the latest of that host; null: it names none that the caller sees.
create or replace function office_internal.find_worker(ref text)
returns uuid
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return (
    select k.id
    from office.workers as k
    where (
        case when office_internal.is_uuid(ref) then k.id = ref::uuid else ref like 'worker:%' and k.host = substr(ref, 8) end
      )
      and (k.only_workspace_id is null or k.only_workspace_id in (select office.visible_workspaces()))
    order by k.registered_at desc
    limit 1
  );
end
$$;

comment on function office_internal.find_worker(text) is 'The worker that a reference names.';
