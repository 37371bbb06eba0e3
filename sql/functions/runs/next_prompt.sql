-- office.next_prompt: what a live program is told next (Q5): the wakeups that its run took in since its prompt, and what is new where it
-- stands. They count as shown from then on; the attempt's prompt is kept with it. No row: there is nothing new.
-- With fresh, the engine could not resume its session and begins anew in the same attempt (X5): all is told, as to a first launch, with
-- what was answered; activity says so.
-- Refuses an attempt that has ended or was launched again (what attempt_is_over says of it), and a program that takes one prompt only
-- (conflict). Takes the gate.
create or replace function office.next_prompt(attempt_id uuid, launch integer default null, fresh boolean default false)
returns table (run_id uuid, prompt text, wakeups integer)
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
#variable_conflict use_column
declare
  v_attempt office.attempts;
  v_run office.runs;
  v_told text;
  v_prompt text;
begin
  perform office_internal.take_gates_of_attempts(array[next_prompt.attempt_id]);
  select * into v_attempt from office.attempts as a where a.id = next_prompt.attempt_id;
  select * into v_run from office.runs as r where r.id = v_attempt.run_id and r.attempt_id = v_attempt.id;
  if v_run.id is null or v_attempt.ended_at is not null or v_attempt.launch <> coalesce(next_prompt.launch, v_attempt.launch) then
    perform office_internal.attempt_is_over(next_prompt.attempt_id);
  end if;
  if fresh then
    select p.assembled_prompt into v_told from office.attempt_prompts as p where p.attempt_id = v_attempt.id;
    v_prompt := (
      select (office_internal.build_prompts(array[v_run.id], array[v_attempt.number], array[p.summary_injected], array[null]::text[]))[1]
      from office.attempt_prompts as p
      where p.attempt_id = v_attempt.id
    ) || coalesce(E'\n\n# What you asked\n' || nullif(split_part(v_told, E'\n\n# What you asked\n', -1), v_told), '');
    update office.attempt_prompts as p set assembled_prompt = v_prompt where p.attempt_id = v_attempt.id;
    perform office_internal.remember(
      v_run.workspace_id, 'session_lost', jsonb_build_object('engine_session', v_attempt.engine_session), null, v_run.agent_id,
      v_run.task_id, v_run.id, v_attempt.id
    );
  else
    if not office_internal.takes_prompts(v_run.executor_id) then
      perform office_internal.refuse(
        'conflict', format('The program of r%s takes one prompt only.', v_run.number), 'What came since is told to a run that follows.',
        jsonb_build_object('run', 'r' || v_run.number)
      );
    end if;
    if v_attempt.shown_wakeups >= v_run.coalesced_count then
      return;
    end if;
    v_prompt := (
      office_internal.build_prompts(array[v_run.id], array[v_attempt.number], array[null]::text[], array[v_attempt.engine_session], true)
    )[1];
    update office.attempt_prompts as p
    set assembled_prompt = p.assembled_prompt || E'\n---\n\n' || v_prompt
    where p.attempt_id = v_attempt.id;
  end if;
  update office.attempts as a
  set shown_wakeups = v_run.coalesced_count, prompt_built_at = office_internal.wall_clock(),
    engine_session = case when not fresh then a.engine_session end
  where a.id = v_attempt.id and a.ended_at is null;
  return query select v_run.id, v_prompt, v_run.coalesced_count - case when fresh then 0 else v_attempt.shown_wakeups end;
end
$$;

comment on function office.next_prompt(uuid, integer, boolean)
is 'What a live program is told next, once its run took more in; fresh: all again, for an engine session that was lost.';

-- office_internal.takes_prompts: whether a program of this executor takes another prompt while it runs (Q5).
create or replace function office_internal.takes_prompts(executor_id uuid)
returns boolean
language sql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
  select coalesce((select x.body ->> 'kind' = 'acp' from office.executors as x where x.id = takes_prompts.executor_id), false)
$$;

comment on function office_internal.takes_prompts(uuid) is 'True for an executor whose program takes another prompt while it runs.';
