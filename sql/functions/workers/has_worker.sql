-- office_internal.has_worker: whether a worker lives that may claim there: one of this workspace or of all, not one that only finishes what
-- it has.
create or replace function office_internal.has_worker(workspace_id uuid, at timestamptz)
returns boolean
language sql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
  select exists (
    select
    from office.workers as w
    where w.ended_at is null and w.lease_until > has_worker.at and not w.draining
      and (w.only_workspace_id is null or w.only_workspace_id = has_worker.workspace_id)
  )
$$;

comment on function office_internal.has_worker(uuid, timestamptz) is 'Whether a worker lives that claims for a workspace.';
