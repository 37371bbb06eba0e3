-- office_internal.clock_variables: what the office fills in itself: date and datetime of an instant, as a zone's wall clock has them (R16).
create or replace function office_internal.clock_variables(at timestamptz, zone text)
returns jsonb
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_local timestamp := timezone(zone, at);
  v_offset interval := v_local - timezone('UTC', at);
begin
  return jsonb_build_object(
    'date', to_char(v_local, 'YYYY-MM-DD'),
    'datetime', to_char(v_local, 'YYYY-MM-DD"T"HH24:MI:SS') || case
      when v_offset = interval '0' then 'Z'
      else case when v_offset < interval '0' then '-' else '+' end
        || to_char(greatest(v_offset, -v_offset), 'HH24:MI')
    end
  );
end
$$;

comment on function office_internal.clock_variables(timestamptz, text) is 'date and datetime of an instant in a zone.';
