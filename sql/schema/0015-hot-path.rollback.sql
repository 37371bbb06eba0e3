create index wakeups_queued on office.wakeups (workspace_id) where status = 'queued';
create index runs_live_scope on office.runs (agent_id, scope_id) where status in ('claimed', 'running', 'waiting');
alter table office.attempt_prompts
add constraint attempt_prompts_attempt_id_fkey foreign key (attempt_id) references office.attempts (id);
alter table office.attempts add constraint attempts_run_id_fkey foreign key (run_id) references office.runs (id);
alter table office.wakeups add constraint wakeups_run_id_fkey foreign key (run_id) references office.runs (id);
alter table office.runs add constraint runs_reason_fkey foreign key (reason) references office.wakeup_sources (source);
alter table office.wakeups drop constraint wakeups_status;
alter table office.wakeups add constraint wakeups_status_fkey foreign key (status) references office.wakeup_states (status);
alter table office.attempts add constraint attempts_worker_id_fkey foreign key (worker_id) references office.workers (id);
alter table office.runs add constraint runs_worker_id_fkey foreign key (worker_id) references office.workers (id);
alter table office.runs drop constraint runs_status;
alter table office.runs add constraint runs_status_fkey foreign key (status) references office.run_states (status);
alter table office_internal.gates drop column attempt_limits;
drop sequence office_internal.gate_turn;
alter table office_internal.gates drop column number;
