-- office_internal.task_list: tasks as lines of a prompt: number, state, title, last comment where asked for; in their order, at most 20,
-- then how many more (C1).
create or replace function office_internal.task_list(task_ids uuid[], with_comments boolean)
returns text
language sql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
  select coalesce(string_agg(
    format(E'\n- t%s, %s: %s', t.number, t.state, to_jsonb(t.title)::text) || case when with_comments then coalesce(
      '; last comment: ' || (
        select to_jsonb(left(c.body, 300))::text
        from office.comments as c
        where c.task_id = t.id
        order by c.created_at desc, c.id desc
        limit 1
      ), ''
    ) else '' end,
    '' order by i.nth
  ), '')
  || case when cardinality(task_ids) > 20 then format(E'\n- and %s more', cardinality(task_ids) - 20) else '' end
  from unnest(task_ids[1:20]) with ordinality as i (id, nth)
  join office.tasks as t on t.id = i.id
$$;

comment on function office_internal.task_list(uuid[], boolean) is 'Tasks as lines of a prompt.';
