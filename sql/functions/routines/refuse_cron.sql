-- office_internal.refuse_cron: refuses a cron expression (bad_cron), naming the field and the part that is wrong (R6).
create or replace function office_internal.refuse_cron(
  field text,
  given text,
  message text,
  hint text
)
returns void
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  perform office_internal.refuse('bad_cron', message, hint, jsonb_build_object('field', field, 'value', left(given, 60)));
end
$$;

comment on function office_internal.refuse_cron(text, text, text, text) is 'Refuses a cron expression, naming the field.';
