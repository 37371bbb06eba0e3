-- office.context_snapshot: what a run is told of its wakeups (Q4): the payloads' own keys, the newest winning, and under "wakeups" each
-- of them whole, in order of arrival. Read from the wakeups each time, so that it never says other than they do. Of a run
-- that the caller does not see it shows none.
create or replace function office.context_snapshot(run office.runs)
returns jsonb
language sql stable parallel safe security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
  with carried as materialized (
    select w.*
    from office.wakeups as w
    where w.run_id = (context_snapshot.run).id and w.workspace_id in (select office.visible_workspaces())
  )
  select
    coalesce((select jsonb_object_agg(k.key, k.value order by c.position) from carried as c, jsonb_each(c.payload) as k), '{}')
    || jsonb_build_object('wakeups', coalesce(jsonb_agg(
      jsonb_build_object('wakeup_id', c.id, 'source', c.source, 'requested_at', c.requested_at, 'payload', c.payload)
      order by c.position
    ), '[]'))
  from carried as c
$$;

comment on function office.context_snapshot(office.runs)
is 'Payloads of a run''s wakeups: merged, the newest winning, and each whole under "wakeups", in order.';
