-- office_internal.cost_estimate: what tokens of a model cost by office.model_prices, in cents; null where the model has no price there, or
-- it is not known how many were read and written: nothing is invented (E2). Where an engine does not tell of a cache, it used none.
create or replace function office_internal.cost_estimate(
  model text, tokens_in bigint, tokens_cached_read bigint, tokens_cached_write bigint, tokens_out bigint
)
returns numeric
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return (
    select round((
      cost_estimate.tokens_in * p.input_cents
      + coalesce(cost_estimate.tokens_cached_read, 0) * coalesce(p.cached_read_cents, p.input_cents)
      + coalesce(cost_estimate.tokens_cached_write, 0) * coalesce(p.cached_write_cents, p.input_cents)
      + cost_estimate.tokens_out * p.output_cents
    ) / 1000000, 6)
    from office.model_prices as p
    where p.model = cost_estimate.model
  );
end
$$;

comment on function office_internal.cost_estimate(text, bigint, bigint, bigint, bigint)
is 'What tokens cost by the price table; null: unknown.';
