-- office_internal.routine_text: a routine's fire as its agent is told of it (C1): what it is, what it missed, its variables, and what a
-- webhook sent; all that a person or somebody outside wrote is fenced (C3). One that fires again in the same run is told in a line.
create or replace function office_internal.routine_text(wakeup office.wakeups)
returns text
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_payload jsonb := (wakeup).payload;
  v_variables jsonb := coalesce(v_payload -> 'variables', '{}');
  v_routine office.routines;
  v_fire office.routine_runs;
  v_again boolean;
  v_text text;
begin
  select r.* into v_routine from office.routines as r where r.id = (wakeup).routine_id;
  select f.* into v_fire from office.routine_runs as f where f.wakeup_id = (wakeup).id;
  v_again := exists (
    select
    from office.wakeups as w
    where w.run_id = (wakeup).run_id and w.position < (wakeup).position and w.routine_id = (wakeup).routine_id
  );
  v_text := format(
    '%s fired%s%s%s',
    coalesce('Routine "' || v_routine.name || '"', 'A routine'),
    case when v_again then ' again' end,
    case coalesce(v_payload ->> 'fire', 'cron') when 'manual' then ', by hand' when 'webhook' then ', by a webhook' end,
    ', for ' || to_char(timezone('UTC', v_fire.slot), 'YYYY-MM-DD HH24:MI') || ' UTC'
  );
  v_text := v_text || case when v_again or v_routine.description is not distinct from '' or v_routine.id is null then '.'
    else E':\n\n' || office_internal.fence(office_internal.fill_in(v_routine.description, v_variables)) end;
  if v_payload ? 'missed_ticks' then
    v_text := v_text || format(
      E'\n\nYou missed %s%s since %s.', case when (v_payload ->> 'missed_ticks')::numeric >= 10000 then 'at least ' end,
      case v_payload ->> 'missed_ticks' when '1' then '1 tick' else (v_payload ->> 'missed_ticks') || ' ticks' end,
      coalesce(v_payload ->> 'missed_since', 'then')
    );
  end if;
  if v_variables - '{date,datetime}'::text[] <> '{}' then
    v_text := v_text || E'\n\nVariables:\n\n' || office_internal.fence(jsonb_pretty(v_variables));
  end if;
  if v_fire.body <> '{}' then
    v_text := v_text || E'\n\nIt was sent:\n\n' || office_internal.fence(jsonb_pretty(v_fire.body));
  end if;
  return v_text;
end
$$;

comment on function office_internal.routine_text(office.wakeups) is 'A routine''s fire as a paragraph of the prompt.';
