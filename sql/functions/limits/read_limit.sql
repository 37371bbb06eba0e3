-- office_internal.read_limit: what a failed attempt's error says of a provider's limit, read in its workspace's zone, and whose limit it
-- is: the model's, where its run's executor names one that the error names (Q19, Q24, Q25). Takes no lock: the text is known before
-- any gate is held.
create or replace function office_internal.read_limit(attempt_id uuid, error text)
returns office_internal.said_limit
language plpgsql stable parallel unsafe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_said office_internal.said_limit;
begin
  select l.is_limit, l.reset_at, l.pattern, case when l.is_limit then office_internal.limited_model(read_limit.error, x.model) end
  into v_said
  from office.attempts as a
  join office.runs as r on r.id = a.run_id
  join office.workspaces as w on w.id = a.workspace_id
  left join office.executors as x on x.id = r.executor_id
  cross join lateral office.read_rate_limit(read_limit.error, office_internal.wall_clock(), w.timezone) as l
  where a.id = read_limit.attempt_id and a.ended_at is null;
  return v_said;
end
$$;

comment on function office_internal.read_limit(uuid, text) is 'What a failed attempt''s error says of a provider''s limit.';
