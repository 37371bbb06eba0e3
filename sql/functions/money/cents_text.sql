-- office_internal.cents_text: an amount as people read it: all its decimals, and no zeros behind them.
create or replace function office_internal.cents_text(amount numeric)
returns text
language plpgsql immutable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return trim_scale(amount)::text;
end
$$;

comment on function office_internal.cents_text(numeric) is 'An amount of cents in words.';
