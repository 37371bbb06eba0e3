-- office.checkpoint: an agent saves, from inside its run, what it needs to go on from: its state, the operation that it is about to do,
-- and the identity of its working tree (D2). What it was allowed in another tree, or for another operation, no answer then allows any
-- more. Without a state nothing is saved. Answers the run's last checkpoint; no row when there is none: also that of an earlier attempt.
-- Refuses people (forbidden), a state that is no object of at most 256 KB, bad operations and trees (invalid). Takes no gate: it only
-- inserts.
create or replace function office.checkpoint(state jsonb default null, operation jsonb default null, tree text default null)
returns table (
  checkpoint_id uuid, attempt integer, saved_state jsonb, pending_operation jsonb, saved_tree text, saved_at timestamptz
)
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_here record;
begin
  select * into v_here from office_internal.need_attempt();
  if coalesce(jsonb_typeof(checkpoint.state), 'null') <> 'null' then
    perform office_internal.check_object('state', checkpoint.state);
    if octet_length(checkpoint.state::text) > 262144 then
      perform office_internal.refuse(
        'invalid', 'A state has at most 256 KB.', 'Keep what is large in a file, and its path here.', jsonb_build_object('field', 'state')
      );
    end if;
    perform office_internal.check_tree(checkpoint.tree);
    if coalesce(jsonb_typeof(checkpoint.operation), 'null') <> 'null' then
      perform office_internal.check_operation(checkpoint.operation);
    end if;
    insert into office.checkpoints (workspace_id, run_id, attempt_id, state, operation, operation_digest, tree, saved_at)
    values (
      v_here.workspace_id, v_here.run_id, v_here.attempt_id, checkpoint.state, nullif(checkpoint.operation, 'null'),
      sha256(convert_to(nullif(checkpoint.operation, 'null')::text, 'UTF8')), checkpoint.tree, office_internal.wall_clock()
    );
  end if;
  return query
    select c.id, a.number, c.state, c.operation, c.tree, c.saved_at
    from office.checkpoints as c
    join office.attempts as a on a.id = c.attempt_id
    where c.run_id = v_here.run_id
    order by c.number desc
    limit 1;
end
$$;

comment on function office.checkpoint(jsonb, jsonb, text) is 'Saves what an agent goes on from, from inside its run; answers the last.';
