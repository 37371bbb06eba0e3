-- office_internal.take_all_gates: for a hand-written UPDATE or DELETE of the office's tables: nobody else holds a gate
-- while it runs (A6). Waits at most 2 s, then 55P03: try again.
create or replace function office_internal.take_all_gates()
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_timeout text := current_setting('lock_timeout');
begin
  perform set_config('lock_timeout', '2s', true);
  lock table office_internal.gates in exclusive mode;
  perform set_config('lock_timeout', v_timeout, true);
end
$$;

comment on function office_internal.take_all_gates() is 'Locks all gates for a hand-written statement.';
