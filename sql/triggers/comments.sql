-- Trigger of office.comments: the dispatch wakes whom a comment is for (T7), whoever wrote it and however.

create or replace function office_internal.comments_tell()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  perform office_internal.leave_signal(new.workspace_id, 'comment', new.task_id, new.author_agent_id, new.id);
  return null;
end
$$;
comment on function office_internal.comments_tell() is 'Leaves a signal when a comment is written.';

create or replace trigger comments_tell
after insert on office.comments
for each row execute function office_internal.comments_tell();
