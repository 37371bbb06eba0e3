-- office_internal.key_reach: which keys overlap this one (S4): those equal to one of "above" (itself; a folder also those around it), and
-- those between the other two (the folders inside a folder; by bytes "0" follows "/", so /a/bc is not inside /a/b). No other key
-- overlaps but its equal.
create or replace function office_internal.key_reach(key text, out above text[], out inside_from text, out inside_to text)
language plpgsql immutable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_head text;
  v_path text;
  v_part text;
begin
  above := array[key];
  inside_from := key;
  inside_to := key;
  if key like 'folder:%' then
    v_head := 'folder:' || split_part(key, ':', 2) || ':';
    v_path := rtrim(substr(key, length(v_head) + 1), '/');
    inside_from := v_head || v_path || '/';
    inside_to := v_head || v_path || '0';
    if v_path <> '' then
      above := array[v_head || '/'];
      v_path := '';
      foreach v_part in array string_to_array(substr(key, length(v_head) + 2), '/') loop
        v_path := v_path || '/' || v_part;
        above := above || (v_head || v_path);
      end loop;
    end if;
  end if;
end
$$;

comment on function office_internal.key_reach(text) is 'Which keys overlap a key.';
