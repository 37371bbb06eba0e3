-- office_internal.count_launches: how many runs of an agent were launched since a time, counted no further than so many (Q27): those that
-- have ended, by their index, and those under way. What merged into them, or was settled without a launch, is not counted.
create or replace function office_internal.count_launches(workspace_id uuid, agent_id uuid, since timestamptz, most integer)
returns integer
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return (
    select count(*)
    from (
      select
      from office.runs as r
      where r.agent_id = count_launches.agent_id and r.claimed_at > since and r.ended_at is not null
      union all
      select
      from office.runs as r
      where r.workspace_id = count_launches.workspace_id and r.agent_id = count_launches.agent_id and r.claimed_at > since
        and (r.status in ('claimed', 'running', 'waiting', 'stopping') or (r.status = 'queued' and r.answered_at is not null))
      limit most
    ) as l
  );
end
$$;

comment on function office_internal.count_launches(uuid, uuid, timestamptz, integer) is 'An agent''s launches since a time.';
