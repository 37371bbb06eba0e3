-- office_internal.webhook_body: what a webhook was sent as JSON: an object; nothing at all is an empty one. Refuses any other (bad_body).
create or replace function office_internal.webhook_body(body bytea)
returns jsonb
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_body jsonb;
begin
  begin
    v_body := coalesce(nullif(btrim(convert_from(coalesce(body, ''), 'UTF8'), E' \t\r\n'), ''), '{}')::jsonb;
  exception when data_exception or statement_too_complex or program_limit_exceeded then
    v_body := null;
  end;
  if jsonb_typeof(v_body) is distinct from 'object' then
    perform office_internal.refuse('bad_body', 'The body is not a JSON object.', 'As {"name": "value"}, in UTF-8; or empty.');
  end if;
  return v_body;
end
$$;

comment on function office_internal.webhook_body(bytea) is 'A webhook''s body as a JSON object.';
