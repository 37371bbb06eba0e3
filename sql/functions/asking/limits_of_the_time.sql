-- office_internal.limits_of_the_time: how many runs each workspace (its slots) and agent (its capacity) might have at once, from when
-- to when: what holds now, and before it what the activity of each change says (limit_changed). Both ends belong to a span.
create or replace function office_internal.limits_of_the_time()
returns table (subject_id uuid, most integer, since timestamptz, until timestamptz)
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return query
    with changes as (
      select
        coalesce(v.agent_id, v.workspace_id) as subject_id, v.at, v.id,
        (v.detail ->> 'from')::integer as old_most, (v.detail ->> 'to')::integer as new_most
      from office.activity as v
      where v.kind = 'limit_changed'
    ),
    first_changes as (
      select distinct on (c.subject_id) c.subject_id, c.at, c.old_most from changes as c order by c.subject_id, c.at, c.id
    )
    select c.subject_id, c.new_most, c.at, coalesce(lead(c.at) over (partition by c.subject_id order by c.at, c.id), 'infinity')
    from changes as c
    union all
    select f.subject_id, f.old_most, '-infinity', f.at from first_changes as f
    union all
    select n.subject_id, n.most, '-infinity', 'infinity'
    from (
      select g.workspace_id, g.slots from office_internal.gates as g
      union all
      select l.agent_id, l.capacity from office_internal.lanes as l
    ) as n (subject_id, most)
    where not exists (select from first_changes as f where f.subject_id = n.subject_id);
end
$$;

comment on function office_internal.limits_of_the_time() is 'Which limits of workspaces and agents held when.';
