-- office_internal.not_found: refuses a reference that leads nowhere (not_found), with the nearest name there is (I2).
create or replace function office_internal.not_found(noun text, given text, names text[], listing text)
returns void
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_near text := office_internal.closest(given, names);
begin
  perform office_internal.refuse(
    'not_found',
    format('No %s "%s".', noun, given),
    case when v_near is not null then format('Did you mean "%s"?', v_near) else listing end,
    jsonb_build_object('noun', noun, 'given', given, 'nearest', v_near)
  );
end
$$;

comment on function office_internal.not_found(text, text, text[], text) is 'Refuses an unknown reference and names the nearest.';
