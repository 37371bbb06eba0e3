-- office_internal.document_list: the names of a task's documents as lines of a prompt, at most 20, then how many more (C1).
-- Null: there are none.
create or replace function office_internal.document_list(task_id uuid)
returns text
language sql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
  select string_agg(case
    when d.nth <= 20 then format(E'\n- %s, version %s', to_jsonb(d.name)::text, d.version)
    else format(E'\n- and %s more', d.many - 20)
  end, '' order by d.nth)
  from (
    select k.name, k.version, row_number() over (order by lower(k.name)) as nth, count(*) over () as many
    from office.task_documents as k
    where k.task_id = document_list.task_id
  ) as d
  where d.nth <= 21
$$;

comment on function office_internal.document_list(uuid) is 'Names of a task''s documents as lines of a prompt.';
