-- office_internal.next_fire: the next instant at which a parsed cron expression fires in a zone (R3, R5). It goes from slot to
-- slot of the expression on the wall clock, past those that a forward shift removes and those whose first reading has been.
-- Null when none fires within 50 years: a 29 February on one day of the week can be 40 years away, and a slot may fall into the
-- same shift every time (`30 2 8-14 3 */7` in New York). One function, for a tick calls it for every trigger that is due.
create or replace function office_internal.next_fire(cron office_internal.cron, zone text, after timestamptz)
returns timestamptz
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_slot timestamp := date_trunc('minute', timezone(zone, after));
  v_end timestamp := v_slot + interval '50 years';
  v_month date;
  v_days bit varying;
  v_passed integer;
  v_hour integer;
  v_ahead integer;
  v_fire timestamptz;
  v_shift interval;
begin
  loop
    v_slot := v_slot + interval '1 minute';
    v_month := date_trunc('month', v_slot);
    v_days := office_internal.matching_days(cron, v_month);
    v_passed := date_part('day', v_slot) - 1;
    v_hour := date_part('hour', v_slot);

    -- The next slot: in this hour, else in a later one of this day, else on a later day.
    v_ahead := 0;
    if get_bit(v_days, v_passed) = 1 then
      if get_bit(cron.hours, v_hour) = 1 then
        v_ahead := position(B'1' in substring(cron.minutes from date_part('minute', v_slot)::integer + 1));
      end if;
      if v_ahead > 0 then
        v_slot := v_slot + make_interval(mins => v_ahead - 1);
      else
        v_ahead := position(B'1' in substring(cron.hours from v_hour + 2));
        v_slot := v_month + make_interval(days => v_passed, hours => v_hour + v_ahead, mins => position(B'1' in cron.minutes) - 1);
      end if;
    end if;
    if v_ahead = 0 then
      v_passed := v_passed + 1;
      loop
        v_ahead := position(B'1' in substring(v_days from v_passed + 1));
        exit when v_ahead > 0;
        v_month := v_month + make_interval(
          months => position(B'1' in substring(cron.months || cron.months from date_part('month', v_month)::integer + 1))
        );
        if v_month > v_end then
          return null;
        end if;
        v_days := office_internal.matching_days(cron, v_month);
        v_passed := 0;
      end loop;
      v_slot := v_month + make_interval(
        days => v_passed + v_ahead - 1, hours => position(B'1' in cron.hours) - 1, mins => position(B'1' in cron.minutes) - 1
      );
    end if;
    if v_slot > v_end then
      return null;
    end if;

    -- Its first reading. The cast takes the later one of a repeated time, and moves a removed one forward.
    v_fire := timezone(zone, v_slot);
    if timezone(zone, v_fire) <> v_slot then
      v_fire := office_internal.rest_of_minute(v_slot, zone);
    else
      -- How far the clocks went forward in the 24 hours before; no zone has ever changed twice in so short a time. Added in
      -- seconds, since a day of an interval is not 24 hours in the zone of every session.
      v_shift := v_slot - interval '24 hours' - timezone(zone, v_fire - interval '24 hours');
      if v_shift < interval '0' and timezone(zone, v_fire + make_interval(secs => date_part('epoch', v_shift))) = v_slot then
        v_fire := v_fire + make_interval(secs => date_part('epoch', v_shift));
      end if;
    end if;
    if v_fire > after then
      return v_fire;
    end if;
  end loop;
  return null;
end
$$;

comment on function office_internal.next_fire(office_internal.cron, text, timestamptz) is
'The next fire of a parsed cron expression in a zone.';
