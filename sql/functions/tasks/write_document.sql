-- office.write_document: writes a document of a task, new or anew, as a whole (X2); which task is meant: read_document. based_on: the
-- version that it was made from, 0 for a new one; when it is another by now, nothing is written (document_changed). Without it the last who
-- writes wins. A body of null removes it, which is for people to do. It wakes nobody.
-- Refuses unknown tasks and a removal of what is not there (not_found), bad names and bodies over 262144 characters (invalid), another
-- run's task that is not its task's parent, and agents that remove (forbidden). Takes no gate.
create or replace function office.write_document(name text, body text, task text default null, based_on integer default null)
returns table (document_id uuid, of_task text, document text, version integer)
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
#variable_conflict use_column
declare
  v_task office.tasks;
  v_me record;
  v_was office.task_documents;
  v_is office.task_documents;
  v_constraint text;
  v_column text;
begin
  select * into v_task from office.tasks as t where t.id = office_internal.task_of_document(write_document.task, true);
  select * into v_me from office_internal.identity();
  if write_document.body is null then
    perform office_internal.need_person();
  else
    -- Of two who begin it at once the second finds it.
    insert into office.task_documents (
      workspace_id, task_id, name, body, written_by_account_id, written_by_agent_id, attempt_id
    )
    select v_task.workspace_id, v_task.id, write_document.name, write_document.body, v_me.account_id, v_me.agent_id, v_me.attempt_id
    where coalesce(write_document.based_on, 0) = 0
    on conflict do nothing
    returning * into v_is;
  end if;
  if v_is.id is null then
    select * into v_was
    from office.task_documents as d
    where d.task_id = v_task.id and lower(d.name) = lower(write_document.name)
    for no key update;
    if v_was.id is null and (write_document.body is null or write_document.based_on > 0) then
      perform office_internal.not_found(
        'document', write_document.name, (select array_agg(d.name) from office.task_documents as d where d.task_id = v_task.id),
        'officectl task document list shows a task''s.'
      );
    end if;
    if v_was.version <> write_document.based_on then
      perform office_internal.refuse(
        'document_changed', format('"%s" of t%s has been written since, by %s.', v_was.name, v_task.number, coalesce(
          (select a.name from office.agents as a where a.id = v_was.written_by_agent_id),
          (select a.name from office.accounts as a where a.id = v_was.written_by_account_id)
        )),
        'Read it again, and write what is to be there now.',
        jsonb_build_object('task', 't' || v_task.number, 'document', v_was.name, 'version', v_was.version)
      );
    end if;
    if write_document.body is null then
      delete from office.task_documents as d where d.id = v_was.id returning * into v_is;
    else
      update office.task_documents as d
      set body = write_document.body, version = d.version + 1, written_by_account_id = v_me.account_id,
        written_by_agent_id = v_me.agent_id, attempt_id = v_me.attempt_id, written_at = office.now()
      where d.id = v_was.id
      returning * into v_is;
    end if;
  end if;
  perform office_internal.remember(
    v_task.workspace_id, case when write_document.body is null then 'document_removed' else 'document_written' end,
    jsonb_build_object('document', v_is.name, 'version', v_is.version),
    v_me.account_id, v_me.agent_id, v_task.id, null, v_me.attempt_id
  );
  return query select v_is.id, 't' || v_task.number, v_is.name, v_is.version;
exception when check_violation or not_null_violation then
  get stacked diagnostics v_constraint = constraint_name, v_column = column_name;
  perform office_internal.refuse_value('task_documents', v_constraint, v_column);
end
$$;

comment on function office.write_document(text, text, text, integer)
is 'Writes a document of a task; null removes it; from inside a run without a task: of its task''s parent.';
