-- office_internal.jwt_claims: what PostgREST says of its caller; malformed means nobody, never an error (I6).
create or replace function office_internal.jwt_claims()
returns jsonb
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_claims jsonb;
begin
  v_claims := nullif(current_setting('request.jwt.claims', true), '')::jsonb;
  return case when jsonb_typeof(v_claims) = 'object' then v_claims end;
exception when invalid_text_representation then
  return null;
end
$$;

comment on function office_internal.jwt_claims() is 'The request''s JWT claims as an object, or null.';
