-- office_internal.reset_told: the reset that an error tells of, by the first pattern that it holds, in the order of Q19: what programs
-- wrote before what people read (Q24). pattern is null when there is none; moment is null when what it says is no moment.
-- A cheap look goes before each of the readers.
create or replace function office_internal.reset_told(lines text, at timestamptz, timezone text, out pattern text, out moment timestamptz)
language plpgsql stable parallel unsafe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_lower text := lower(lines);
  v_resets boolean := v_lower like '%reset%';
  v_told boolean := false;
begin
  if v_lower like '%retry%after%' then
    select r.told, r.moment into v_told, moment from office_internal.retry_after(lines, at) as r;
    if v_told then
      pattern := 'retry_after';
      return;
    end if;
  end if;
  if v_resets and v_lower ~ '["'']\s?:' then
    select r.told, r.moment into v_told, moment from office_internal.field_reset(lines, at, reset_told.timezone) as r;
  end if;
  if not v_told and v_lower ~ '(?:delay|seconds?|secs?|ms|in|after)["'']?\s?[:={]' then
    moment := at + office_internal.wait_field(lines) * interval '1 second';
    v_told := moment is not null;
  end if;
  if v_told then
    pattern := 'reset_field';
    return;
  end if;
  if v_resets and v_lower like '%limit-%' then
    select r.told, r.moment into v_told, moment from office_internal.header_reset(lines, at) as r;
    if v_told then
      pattern := 'reset_header';
      return;
    end if;
  end if;
  moment := at + office_internal.wait_told(lines) * interval '1 second';
  if moment is not null then
    pattern := 'try_again_in';
    return;
  end if;
  select r.told, r.moment into v_told, moment from office_internal.moment_told(lines, at, reset_told.timezone) as r;
  if v_told then
    pattern := 'reset_time';
  end if;
end
$$;

comment on function office_internal.reset_told(text, timestamptz, text) is 'The reset that an error tells of, and how.';
