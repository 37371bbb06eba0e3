-- office_internal.store_or_fail: stores fires at once; when that is refused, each alone, and one that is refused alone is a failed routine
-- run, and holds up nothing (R9). Answers how many failed. What means "try again" is raised on. Takes no gate.
create or replace function office_internal.store_or_fail(fires office_internal.fire[])
returns integer
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_fire office_internal.fire;
  v_failed integer := 0;
begin
  if cardinality(fires) = 0 then
    return 0;
  end if;
  perform office_internal.store_fires(fires);
  return 0;
exception
  when serialization_failure or deadlock_detected or lock_not_available or query_canceled or read_only_sql_transaction
    or admin_shutdown
  then
    raise;
  when others then
    if cardinality(fires) = 1 then
      perform office_internal.store_fires(array[office_internal.failed_fire((fires[1]).run, sqlerrm)]);
      return 1;
    end if;
    foreach v_fire in array fires loop
      v_failed := v_failed + office_internal.store_or_fail(array[v_fire]);
    end loop;
    return v_failed;
end
$$;

comment on function office_internal.store_or_fail(office_internal.fire[]) is 'Stores fires, those that can be; the others as failed.';
