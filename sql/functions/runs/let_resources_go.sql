-- office_internal.let_resources_go: what the end of an attempt means for the keys and the provider room that its run held (P7, S6):
-- a turn in a session or after another run is over with the end, and so is all of an attempt that was never started or is
-- cleaned up after already; what it worked on waits for its cleanup. The caller holds the gates.
create or replace function office_internal.let_resources_go(over_run_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  perform office_internal.follow_providers(over_run_ids);
  perform office_internal.forgive_agents(over_run_ids);
  if not exists (select from office.resources as h where h.run_id = any(over_run_ids) and h.ended_at is null) then
    return;
  end if;
  delete from office.resources as h
  using office.attempts as a
  where h.run_id = any(over_run_ids) and h.ended_at is null and a.id = h.attempt_id
    and (h.key like 'session:%' or h.key like 'continues:%' or a.started_at is null or a.cleaned_at is not null);
  update office.resources as h
  set ended_at = office_internal.wall_clock()
  where h.run_id = any(over_run_ids) and h.ended_at is null;
end
$$;

comment on function office_internal.let_resources_go(uuid[]) is 'What ended attempts free at once.';
