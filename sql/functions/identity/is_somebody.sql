-- office.is_somebody: true; refuses nobody (no_identity). In a view's WHERE it stands alone, so it is asked once, also when there is
-- no row: nobody is refused and not shown an empty office (I5). A policy of a table is asked only where there is a row.
create or replace function office.is_somebody()
returns boolean
language plpgsql stable parallel safe security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  perform office_internal.caller();
  return true;
end
$$;

comment on function office.is_somebody() is 'True for whoever has an identity here; others are refused.';
