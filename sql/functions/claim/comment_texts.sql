-- office_internal.comment_texts: comments as parts of a prompt, each with its author, in the order they were written (C1); null: they are
-- gone.
create or replace function office_internal.comment_texts(comment_ids uuid[])
returns text
language sql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
  select string_agg(
    E'\n\n' || coalesce(a.name, u.name) || E':\n\n' || office_internal.fence(c.body), '' order by c.created_at, c.id
  )
  from office.comments as c
  left join office.agents as a on a.id = c.author_agent_id
  left join office.accounts as u on u.id = c.author_account_id
  where c.id = any(comment_ids)
$$;

comment on function office_internal.comment_texts(uuid[]) is 'Comments with their authors, for a prompt.';
