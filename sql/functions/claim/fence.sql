-- office_internal.fence: text from outside, fenced so that it cannot pass for a part of the prompt: the fence is longer than any
-- run of backticks inside (C3). The same text gives the same fence.
create or replace function office_internal.fence(given text)
returns text
language plpgsql immutable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_fence text := '```';
begin
  if position(v_fence in given) > 0 then
    v_fence := (select repeat('`', max(length(m.run[1])) + 1) from regexp_matches(given, '`+', 'g') as m (run));
  end if;
  return v_fence || 'text' || E'\n' || given || E'\n' || v_fence;
end
$$;

comment on function office_internal.fence(text) is 'Text from outside within a fence that it cannot close.';
