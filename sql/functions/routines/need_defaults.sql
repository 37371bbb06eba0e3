-- office_internal.need_defaults: refuses (bad_variables) that a clock fires a routine with a required variable that nobody gives and
-- that has no default (R16).
create or replace function office_internal.need_defaults(variables jsonb)
returns void
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_name text;
begin
  select min(v.key) into v_name
  from jsonb_each(variables) as v
  where v.value -> 'required' = 'true' and not v.value ? 'default';
  if v_name is not null then
    perform office_internal.refuse(
      'bad_variables', format('Variable %s is required, and a schedule gives no values.', v_name), 'Give it a default.',
      jsonb_build_object('field', v_name)
    );
  end if;
end
$$;

comment on function office_internal.need_defaults(jsonb) is 'Refuses a schedule for a routine that needs values.';
