-- The lint of the deployed schema: A5 (every function's properties), A7 (enumerations are text), I1 (comments, one signature a
-- name), I5 (who may do what). A list of what breaks a law is compared with an empty one, so that a failure names the object.
begin;
set local search_path = tap, public;
select plan(26);

create temporary view ours as
select n.oid, n.nspname as schema
from pg_catalog.pg_namespace as n
where n.nspname in ('office', 'office_internal');

create temporary view our_functions as
select p.oid, ours.schema, p.proname, p.proowner, p.proacl, p.prosecdef, p.prosqlbody, p.prorettype, p.proconfig,
  p.oid::regprocedure::text as name
from pg_catalog.pg_proc as p
join ours on ours.oid = p.pronamespace;

create temporary view our_relations as
select c.oid, ours.schema, c.relkind, c.relowner, c.relacl, c.reloptions, c.relrowsecurity, c.relforcerowsecurity, c.reltype,
  c.oid::regclass::text as name
from pg_catalog.pg_class as c
join ours on ours.oid = c.relnamespace
where c.relkind in ('r', 'p', 'v', 'm', 'S');

-- The deployed names of the four roles; with a single role there are none, and the owner stands for all.
create temporary view roles as
select word, pg_catalog.to_regrole(d.role_prefix || '_' || word) as role
from office_internal.deployment as d, unnest(array['reader', 'client', 'worker', 'operator']) as word
where not d.single_role;

grant select on ours, our_functions, our_relations, roles to public;

-- I1: comments

select is_empty(
  $$ select name from our_relations where relkind in ('r', 'p', 'v', 'm') and obj_description(oid, 'pg_class') is null order by 1 $$,
  'I1: every table and view has a comment'
);
select is_empty(
  $$
    select name || '.' || attname
    from our_relations
    join pg_attribute on attrelid = oid and attnum > 0 and not attisdropped
    where relkind in ('r', 'p', 'v', 'm') and col_description(attrelid, attnum) is null
    order by 1
  $$,
  'I1: every column has a comment'
);
select is_empty(
  $$ select name from our_functions where schema = 'office' and obj_description(oid, 'pg_proc') is null order by 1 $$,
  'I1: every public function has a comment'
);
select is_empty(
  $$
    select t.oid::regtype::text
    from pg_type as t
    join ours on ours.oid = t.typnamespace
    where t.typtype in ('d', 'e', 'c', 'r') and not exists (select from our_relations as r where r.reltype = t.oid)
      and obj_description(t.oid, 'pg_type') is null
    order by 1
  $$,
  'I1: every type has a comment'
);
select is_empty(
  $$ select schema || '.' || proname from our_functions group by schema, proname having count(*) > 1 $$,
  'I1: no function is overloaded'
);

-- A7: values

select is_empty(
  $$ select t.oid::regtype::text from pg_type as t join ours on ours.oid = t.typnamespace where t.typtype = 'e' $$,
  'A7: enumerations are text, not types'
);
select is_empty(
  $$
    select name || '.' || attname
    from our_relations
    join pg_attribute on attrelid = oid and attnum > 0 and not attisdropped
    where relkind in ('r', 'p', 'v') and atttypid in ('timestamp'::regtype, 'varchar'::regtype, 'bpchar'::regtype, 'json'::regtype)
    order by 1
  $$,
  'A7: times have a zone, text is text, JSON is jsonb'
);

-- A5: functions

select is_empty(
  $$
    select name
    from our_functions
    where prosqlbody is null and not exists (select from unnest(proconfig) as setting where setting like 'search\_path=%')
    order by 1
  $$,
  'A5: every function has a search path, or a body of the SQL standard'
);
select is_empty(
  $$
    select name
    from our_functions
    where prosecdef and not ('search_path=pg_catalog, office, office_internal, pg_temp' = any(coalesce(proconfig, '{}')))
    order by 1
  $$,
  'I5: a SECURITY DEFINER function has exactly the search path of the law'
);
select is_empty(
  $$
    select name from our_functions
    where exists (
      select from unnest(proconfig) as setting where setting !~ '^(search_path|lock_timeout|plan_cache_mode|jit|enable_[a-z]+)='
    )
    order by 1
  $$,
  'A5 I13: functions change no setting but the search path, lock_timeout and the planner''s: others are a superuser''s to set'
);
-- A3: no dead code. office.wake_agent is for people's own tables, and the deploy calls install.
create temporary view our_texts as
with functions as materialized (select oid from our_functions)
select p.oid, pg_catalog.pg_get_functiondef(p.oid) as body from functions as p
union all
select c.oid, pg_catalog.pg_get_viewdef(c.oid) from our_relations as c where c.relkind = 'v'
union all
select d.oid, pg_catalog.pg_get_expr(d.adbin, d.adrelid) from pg_catalog.pg_attrdef as d join our_relations as c on c.oid = d.adrelid
union all
select k.oid, pg_catalog.pg_get_constraintdef(k.oid) from pg_catalog.pg_constraint as k join our_relations as c on c.oid = k.conrelid
union all
select t.oid, pg_catalog.pg_get_triggerdef(t.oid) from pg_catalog.pg_trigger as t join our_relations as c on c.oid = t.tgrelid
union all
select y.oid, concat(pg_catalog.pg_get_expr(y.polqual, y.polrelid), ' ', pg_catalog.pg_get_expr(y.polwithcheck, y.polrelid))
from pg_catalog.pg_policy as y;
create temporary view dead_functions as
select f.name
from our_functions as f
where f.schema = 'office_internal' and f.proname <> 'install' and case
  when f.prorettype = 'trigger'::regtype then not exists (select from pg_catalog.pg_trigger as t where t.tgfoid = f.oid)
  else not exists (select from our_texts as x where x.oid <> f.oid and x.body ~ ('\m' || f.proname || '\M'))
end;
select is_empty('select name from dead_functions order by 1', 'A3: every inner function is called, every trigger function has its trigger');
create function office_internal.idle_one() returns integer language sql return 1;
create function office_internal.idle_two() returns trigger language plpgsql as 'begin return null; end';
select results_eq(
  'select name from dead_functions order by 1', array['office_internal.idle_one()', 'office_internal.idle_two()'],
  'K13: … one that is not would be found'
);
drop function office_internal.idle_one(), office_internal.idle_two();

-- I5: nothing for PUBLIC, nothing of the inner rooms for anybody

select is_empty(
  $$
    with acls (name, kind, acl) as (
      select name, 'function', coalesce(proacl, acldefault('f', proowner))
      from our_functions
      union all
      select name, 'relation', coalesce(relacl, acldefault(case relkind when 'S' then 's' else 'r' end::"char", relowner))
      from our_relations
      union all
      select schema, 'schema', coalesce(nspacl, acldefault('n', nspowner))
      from ours join pg_namespace using (oid)
      union all
      select t.oid::regtype::text, 'type', coalesce(typacl, acldefault('T', typowner))
      from pg_type as t join ours on ours.oid = t.typnamespace
      where t.typtype in ('d', 'e', 'r') or t.typtype = 'c' and not exists (select from our_relations as r where r.reltype = t.oid)
    )
    select kind || ' ' || name || ': ' || privilege_type
    from acls, aclexplode(acl)
    where grantee = 0
    order by 1
  $$,
  'I5: nothing is granted to PUBLIC'
);
select is_empty(
  $$
    select word || ': ' || schema
    from roles, ours
    where schema = 'office_internal' and has_schema_privilege(role, oid, 'CREATE, USAGE')
    union all
    select word || ': ' || name
    from roles, our_functions
    where schema = 'office_internal' and has_function_privilege(role, oid, 'EXECUTE')
    union all
    select word || ': ' || name
    from roles, our_relations
    where schema = 'office_internal' and relkind <> 'S'
      and (has_table_privilege(role, oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
        or has_any_column_privilege(role, oid, 'SELECT, INSERT, UPDATE'))
    union all
    select word || ': ' || name
    from roles, our_relations
    where schema = 'office_internal' and relkind = 'S' and has_sequence_privilege(role, oid, 'USAGE, SELECT, UPDATE')
    order by 1
  $$,
  'I5: nothing in office_internal is anybody''s but the owner''s'
);

-- I5: what each role can do, in full. A change here is a change of the security posture: read it as one.

select set_eq(
  $$
    select proname::text, string_agg(word, ' ' order by word)
    from our_functions, roles
    where schema = 'office' and has_function_privilege(role, oid, 'EXECUTE')
    group by proname
  $$,
  $$
    values
      -- asking
      ('now', 'client operator reader worker'),
      ('uuid7', 'client operator reader worker'),
      ('read_rate_limit', 'client operator reader worker'),
      ('help', 'client operator reader'),
      ('why', 'client operator reader'),
      ('result', 'client operator reader'),
      ('settled', 'client operator reader'),
      ('waiting_for', 'client operator reader'),
      ('undispatched', 'client operator reader'),
      ('held_up', 'client operator reader'),
      ('run_label', 'client operator reader'),
      ('preview', 'client operator reader'),
      ('read_task', 'client operator reader worker'),
      ('context_snapshot', 'client operator reader'),
      ('get_setting', 'client operator reader worker'),
      ('visible_workspaces', 'client operator reader'),
      ('cron_next', 'client operator reader'),
      ('cron_fires', 'client operator reader'),
      -- routines
      ('create_routine', 'client operator'),
      ('update_routine', 'client operator'),
      ('archive_routine', 'client operator'),
      ('delete_routine', 'client operator'),
      ('add_schedule', 'client operator'),
      ('add_once', 'client operator'),
      ('add_webhook', 'client operator'),
      ('update_trigger', 'client operator'),
      ('enable_trigger', 'client operator'),
      ('disable_trigger', 'client operator'),
      ('remove_trigger', 'client operator'),
      ('rotate_secret', 'client operator'),
      ('fire_routine', 'client operator'),
      ('fire_webhook', 'client operator worker'),
      ('tick', 'operator worker'),
      ('audit', 'operator'),
      ('metrics', 'operator worker'),
      -- acting for somebody
      ('act_as', 'client operator'),
      ('act_with', 'client operator worker'),
      -- directory
      ('check_executor', 'client operator reader'),
      ('create_workspace', 'client operator'),
      ('create_account', 'client operator'),
      ('add_member', 'client operator'),
      ('create_agent', 'client operator'),
      ('update_agent', 'client operator'),
      ('create_profile', 'client operator'), ('update_profile', 'client operator'),
      ('create_project', 'client operator'), ('update_project', 'client operator'), ('collect_worktree', 'client operator'),
      ('set_setting', 'client operator'),
      -- tasks
      ('create_task', 'client operator worker'),
      ('assign_task', 'client operator'),
      ('move_task', 'client operator worker'),
      ('complete_task', 'client operator worker'),
      ('review_task', 'client operator worker'),
      ('update_task', 'client operator worker'),
      ('add_blocker', 'client operator worker'),
      ('read_document', 'client operator reader worker'),
      ('write_document', 'client operator worker'),
      ('remove_blocker', 'client operator worker'),
      ('snooze_task', 'client operator'),
      ('add_participant', 'client operator'),
      ('remove_participant', 'client operator'),
      ('request_task', 'client operator'),
      ('answer_request', 'client operator'),
      ('create_channel', 'client operator'),
      ('receive_message', 'client operator'),
      ('create_workflow', 'client operator'),
      ('archive_task', 'client operator'),
      ('delete_task', 'client operator'),
      ('add_comment', 'client operator worker'),
      ('note_decision', 'client operator worker'),
      -- deciding
      ('ask', 'client operator worker'),
      ('request_approval', 'client operator worker'),
      ('answer', 'client operator worker'),
      ('checkpoint', 'client operator worker'),
      ('send_message', 'client operator'),
      ('steer', 'client operator'),
      ('reorder_queue', 'client operator'),
      ('receipt', 'client operator worker'),
      -- waking and steering
      ('wake', 'client operator worker'),
      ('wake_many', 'client operator'),
      ('dispatch', 'client operator worker'),
      ('stop', 'client operator'),
      ('pause', 'client operator'),
      ('is_somebody', 'client operator reader'),
      ('resume', 'client operator'),
      ('retry_run', 'client operator'),
      ('retry_runs', 'client operator'),
      ('stop_runs', 'client operator'),
      ('add_feedback', 'client operator'),
      ('release_task', 'operator'),
      ('wake_agent', 'client operator'),
      -- working
      ('carry_out', 'operator worker'),
      ('register_worker', 'operator worker'),
      ('heartbeat', 'operator worker'),
      ('drain_worker', 'operator worker'),
      ('give_back', 'operator worker'), ('claim_checks', 'operator worker'), ('finish_check', 'operator worker'),
      ('abandoned_attempts', 'operator worker'),
      ('sessions_to_delete', 'operator worker'),
      ('confirm_deletion', 'operator worker'),
      ('claim_runs', 'operator worker'),
      ('start_attempt', 'operator worker'),
      ('start_attempts', 'operator worker'),
      ('record_steps', 'operator worker'),
      ('next_prompt', 'operator worker'),
      ('record_cost', 'operator worker'),
      ('finish_attempt', 'operator worker'),
      ('finish_attempts', 'operator worker'),
      ('fail_attempt', 'operator worker'),
      ('confirm_cleanup', 'operator worker'),
      ('add_resource', 'operator worker'),
      ('release_resources', 'operator'),
      ('maintain', 'operator worker'),
      ('expire_worker', 'operator'),
      ('end_hold', 'operator'),
      ('set_budget', 'client operator'),
      ('set_provider_limit', 'operator')
  $$,
  'I5: who may call which function'
);
select set_eq(
  $$
    select privilege, name, string_agg(word, ' ' order by word)
    from our_relations, roles, unnest(array['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) as privilege
    where schema = 'office' and relkind <> 'S'
      and (has_table_privilege(role, oid, privilege)
        or privilege in ('INSERT', 'UPDATE', 'REFERENCES') and has_any_column_privilege(role, oid, privilege))
    group by privilege, name
  $$,
  $$
    values
      ('UPDATE', 'office.tasks', 'operator'),
      ('UPDATE', 'office.runs', 'operator'),
      ('UPDATE', 'office.agents', 'operator'),
      ('UPDATE', 'office.projects', 'operator'),
      ('UPDATE', 'office.routines', 'operator'),
      ('UPDATE', 'office.routine_triggers', 'operator'),
      ('UPDATE', 'office.settings', 'operator'),
      ('INSERT', 'office.settings', 'operator'),
      ('INSERT', 'office.model_prices', 'operator'),
      ('UPDATE', 'office.model_prices', 'operator'),
      ('DELETE', 'office.model_prices', 'operator'),
      ('INSERT', 'office.task_blockers', 'operator'),
      ('DELETE', 'office.tasks', 'operator'),
      ('DELETE', 'office.agents', 'operator'),
      ('DELETE', 'office.projects', 'operator'),
      ('DELETE', 'office.routines', 'operator'),
      ('DELETE', 'office.routine_triggers', 'operator'),
      ('DELETE', 'office.settings', 'operator'),
      ('DELETE', 'office.permission_rules', 'operator'),
      ('DELETE', 'office.task_blockers', 'operator')
  $$,
  'I5: who may write which table by hand'
);
select set_eq(
  $$
    select c.attname
    from our_relations as r
    join roles as o on o.word = 'operator'
    join pg_catalog.pg_attribute as c on c.attrelid = r.oid and c.attnum > 0 and not c.attisdropped
    where r.name = 'office.runs' and has_column_privilege(o.role, r.oid, c.attname, 'UPDATE')
  $$,
  $$
    values
      ('status'), ('outcome'), ('cancel_reason'), ('stop_reason'), ('reason'), ('executor_id'), ('retry_count'), ('scheduled_retry_at'),
      ('requested_at'), ('parked'), ('due_at')
  $$,
  'I5, Q22: a hand decides what a person decides: it takes no run from its attempt, its worker or its wakeups'
);
select set_eq(
  $$
    select word, name
    from our_relations, roles
    where schema = 'office' and relkind <> 'S' and has_any_column_privilege(role, oid, 'SELECT')
  $$,
  $$
    select word, name
    from our_relations, roles
    where schema = 'office' and relkind <> 'S' and word in ('reader', 'client', 'operator')
  $$,
  'I5: all but workers may read every public table and view, as far as row-level security goes'
);
select is_empty(
  $$
    select word, name, attname
    from our_relations
    join pg_attribute on attrelid = oid and attnum > 0 and not attisdropped
    cross join roles
    where attname ~ 'token|secret|hash' and attname !~ '^tokens_|_tokens$' and relkind in ('r', 'v')
      and has_column_privilege(role, attrelid, attnum, 'SELECT')
    order by 1, 2
  $$,
  'I5: no role reads a secret or its hash'
);
select is_empty(
  $$
    select word || ': ' || name
    from our_relations, roles
    where schema = 'office' and relkind = 'S' and has_sequence_privilege(role, oid, 'USAGE, SELECT, UPDATE')
    order by 1
  $$,
  'I5: no role draws numbers by itself'
);
select is_empty(
  $$
    select rolname from pg_roles, roles
    where pg_roles.oid = role and (rolcanlogin or rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication)
  $$,
  'I5: the roles cannot log in and have no powers of their own'
);

-- I5: row-level security

select is_empty(
  $$
    select name
    from our_relations as r
    where schema = 'office' and relkind in ('r', 'p') and not relrowsecurity
      and exists (select from pg_attribute where attrelid = r.oid and attname = 'workspace_id' and not attisdropped)
    order by 1
  $$,
  'I5: every public table with a workspace has row-level security'
);
select is_empty(
  $$
    select name
    from our_relations as r
    where relrowsecurity and not exists (select from pg_policy where polrelid = r.oid and polcmd in ('r', '*'))
    order by 1
  $$,
  'I5: every table with row-level security has a policy to read it'
);
select is_empty(
  $$ select name from our_relations where relforcerowsecurity order by 1 $$,
  'I5: row-level security is never forced: the functions'' owner passes'
);
select is_empty(
  $$
    select name from our_relations
    where relkind = 'v' and not ('security_invoker=true' = any(coalesce(reloptions, '{}')))
    order by 1
  $$,
  'I5: every view has security_invoker'
);

-- A8: keys of tables that grow

select is_empty(
  $$
    with growing (name) as (values
      ('office.tasks'), ('office.task_blockers'), ('office.task_participants'), ('office.comments'), ('office.wakeups'),
      ('office.runs'), ('office.attempts'), ('office.attempt_prompts'), ('office.attempt_steps'), ('office.activity'),
      ('office.inbox_items'), ('office.decisions'), ('office_internal.signals'), ('office_internal.changes')
    ),
    -- Rows that come with the deploy, or leave so seldom that a scan then costs less than an index at every write.
    steady (name) as (values
      ('office.task_states'), ('office.run_states'), ('office.wakeup_states'), ('office.wakeup_sources'),
      ('office.workspaces'), ('office.accounts'), ('office.agents'), ('office.workflows'), ('office.stages'),
      ('office.executors')
    )
    select r.name || ': ' || pg_get_constraintdef(k.oid)
    from pg_constraint as k
    join our_relations as r on r.oid = k.conrelid
    where k.contype = 'f' and r.name in (select name from growing)
      and k.confrelid::regclass::text not in (select name from steady)
      and not exists (
        select from pg_index as i
        where i.indrelid = k.conrelid and i.indisvalid
          and (string_to_array(i.indkey::text, ' ')::int2[])[1:cardinality(k.conkey)] @> k.conkey
      )
    order by 1
  $$,
  'A8: a foreign key of a table that grows has an index behind it'
);

select * from finish();
rollback;
