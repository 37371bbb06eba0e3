-- office_internal.resource_holds: the queued runs among these that need a key which a live run, or one whose cleanup is not
-- confirmed, holds or overlaps (S4, P7), each with the first such reason in words.
create or replace function office_internal.resource_holds(run_ids uuid[])
returns table (run_id uuid, detail text)
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return query
    select h.run_id, office_internal.resource_words(h.key, h.holder_run_id, h.run_id, h.ended_at is not null)
    from office_internal.resource_holders(resource_holds.run_ids) as h;
end
$$;

comment on function office_internal.resource_holds(uuid[]) is 'Queued runs that wait for a key, and why.';

-- office_internal.resource_words: why a run waits for a key, in words (S5): Same folder as "…", which is running. What another workspace
-- works on has no name here.
create or replace function office_internal.resource_words(key text, holder_run_id uuid, waiter_run_id uuid, ended boolean)
returns text
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return (
    select format(
      case split_part(resource_words.key, ':', 1)
        when 'repo' then 'Same repository as %s'
        else 'Same ' || split_part(resource_words.key, ':', 1) || ' as %s'
      end || case when resource_words.ended then ', which is being cleaned up' else ', which is running' end,
      case
        when r.workspace_id <> w.workspace_id then 'a run of another workspace'
        else coalesce('"' || t.title || '"', format('r%s of %s', r.number, a.name))
      end
    )
    from office.runs as r
    join office.runs as w on w.id = resource_words.waiter_run_id
    join office.agents as a on a.id = r.agent_id
    left join office.tasks as t on t.id = r.task_id
    where r.id = resource_words.holder_run_id
  );
end
$$;

comment on function office_internal.resource_words(text, uuid, uuid, boolean) is 'Why a run waits for a key, in words.';
