-- office.attempt_usage: what each attempt used (E2): the model that it reported last, its tokens and its cost. Of what any event leaves
-- open the whole is unknown: null, never a part that looks like all.
create view office.attempt_usage with (security_invoker = true) as
select
  u.attempt_id,
  'r' || r.number as run,
  (array_agg(u.model order by u.at desc, u.id desc) filter (where u.model is not null))[1] as model,
  case when count(u.tokens_in) = count(*) then sum(u.tokens_in) end as tokens_in,
  case when count(u.tokens_cached_read) = count(*) then sum(u.tokens_cached_read) end as tokens_cached_read,
  case when count(u.tokens_cached_write) = count(*) then sum(u.tokens_cached_write) end as tokens_cached_write,
  case when count(u.tokens_out) = count(*) then sum(u.tokens_out) end as tokens_out,
  case when count(u.cost_cents) = count(*) then sum(u.cost_cents) end as cost_cents,
  case
    when count(u.cost_cents) < count(*) then 'unknown'
    when bool_or(u.cost_source = 'estimated') then 'estimated'
    else 'reported'
  end as cost_source,
  count(*) as events
from office.usage_events as u
join office.runs as r on r.id = u.run_id
where office.is_somebody() and u.attempt_id is not null
group by u.attempt_id, r.number;

comment on view office.attempt_usage is 'What each attempt used: tokens and cost; null is unknown.';
comment on column office.attempt_usage.attempt_id is 'The attempt.';
comment on column office.attempt_usage.run is 'Its run.';
comment on column office.attempt_usage.model is 'The model that it reported last.';
comment on column office.attempt_usage.tokens_in is 'Tokens read anew.';
comment on column office.attempt_usage.tokens_cached_read is 'Tokens read from a cache.';
comment on column office.attempt_usage.tokens_cached_write is 'Tokens written to a cache.';
comment on column office.attempt_usage.tokens_out is 'Tokens written.';
comment on column office.attempt_usage.cost_cents is 'Cost in cents.';
comment on column office.attempt_usage.cost_source is 'reported, estimated from office.model_prices at least in part, or unknown.';
comment on column office.attempt_usage.events is 'How many usage events it is the sum of.';
