-- office_internal.need_attempt: from inside which attempt the caller acts; refuses people (forbidden), and nobody (no_identity).
create or replace function office_internal.need_attempt(out workspace_id uuid, out run_id uuid, out attempt_id uuid)
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  perform office_internal.caller();
  select a.workspace_id, a.run_id, a.id
  into need_attempt.workspace_id, need_attempt.run_id, need_attempt.attempt_id
  from office_internal.identity() as i
  join office.attempts as a on a.id = i.attempt_id;
  if need_attempt.attempt_id is null then
    perform office_internal.refuse(
      'forbidden', 'Only an agent does this, from inside its run.',
      'Its program calls: officectl agent checkpoint, officectl agent receipt.'
    );
  end if;
end
$$;

comment on function office_internal.need_attempt() is 'The attempt from inside which the caller acts.';
