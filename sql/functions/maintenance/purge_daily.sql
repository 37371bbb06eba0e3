-- office_internal.purge_daily: once a UTC day, removes activity and consumed wakeups that are older than 30 days (J1). One call walks at
-- most so many rows by key and notes where it stopped; the next call goes on, whichever process makes it, until the slot is done. Of two
-- at once the second finds the slot taken. Limits and pauses stay, for they tell what held when (K9), and
-- the wakeups of runs that a person may have tried again (P4). Answers how many rows it removed. Takes no gate: nobody changes
-- what it removes any more.
create or replace function office_internal.purge_daily(most integer default 2000)
returns integer
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_now timestamptz := office_internal.wall_clock();
  v_today timestamptz := date_trunc('day', v_now at time zone 'UTC') at time zone 'UTC';
  v_slot office.maintenance_slots;
  v_table text;
  v_last uuid;
  v_next uuid;
  v_removed integer := 0;
begin
  if exists (
    select
    from office.maintenance_slots as m
    where m.name = 'housekeeping' and m.scope = '00000000-0000-0000-0000-000000000000' and m.slot = v_today and m.ended_at is not null
  ) or not office_internal.take_piece('housekeeping') then
    return 0;
  end if;
  insert into office.maintenance_slots (name, slot, begun_at) values ('housekeeping', v_today, v_now) on conflict do nothing;
  select m.* into v_slot
  from office.maintenance_slots as m
  where m.name = 'housekeeping' and m.scope = '00000000-0000-0000-0000-000000000000' and m.slot = v_today and m.ended_at is null;
  if not found then
    return 0;
  end if;
  v_table := coalesce(split_part(v_slot.place, ' ', 1), 'activity');
  v_last := coalesce(nullif(split_part(v_slot.place, ' ', 2), '')::uuid, '00000000-0000-0000-0000-000000000000');
  if v_table = 'activity' then
    with walked as materialized (
      select v.id, v.at, v.kind from office.activity as v where v.id > v_last order by v.id limit most
    ),
    removed as (
      delete from office.activity as v
      using walked as w
      where v.id = w.id and w.at < v_now - interval '30 days'
        and w.kind not in ('limit_changed', 'paused', 'resumed', 'agent_held', 'agent_let_go')
      returning v.id
    )
    select
      (select count(*) from removed),
      -- Keys are in order of time: behind the first that stays for its age there is nothing to look for.
      case when count(*) = most and max(w.at) < v_now - interval '30 days' then max(w.id::text)::uuid end
    into v_removed, v_next
    from walked as w;
  else
    with walked as materialized (
      select q.id, q.requested_at, q.status, q.run_id from office.wakeups as q where q.id > v_last order by q.id limit most
    ),
    removed as (
      delete from office.wakeups as q
      using walked as w
      left join office.runs as r on r.id = w.run_id
      where q.id = w.id and w.requested_at < v_now - interval '30 days'
        and w.status in ('finished', 'skipped', 'failed', 'cancelled', 'coalesced')
        and (r.id is null or r.status in ('finished', 'cancelled'))
      returning q.id
    )
    select
      (select count(*) from removed),
      case when count(*) = most and max(w.requested_at) < v_now - interval '30 days' then max(w.id::text)::uuid end
    into v_removed, v_next
    from walked as w;
  end if;
  update office.maintenance_slots as m
  set done = m.done + v_removed,
    place = case when v_next is not null then v_table || ' ' || v_next when v_table = 'activity' then 'wakeups' end,
    ended_at = case when v_next is null and v_table = 'wakeups' then v_now end
  where m.name = v_slot.name and m.scope = v_slot.scope and m.slot = v_slot.slot and m.ended_at is null;
  -- The slots themselves are kept as long.
  delete from office.maintenance_slots as m where m.name = v_slot.name and m.slot < v_now - interval '30 days';
  return v_removed;
end
$$;

comment on function office_internal.purge_daily(integer) is 'Removes old activity and consumed wakeups, a batch a call.';
