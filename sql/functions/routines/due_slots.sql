-- office_internal.due_slots: the slots of a schedule from its cursor up to now, the newest so many, oldest first; and how many older ones
-- there were, counted to 10,000, with the first of them (R10). The cursor itself is a slot, whatever the expression says of it.
create or replace function office_internal.due_slots(
  cron office_internal.cron,
  zone text,
  cursor_at timestamptz,
  now_at timestamptz,
  most integer,
  out slots timestamptz[],
  out dropped integer,
  out dropped_since timestamptz,
  out next_at timestamptz
)
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_told constant integer := 10000;
  v_back interval := interval '1 hour';
  v_found timestamptz[];
begin
  slots := array[cursor_at];
  dropped := 0;
  next_at := office_internal.next_fire(cron, zone, cursor_at);
  while next_at <= now_at and cardinality(slots) < v_told + most loop
    slots := slots || next_at;
    next_at := office_internal.next_fire(cron, zone, next_at);
  end loop;
  if cardinality(slots) > most then
    dropped := least(cardinality(slots) - most, v_told);
    dropped_since := slots[1];
    slots := slots[cardinality(slots) - most + 1:];
  end if;
  -- Longer ago than is counted: the newest are looked for from now backwards, in spans that double until they hold enough.
  if next_at <= now_at then
    dropped := v_told;
    loop
      v_found := '{}';
      next_at := office_internal.next_fire(cron, zone, greatest(now_at - v_back, cursor_at));
      while next_at <= now_at loop
        v_found := v_found || next_at;
        next_at := office_internal.next_fire(cron, zone, next_at);
      end loop;
      exit when cardinality(v_found) >= most;
      v_back := v_back * 2;
    end loop;
    slots := v_found[cardinality(v_found) - most + 1:];
  end if;
end
$$;

comment on function office_internal.due_slots(office_internal.cron, text, timestamptz, timestamptz, integer)
is 'The newest slots that are due, how many older ones were missed, and the slot after now.';
