-- office_internal.find_account: an account by name or uuid; refuses what is not there (not_found).
create or replace function office_internal.find_account(ref text)
returns uuid
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_id uuid;
begin
  -- Each by its own index: an "or" of both would read every account. A name that looks like an id is still a name.
  select a.id into v_id from office.accounts as a where lower(a.name) = lower(ref) and a.deleted_at is null;
  if v_id is null and office_internal.is_uuid(ref) then
    select a.id into v_id from office.accounts as a where a.id = ref::uuid and a.deleted_at is null;
  end if;
  if v_id is null then
    perform office_internal.not_found(
      'account', ref, (select array_agg(a.name) from office.accounts as a where a.deleted_at is null),
      'officectl account list shows the accounts.'
    );
  end if;
  return v_id;
end
$$;

comment on function office_internal.find_account(text) is 'Id of an account, by name or uuid.';
