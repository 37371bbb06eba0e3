-- office.register_worker: a process that will launch runs; a fresh id per start, never a host name (Q22). Answers its id and the
-- periods it must keep: the heartbeat is at most a third of the lease.
-- Refuses an empty or endless host, a pid below one, fewer than one run or more than 1000 (invalid), an unknown workspace (not_found).
-- Takes no gate.
create or replace function office.register_worker(
  host text,
  pid integer default null,
  version text default null,
  max_runs integer default 1,
  workspace text default null
)
returns table (worker_id uuid, lease_seconds integer, heartbeat_seconds integer, poll_seconds integer)
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_now timestamptz := office_internal.wall_clock();
  v_lease integer := office_internal.setting('worker_lease_seconds')::integer;
  v_beat integer := office_internal.setting('worker_heartbeat_seconds')::integer;
  v_id uuid;
  v_field text;
begin
  v_field := case
    when coalesce(host, '') !~ '^[^[:cntrl:]]{1,255}$' then 'host'
    when pid <= 0 then 'pid'
    when length(version) > 255 then 'version'
    when coalesce(max_runs, 0) not between 1 and 1000 then 'max_runs'
  end;
  if v_field is not null then
    perform office_internal.refuse(
      'invalid', format('A worker''s %s cannot be that.', v_field),
      'A host of one line, a process id, 1 to 1000 runs, as register_worker(''box1'', 4711, max_runs => 4).',
      jsonb_build_object('field', v_field)
    );
  end if;
  insert into office.workers (host, pid, version, max_runs, only_workspace_id, registered_at, beat_at, lease_until)
  values (
    register_worker.host, register_worker.pid, register_worker.version, register_worker.max_runs,
    case when workspace is not null then (
      select w.id from office.workspaces as w where lower(w.name) = lower(workspace) and w.deleted_at is null
    ) end,
    v_now, v_now, v_now + make_interval(secs => v_lease)
  )
  returning id into v_id;
  if workspace is not null and (select w.only_workspace_id from office.workers as w where w.id = v_id) is null then
    perform office_internal.not_found(
      'workspace', workspace, (select array_agg(w.name) from office.workspaces as w where w.deleted_at is null),
      'officectl workspace list shows them.'
    );
  end if;
  return query
    select
      v_id, v_lease, least(v_beat, greatest(v_lease / 3, 1)), office_internal.setting('worker_poll_seconds')::integer;
end
$$;

comment on function office.register_worker(text, integer, text, integer, text) is 'Registers a process that will launch runs.';
