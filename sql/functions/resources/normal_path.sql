-- office_internal.normal_path: the normal form of an absolute path by its text alone: for what a hand has written into a project. Cut
-- to 1000 characters at a component, it stands for a folder around it: more waits, and none too few.
create or replace function office_internal.normal_path(path text)
returns text
language plpgsql immutable parallel safe strict
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_part text;
  v_parts text[] := array[]::text[];
  v_length integer := 0;
begin
  if office_internal.is_path(path) then
    return path;
  end if;
  foreach v_part in array string_to_array(path, '/') loop
    continue when v_part in ('', '.');
    if v_part = '..' then
      v_parts := trim_array(v_parts, least(cardinality(v_parts), 1));
    else
      v_parts := v_parts || v_part;
    end if;
  end loop;
  for v_count in 1..cardinality(v_parts) loop
    v_length := v_length + length(v_parts[v_count]) + 1;
    if v_length > 1000 then
      v_parts := v_parts[1:v_count - 1];
      exit;
    end if;
  end loop;
  return '/' || array_to_string(v_parts, '/');
end
$$;

comment on function office_internal.normal_path(text) is 'An absolute path in its normal form.';
