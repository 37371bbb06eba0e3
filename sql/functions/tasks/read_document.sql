-- office.read_document: a document of a task, by its name, case aside (X2). Without a task, from inside a run: its task's parent's, or its
-- own task's where that has no parent. Refuses unknown ones (not_found), and people who name no task (missing). Takes no gate.
create or replace function office.read_document(name text, task text default null)
returns table (document_id uuid, of_task text, document text, body text, version integer, written_by text, written_at timestamptz)
language plpgsql stable parallel safe security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
#variable_conflict use_column
declare
  v_task uuid := office_internal.task_of_document(read_document.task, false);
begin
  return query
    select d.id, 't' || t.number, d.name, d.body, d.version, coalesce(g.name, u.name), d.written_at
    from office.task_documents as d
    join office.tasks as t on t.id = d.task_id
    left join office.agents as g on g.id = d.written_by_agent_id
    left join office.accounts as u on u.id = d.written_by_account_id
    where d.task_id = v_task and lower(d.name) = lower(read_document.name);
  if not found then
    perform office_internal.not_found(
      'document', read_document.name, (select array_agg(d.name) from office.task_documents as d where d.task_id = v_task),
      'officectl task document list shows a task''s.'
    );
  end if;
end
$$;

comment on function office.read_document(text, text)
is 'A document of a task, by name; from inside a run without a task: of its task''s parent.';
