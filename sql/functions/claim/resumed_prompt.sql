-- office_internal.resumed_prompt: what an engine session that goes on is told (C2): why it was woken again, or how it was broken off, and
-- of where it stands what is new. While its program runs (Q5) nothing was broken off, and its run is the same.
create or replace function office_internal.resumed_prompt(
  run_id uuid,
  attempt_number integer,
  why text,
  stands text[],
  past text,
  same_run boolean,
  live boolean
)
returns text
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_new text := (
    select string_agg(office_internal.new_lines(p.part, past), E'\n\n' order by p.nth) from unnest(stands) with ordinality as p (part, nth)
  );
begin
  return concat_ws(
    E'\n\n---\n\n',
    case when not live and (same_run or why is null) then E'# Go on\n\n' || office_internal.broken_off(resumed_prompt.run_id) end,
    E'# Why you were woken again\n\n' || why,
    E'# What is new where it stands\n\n' || v_new,
    case when not live
      then E'# This run\n\nRun r' || (select r.number from office.runs as r where r.id = resumed_prompt.run_id)
        || ', attempt ' || resumed_prompt.attempt_number || '.'
    end
  ) || E'\n';
end
$$;

comment on function office_internal.resumed_prompt(uuid, integer, text, text[], text, boolean, boolean)
is 'What an engine session is told that goes on.';
