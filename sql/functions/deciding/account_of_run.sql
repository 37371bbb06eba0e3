-- office_internal.account_of_run: the account for whom a run goes: whoever asked for its first wakeup; where that was no account, who
-- made its task; else the workspace's owner (D5, V2).
create or replace function office_internal.account_of_run(run_id uuid)
returns uuid
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return (
    select coalesce(
      (
        select w.account_id
        from office.wakeups as w
        where w.run_id = r.id and w.account_id is not null
        order by w.position
        limit 1
      ),
      (select t.created_by_account_id from office.tasks as t where t.id = r.task_id),
      (select s.owner_account_id from office.workspaces as s where s.id = r.workspace_id)
    )
    from office.runs as r
    where r.id = account_of_run.run_id
  );
end
$$;

comment on function office_internal.account_of_run(uuid) is 'The account for whom a run goes.';
