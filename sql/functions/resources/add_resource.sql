-- office.add_resource: a running run has begun to change a folder that it did not ask for (S4). It never waits for whoever holds it nor
-- refuses: an overlap becomes a step (a note) on both runs, and the key counts for later claims. Adding it again is a no-op.
-- Answers how many other attempts overlap it.
-- Refuses a key of another form (invalid), an attempt that is over (what attempt_is_over says of it), another attempt than the
-- calling agent's own (forbidden). Takes the gate, then the row of the key's host.
create or replace function office.add_resource(attempt_id uuid, key text)
returns integer
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
declare
  v_run office.runs;
  v_caller uuid := (select me.attempt_id from office_internal.identity() as me);
  v_reach record;
  v_others uuid[];
begin
  if v_caller <> add_resource.attempt_id then
    perform office_internal.refuse('forbidden', 'An agent speaks for its own attempt only.', 'It is OFFICE_ATTEMPT_ID in its environment.');
  end if;
  if key is null or length(key) > 1100 or not (
    key ~ '^(project|repo|worktree):[^[:space:]]+$'
    or key ~ '^folder:[^:/]{1,64}:/' and office_internal.is_path(regexp_replace(key, '^folder:[^:]*:', ''))
  ) then
    perform office_internal.refuse(
      'invalid', 'That is no key of something to work on.',
      'As folder:server:/srv/site: an absolute path, links resolved, without ".", ".." or a slash at its end; or repo:ADDRESS, '
      'worktree:NAME, project:ID.',
      jsonb_build_object('field', 'key')
    );
  end if;
  v_run := office_internal.take_attempt(add_resource.attempt_id);
  perform from office_internal.shared as s where s.key = 'host:server' for no key update;
  insert into office.resources (attempt_id, key, run_id, workspace_id, added, taken_at)
  values (add_resource.attempt_id, add_resource.key, v_run.id, v_run.workspace_id, true, office_internal.wall_clock())
  on conflict on constraint resources_pkey do nothing;
  if not found then
    return 0;
  end if;
  v_reach := office_internal.key_reach(key);
  v_others := array(
    select h.attempt_id
    from office.resources as h
    where h.key = any(v_reach.above) and h.attempt_id <> add_resource.attempt_id
    union
    select h.attempt_id
    from office.resources as h
    where h.key > v_reach.inside_from and h.key < v_reach.inside_to and h.attempt_id <> add_resource.attempt_id
  );
  -- Their programs number their own steps from 1; what the office says itself goes before those.
  insert into office.attempt_steps (attempt_id, sequence, workspace_id, kind, at, content)
  select
    n.attempt_id, (select least(min(s.sequence), 0) - 1 from office.attempt_steps as s where s.attempt_id = n.attempt_id),
    a.workspace_id, 'note', office_internal.wall_clock(), n.content
  from (
    select o.id, format('r%s works on %s as well.', v_run.number, add_resource.key) from unnest(v_others) as o (id)
    union all
    select
      add_resource.attempt_id,
      format('%s is worked on by others as well: %s.', add_resource.key, string_agg('r' || r.number, ', ' order by r.number))
    from office.attempts as o
    join office.runs as r on r.id = o.run_id
    where o.id = any(v_others)
    having count(*) > 0
  ) as n (attempt_id, content)
  join office.attempts as a on a.id = n.attempt_id;
  return cardinality(v_others);
end
$$;

comment on function office.add_resource(uuid, text)
is 'Says that a running attempt began to change folder:server:PATH; answers how many others work there.';
