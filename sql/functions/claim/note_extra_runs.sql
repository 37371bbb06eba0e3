-- office_internal.note_extra_runs: keeps the books of the one run more (S2): it is used once more runs are active than there are slots,
-- and may be given again when fewer are. Called before a claim counts and after it has launched. The caller holds the gates.
create or replace function office_internal.note_extra_runs(workspace_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  update office_internal.gates as g
  set extra_run_used = s.used
  from (
    select o.workspace_id, n.active > o.slots + o.excess or (o.extra_run_used and n.active >= o.slots) as used
    from office_internal.gates as o
    cross join lateral (select office_internal.count_active(o.workspace_id) as active) as n
    where o.workspace_id = any(workspace_ids)
      and (
        o.extra_run_used
        or exists (
          select
          from office.decisions as d
          where d.workspace_id = o.workspace_id and d.status = 'pending' and d.kind in ('question', 'publish')
        )
      )
  ) as s
  where g.workspace_id = s.workspace_id and g.extra_run_used <> s.used;
end
$$;

comment on function office_internal.note_extra_runs(uuid[]) is 'Notes which workspaces have used their one run more.';
