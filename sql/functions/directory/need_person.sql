-- office_internal.need_person: the calling account; refuses nobody (no_identity) and agents (forbidden).
create or replace function office_internal.need_person()
returns uuid
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_account uuid := office_internal.caller();
begin
  if v_account is null then
    perform office_internal.refuse('forbidden', 'An agent may not do this.', 'Ask a person.');
  end if;
  return v_account;
end
$$;

comment on function office_internal.need_person() is 'The calling account; an agent is refused.';
