-- office_internal.scope_of_choice: what the choice that was taken counts for: once, session, always; null: it allows nothing (D8).
create or replace function office_internal.scope_of_choice(decision office.decisions)
returns text
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return (
    select c.choice ->> 'scope' from jsonb_array_elements((decision).choices) as c (choice) where c.choice ->> 'id' = (decision).choice
  );
end
$$;

comment on function office_internal.scope_of_choice(office.decisions) is 'What the choice that was taken counts for.';
