-- office_internal.last_end: the event by which the last of some tasks ended; so two signals of one wave give one key (Q3).
create or replace function office_internal.last_end(task_ids uuid[])
returns uuid
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return (
    select v.id
    from office.activity as v
    where v.kind = 'task_closed' and v.task_id = any(task_ids)
    order by v.at desc, v.id desc
    limit 1
  );
end
$$;

comment on function office_internal.last_end(uuid[]) is 'Id of the latest end among tasks.';
