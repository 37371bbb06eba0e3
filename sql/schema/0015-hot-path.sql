-- What every claim reads lies on the gate that it holds; the limits of an attempt are there as the dispatch last read them.

alter table office_internal.gates add column attempt_limits jsonb not null default '{}';
comment on column office_internal.gates.attempt_limits is 'Limits of an attempt (S6): settings, as the dispatch last read them.';
-- Where the oldest signals are a few workspaces' backlog, a claim looks at a window of the others (A15).
-- squawk-ignore adding-field-with-default
alter table office_internal.gates add column number bigint generated always as identity;
-- squawk-ignore require-concurrent-index-creation
create unique index gates_number on office_internal.gates (number);
comment on column office_internal.gates.number is 'Its place among all gates, for windows of them.';
create sequence office_internal.gate_turn;
comment on sequence office_internal.gate_turn is 'Which window of the gates the next such claim looks at.';
insert into office_internal.signals (workspace_id, kind) select g.workspace_id, 'setting' from office_internal.gates as g;

-- A status is one of a few words that no one ever removes: a check of the row says so, without a look at another table for every
-- move of every run. Its moves are rows still (Q9, Q10). Workers leave by retention, which looks for what names them.
-- squawk-ignore ban-drop-constraint
alter table office.runs drop constraint runs_status_fkey;
-- squawk-ignore constraint-missing-not-valid
alter table office.runs add constraint runs_status check (
  status in ('queued', 'claimed', 'running', 'waiting', 'stopping', 'finished', 'failed', 'cancelled', 'interrupted', 'blocked')
) not valid;
-- squawk-ignore constraint-missing-not-valid
alter table office.runs validate constraint runs_status;
-- squawk-ignore ban-drop-constraint
alter table office.runs drop constraint runs_worker_id_fkey;
-- squawk-ignore ban-drop-constraint
alter table office.attempts drop constraint attempts_worker_id_fkey;
-- squawk-ignore ban-drop-constraint
alter table office.wakeups drop constraint wakeups_status_fkey;
-- squawk-ignore constraint-missing-not-valid
alter table office.wakeups add constraint wakeups_status check (
  status in ('queued', 'claimed', 'coalesced', 'finished', 'skipped', 'failed', 'cancelled')
) not valid;
-- squawk-ignore constraint-missing-not-valid
alter table office.wakeups validate constraint wakeups_status;

-- What a run is made of is written with the run, by the same functions, under the same gate. That a run or an attempt stays while
-- something names it is a trigger of its removal, which is rare, and not a look for each row that is written.
-- squawk-ignore ban-drop-constraint
alter table office.runs drop constraint runs_reason_fkey;
-- squawk-ignore ban-drop-constraint
alter table office.wakeups drop constraint wakeups_run_id_fkey;
-- squawk-ignore ban-drop-constraint
alter table office.attempts drop constraint attempts_run_id_fkey;
-- squawk-ignore ban-drop-constraint
alter table office.attempt_prompts drop constraint attempt_prompts_attempt_id_fkey;

-- They answer a row now.
-- squawk-ignore ban-drop-function
drop function if exists office_internal.usual_executor(uuid, uuid);
-- squawk-ignore ban-drop-function
drop function if exists office_internal.launch_environment(uuid, uuid);

-- What the active runs' index finds needs no second one, and a queued wakeup is found by its signal: a wakeup's end is then an update in
-- place.
-- squawk-ignore require-concurrent-index-deletion
drop index office.runs_live_scope;
-- squawk-ignore require-concurrent-index-deletion
drop index office.wakeups_queued;
