-- The whole security posture on one page (I5). Deployed after everything else, in the same transaction.
--   office_reader    sees the workspaces of its account
--   office_client    a person or an application: sees, asks, changes through functions
--   office_worker    claims and reports; sees nothing else
--   office_operator  all that, every workspace, and may change tasks and runs by hand
-- The four words are replaced by the configured names; with a single role each stands for the owner.

-- Nothing to PUBLIC, and nothing that nobody names here.
revoke all on schema office, office_internal from public;
revoke all on all tables in schema office, office_internal from public;
revoke all on all sequences in schema office, office_internal from public;
revoke all on all functions in schema office, office_internal from public;
alter default privileges in schema office revoke execute on functions from public;
alter default privileges in schema office_internal revoke execute on functions from public;

grant usage on schema office to office_reader, office_client, office_worker, office_operator;

-- Types carry no data, but their default is PUBLIC too.
revoke all on type office.workspace_reference, office.agent_reference, office.project_reference,
  office.profile_reference, office.task_reference, office.run_reference, office.decision_reference,
  office.routine_reference, office.trigger_reference, office_internal.launch,
  office_internal.cron, office_internal.said_limit, office_internal.fire from public;
grant usage on type office.workspace_reference, office.agent_reference, office.project_reference,
  office.profile_reference, office.task_reference, office.run_reference, office.decision_reference,
  office.routine_reference, office.trigger_reference
  to office_reader, office_client, office_operator;

-- What is the same for every workspace can be read by whoever may see the office at all.
grant select on
  office.errors, office.task_states, office.task_moves, office.wakeup_sources, office.wakeup_fields, office.wakeup_states,
  office.wakeup_moves, office.run_states, office.run_moves, office.setting_definitions
  to office_reader, office_client, office_operator;

-- What belongs to a workspace is seen by its members; policies below.
grant select on
  office.accounts, office.workspaces, office.members, office.profiles, office.agents, office.projects, office.workflows,
  office.stages, office.settings, office.executors, office.tasks, office.task_blockers, office.task_participants,
  office.task_reviews, office.task_documents, office.channels, office.channel_messages,
  office.comments, office.runs, office.wakeups, office.attempt_prompts, office.attempt_steps, office.checkouts,
  office.worktrees, office.profile_choices, office.run_choices, office.task_checks,
  office.provider_holds, office.provider_limits, office.resources, office.workers, office.activity, office.inbox_items,
  office.decisions, office.routines, office.routine_triggers, office.routine_runs, office.continuation_summaries, office.feedback,
  office.up_next, office.running, office.needs_me, office.inbox, office.agent_load, office.health, office.stuck, office.routine_schedule,
  office.worktree_use
  to office_reader, office_client, office_operator;
grant select on
  office.usage_events, office.model_prices, office.budgets, office.budget_periods, office.budget_reservations, office.spend,
  office.attempt_usage, office.maintenance_slots, office.maintenance_status
  to office_reader, office_client, office_operator;
-- All columns but the token's hash.
grant select (
  id, run_id, workspace_id, number, worker_id, shown_wakeups, prompt_built_at, pid, engine_session, claimed_at, started_at,
  ended_at, outcome, result, error, exit_code, cleaned_at, killed, retry_source, parsed_reset_at, left_at, launch, executor_id,
  worked, working_since
) on office.attempts to office_reader, office_client, office_operator;

-- By hand, in psql: operators only.
grant update on office.tasks, office.agents, office.projects, office.routines, office.routine_triggers to office_operator;
-- Of a run, what a person decides. Which attempt and worker it has, when it was claimed, what it counts, is the office's own to know.
grant update (
  status, outcome, cancel_reason, stop_reason, reason, executor_id, retry_count, scheduled_retry_at, requested_at, parked, due_at
) on office.runs to office_operator;
grant delete on office.tasks, office.agents, office.projects, office.task_blockers, office.settings, office.routines,
  office.routine_triggers to office_operator;
grant insert on office.task_blockers, office.settings to office_operator;
grant update on office.settings to office_operator;
grant insert, update, delete on office.model_prices to office_operator;

grant execute on function
  office.now(), office.uuid7(), office.help(), office.visible_workspaces(), office.is_somebody(), office.run_label(text, text),
  office.preview(text),
  office.why(text), office.result(text), office.settled(text), office.waiting_for(uuid), office.context_snapshot(office.runs),
  office.undispatched(), office.held_up(), office.read_task(text), office.read_document(text, text), office.get_setting(text, text),
  office.check_executor(jsonb),
  office.read_rate_limit(text, timestamptz, text),
  office.cron_next(text, text, timestamptz), office.cron_fires(text, text, timestamptz, integer)
  to office_reader, office_client, office_operator;

grant execute on function
  office.act_as(text), office.act_with(text),
  office.create_workspace(text, text, text), office.create_account(text, text, text, boolean),
  office.add_member(text, text, text), office.create_profile(text, jsonb, text, text, text, integer, text[], text[]),
  office.update_profile(text, jsonb, text),
  office.create_project(text, text, text, jsonb, text, text, jsonb), office.update_project(text, jsonb, text),
  office.collect_worktree(text, boolean),
  office.create_agent(text, jsonb, text, text, text, text, integer, integer, boolean, text),
  office.update_agent(text, jsonb), office.set_setting(text, text, text),
  office.create_task(text, text, text, text, text, text[], text, text, boolean, jsonb, text, text),
  office.assign_task(text, text), office.move_task(text, text), office.complete_task(text, text, boolean),
  office.archive_task(text), office.delete_task(text), office.add_comment(text, text), office.note_decision(text),
  office.update_task(text, jsonb), office.snooze_task(text, timestamptz), office.add_blocker(text, text),
  office.remove_blocker(text, text), office.add_participant(text, text, text), office.remove_participant(text, text, text),
  office.review_task(text, text, text), office.create_channel(text, text), office.receive_message(text, text, text, text),
  office.create_workflow(text, jsonb, text), office.answer_request(text, text, text), office.write_document(text, text, text, integer),
  office.request_task(text, text, text, text, text, text, text, text),
  office.wake(text, text, jsonb, text, text), office.wake_many(jsonb), office.dispatch(text),
  office.stop(text, text), office.pause(text, text), office.resume(text), office.retry_run(text, boolean),
  office.retry_runs(text, text, text, text, timestamptz, boolean, boolean), office.add_feedback(text, text, boolean),
  office.stop_runs(text, text, text, text, timestamptz, text, boolean), office.wake_agent(),
  office.ask(text, jsonb, interval, text, text, jsonb, text), office.request_approval(text, text, text, interval),
  office.answer(text, text, text, text),
  office.create_routine(text, text, text, jsonb, jsonb, text, text, integer, text), office.update_routine(text, jsonb),
  office.archive_routine(text), office.delete_routine(text), office.add_schedule(text, text, text),
  office.add_once(text, timestamptz, text), office.add_webhook(text, text, text), office.update_trigger(text, jsonb),
  office.enable_trigger(text), office.disable_trigger(text), office.remove_trigger(text), office.rotate_secret(text),
  office.fire_routine(text, jsonb), office.fire_webhook(text, jsonb, bytea)
  to office_client, office_operator;

grant execute on function
  office.now(), office.uuid7(), office.read_rate_limit(text, timestamptz, text),
  office.register_worker(text, integer, text, integer, text), office.heartbeat(uuid, uuid[]), office.drain_worker(uuid),
  office.claim_checks(uuid, integer), office.finish_check(uuid, uuid, integer, text, text),
  office.give_back(uuid, uuid[]), office.abandoned_attempts(text), office.sessions_to_delete(text),
  office.confirm_deletion(uuid, text), office.dispatch(text), office.get_setting(text, text),
  office.claim_runs(uuid, integer), office.start_attempt(uuid, integer, text, integer), office.start_attempts(jsonb),
  office.record_steps(uuid, jsonb, integer), office.next_prompt(uuid, integer, boolean),
  office.finish_attempt(uuid, jsonb, integer, integer), office.finish_attempts(jsonb),
  office.fail_attempt(uuid, text, text, integer, integer), office.confirm_cleanup(uuid, integer, integer), office.add_resource(uuid, text),
  office.carry_out(integer), office.maintain(), office.tick(timestamptz), office.metrics(),
  office.fire_webhook(text, jsonb, bytea)
  to office_worker, office_operator;

grant execute on function office.set_budget(text, numeric, text, text, integer, boolean, numeric, text) to office_client, office_operator;
grant execute on function office.record_cost(uuid, jsonb) to office_worker, office_operator;

-- The agents' side (X2), passed on by a worker whose login is a gateway for tokens; without a token that login is nobody.
grant execute on function
  office.act_with(text), office.read_task(text), office.add_comment(text, text), office.move_task(text, text),
  office.create_task(text, text, text, text, text, text[], text, text, boolean, jsonb, text, text),
  office.complete_task(text, text, boolean), office.review_task(text, text, text), office.update_task(text, jsonb),
  office.add_blocker(text, text), office.remove_blocker(text, text), office.read_document(text, text),
  office.write_document(text, text, text, integer),
  office.wake(text, text, jsonb, text, text), office.note_decision(text),
  office.ask(text, jsonb, interval, text, text, jsonb, text), office.checkpoint(jsonb, jsonb, text), office.receipt(text, jsonb),
  office.request_approval(text, text, text, interval),
  office.answer(text, text, text, text)
  to office_worker;

grant execute on function
  office.expire_worker(uuid), office.release_resources(text), office.release_task(text), office.end_hold(text, text),
  office.set_provider_limit(text, integer),
  office.audit()
  to office_operator;

-- Every table with a workspace shows only the caller's. Asked once a statement; nobody is refused, not shown nothing.
-- The deploy has dropped the policies of before.
alter table office.accounts enable row level security;
alter table office.workspaces enable row level security;
alter table office.members enable row level security;
alter table office.profiles enable row level security;
alter table office.agents enable row level security;
alter table office.projects enable row level security;
alter table office.workflows enable row level security;
alter table office.stages enable row level security;
alter table office.settings enable row level security;
alter table office.executors enable row level security;
alter table office.tasks enable row level security;
alter table office.task_blockers enable row level security;
alter table office.task_participants enable row level security;
alter table office.task_reviews enable row level security;
alter table office.task_documents enable row level security;
alter table office.channels enable row level security;
alter table office.channel_messages enable row level security;
alter table office.comments enable row level security;
alter table office.runs enable row level security;
alter table office.wakeups enable row level security;
alter table office.attempts enable row level security;
alter table office.attempt_prompts enable row level security;
alter table office.attempt_steps enable row level security;
alter table office.checkouts enable row level security;
alter table office.worktrees enable row level security;
alter table office.profile_choices enable row level security;
alter table office.run_choices enable row level security;
alter table office.task_checks enable row level security;
alter table office.resources enable row level security;
alter table office.usage_events enable row level security;
alter table office.budgets enable row level security;
alter table office.budget_periods enable row level security;
alter table office.budget_reservations enable row level security;
alter table office.workers enable row level security;
alter table office.activity enable row level security;
alter table office.inbox_items enable row level security;
alter table office.provider_holds enable row level security;
alter table office.provider_limits enable row level security;
alter table office.decisions enable row level security;
alter table office.routines enable row level security;
alter table office.routine_triggers enable row level security;
alter table office.routine_runs enable row level security;
alter table office.continuation_summaries enable row level security;
alter table office.feedback enable row level security;

create policy visible on office.workspaces using (id in (select office.visible_workspaces()));
create policy visible on office.members using (workspace_id in (select office.visible_workspaces()));
-- Who shares a workspace with the caller; the members' own policy narrows the inner query. Operators see all.
create policy visible on office.accounts using (
  id in (select m.account_id from office.members as m)
  or id in (select w.owner_account_id from office.workspaces as w)
  or has_table_privilege(session_user, 'office.tasks', 'update')
);
create policy visible on office.profiles using (workspace_id in (select office.visible_workspaces()));
create policy visible on office.agents using (workspace_id in (select office.visible_workspaces()));
create policy visible on office.projects using (workspace_id in (select office.visible_workspaces()));
create policy visible on office.workflows using (workspace_id in (select office.visible_workspaces()));
create policy visible on office.stages using (workflow_id in (select w.id from office.workflows as w));
-- The caller's workspaces are asked for first: who is nobody is refused there, and not shown the office's own settings.
create policy visible on office.settings
using (
  scope_id in (select office.visible_workspaces()) or scope = 'office'
  or (scope = 'account' and scope_id in (select m.account_id from office.members as m))
);
create policy visible on office.executors using (
  id in (select a.executor_id from office.agents as a)
  or id in (select r.executor_id from office.runs as r)
);
-- An account is known to those whose executors name it, and to operators.
create policy visible on office.provider_holds using (
  provider in (select x.provider from office.executors as x) or has_table_privilege(session_user, 'office.tasks', 'update')
);
create policy visible on office.provider_limits using (
  provider in (select x.provider from office.executors as x) or has_table_privilege(session_user, 'office.tasks', 'update')
);
create policy visible on office.tasks using (workspace_id in (select office.visible_workspaces()));
create policy visible on office.task_blockers using (workspace_id in (select office.visible_workspaces()));
create policy visible on office.task_participants using (workspace_id in (select office.visible_workspaces()));
create policy visible on office.task_reviews using (workspace_id in (select office.visible_workspaces()));
create policy visible on office.task_documents using (workspace_id in (select office.visible_workspaces()));
create policy visible on office.channels using (workspace_id in (select office.visible_workspaces()));
create policy visible on office.channel_messages using (workspace_id in (select office.visible_workspaces()));
create policy visible on office.comments using (workspace_id in (select office.visible_workspaces()));
create policy visible on office.runs using (workspace_id in (select office.visible_workspaces()));
create policy visible on office.wakeups using (workspace_id in (select office.visible_workspaces()));
create policy visible on office.attempts using (workspace_id in (select office.visible_workspaces()));
create policy visible on office.attempt_prompts using (workspace_id in (select office.visible_workspaces()));
create policy visible on office.attempt_steps using (workspace_id in (select office.visible_workspaces()));
create policy visible on office.usage_events using (workspace_id in (select office.visible_workspaces()));
create policy visible on office.budgets using (workspace_id in (select office.visible_workspaces()));
create policy visible on office.budget_periods using (workspace_id in (select office.visible_workspaces()));
create policy visible on office.budget_reservations using (workspace_id in (select office.visible_workspaces()));
create policy visible on office.profile_choices using (workspace_id in (select office.visible_workspaces()));
create policy visible on office.task_checks using (workspace_id in (select office.visible_workspaces()));
create policy visible on office.run_choices using (workspace_id in (select office.visible_workspaces()));
create policy visible on office.worktrees using (workspace_id in (select office.visible_workspaces()));
create policy visible on office.checkouts using (workspace_id in (select office.visible_workspaces()));
create policy visible on office.resources using (workspace_id in (select office.visible_workspaces()));
-- A worker of no one workspace is everybody's to know of.
create policy visible on office.workers
using (
  coalesce(only_workspace_id, '00000000-0000-0000-0000-000000000000') in (select office.visible_workspaces()) or only_workspace_id is null
);
create policy visible on office.activity using (workspace_id in (select office.visible_workspaces()));
create policy visible on office.inbox_items using (workspace_id in (select office.visible_workspaces()));
create policy visible on office.decisions using (workspace_id in (select office.visible_workspaces()));
create policy visible on office.routines using (workspace_id in (select office.visible_workspaces()));
create policy visible on office.routine_triggers using (workspace_id in (select office.visible_workspaces()));
create policy visible on office.routine_runs using (workspace_id in (select office.visible_workspaces()));

-- What runs go on from, what they may, and agents' sessions.
grant select on office.checkpoints, office.receipts, office.permission_rules, office.agent_sessions, office.sessions,
  office.session_deletions
  to office_reader, office_client, office_operator;
grant delete on office.permission_rules to office_operator;
grant execute on function office.checkpoint(jsonb, jsonb, text), office.receipt(text, jsonb) to office_client, office_operator;
revoke all on type office.session_reference from public;
grant usage on type office.session_reference to office_reader, office_client, office_operator;
grant execute on function
  office.send_message(text, text), office.steer(text, text), office.reorder_queue(text, text[])
  to office_client, office_operator;
alter table office.agent_sessions enable row level security;
create policy visible on office.agent_sessions using (workspace_id in (select office.visible_workspaces()));
alter table office.session_deletions enable row level security;
create policy visible on office.session_deletions using (workspace_id in (select office.visible_workspaces()));
alter table office.checkpoints enable row level security;
alter table office.receipts enable row level security;
alter table office.permission_rules enable row level security;
create policy visible on office.checkpoints using (workspace_id in (select office.visible_workspaces()));
create policy visible on office.receipts using (workspace_id in (select office.visible_workspaces()));
create policy visible on office.permission_rules using (workspace_id in (select office.visible_workspaces()));
create policy visible on office.continuation_summaries using (workspace_id in (select office.visible_workspaces()));
create policy visible on office.feedback using (workspace_id in (select office.visible_workspaces()));
