-- office_internal.let_resources_go: what the end of an attempt means for the keys and the provider room that its run held (P7, S6):
-- what is gone with the end is free, what waits for its cleanup is said to. The caller holds the gates.
create or replace function office_internal.let_resources_go(over_run_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return;
end
$$;

comment on function office_internal.let_resources_go(uuid[]) is 'What ended attempts free at once.';
