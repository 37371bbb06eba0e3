-- office_internal.block_run: ends a run that only a person can help, and says so to people and to the one who leads (Q23, Q24): what to
-- mend; of one that used up what an attempt may (S6), how to give it more. The caller holds the gate and has ended the attempt.
create or replace function office_internal.block_run(run_id uuid, error text, used_up boolean default false)
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_mend text;
begin
  update office.runs as r set status = 'blocked', ended_at = office_internal.wall_clock() where r.id = block_run.run_id;
  if used_up then
    select
      'Leave it, or give it more ' || case
        when m.setting is null then '(select key, meaning from office.setting_definitions where key like ''attempt_%'';)'
        else format('(select office.set_setting(%L, ''%s'', %L);)', m.setting, 2 * m.allowed, w.name)
      end
    into v_mend
    from office.runs as r
    join office.workspaces as w on w.id = r.workspace_id
    left join office_internal.limits_reached as m on m.attempt_id = r.attempt_id
    where r.id = block_run.run_id;
  end if;
  perform office_internal.escalate(block_run.run_id, 'run.blocked', 'is blocked', error, coalesce(v_mend, 'Mend it'));
end
$$;

comment on function office_internal.block_run(uuid, text, boolean) is 'Blocks a run, with an inbox item.';
