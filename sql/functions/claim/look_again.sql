-- office_internal.look_again: leaves a signal in the workspaces of these runs, which a claim has picked and not taken: they are somebody
-- else's, or the next call's. A fresh signal, never a rewrite of a row at an index's head (A15).
create or replace function office_internal.look_again(run_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if cardinality(run_ids) = 0 then
    return;
  end if;
  insert into office_internal.signals (workspace_id, kind)
  select distinct r.workspace_id, 'look' from office.runs as r where r.id = any(run_ids);
end
$$;

comment on function office_internal.look_again(uuid[]) is 'Leaves a signal where picked runs were not taken.';
