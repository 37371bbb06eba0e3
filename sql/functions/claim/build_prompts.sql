-- office_internal.build_prompts: what the next attempts of runs are told (C1), in the order of the runs: what the scope's last run left
-- (taskless), instructions, why it was woken (every wakeup it carries, in order), where it stands, what it may do. The same text for the
-- same data; what comes from outside is fenced (C3).
-- Where an engine session goes on, what that was not told before (C2), by resumed_prompt; one that was told nothing yet of this task is
-- told all.
--   summaries   slices of continuation summaries, or null      engine_sessions   what goes on, or null
--   live   not for a launch: their attempts' programs run, and are told more (Q5)
-- One statement for all, and the plainest wakeups written out in it: every claim pays for it.
create or replace function office_internal.build_prompts(
  run_ids uuid[],
  attempt_numbers integer[],
  summaries text[],
  engine_sessions text[],
  live boolean default false
)
returns text[]
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_rule constant text := E'\n\n---\n\n';
  v_prompts text[];
begin
  select array_agg(
    case
      when f.past is null then
        coalesce(E'# What you left for yourself\n\n' || office_internal.fence(g.summary) || v_rule, '')
        || case when a.instructions <> '' then E'# Your instructions\n\n' || a.instructions || v_rule else '' end
        || E'# Why you were woken\n\n' || coalesce(y.why, 'Nobody says.') || v_rule
        || E'# Where it stands\n\n' || array_to_string(s.stands, E'\n\n') || v_rule
        || E'# This run\n\nRun r' || r.number || ', attempt ' || g.attempt_number || ', agent ' || a.name || ' (' || a.role
        || E').\n\nFrom inside this run you may call: officectl agent task, comment, move, create-task, complete, ask, request-approval, '
        || 'note-decision, wake-self. End by printing your result as one JSON object on the last line, as {"summary": "…"}; it may '
        || E'also have "next_action", "decisions": ["…"] and "actions": [{"do": "comment", "body": "…"}, …], which are done for you.\n'
      else office_internal.resumed_prompt(r.id, g.attempt_number, y.why, s.stands, f.past, f.seen is not null, live)
    end
    order by g.nth
  ) into v_prompts
  from unnest(run_ids, attempt_numbers, summaries, engine_sessions)
    with ordinality as g (run_id, attempt_number, summary, engine_session, nth)
  join office.runs as r on r.id = g.run_id
  join office.agents as a on a.id = r.agent_id
  left join office.executors as x on x.id = r.executor_id
  left join office.tasks as t on t.id = r.task_id
  left join office.projects as j on j.id = t.project_id
  left join office_internal.gates as w on w.workspace_id = r.workspace_id
  cross join lateral (
    select case when j.isolation = 'worktree' then office_internal.worktree_of(r.task_id, r.agent_id, x.body) end as worktree
  ) as b
  left join lateral (
    select string_agg(p.assembled_prompt, E'\n' order by e.claimed_at, e.id) as past,
      max(e.shown_wakeups) filter (where e.run_id = r.id) as seen
    from office.runs as o
    join office.attempts as e on e.run_id = o.id
    join office.attempt_prompts as p on p.attempt_id = e.id
    where (g.engine_session is not null or live)
      and (o.id = r.id or (o.task_id = r.task_id and o.agent_id = r.agent_id))
      and (e.engine_session = g.engine_session or (live and e.id = r.attempt_id))
  ) as f on true
  cross join lateral (
    select string_agg(
      case w.source
        when 'user' then coalesce((select u.name from office.accounts as u where u.id = (w.payload ->> 'user_id')::uuid), 'Somebody')
          || ' asks you' || coalesce(' about task t' || t.number, '') || '.'
          || coalesce(E'\n\n' || office_internal.fence(w.payload ->> 'context'), '')
        when 'task_assigned' then 'Task t' || t.number || ' is assigned to you.'
        else office_internal.wakeup_text(w, 't' || t.number)
      end,
      E'\n\n' order by w.position
    ) as why
    from office.wakeups as w
    where w.run_id = r.id and (f.seen is null or w.position > f.seen)
  ) as y
  cross join lateral (
    select array_remove(
      case
        when t.id is not null then array[
          'Task t' || t.number || ', ' || t.state || ', priority ' || t.priority || coalesce(', project ' || j.name, '')
            || case when t.requires_approval then ', needs an approval' else '' end,
          office_internal.fence(t.title),
          case when t.description <> '' then office_internal.fence(t.description) end
        ] || office_internal.related_tasks(t.id, t.parent_id)
        else array[
          'This run is about no task of its own.',
          (
            select 'Your open tasks:' || office_internal.task_list(array_agg(k.id order by k.number), false)
            from (
              -- Put so that no index of all open tasks is walked (Q14), and no more of its own than anybody reads.
              select o.id, o.number
              from office.tasks as o
              where o.assignee_agent_id = r.agent_id and o.state in ('todo', 'in_progress')
                and (o.archived_at is null and o.deleted_at is null) is true
              order by o.number
              limit 1000
            ) as k
            having count(*) > 0
          )
        ]
      end || ('Folder: ' || coalesce(
        x.body ->> 'folder',
        (b.worktree ->> 'folder') || ', a git worktree of your own, on branch ' || (b.worktree ->> 'branch')
          || coalesce('; its assignee works on branch ' || (b.worktree ->> 'start'), ''),
        case when w.project_folders then j.folder end
      )),
      null
    ) as stands
  ) as s;
  return v_prompts;
end
$$;

comment on function office_internal.build_prompts(uuid[], integer[], text[], text[], boolean) is 'What runs'' next attempts are told.';
