-- office_internal.refuse: the one way an office function says no (I3).
-- Raises SQLSTATE PT and the code's status, DETAIL as JSON with the code and the values, HINT with what to do. What was given
-- is told back in one line, and no longer than a person reads.
create or replace function office_internal.refuse(
  code text,
  message text,
  hint text,
  detail jsonb default '{}'
)
returns void
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_status integer;
begin
  select errors.status into strict v_status from office.errors where errors.code = refuse.code;
  raise exception using
    errcode = 'PT' || v_status,
    message = office_internal.one_line(refuse.message),
    detail = (jsonb_build_object('code', refuse.code) || case
      when refuse.detail ? 'given'
        then refuse.detail || jsonb_build_object('given', office_internal.one_line(refuse.detail ->> 'given'))
      else refuse.detail
    end)::text,
    hint = office_internal.one_line(refuse.hint);
end
$$;

comment on function office_internal.refuse(text, text, text, jsonb) is 'Raises the error of a code: message, hint, and JSON detail.';
