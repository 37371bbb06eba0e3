-- office_internal.doer: who does what this transaction does, and how deep the cause lies. The caller, or, while
-- carry_out works off a change, whoever that change names (A6): a setting says which, and is read only for those who may
-- call carry_out. Depth: one more than the run from inside which it comes.
create or replace function office_internal.doer(
  out account_id uuid,
  out agent_id uuid,
  out attempt_id uuid,
  out depth integer
)
language plpgsql stable parallel safe security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_carrying text := nullif(current_setting('office.carrying', true), '');
  v_change bigint;
begin
  if v_carrying ~ '^[0-9]{1,18}$' and has_function_privilege(session_user, 'office.carry_out(integer)', 'execute') then
    v_change := v_carrying::bigint;
  end if;
  if v_change is not null then
    select c.account_id, c.agent_id, c.attempt_id into doer.account_id, doer.agent_id, doer.attempt_id
    from office_internal.changes as c
    where c.id = v_change;
  else
    select me.account_id, me.agent_id, me.attempt_id into doer.account_id, doer.agent_id, doer.attempt_id
    from office_internal.identity() as me;
  end if;
  doer.depth := 0;
  if doer.attempt_id is not null then
    select r.depth + 1 into doer.depth
    from office.attempts as a
    join office.runs as r on r.id = a.run_id
    where a.id = doer.attempt_id;
  end if;
end
$$;

comment on function office_internal.doer() is 'Who acts in this transaction, and the depth of the cause.';
